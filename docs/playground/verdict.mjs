// What a run amounts to. Errors in the input come first: what cannot be read is neither admitted nor denied.
export function verdictOf(answer) {
  const summary = answer.json?.summary;
  if (!summary) return "the server does not start";
  const wrong = answer.diagnostics.filter((said) => said.severity === "error");
  const [first] = wrong;
  const parts = [];
  if (wrong.length === 1) parts.push(`1 error${first.line ? ` in line ${first.line}` : ""}`);
  if (wrong.length > 1) parts.push(`${wrong.length} errors`);
  if (summary.requests > 0) parts.push(`${summary.admitted} admitted, ${summary.denied} denied`);
  return parts.join("; ") || "nothing to evaluate";
}
