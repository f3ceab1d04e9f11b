// How a score comes about: query, key, product by neuron, their sum, softmax (Vig 2019).

const NEURON_ROW = 20;
const KEYS_TOP = 2.5 * NEURON_ROW; // below the headings and the query
const BAR = 110;
const GAP = 16;

const neuronView = {
  controls: ["layer", "head", "token"],

  caption: () => {
    const sizes = [...new Set(data.models.map((model) => model.size))].join(" and ");
    return `Each strip has the ${sizes} neurons of the head; orange is above 0, blue below. ` +
      "The strongest colour is the largest value of that panel and query, of query and keys " +
      "together and of the products alone: colours of two queries or two models are no measure " +
      "of each other, nor are the bars of the sums. " +
      "On top is the query of the chosen token; each row has the key of a token, the product of " +
      "both neuron by neuron, their sum divided by the square root of the number of neurons, and " +
      "the softmax of these sums, which is the weight. Point at a neuron to read it; a click on " +
      "a token or the arrow keys up and down choose the one that attends.";
  },

  build(stage) {
    if (state.token === null) state.token = 0;
    this.panels = data.models.map((model, which) => this.panel(model, which));
    stage.append(element("div", { className: "panels" }, ...this.panels.map((one) => one.box)));
    this.panels.forEach((panel) => this.draw(panel));
    this.sayQuery();
  },

  panel(model, which) {
    const label = labelWidth(data.pieces, 13, 120);
    const neuron = model.size > 40 ? 3 : 5;
    const strip = model.size * neuron;
    const starts = { key: label, product: label + strip + GAP, dot: label + 2 * (strip + GAP),
      share: label + 2 * (strip + GAP) + BAR + GAP };
    const canvas = element("canvas", {
      tabIndex: 0, role: "application",
      "aria-label": `Neurons of head ${headName(state.layer, state.heads[0])}, ${model.name}; ` +
        "arrow keys up and down choose the token that attends",
    });
    const panel = { canvas, which, neuron, strip, label, starts };
    const row = (event) => Math.floor(
      (event.clientY - canvas.getBoundingClientRect().top - KEYS_TOP) / NEURON_ROW);
    const x = (event) => event.clientX - canvas.getBoundingClientRect().left;
    for (const kind of ["pointermove", "pointerdown"]) {
      canvas.addEventListener(kind, (event) => this.point(panel, x(event), row(event)));
    }
    canvas.addEventListener("click", (event) => {
      const token = row(event);
      const isToken = x(event) < label && token >= 0 && token < TOKENS;
      if (isToken) change({ token, side: "from" });
    });
    canvas.addEventListener("keydown", (event) => {
      const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const token = Math.max(0, Math.min(TOKENS - 1, state.token + step));
      change({ token, side: "from" });
    });
    panel.box = element("div", { className: "panel" },
      ...(data.models.length > 1 ? [element("h2", {}, model.name)] : []),
      element("div", { className: "scroll" }, canvas));
    return panel;
  },

  update() {
    this.panels.forEach((panel) => this.draw(panel));
    this.sayQuery();
  },

  sayQuery() {
    const head = state.heads[0];
    const parts = this.panels.map(({ which, scores }) => {
      const owner = data.models.length > 1 ? ` of ${data.models[which].name}` : "";
      return `in head ${headName(state.layer, head)}${owner} attends to ` +
        strongest([...scores.shares], false);
    });
    say(`${quoted(state.token)} ${parts.join("; ")}.`);
  },

  draw(panel) {
    const { canvas, which, strip, label, starts } = panel;
    const scores = scoresOf(which, state.layer, state.heads[0], state.token);
    panel.scores = scores;
    const { size } = data.models[which];
    const context = sized(canvas, starts.share + BAR + 8, KEYS_TOP + TOKENS * NEURON_ROW + 4);
    const largest = (values) => values.reduce((one, other) => Math.max(one, Math.abs(other)), 0);
    const vectors = Math.max(largest(scores.query), largest(scores.keys));
    const products = largest(scores.products);
    const furthest = Math.max(largest(scores.scaled), 1e-9);
    context.fillStyle = colours().muted;
    context.textAlign = "left";
    const headings = { key: "query, and keys below", product: "query \u00d7 key",
      dot: "sum / \u221asize", share: "softmax" };
    for (const [name, x] of Object.entries(starts)) {
      context.fillText(fitting(context, headings[name], strip), x, NEURON_ROW * 0.6);
    }
    context.imageSmoothingEnabled = false;
    const pictures = {
      query: picture(scores.query, size, "linear", vectors),
      keys: picture(scores.keys, size, "linear", vectors),
      products: picture(scores.products, size, "linear", products),
    };
    const cells = (part, row, x, y) => {
      context.drawImage(pictures[part], 0, row, size, 1, x, y + 2, strip, NEURON_ROW - 4);
      context.strokeStyle = colours().line;
      context.strokeRect(x - 0.5, y + 1.5, strip + 1, NEURON_ROW - 3);
    };
    const name = (token, y, asks) => {
      context.fillStyle = asks ? colours().accent : colours().ink;
      context.textAlign = "right";
      context.font = asks ? `bold ${font(13)}` : font(13);
      const piece = fitting(context, data.pieces[token], label - 8);
      context.fillText(piece, label - 8, y + NEURON_ROW / 2);
      context.font = font(13);
    };
    name(state.token, NEURON_ROW, true);
    cells("query", 0, starts.key, NEURON_ROW);
    for (let token = 0; token < TOKENS; token++) {
      const y = KEYS_TOP + token * NEURON_ROW;
      name(token, y, token === state.token);
      cells("keys", token, starts.key, y);
      cells("products", token, starts.product, y);
      const [score, share] = [scores.scaled[token], scores.shares[token]];
      this.bar(context, starts.dot, y, score / furthest, signed(score, 2), true);
      this.bar(context, starts.share, y, share, percent(share), false);
    }
  },

  // A bar from its axis, and its number in a column of its own.
  bar(context, x, y, share, text, isSigned) {
    const room = BAR - 50;
    const axis = x + 50 + (isSigned ? room / 2 : 0);
    const width = share * (isSigned ? room / 2 : room);
    context.fillStyle = rgb(isSigned ? linearShade(Math.sign(share), 1) : colours().much);
    context.fillRect(Math.min(axis, axis + width), y + 4, Math.abs(width), NEURON_ROW - 8);
    context.fillStyle = colours().line;
    context.fillRect(axis, y, 1, NEURON_ROW);
    context.fillStyle = colours().ink;
    context.textAlign = "right";
    context.fillText(text, x + 46, y + NEURON_ROW / 2);
  },

  point({ which, neuron, strip, starts, scores }, x, token) {
    if (token < 0 || token >= TOKENS) return;
    const part = ["key", "product"].find(
      (name) => x >= starts[name] && x < starts[name] + strip);
    const start = `Query ${quoted(state.token)}, key ${quoted(token)}`;
    if (!part) {
      say(`${start}: sum / \u221asize ${signed(scores.scaled[token], 3)}, softmax ` +
        `${percent(scores.shares[token], 2)}.`);
      return;
    }
    const place = Math.floor((x - starts[part]) / neuron);
    const { size } = data.models[which];
    const [query, key] = [scores.query[place], scores.keys[token * size + place]];
    say(`${start}, neuron ${place}: ${signed(query, 3)} \u00d7 ${signed(key, 3)} = ` +
      `${signed(query * key, 3)}.`);
  },
};
