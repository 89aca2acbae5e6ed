// The little Markdown that hovers have, as elements: paragraphs, lists, rules, code and bold text.

function inline(parent, text) {
  for (const [part, code, bold, plain] of text.matchAll(/`([^`]*)`|\*\*((?:\\.|[^*])+)\*\*|((?:\\.|[^`*])+|[`*])/gs)) {
    const tag = code !== undefined ? "code" : bold !== undefined ? "strong" : undefined;
    const shown = code ?? (bold ?? plain ?? part).replace(/\\(.)/gs, "$1");
    if (tag) parent.append(Object.assign(document.createElement(tag), { textContent: shown }));
    else parent.append(shown);
  }
}

export function markdown(text) {
  const root = document.createElement("div");
  root.className = "markdown";
  let list;
  for (const line of text.split("\n")) {
    if (line.startsWith("- ")) {
      list ??= root.appendChild(document.createElement("ul"));
      inline(list.appendChild(document.createElement("li")), line.slice(2));
      continue;
    }
    list = undefined;
    if (line === "---") root.append(document.createElement("hr"));
    else if (line !== "") inline(root.appendChild(document.createElement("p")), line);
  }
  return root;
}
