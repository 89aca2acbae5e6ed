// The report is text: each line gets the colour that a terminal would give it, and its places are links.

const PLACE = /(manifests|cluster)\.yaml:(\d+)(?::(\d+))?/g;

/** Returns the class of each line; what is refused keeps its colour over all lines of its message. */
export function classes(lines) {
  let isMessage = false;
  return lines.map((line) => {
    if (/^\s*[×]/.test(line)) isMessage = true;
    else if (!/^\s*│/.test(line)) isMessage = false;
    if (isMessage) return "denied";
    if (/^\s*✓|^\s*\+ /.test(line)) return "admitted";
    if (/^\s*✗|^\s*- |denied it/.test(line)) return "denied";
    if (/changed it/.test(line)) return "changed";
    if (/^\s*@@|^\s*!? ?note:|^!  /.test(line)) return "note";
    return "";
  });
}

/** Returns the parts of a line: text, or a place with the file, line and column. */
export function parts(line) {
  const found = [];
  let end = 0;
  for (const match of line.matchAll(PLACE)) {
    if (match.index > end) found.push({ text: line.slice(end, match.index) });
    found.push({ text: match[0], file: match[1], line: Number(match[2]), column: Number(match[3] ?? 1) });
    end = match.index + match[0].length;
  }
  if (end < line.length) found.push({ text: line.slice(end) });
  return found;
}
