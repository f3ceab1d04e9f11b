// A grid of heads, layer by head: one canvas, and above it a button for each head.

const GRID_LEFT = 34;
const GRID_TOP = 22;

// `draw(context, layer, head, x, y, size)` fills a cell, `name(layer, head)` is read aloud.
function headGrid(title, { draw, name, most }) {
  const columns = data.heads.length;
  const room = document.getElementById("stage").clientWidth - GRID_LEFT - 12;
  const cell = Math.max(34, Math.min(most, Math.floor(room / columns)));
  const canvas = element("canvas", { "aria-hidden": "true" });
  const grid = element("div", { className: "grid", role: "group", "aria-label": title }, canvas);
  const buttons = data.layers.flatMap((_, layer) => data.heads.map((_, head) => {
    const chosen = layer === state.layer && state.heads.includes(head);
    const said = () => say(name(layer, head));
    const button = element("button", {
      type: "button", className: chosen ? "chosen" : "",
      "aria-label": `${name(layer, head)} Opens its lines.`, "data-head": headName(layer, head),
      onfocus: said, onpointerenter: said,
      onclick: () => change({ view: "head", layer, heads: [head] }),
    });
    Object.assign(button.style, {
      left: `${GRID_LEFT + head * cell + 1}px`, top: `${GRID_TOP + layer * cell + 1}px`,
      width: `${cell - 2}px`, height: `${cell - 2}px`,
    });
    return button;
  }));
  roving(buttons, columns, state.layer * columns + state.heads[0]);
  grid.append(...buttons);
  const left = (head) => GRID_LEFT + head * cell + 1;
  const top = (layer) => GRID_TOP + layer * cell + 1;
  const context = sized(canvas, left(columns) + 1, top(data.layers.length) + 1);
  context.fillStyle = colours().muted;
  context.textAlign = "center";
  data.heads.forEach((head, place) =>
    context.fillText(head, GRID_LEFT + (place + 0.5) * cell, GRID_TOP / 2));
  context.textAlign = "end";
  data.layers.forEach((layer, place) =>
    context.fillText(layer, GRID_LEFT - 8, GRID_TOP + (place + 0.5) * cell));
  data.layers.forEach((_, layer) => data.heads.forEach((_, head) =>
    draw(context, layer, head, left(head), top(layer), cell - 2)));
  return element("div", { className: "panel" },
    element("h2", {}, title), element("div", { className: "scroll" }, grid));
}
