"use strict";

// The times of stages, where a file beside the overview has them (stages/report/times.py).

const TIME_COLUMNS = [
  ["Stage", (row) => row.stage],
  ["Item", (row) => row.item],
  ["Seconds", (row) => row.seconds.toFixed(1), (row) => row.seconds],
  ["Peak memory, MB", (row) => (row.peak_bytes / 1e6).toFixed(0), (row) => row.peak_bytes],
  ["Ended, UTC", (row) => row.ended.slice(0, 19).replace("T", " "), null],
];

function timesTable(rows) {
  const table = document.createElement("table");
  table.className = "sortable";
  const caption = table.createCaption();
  caption.className = "hidden";
  caption.textContent = "Times of stages";
  const headings = table.createTHead().insertRow();
  for (const [name] of TIME_COLUMNS) {
    const heading = document.createElement("th");
    heading.scope = "col";
    heading.textContent = name;
    headings.append(heading);
  }
  const body = table.createTBody();
  for (const row of rows) {
    const cells = body.insertRow();
    for (const [, shown, value] of TIME_COLUMNS) {
      const cell = cells.insertCell();
      cell.textContent = shown(row);
      if (value !== undefined) cell.className = "number";
      if (value) cell.dataset.value = value(row);
    }
  }
  makeSortable(table);
  return table;
}

function paragraph(text) {
  const made = document.createElement("p");
  made.textContent = text;
  return made;
}

function showTimes(place, { said, rows }) {
  const scroll = document.createElement("div");
  scroll.className = rows.length > 20 ? "scroll tall" : "scroll";
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "region");
  scroll.setAttribute("aria-label", "Times of stages");
  scroll.append(timesTable(rows));
  const of = "Each row is of the last time that DVC ran the stage here, from the start of its " +
    "process to its end; rows may be of different rebuilds, and stages may have run side by side. " +
    "Memory is of the largest process of the stage.";
  place.replaceChildren(paragraph(said), paragraph(of), scroll);
}

for (const place of document.querySelectorAll("[data-times]")) {
  const frame = document.createElement("iframe");
  frame.hidden = true;
  frame.title = "Times of stages";
  addEventListener("message", (event) => {
    const told = event.data?.timesOfStages;
    if (event.source === frame.contentWindow && told) showTimes(place, told);
  });
  frame.src = place.dataset.times;
  place.after(frame);
}
