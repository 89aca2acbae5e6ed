// What the module answers: `node docs/playground/test.mjs`, after build.sh.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { load } from "./kadmit.mjs";
import { verdictOf } from "./verdict.mjs";

const module = readFileSync(new URL("kadmit.wasm", import.meta.url));
const example = await import("./example.mjs");

test("it needs nothing from the page", async () => {
  const compiled = await WebAssembly.compile(module);
  assert.deepEqual(WebAssembly.Module.imports(compiled), []);
});

test("the example has a refusal with its line, and a change", async () => {
  const evaluate = await load(module);
  const answer = evaluate(example);
  assert.equal(answer.admitted, false);
  assert.match(answer.text, /PodSecurity denied it \(403 Forbidden\)/);
  assert.match(answer.text, /manifests\.yaml:\d+:\d+/);
  assert.match(answer.text, /DefaultStorageClass changed it/);
  assert.equal(answer.json.kind, "AdmissionReport");
  assert.ok(answer.json.summary.denied > 0 && answer.json.summary.admitted > 0);
});

test("it answers the same twice", async () => {
  const evaluate = await load(module);
  assert.deepEqual(evaluate(example), evaluate(example));
});

test("errors have their places", async () => {
  const evaluate = await load(module);
  const wrong = evaluate({ flags: "", cluster: "", manifests: "kind: Pod\n" });
  assert.equal(wrong.admitted, false);
  assert.equal(wrong.diagnostics[0].code, "kadmit::request::missing_field");
  assert.equal(wrong.diagnostics[0].line, 1);
  const unknown = evaluate({ flags: "--enable-admission-plugins=PodSecurty", cluster: "", manifests: "" });
  assert.match(unknown.text, /did you mean "PodSecurity"\?/);
  const files = evaluate({ flags: "--admission-control-config-file=/a.yaml", cluster: "", manifests: "" });
  assert.equal(files.diagnostics[0].code, "kadmit::configuration");
});

test("deep documents do not end it", async () => {
  const evaluate = await load(module);
  const deep = `{"apiVersion": "v1", "kind": "ConfigMap", "data": ${"[".repeat(9000)}${"]".repeat(9000)}}`;
  assert.equal(evaluate({ flags: "", cluster: "", manifests: deep }).admitted, false);
  assert.equal(evaluate({ flags: "", cluster: "", manifests: example.manifests }).json.kind, "AdmissionReport");
});

test("an error in the input is the verdict", async () => {
  const evaluate = await load(module);
  const verdict = (manifests, flags = "") => verdictOf(evaluate({ flags, cluster: "", manifests }));
  assert.equal(verdict("a: b: c\n"), "1 error in line 1");
  assert.equal(verdict("kind: Pod\n---\nkind: Pod\n"), "2 errors");
  assert.equal(verdict(""), "nothing to evaluate");
  assert.equal(verdict("", "--enable-admission-plugins=PodSecurty"), "the server does not start");
  assert.match(verdict(example.manifests), /^\d+ admitted, \d+ denied$/);
});
