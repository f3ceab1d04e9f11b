"use strict";

// Draw each chart in place of its still image, which stays where scripts do not run.
const narrow = window.matchMedia("(max-width: 45rem)").matches;
for (const place of document.querySelectorAll("[data-chart]")) {
  const name = place.dataset.chart;
  const specification = JSON.parse(document.getElementById(`${name}-specification`).textContent);
  if (narrow && specification.columns) specification.columns = 1; // panels below each other
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
