// Lines from each token to what it attends to, a colour a head (Vig 2019, "head view").

const LEAST_DRAWN = 0.01; // lines below that weight would only grey the picture
const MOST_LINES = 2000; // of all tokens at once; more are a grey that takes seconds
const DENSE = 48; // units beyond which rows are lower
const SQUARE = 7; // width of a head's square beside a token

const headView = {
  controls: ["layer", "heads", "units", "pair"],

  caption: () =>
    `Left: the token that attends; right: what it attends to. Of all tokens at once a line's ` +
    `strength is the weight, and the ${MOST_LINES} largest from ${percent(LEAST_DRAWN, 0)} on ` +
    `are drawn, or all that are 100% where these are more. Point at a token, or go to it by Tab ` +
    `and the arrow keys, to see its lines alone; a click or Enter holds it, Escape lets it go. ` +
    `Squares beside the tokens are then the weights of each head; the strength of squares, and ` +
    `strength and width of these lines, grow with the square root of the weight.` +
    (data.texts.length > 1 ? " A coloured bar marks the second text." : ""),

  build(stage) {
    this.hovered = null;
    const row = unitLabels().length > DENSE ? 18 : 24;
    this.panels = data.models.map((model, which) => this.panel(model, which, row));
    stage.append(element("div", { className: "panels" }, ...this.panels.map((one) => one.box)));
    this.draw();
    if (state.token !== null) sayUnit(state.token, state.side);
    else say("Point at a token to see what it attends to.");
  },

  panel(model, which, row) {
    const canvas = element("canvas", { "aria-hidden": "true" });
    const columns = {};
    for (const side of ["from", "to"]) {
      const buttons = unitLabels().map((label, unit) => this.token(label, unit, side));
      roving(buttons, 1, state.side === side ? state.token ?? 0 : 0);
      const name = side === "from" ? "Tokens that attend" : "Tokens attended to";
      columns[side] = element("div", {
        className: `tokens ${side}`, role: "toolbar", "aria-label": name,
        "aria-orientation": "vertical",
      }, ...buttons);
    }
    const lines = element("div", { className: "lines" }, columns.from, canvas, columns.to);
    lines.style.setProperty("--row", `${row}px`);
    lines.style.setProperty("--letters", row < 20 ? "12px" : "15px");
    lines.addEventListener("pointerleave", () => this.point(null));
    const box = element("div", { className: "panel" });
    if (data.models.length > 1) box.append(element("h2", {}, model.name));
    box.append(element("div", { className: "scroll" }, lines));
    return { box, canvas, columns, which, row };
  },

  token(label, unit, side) {
    const hold = () => {
      const held = state.token === unit && state.side === side;
      change({ token: held ? null : unit, side });
    };
    return element("button", {
      type: "button", dir: "auto", title: label,
      className: unitSegments()[unit] ? "second" : "",
      "aria-pressed": state.token === unit && state.side === side,
      "data-unit": unit,
      onclick: hold,
      onpointerenter: (event) => { if (event.pointerType !== "touch") this.point({ unit, side }); },
      onfocus: () => this.point({ unit, side }),
      onblur: () => this.point(null),
      onkeydown: (event) => {
        if (event.key === "Escape") {
          this.hovered = null;
          change({ token: null });
        }
        const other = { ArrowLeft: "from", ArrowRight: "to" }[event.key];
        if (other) event.currentTarget.closest(".lines").querySelector(
          `.tokens.${other} [data-unit="${unit}"]`).focus();
      },
    }, label);
  },

  point(place) {
    this.hovered = place;
    const shown = this.shownUnit();
    if (shown) sayUnit(shown.unit, shown.side);
    nextFrame("head", () => this.draw());
  },

  shownUnit() {
    if (this.hovered) return this.hovered;
    return state.token === null ? null : { unit: state.token, side: state.side };
  },

  // The state changed, but not what there is to show: no button is made anew, so focus stays.
  update() {
    for (const { columns } of this.panels) {
      for (const [side, column] of Object.entries(columns)) {
        [...column.children].forEach((button, unit) => {
          button.setAttribute("aria-pressed", state.token === unit && state.side === side);
        });
      }
    }
    const shown = this.shownUnit();
    if (shown) sayUnit(shown.unit, shown.side);
    this.draw();
  },

  draw() {
    for (const panel of this.panels) this.drawPanel(panel);
  },

  drawPanel({ canvas, columns, which, row }) {
    const shown = this.shownUnit();
    const count = unitLabels().length;
    const grid = getComputedStyle(canvas.parentElement).gridTemplateColumns;
    const width = parseFloat(grid.split(" ")[1]);
    const top = 24;
    const context = sized(canvas, width, top + count * row);
    context.fillStyle = colours().muted;
    context.textAlign = "start";
    context.fillText("from", 2, top / 2);
    context.textAlign = "end";
    context.fillText("to", width - 2, top / 2);
    const squares = shown ? state.heads.length * SQUARE : 0;
    const [left, right] = shown?.side === "to" ? [squares + 2, width] : [0, width - squares];
    const middle = (unit) => top + (unit + 0.5) * row;
    const least = shown ? 0 : this.leastDrawn(which);
    state.heads.forEach((head, place) => {
      const map = mapOf(which, state.layer, head, usesWords());
      const lines = shown ? this.linesOfUnit(map, shown) : this.allLines(map, least);
      context.strokeStyle = context.fillStyle = headColour(head);
      // Lines of about one strength in one stroke: many strokes take long.
      lines.forEach((pairs, strength) => {
        if (!pairs.length) return;
        context.globalAlpha = (strength + 0.5) / lines.length;
        // Lines of one pixel are drawn several times as fast as wider ones.
        const isWide = shown && 2 * strength >= lines.length;
        context.lineWidth = isWide ? (3 * strength) / lines.length : 1 / pixelRatio();
        context.beginPath();
        for (const [query, key] of pairs) {
          context.moveTo(left, middle(query));
          context.lineTo(right - 1, middle(key));
        }
        context.stroke();
      });
      if (!shown) return;
      const at = shown.side === "to" ? place * SQUARE : right + place * SQUARE;
      sharesOf(map, shown.unit, shown.side).forEach((share, unit) => {
        if (share === null) return;
        context.globalAlpha = Math.sqrt(share);
        context.fillRect(at, middle(unit) - row / 2 + 1, SQUARE - 1, row - 2);
      });
    });
    context.globalAlpha = 1;
    for (const [side, column] of Object.entries(columns)) {
      for (const button of column.querySelectorAll(".shown")) button.classList.remove("shown");
      if (shown && shown.side === side) column.children[shown.unit].classList.add("shown");
    }
  },

  // The weight from which on no more lines are drawn than can be.
  leastDrawn(which) {
    const segments = unitSegments();
    const steps = new Uint32Array(data.highest + 1);
    for (const head of state.heads) {
      const map = mapOf(which, state.layer, head, usesWords());
      for (let place = 0; place < map.length; place++) {
        const [query, key] = [Math.floor(place / segments.length), place % segments.length];
        if (pairShown(segments, query, key)) steps[Math.floor(map[place] * data.highest)]++;
      }
    }
    let step = data.highest;
    for (let lines = 0; step > 0 && lines + steps[step] <= MOST_LINES; step--) lines += steps[step];
    // Those that are 1 are drawn, however many.
    return Math.max(LEAST_DRAWN, Math.min(1, (step + 1) / data.highest));
  },

  // Pairs of query and key by the strength of their lines, in sixteen steps.
  allLines(map, least) {
    const segments = unitSegments();
    const steps = Array.from({ length: 16 }, () => []);
    for (let query = 0; query < segments.length; query++) {
      for (let key = 0; key < segments.length; key++) {
        const share = map[query * segments.length + key];
        if (share < least || !pairShown(segments, query, key)) continue;
        steps[Math.min(15, Math.floor(16 * share))].push([query, key]);
      }
    }
    return steps;
  },

  linesOfUnit(map, { unit, side }) {
    const steps = Array.from({ length: 16 }, () => []);
    sharesOf(map, unit, side).forEach((share, other) => {
      if (!share) return;
      const step = Math.min(15, Math.floor(16 * Math.sqrt(share)));
      steps[step].push(side === "from" ? [unit, other] : [other, unit]);
    });
    return steps;
  },
};
