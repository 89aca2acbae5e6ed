"use strict";
(() => {
  const form = document.getElementById("filters");
  const objects = [...document.querySelectorAll("tbody.object")];
  const fields = ["verdict", "plugin", "namespace", "kind"];
  const valuesOf = (object, field) =>
    field === "plugin" ? object.dataset.plugin.split(" ").filter(Boolean) : [object.dataset[field]];
  for (const field of fields) {
    const values = new Set(objects.flatMap((object) => valuesOf(object, field)));
    for (const value of [...values].filter(Boolean).sort()) {
      form.elements[field].add(new Option(value, value));
    }
  }
  const apply = () => {
    const wanted = form.elements.text.value.toLowerCase();
    let shown = 0;
    for (const object of objects) {
      const fits =
        fields.every((field) => {
          const value = form.elements[field].value;
          return value === "" || valuesOf(object, field).includes(value);
        }) && (wanted === "" || object.textContent.toLowerCase().includes(wanted));
      object.hidden = !fits;
      shown += fits ? 1 : 0;
    }
    form.elements.count.value = `${shown} of ${objects.length}`;
    document.getElementById("nothing").hidden = shown > 0 || objects.length === 0;
  };
  form.addEventListener("input", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", () => setTimeout(apply));
  form.elements.open.addEventListener("click", () => {
    const all = objects.filter((object) => !object.hidden).flatMap((object) => [...object.querySelectorAll("details")]);
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
  apply();
})();
