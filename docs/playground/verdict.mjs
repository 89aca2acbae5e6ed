// What a run amounts to. Errors in the input come first: what cannot be read is neither admitted nor denied.
export function verdictOf(answer) {
  if (answer.failure) return answer.failure;
  if (!answer.summary) return "the server does not start";
  const { requests, admitted, denied } = answer.summary;
  const wrong = answer.diagnostics.filter((said) => said.severity === "error");
  const [first] = wrong;
  const parts = [];
  if (wrong.length === 1) parts.push(`1 error${first.line ? ` in line ${first.line}` : ""}`);
  if (wrong.length > 1) parts.push(`${wrong.length} errors`);
  if (requests > 0) parts.push(`${admitted} of ${requests} requests admitted, ${denied} denied`);
  return parts.join("; ") || "nothing to evaluate";
}
