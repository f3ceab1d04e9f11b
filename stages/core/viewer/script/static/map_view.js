// The map of one head, query by key; of two models beside each other with their difference.

const mapView = {
  controls: ["layer", "head", "units"],

  caption: () =>
    "Rows attend, columns are attended to; a shade grows with the square root of the weight. " +
    "Point at a cell, or move by the arrow keys, to read its weight." +
    (data.models.length > 1 ? ` The difference is ${data.models[0].name} less ` +
      `${data.models[1].name}: orange is more, blue is less.` : ""),

  build(stage) {
    this.cell = this.cell && this.cell.words === usesWords() ? this.cell : null;
    const shown = data.models.map((model, which) => [model.name, which]);
    if (data.models.length > 1) shown.push(["Difference", DIFFERENCE]);
    this.panels = shown.map(([name, which]) => this.panel(name, which, shown.length));
    stage.append(element("div", { className: "panels" }, ...this.panels.map((one) => one.box)));
    for (const panel of this.panels) this.drawAll(panel);
    say(`Head ${headName(state.layer, state.heads[0])}: point at a cell to read its weight.`);
  },

  panel(name, which, panels) {
    const labels = unitLabels();
    const count = labels.length;
    const room = Math.min(document.getElementById("stage").clientWidth, 1250);
    const margin = labelWidth(labels, 12, 110);
    const own = panels > 1 ? room / panels - 32 : room;
    const size = Math.max(14, Math.min(32, Math.floor((own - margin - 12) / count)));
    const canvas = element("canvas", {
      tabIndex: 0, role: "application",
      "aria-label": `Map of head ${headName(state.layer, state.heads[0])}, ${name}: ` +
        `${count} by ${count}; arrow keys move from cell to cell`,
    });
    const marks = ["row", "column", "cell"].map(
      (name) => element("div", { className: name, hidden: true }));
    const panel = { canvas, marks, which, size, margin, count };
    const at = (event) => {
      const bounds = canvas.getBoundingClientRect();
      const key = Math.floor((event.clientX - bounds.left - margin) / size);
      const query = Math.floor((event.clientY - bounds.top - margin) / size);
      if (key >= 0 && query >= 0 && key < count && query < count) this.point(query, key);
    };
    canvas.addEventListener("pointermove", at);
    canvas.addEventListener("pointerdown", at);
    canvas.addEventListener("keydown", (event) => {
      const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
      if (!(event.key in steps)) return;
      event.preventDefault();
      const { query, key } = this.cell ?? { query: 0, key: -steps[event.key][1] };
      const clamp = (place) => Math.max(0, Math.min(count - 1, place));
      this.point(clamp(query + steps[event.key][0]), clamp(key + steps[event.key][1]));
      const scroll = canvas.closest(".scroll");
      const x = margin + this.cell.key * size;
      if (x < scroll.scrollLeft + size) scroll.scrollLeft = x - size;
      if (x + 2 * size > scroll.scrollLeft + scroll.clientWidth) {
        scroll.scrollLeft = x + 2 * size - scroll.clientWidth;
      }
    });
    const isSigned = which === DIFFERENCE;
    panel.box = element("div", { className: "panel" },
      ...(panels > 1 ? [element("h2", {}, name)] : []),
      ...patternInWords(which),
      element("div", { className: "scroll" },
        element("div", { className: "over" }, canvas, ...panel.marks)),
      isSigned ? legend("\u2212100 points", "+100 points", true) : legend("0%", "100%", false));
    return panel;
  },

  drawAll(panel) {
    const { canvas, which, size, margin, count } = panel;
    const labels = unitLabels();
    const map = shownMap(which, state.layer, state.heads[0], usesWords());
    const context = sized(canvas, margin + count * size + 2, margin + count * size + 2);
    const scale = which === DIFFERENCE ? "difference" : "share";
    context.imageSmoothingEnabled = false;
    context.drawImage(picture(map, count, scale), margin, margin, count * size, count * size);
    context.strokeStyle = colours().line;
    context.strokeRect(margin - 0.5, margin - 0.5, count * size + 1, count * size + 1);
    context.font = font(12);
    context.fillStyle = colours().ink;
    labels.forEach((label, unit) => {
      const text = fitting(context, label, margin - 6);
      const middle = margin + (unit + 0.5) * size;
      context.textAlign = "right";
      context.fillText(text, margin - 5, middle);
      context.save();
      context.translate(middle, margin - 5);
      context.rotate(-Math.PI / 2);
      context.textAlign = "left";
      context.fillText(text, 0, 0);
      context.restore();
    });
    this.mark(panel);
  },

  point(query, key) {
    this.cell = { query, key, words: usesWords() };
    const head = state.heads[0];
    const place = query * unitLabels().length + key;
    const values = this.panels.map(({ which }) => {
      const share = shownMap(which, state.layer, head, usesWords())[place];
      if (which === DIFFERENCE) return `difference ${signed(100 * share, 1)} points`;
      return `${percent(share)}${data.models.length > 1 ? ` in ${data.models[which].name}` : ""}`;
    });
    say(`Head ${headName(state.layer, head)}: ${quoted(query)} attends to ${quoted(key)}: ` +
      `${values.join(", ")}.`);
    nextFrame("map", () => this.panels.forEach((panel) => this.mark(panel)));
  },

  // What is pointed at: frames above the canvas, so that no map is drawn again.
  mark({ marks, size, margin, count }) {
    if (!this.cell) return;
    const x = margin + this.cell.key * size;
    const y = margin + this.cell.query * size;
    const places = [[margin, y, count * size, size], [x, margin, size, count * size],
      [x, y, size, size]];
    marks.forEach((mark, number) => {
      const [left, top, width, height] = places[number];
      mark.hidden = false;
      Object.assign(mark.style, { transform: `translate(${left}px, ${top}px)`,
        width: `${width}px`, height: `${height}px` });
    });
  },
};

// The pattern that a classifier gave the map, where one did.
function patternInWords(which) {
  const patterns = data.models[which]?.patterns;
  if (!patterns) return [];
  const [pattern, special, probability] =
    patterns[state.layer * data.heads.length + state.heads[0]];
  const under = special === pattern ? "" : ` (${special} under the rule special)`;
  return [element("p", { className: "pattern" },
    `${pattern}, probability ${percent(probability, 0)}${under}`)];
}
