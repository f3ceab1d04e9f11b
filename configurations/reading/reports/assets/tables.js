"use strict";

// Sorting and filtering of tables.

// What a cell is sorted by: its value where what it shows is not one, else its text.
function sortKey(row, column) {
  const cell = row.cells[column];
  return cell.dataset.value ?? cell.textContent.trim();
}

// What is blank stands last in either direction.
function compareKeys(first, second, direction) {
  if (first === "" || second === "") return (first === "") - (second === "");
  const [one, two] = [Number(first), Number(second)];
  const either = Number.isNaN(one) || Number.isNaN(two);
  return direction * (either ? first.localeCompare(second) : one - two);
}

function sortBy(table, column) {
  const heading = table.tHead.rows[0].cells[column];
  const ascending = heading.getAttribute("aria-sort") !== "ascending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", ascending ? "ascending" : "descending");
  for (const body of table.tBodies) {
    const rows = [...body.rows].filter((row) => !row.matches(".group"));
    const direction = ascending ? 1 : -1;
    rows.sort((one, two) => compareKeys(sortKey(one, column), sortKey(two, column), direction));
    body.append(...rows);
  }
}

function makeSortable(table) {
  [...table.tHead.rows[0].cells].forEach((heading, column) => {
    const button = document.createElement("button");
    button.textContent = heading.textContent;
    button.addEventListener("click", () => sortBy(table, column));
    heading.replaceChildren(button);
  });
}

for (const table of document.querySelectorAll("table.sortable")) makeSortable(table);

// Inputs that filter the same table: words that a row must have, and values of its attributes.
function filterTable(name) {
  const controls = [...document.querySelectorAll(`[data-filter="${name}"]`)];
  const bodies = document.querySelectorAll(`#${name} tbody`);
  const count = document.querySelector(`[data-count="${name}"]`);
  const fits = (row) => controls.every((control) => {
    if (control.dataset.by) {
      return control.value === "" || row.dataset[control.dataset.by] === control.value;
    }
    const text = row.textContent.toLowerCase();
    return control.value.toLowerCase().split(/\s+/).every((word) => text.includes(word));
  });
  const apply = () => {
    let [kept, all] = [0, 0];
    for (const body of bodies) {
      const rows = [...body.rows].filter((row) => !row.matches(".group"));
      for (const row of rows) row.hidden = !fits(row);
      const shown = rows.filter((row) => !row.hidden).length;
      for (const group of body.querySelectorAll(".group")) group.hidden = shown === 0;
      kept += shown;
      all += rows.length;
    }
    count.textContent = `${kept} of ${all} rows`;
  };
  for (const control of controls) control.addEventListener("input", apply);
  apply();
}

const filters = document.querySelectorAll("[data-filter]");
for (const name of new Set([...filters].map((filter) => filter.dataset.filter))) filterTable(name);
