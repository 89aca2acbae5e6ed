// The parts of the page that need neither the module nor a browser: `node --test docs/playground/page.test.mjs`.

import assert from "node:assert/strict";
import test from "node:test";
import { Asking } from "./asking.mjs";
import { examples } from "./examples.mjs";
import * as flags from "./flags.mjs";
import * as link from "./link.mjs";
import { classes, parts } from "./report.mjs";
import { verdictOf } from "./verdict.mjs";

test("a link has all texts, compressed", async () => {
  const texts = { flags: "--a=b\n", cluster: "ä🦀\n".repeat(500), manifests: "" };
  const hash = await link.written(texts);
  assert.match(hash, /^#z=[\w-]+$/);
  assert.ok(hash.length < 200, hash);
  assert.deepEqual(await link.read(hash), texts);
});

test("other addresses have no texts", async () => {
  for (const hash of ["", "#z=", "#z=%%", "#z=AAAA", "#report"]) assert.equal(await link.read(hash), undefined);
});

test("a Secret is noticed however it is written", () => {
  const has = (manifests) => link.hasSecret({ flags: "", cluster: "", manifests });
  assert.ok(has("apiVersion: v1\nkind: Secret\n"));
  assert.ok(has('{\n "kind": "secret"}'));
  assert.ok(!has("kind: SealedSecrt\n# a Secret\n"));
});

test("menus write flags", () => {
  assert.equal(flags.set("", "kubernetes-version", "1.30"), "--kubernetes-version=1.30\n");
  assert.equal(flags.set("# a\n--kubernetes-version=1.20\n--b=c", "kubernetes-version", "1.30"), "# a\n--kubernetes-version=1.30\n--b=c");
  assert.equal(flags.release("--kubernetes-version=1.20\n"), "1.20");
  const on = flags.switchPlugin("--enable-admission-plugins=A\n", "B", true);
  assert.equal(on, "--enable-admission-plugins=A,B\n");
  assert.equal(flags.switchPlugin(on, "A", false), "--enable-admission-plugins=B\n--disable-admission-plugins=A\n");
});

test("a message keeps its colour over all of its lines, and places are links", () => {
  const lines = ["✗ Pod a", "  × pods is forbidden:", "  │ because", "    ╭─[manifests.yaml:17:16]", "  ✓ b"];
  assert.deepEqual(classes(lines), ["denied", "denied", "denied", "", "admitted"]);
  assert.deepEqual(parts("at manifests.yaml:17:16 and cluster.yaml:3"), [
    { text: "at " },
    { text: "manifests.yaml:17:16", file: "manifests", line: 17, column: 16 },
    { text: " and " },
    { text: "cluster.yaml:3", file: "cluster", line: 3, column: 1 },
  ]);
});

test("an error in the input is the verdict", () => {
  const summary = (requests, admitted, denied) => ({ requests, admitted, denied });
  const error = { severity: "error", line: 5 };
  assert.equal(verdictOf({ summary: summary(0, 0, 0), diagnostics: [error] }), "1 error in line 5");
  assert.equal(verdictOf({ summary: summary(2, 1, 1), diagnostics: [] }), "1 of 2 requests admitted, 1 denied");
  assert.equal(verdictOf({ summary: summary(0, 0, 0), diagnostics: [] }), "nothing to evaluate");
  assert.equal(verdictOf({ diagnostics: [] }), "the server does not start");
});

test("while an evaluation runs, only the newest texts wait", async () => {
  const questions = [];
  const worker = { postMessage: (question) => questions.push(question) };
  const asking = new Asking(worker);
  const shown = [];
  const show = (answer, texts) => shown.push([answer, texts.manifests]);
  asking.evaluate({ manifests: "a" }, show);
  asking.evaluate({ manifests: "b" }, show);
  asking.evaluate({ manifests: "c" }, show);
  assert.equal(questions.length, 1);
  worker.onmessage({ data: { id: questions[0].id, answer: "A" } });
  await new Promise(setImmediate);
  assert.deepEqual(questions.map(({ question }) => question.manifests), ["a", "c"]);
  worker.onmessage({ data: { id: questions[1].id, error: "unreachable" } });
  await new Promise(setImmediate);
  assert.equal(shown.length, 1);
  assert.equal(shown[0][1], "c");
  assert.equal(verdictOf(shown[0][0]), "kadmit has a bug: unreachable");
});

test("examples have names of their own", () => {
  assert.equal(new Set(examples.map(({ name }) => name)).size, examples.length);
  assert.equal(examples.length, 7);
});
