"use strict";

// Draw each chart in place of its still image, which stays where scripts do not run.
for (const place of document.querySelectorAll("[data-chart]")) {
  const name = place.dataset.chart;
  const specification = JSON.parse(document.getElementById(`${name}-specification`).textContent);
  const actions = { export: true, source: false, compiled: false, editor: false };
  vegaEmbed(place, specification, { actions, downloadFileName: name }).catch((error) => {
    console.error(`${name}: ${error.message}`);
  });
}

function compareCells(first, second) {
  const numbers = [Number(first), Number(second)];
  if (first === "" || second === "") return (first === "") - (second === "");
  return numbers.some(Number.isNaN) ? first.localeCompare(second) : numbers[0] - numbers[1];
}

function sortBy(table, column) {
  const heading = table.tHead.rows[0].cells[column];
  const ascending = heading.getAttribute("aria-sort") !== "ascending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  const rows = [...table.tBodies[0].rows];
  const text = (row) => row.cells[column].textContent.trim();
  rows.sort((one, two) => (ascending ? 1 : -1) * compareCells(text(one), text(two)));
  table.tBodies[0].append(...rows);
}

for (const table of document.querySelectorAll("table.sortable")) {
  [...table.tHead.rows[0].cells].forEach((heading, column) => {
    const button = document.createElement("button");
    button.textContent = heading.textContent;
    button.addEventListener("click", () => sortBy(table, column));
    heading.replaceChildren(button);
  });
}

for (const input of document.querySelectorAll("[data-filter]")) {
  const name = input.dataset.filter;
  const rows = document.querySelectorAll(`#${name} tbody tr`);
  const count = document.querySelector(`[data-count="${name}"]`);
  const apply = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let kept = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
      kept += !row.hidden;
    }
    count.textContent = `${kept} of ${rows.length} rows`;
  };
  input.addEventListener("input", apply);
  apply();
}

// An open group of the navigation closes as menus do: by Escape, and by a click elsewhere.
const groups = document.querySelectorAll("nav details");
document.addEventListener("click", (event) => {
  for (const group of groups) if (!group.contains(event.target)) group.open = false;
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const group of groups) {
    if (!group.open) continue;
    group.open = false;
    group.firstElementChild.focus();
  }
});
