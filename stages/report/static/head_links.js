"use strict";

// From every cell, dot and row of a head to that head's page.
(() => {
  const known = JSON.parse(document.getElementById("models-of-heads").textContent);
  const page = new URL("../pages/head.html", document.currentScript.src);

  // The address of a head's page; null of what is no head. `row` has layer and head, and perhaps the
  // corpus or the model that it is of.
  function addressOf(row) {
    const [layer, head] = [row.layer, row.head].map((value) =>
      (value === "" || value === null || value === undefined ? NaN : Number(value)));
    const of = Math.max(known.corpora[row.corpus] ?? -1, known.models.indexOf(row.model), 0);
    const isHead = Number.isInteger(layer) && Number.isInteger(head) && known.models.length > of
      && layer >= 0 && layer < known.layers[of] && head >= 0 && head < known.heads[of];
    return isHead ? `${page.href}#of=${of}&layer=${layer}&head=${head}` : null;
  }

  function rowOf(mark) {
    const datum = mark.__data__?.datum;
    if (!datum || typeof datum !== "object") return null;
    // A panel is named by its corpus and model, as "dodrio, recorded".
    const corpus = datum.corpus ?? datum.data ?? String(datum.panel ?? "").split(", ")[0];
    return addressOf({ ...datum, corpus });
  }

  // Charts are drawn by scripts later on: their marks are found when they are used.
  const markOf = (event) => event.target.closest?.(".chart path, .chart circle, .chart rect");
  document.addEventListener("click", (event) => {
    const mark = markOf(event);
    const address = mark && rowOf(mark);
    if (address) location.assign(address);
  });
  document.addEventListener("pointerover", (event) => {
    const mark = markOf(event);
    if (mark && rowOf(mark)) mark.style.cursor = "pointer";
  });

  // By keyboard: Tab goes to a chart's first head, arrows to the nearest that way, Enter opens it.
  function middle(mark) {
    const { left, top, width, height } = mark.getBoundingClientRect();
    return [left + width / 2, top + height / 2];
  }
  const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  function nearest(marks, from, [across, down]) {
    const [x, y] = middle(from);
    let best = null;
    let least = Infinity;
    for (const mark of marks) {
      const [right, below] = middle(mark).map((value, axis) => value - [x, y][axis]);
      const along = right * across + below * down;
      const aside = Math.abs(right * down) + Math.abs(below * across);
      if (along > 1 && along + 4 * aside < least) [best, least] = [mark, along + 4 * aside];
    }
    return best;
  }
  function reachable(chart) {
    const marks = [...chart.querySelectorAll("path, circle, rect")].filter(rowOf);
    for (const mark of marks) {
      mark.tabIndex = mark === marks[0] ? 0 : -1;
      mark.setAttribute("role", "link");
    }
    if (!marks.length || chart.dataset.reachable) return;
    chart.dataset.reachable = "yes";
    chart.addEventListener("keydown", (event) => {
      const own = [...chart.querySelectorAll("[role=link]")];
      const mark = own.find((one) => one === event.target);
      if (!mark) return;
      if (event.key === "Enter") location.assign(rowOf(mark));
      const next = WAYS[event.key] && nearest(own, mark, WAYS[event.key]);
      if (!next) return;
      event.preventDefault();
      mark.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    });
  }
  for (const chart of document.querySelectorAll(".chart")) {
    let due = 0;
    new MutationObserver(() => {
      clearTimeout(due);
      due = setTimeout(() => reachable(chart), 100);
    }).observe(chart, { childList: true, subtree: true });
    reachable(chart); // it may have been drawn before this script ran
  }

  // Tables with a column of layers and one of heads.
  for (const table of document.querySelectorAll("main table")) {
    const names = [...(table.tHead?.rows[0]?.cells ?? [])].map((one) => one.textContent.trim());
    if (!names.includes("layer") || !names.includes("head")) continue;
    for (const line of table.tBodies[0].rows) {
      const row = Object.fromEntries(names.map((name, column) =>
        [name, line.cells[column]?.textContent.trim() ?? ""]));
      const address = addressOf(row);
      const place = line.cells[names.indexOf("head")];
      if (!address || place.querySelector("a")) continue;
      const link = document.createElement("a");
      link.href = address;
      link.textContent = place.textContent;
      link.setAttribute("aria-label", `head ${row.head} of layer ${row.layer}`);
      place.replaceChildren(link);
    }
  }
})();
