"use strict";

// Data of a chart stand by columns (stages/report/embedded_charts.py); Vega-Lite takes rows.
function rowsOf({ count, columns }) {
  const values = Object.entries(columns).map(([name, column]) =>
    [name, column.texts ? column.of.map((place) => column.texts[place]) : column]);
  return Array.from({ length: count }, (_, row) =>
    Object.fromEntries(values.map(([name, column]) => [name, column[row]])));
}

function specificationOf(name) {
  const made = JSON.parse(document.getElementById(`${name}-specification`).textContent);
  for (const [data, columns] of Object.entries(made.datasets ?? {})) {
    made.datasets[data] = rowsOf(columns);
  }
  return made;
}

// On a narrow screen panels stand below each other, marks have less room and legends stand below:
// a chart as wide as on a desk would be drawn so small that its words cannot be read.
const NARROW = { fits: 300, chart: 185, labels: 125 }; // pixels
const narrow = window.matchMedia("(max-width: 45rem)").matches;
function narrowed(specification) {
  if (specification.columns) specification.columns = 1;
  for (const part of [specification, specification.spec ?? {}]) {
    if (part.width > NARROW.fits) part.width = NARROW.chart;
  }
  const { axis = {}, legend = {}, header = {}, ...others } = specification.config ?? {};
  specification.config = {
    ...others,
    axis: { ...axis, labelLimit: NARROW.labels },
    header: { ...header, labelLimit: 2 * NARROW.chart },
    legend: {
      ...legend,
      orient: "bottom",
      columns: 1,
      labelLimit: 2 * NARROW.chart,
      layout: { bottom: { anchor: "start", direction: "vertical" } },
    },
  };
}

// Draw each chart in place of its still image, which stays where scripts do not run.
for (const place of document.querySelectorAll("[data-chart]")) {
  const name = place.dataset.chart;
  const specification = specificationOf(name);
  if (narrow) narrowed(specification);
  const actions = { export: true, source: false, compiled: false, editor: false };
  const title = place.querySelector("img").dataset.title;
  vegaEmbed(place, specification, { actions, downloadFileName: name })
    .then(() => {
      const menu = place.querySelector("summary");
      if (menu) menu.setAttribute("aria-label", `Save the chart: ${title}`);
      place.querySelector("details")?.removeAttribute("title");
    })
    .catch((error) => console.error(`${name}: ${error.message}`));
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
