// What the module answers: `node --test docs/playground/test.mjs`, after build.sh.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { examples } from "./examples.mjs";
import { load } from "./kadmit.mjs";
import { verdictOf } from "./verdict.mjs";

const module = readFileSync(new URL("kadmit.wasm", import.meta.url));
const example = (name) => {
  const { flags, cluster, manifests } = examples.find((one) => one.name === name);
  return { flags, cluster, manifests };
};
const evaluate = (ask, texts) => ask({ ask: "evaluate", flags: "", cluster: "", manifests: "", ...texts });

test("it needs nothing from the page", async () => {
  const compiled = await WebAssembly.compile(module);
  assert.deepEqual(WebAssembly.Module.imports(compiled), []);
});

// The name of each example, its verdict and what its report has.
const said = [
  ["restricted", false, /violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false/],
  ["quota", false, /exceeded quota: compute, requested: requests\.cpu=400m/],
  ["LimitRange", false, /maximum cpu usage per Container is 2, but limit is 4/],
  ["a policy in CEL", false, /denied request: at most 3 replicas/],
  ["SCC", true, /SecurityContextConstraint changed it/],
  ["1.20 PodSecurityPolicy", false, /unable to admit pod: \[spec\.containers\[0\]\.securityContext\.privileged: Invalid value: true/],
  ["upgrade", false, /policy\/v1beta1/],
];

for (const [name, isAdmitted, text] of said) {
  test(`the example ${name} shows what it is about`, async () => {
    const answer = evaluate(await load(module), example(name));
    // Lines of messages are folded.
    const unfolded = answer.text.replaceAll(/\n\s*│\s*/g, " ");
    assert.match(unfolded + JSON.stringify(answer.diagnostics), text);
    assert.equal(answer.admitted, isAdmitted);
  });
}

test("every example has an answer", () => assert.deepEqual(said.map(([name]) => name), examples.map(({ name }) => name)));

test("it answers the same twice", async () => {
  const ask = await load(module);
  assert.deepEqual(evaluate(ask, example("quota")), evaluate(ask, example("quota")));
});

test("marks have their places in UTF-16, and edits", async () => {
  const ask = await load(module);
  const { cluster, manifests } = example("restricted");
  const text = `# 🦀\n${manifests}`;
  const { marks } = evaluate(ask, { cluster, manifests: text });
  const [mark] = marks.filter(({ severity }) => severity === "error" || severity === "warning");
  assert.ok(text.slice(mark.from, mark.to).startsWith("spec") || text.slice(mark.from, mark.to).length > 0);
  assert.equal(text.slice(0, mark.from).endsWith("\n") || /^\s*-? *\S*$/.test(text.slice(text.lastIndexOf("\n", mark.from) + 1, mark.from)), true);
  assert.equal(mark.code, "PodSecurity");
  assert.match(mark.page, /admission-controllers\/#podsecurity$/);
  assert.ok(mark.actions.some(({ title }) => title === "Skip PodSecurity with a reason"), JSON.stringify(mark.actions));
});

test("a skip is an edit after which the request is accepted", async () => {
  const ask = await load(module);
  const { cluster, manifests } = example("LimitRange");
  const { marks } = evaluate(ask, { cluster, manifests });
  const { actions } = marks.find(({ code }) => code === "LimitRanger");
  const { changes } = actions.find(({ title }) => title.startsWith("Skip LimitRanger"));
  const edited = changes.toReversed().reduce((text, { from, to, insert }) => text.slice(0, from) + insert + text.slice(to), manifests);
  assert.match(edited, /kadmit\.dev\/skip/);
});

test("what plugins set is at the ends of lines, and verdicts are above objects", async () => {
  const ask = await load(module);
  const { cluster, manifests } = example("LimitRange");
  const { hints, lenses, stored } = evaluate(ask, { cluster, manifests });
  const line = (at) => manifests.slice(manifests.lastIndexOf("\n", at - 1) + 1, at);
  assert.deepEqual(lenses.map(({ text }) => text), ["admitted", "denied by LimitRanger"]);
  assert.ok(hints.some(({ at, text }) => /^\s*- name: web$/.test(line(at)) && /cpu: 500m.*‹LimitRanger›/.test(text)), JSON.stringify(hints));
  assert.match(stored, /cpu: 500m\s+# LimitRanger/);
});

test("hovers, completions and expressions are about the last texts", async () => {
  const ask = await load(module);
  assert.equal(ask({ ask: "hover", offset: 0 }), null);
  const { cluster, manifests } = example("a policy in CEL");
  const { objects, policies } = evaluate(ask, { cluster, manifests });
  assert.deepEqual(policies.map(({ name, denied }) => [name, denied]), [["few-replicas", 1]]);
  const offset = manifests.indexOf("replicas:");
  const hover = ask({ ask: "hover", offset });
  assert.equal(manifests.slice(hover.from, hover.to).startsWith("replicas: 5"), true);
  const completed = ask({ ask: "complete", text: "apiVersion: apps/v1\nkind: Dep", offset: 29 });
  assert.deepEqual(completed, { from: 26, to: 29, options: [{ label: "Deployment", detail: "apps/v1" }] });
  assert.equal(objects[0], "Deployment web");
  const refused = ask({ ask: "eval", expression: "object.spec.replicas <= 3", object: 0 });
  assert.equal(refused.value, "false");
  assert.match(refused.explanation, /object\.spec\.replicas/);
  assert.match(ask({ ask: "eval", expression: "object.", object: 0 }).error, /Syntax error/);
});

test("an error in a policy's expression is marked at its column", async () => {
  const ask = await load(module);
  const manifests = example("a policy in CEL").cluster.replace("object.spec.replicas", "object.spec.replicas + nothing");
  const { marks } = evaluate(ask, { manifests });
  const mark = marks.find(({ message }) => message.includes("undeclared reference"));
  assert.equal(manifests.slice(mark.from, mark.to), "nothing");
});

test("menus have releases and plugins", async () => {
  const { releases, plugins } = (await load(module))({ ask: "menus" });
  assert.equal(releases.at(-1), "1.10");
  assert.ok(plugins.includes("PodSecurity"));
});

test("errors have their places", async () => {
  const ask = await load(module);
  const wrong = evaluate(ask, { manifests: "kind: Pod\n" });
  assert.equal(wrong.admitted, false);
  assert.equal(wrong.diagnostics[0].code, "kadmit::request::missing_field");
  assert.equal(wrong.diagnostics[0].line, 1);
  const unknown = evaluate(ask, { flags: "--enable-admission-plugins=PodSecurty" });
  assert.match(unknown.text, /did you mean "PodSecurity"\?/);
  const files = evaluate(ask, { flags: "--admission-control-config-file=/a.yaml" });
  assert.equal(files.diagnostics[0].code, "kadmit::configuration");
});

test("deep documents do not end it", async () => {
  const ask = await load(module);
  const deep = `{"apiVersion": "v1", "kind": "ConfigMap", "data": ${"[".repeat(9000)}${"]".repeat(9000)}}`;
  assert.equal(evaluate(ask, { manifests: deep }).admitted, false);
  assert.ok(evaluate(ask, example("quota")).summary.requests > 0);
});

test("an error in the input is the verdict", async () => {
  const ask = await load(module);
  const verdict = (manifests, flags = "") => verdictOf(evaluate(ask, { flags, manifests }));
  assert.equal(verdict("a: b: c\n"), "1 error in line 1");
  assert.equal(verdict("kind: Pod\n---\nkind: Pod\n"), "2 errors");
  assert.equal(verdict(""), "nothing to evaluate");
  assert.equal(verdict("", "--enable-admission-plugins=PodSecurty"), "the server does not start");
  assert.match(verdict(example("restricted").manifests), /^\d+ of \d+ requests admitted, \d+ denied$/);
});
