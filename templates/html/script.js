"use strict";
(() => {
  const form = document.getElementById("filters");
  const table = document.querySelector("#objects table");
  const fields = ["verdict", "plugin", "namespace", "kind"];
  const step = 200;

  // An object has its rows, or the text from which they are made when they are shown.
  const decode = (text) =>
    text.replace(/&(?:#(\d+)|(amp|lt|gt|quot));/g, (_, number, name) =>
      number ? String.fromCodePoint(Number(number)) : { amp: "&", lt: "<", gt: ">", quot: '"' }[name],
    );
  const ofRows = (rows) => ({ rows, html: "", values: { ...rows.dataset } });
  const ofText = (html) => {
    const values = {};
    for (const [, name, value] of html.slice(0, html.indexOf(">")).matchAll(/data-(\w+)="([^"]*)"/g)) {
      values[name] = decode(value);
    }
    return { rows: null, html, values };
  };
  const rowsOf = (object) => {
    if (!object.rows) {
      const template = document.createElement("template");
      template.innerHTML = object.html;
      object.rows = template.content.firstElementChild;
      object.html = "";
    }
    return object.rows;
  };
  const textOf = (object) => {
    object.text ??= (
      object.rows ? object.rows.textContent : decode(object.html.replace(/<[^>]*>/g, " "))
    ).toLowerCase();
    return object.text;
  };
  const valuesOf = (object, field) =>
    field === "plugin" ? object.values.plugin.split(" ").filter(Boolean) : [object.values[field]];

  const objects = [...table.querySelectorAll("tbody.object")].map(ofRows);
  for (const node of [...table.childNodes]) {
    if (node.nodeType === Node.COMMENT_NODE && node.data.startsWith("rows\n")) {
      const parts = node.data.slice(5).split("<tbody ").slice(1);
      for (const part of parts) {
        objects.push(ofText(`<tbody ${part}`));
      }
      node.remove();
    }
  }

  for (const field of fields) {
    const values = new Set(objects.flatMap((object) => valuesOf(object, field)));
    for (const value of [...values].filter(Boolean).sort()) {
      form.elements[field].add(new Option(value, value));
    }
  }

  let fitting = objects;
  let shown = objects.filter((object) => object.rows).length;
  const end = document.createElement("p");
  table.after(end);
  const more = (limit) => {
    const next = fitting.slice(shown, shown + limit);
    table.append(...next.map(rowsOf));
    shown += next.length;
    end.textContent = shown < fitting.length ? `${fitting.length - shown} more` : "";
  };
  const scrolled = (entries, observer) => {
    if (entries.some((entry) => entry.isIntersecting) && shown < fitting.length) {
      more(step);
      // It may still be in sight, which is no change.
      observer.unobserve(end);
      observer.observe(end);
    }
  };
  new IntersectionObserver(scrolled, { rootMargin: "1000px" }).observe(end);

  const count = () => {
    form.elements.count.value = `${fitting.length} of ${objects.length}`;
    document.getElementById("nothing").hidden = fitting.length > 0 || objects.length === 0;
  };
  const apply = () => {
    const wanted = form.elements.text.value.toLowerCase();
    const chosen = fields.filter((field) => form.elements[field].value !== "");
    fitting = objects.filter(
      (object) =>
        chosen.every((field) => valuesOf(object, field).includes(form.elements[field].value)) &&
        (wanted === "" || textOf(object).includes(wanted)),
    );
    for (const object of objects) {
      object.rows?.remove();
    }
    shown = 0;
    more(step);
    count();
  };
  let pending = 0;
  form.addEventListener("input", () => {
    clearTimeout(pending);
    pending = setTimeout(apply, objects.length > 1000 ? 150 : 0);
  });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(apply));
  form.elements.open.addEventListener("click", () => {
    const all = fitting.slice(0, shown).flatMap((object) => [...rowsOf(object).querySelectorAll("details")]);
    const open = all.some((details) => !details.open);
    for (const details of all) {
      details.open = open;
    }
    form.elements.open.textContent = open ? "Close all" : "Open all";
  });
  for (const row of document.querySelectorAll("tr[data-field]")) {
    const choose = () => {
      const select = form.elements[row.dataset.field];
      select.value = select.value === row.dataset.value ? "" : row.dataset.value;
      apply();
    };
    row.setAttribute("role", "button");
    row.tabIndex = 0;
    row.addEventListener("click", choose);
    row.addEventListener("keydown", (event) => {
      if (event.key === "Enter") {
        choose();
      }
    });
  }
  form.hidden = false;
  more(0);
  count();
})();
