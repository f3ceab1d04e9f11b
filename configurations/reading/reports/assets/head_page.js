"use strict";
(() => {
"use strict";

// The numbers of what is shown: maps, queries and keys of every head, decoded when first asked for.

let data = null; // one text, or pair, and one model or two
let TOKENS = 0;
let DIFFERENCE = 0; // stands for the first model less the second, where a model's place is asked
function showData(shown) {
  data = shown;
  TOKENS = data.pieces.length;
  DIFFERENCE = data.models.length;
  kept.clear();
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const DIGIT = new Uint8Array(128);
[...ALPHABET].forEach((letter, digit) => { DIGIT[letter.charCodeAt(0)] = digit; });

// Whole numbers of 12 bits, each of two characters.
function decoded(text) {
  const codes = new Uint16Array(text.length / 2);
  for (let place = 0; place < codes.length; place++) {
    codes[place] = (DIGIT[text.charCodeAt(2 * place)] << 6) | DIGIT[text.charCodeAt(2 * place + 1)];
  }
  return codes;
}

// A loop, as `Float32Array.from` takes many times as long.
function scaled(codes, zero, step) {
  const values = new Float32Array(codes.length);
  for (let place = 0; place < codes.length; place++) values[place] = (codes[place] - zero) * step;
  return values;
}

const kept = new Map();
function once(key, make) {
  if (!kept.has(key)) kept.set(key, make());
  return kept.get(key);
}

// One head's map, query by key, in shares; `model`, `layer` and `head` are places in the data.
// Maps are texts of 12-bit numbers by layer, or shares already.
function mapOfPieces(model, layer, head) {
  const maps = data.models[model].maps[layer];
  const ofLayer = typeof maps !== "string" ? maps : once(`maps ${model} ${layer}`, () =>
    scaled(decoded(maps), 0, 1 / data.highest));
  return ofLayer.subarray(head * TOKENS * TOKENS, (head + 1) * TOKENS * TOKENS);
}

// Attention to a word is the sum over its pieces, attention from it their mean (Clark et al. 2019).
function ofWords(map) {
  const count = data.words.length;
  const pieces = new Float32Array(count);
  for (const group of data.groups) pieces[group]++;
  const joined = new Float32Array(count * count);
  for (let query = 0; query < TOKENS; query++) {
    const row = data.groups[query];
    for (let key = 0; key < TOKENS; key++) {
      joined[row * count + data.groups[key]] += map[query * TOKENS + key] / pieces[row];
    }
  }
  // Sums of rounded shares can exceed 1, for which there is neither a shade nor a strength.
  for (let place = 0; place < joined.length; place++) joined[place] = Math.min(1, joined[place]);
  return joined;
}

function mapOf(model, layer, head, words) {
  if (!words) return mapOfPieces(model, layer, head);
  const key = `words ${model} ${layer} ${head}`;
  return once(key, () => ofWords(mapOfPieces(model, layer, head)));
}

// The first model's map less the second's.
function differenceOf(layer, head, words) {
  return once(`difference ${layer} ${head} ${words}`, () => {
    const second = mapOf(1, layer, head, words);
    return mapOf(0, layer, head, words).map((share, place) => share - second[place]);
  });
}

// What is shown of a head: a model's map, or DIFFERENCE of the two.
function shownMap(which, layer, head, words) {
  return which === DIFFERENCE ? differenceOf(layer, head, words) : mapOf(which, layer, head, words);
}

// `side` is "queries" or "keys": one head's, token by neuron.
function vectorsOf(side, model, layer, head) {
  const { size, [side]: texts, [side === "queries" ? "queryStep" : "keyStep"]: steps } =
    data.models[model];
  const codes = once(`${side} ${model} ${layer}`, () => decoded(texts[layer]));
  const own = codes.subarray(head * TOKENS * size, (head + 1) * TOKENS * size);
  return scaled(own, data.largest + 1, steps[layer][head]);
}

// The parts of the scores of one query: products by key and neuron, their sums, scaled, and shares.
function scoresOf(model, layer, head, query) {
  const { size } = data.models[model];
  const queries = vectorsOf("queries", model, layer, head);
  const keys = vectorsOf("keys", model, layer, head);
  const asked = queries.subarray(query * size, (query + 1) * size);
  const products = keys.map((value, place) => value * asked[place % size]);
  const dots = new Float32Array(TOKENS);
  products.forEach((product, place) => { dots[Math.floor(place / size)] += product; });
  const scaled = dots.map((dot) => dot / Math.sqrt(size));
  const highest = scaled.reduce((one, other) => Math.max(one, other), -Infinity);
  const odds = scaled.map((score) => Math.exp(score - highest));
  const total = odds.reduce((one, other) => one + other, 0);
  return { query: asked, keys, products, dots, scaled, shares: odds.map((odd) => odd / total) };
}

// The class that stands first, or null of a regression.
function predicted(outputs) {
  return outputs.length < 2 ? null : outputs.indexOf(Math.max(...outputs));
}

// What a head off changes: the predicted class's probability, or the score.
function changeWithout(model, mode, layer, head) {
  const { whole, without } = data.models[model].prediction;
  const place = predicted(whole) ?? 0;
  const after = without[mode][layer][head];
  return { before: whole[place], after: after[place], change: after[place] - whole[place],
    other: predicted(after) !== predicted(whole) ? predicted(after) : null };
}

function percent(share, digits = 1) {
  return `${(100 * share).toFixed(digits)}%`;
}

function signed(value, digits) {
  const text = Math.abs(value).toFixed(digits);
  if (Number(text) === 0) return text;
  return `${value < 0 ? "\u2212" : "+"}${text}`;
}

// What is shown. It stands in the address behind #, so that a view can be kept as a link.

// Views that every page has, by the names of their tabs; a page may have more.
const VIEWS = { model: "All heads", head: "Lines", map: "Map" };

const INITIAL = {
  view: "model",
  layer: 0, // places in `data.layers` and `data.heads`
  heads: [0],
  token: null, // the place of the token that is held, of pieces or of words
  side: "from", // whether it attends, or is attended to
  words: false,
  which: 0, // a model, or DIFFERENCE
  pair: "all", // which text attends to which: all, or as 0-1
  mode: "zero",
};
const initial = () => ({ ...INITIAL, heads: [...INITIAL.heads] });
const state = initial();
const listeners = [];
const addressParts = []; // functions, each of which adds to an address what its page shows besides

// Units are pieces or words, as chosen; neurons have pieces alone.
const usesWords = () => state.words && state.view !== "neuron";
const unitLabels = () => (usesWords() ? data.words : data.pieces);
const unitSegments = () => (usesWords()
  ? data.words.map((_, word) => data.segments[data.groups.indexOf(word)]) : data.segments);

function change(parts) {
  const before = { ...state };
  if ("words" in parts && parts.words !== state.words && state.token !== null) {
    // The same place in the text.
    parts.token = parts.words ? data.groups[state.token] : data.groups.indexOf(state.token);
  }
  Object.assign(state, parts);
  if (state.view === "neuron" && state.words) {
    if (state.token !== null) state.token = data.groups.indexOf(state.token);
    state.words = false;
  }
  history.replaceState(null, "", addressOf(state));
  for (const listen of listeners) listen(before);
}

function addressOf(shown) {
  const parts = new URLSearchParams({
    view: shown.view,
    layer: data.layers[shown.layer],
    heads: shown.heads.map((head) => data.heads[head]).join(" "),
  });
  if (shown.token !== null) parts.set("token", shown.token);
  if (shown.side !== "from") parts.set("side", shown.side);
  if (shown.words) parts.set("words", 1);
  if (shown.which) parts.set("model", shown.which);
  if (shown.pair !== "all") parts.set("pair", shown.pair);
  if (shown.mode !== "zero") parts.set("off", shown.mode);
  for (const add of addressParts) add(parts);
  return `#${parts}`;
}

// An address may be of another page, or written by hand: what does not fit is left out, and what
// is left out is as at first, whatever was shown before.
function readAddress() {
  const parts = new URLSearchParams(location.hash.slice(1));
  Object.assign(state, initial());
  if (Object.hasOwn(VIEWS, parts.get("view"))) state.view = parts.get("view");
  const layer = data.layers.indexOf(Number(parts.get("layer") ?? NaN));
  if (layer >= 0) state.layer = layer;
  const heads = (parts.get("heads") ?? "").split(" ").filter(Boolean)
    .map((head) => data.heads.indexOf(Number(head))).filter((head) => head >= 0);
  if (heads.length) state.heads = [...new Set(heads)];
  state.words = parts.get("words") === "1" && state.view !== "neuron";
  const token = Number(parts.get("token") ?? NaN);
  if (Number.isInteger(token) && token >= 0 && token < unitLabels().length) state.token = token;
  if (parts.get("side") === "to") state.side = "to";
  const which = Number(parts.get("model") ?? NaN);
  if (data.models.length > 1 && [0, 1, DIFFERENCE].includes(which)) state.which = which;
  if (/^[01]-[01]$/.test(parts.get("pair") ?? "") && data.texts.length > 1) {
    state.pair = parts.get("pair");
  }
  if (parts.get("off") === "uniform") state.mode = "uniform";
}

// Whether a query and a key are of the texts that are chosen.
function pairShown(segments, query, key) {
  return state.pair === "all" || state.pair === `${segments[query]}-${segments[key]}`;
}

function headName(layer, head) {
  return `${data.layers[layer]}-${data.heads[head]}`;
}

// What all views draw with: elements, sharp canvases, and colours for light and dark.

function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key in made && key !== "role") made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

const darkQuery = matchMedia("(prefers-color-scheme: dark)");
let inks = null;
function colours() {
  if (inks) return inks;
  const style = getComputedStyle(document.documentElement);
  const named = (name) => style.getPropertyValue(`--${name}`).trim();
  const dark = darkQuery.matches;
  inks = {
    dark,
    ink: named("ink"), muted: named("muted"), line: named("line"), paper: named("paper"),
    accent: named("accent"), focus: named("focus"),
    // Ends of scales; nothing is the paper itself.
    zero: dark ? [20, 24, 29] : [255, 255, 255],
    much: dark ? [140, 200, 255] : [8, 60, 130],
    more: dark ? [255, 150, 90] : [186, 62, 0],
    less: dark ? [110, 170, 255] : [10, 80, 180],
  };
  return inks;
}

// Neighbours differ: each hue is a golden angle from the last.
function headColour(head) {
  const hue = (210 + head * 137.5) % 360;
  return colours().dark ? `hsl(${hue} 75% 68%)` : `hsl(${hue} 80% 30%)`;
}

function mixed(end, share) {
  return colours().zero.map((from, part) => Math.round(from + (end[part] - from) * share));
}

// Shades grow with the square root, so that small weights are seen at all.
function shade(value, isSigned) {
  const share = Math.sqrt(Math.min(1, Math.abs(value)));
  const { much, more, less } = colours();
  return mixed(isSigned ? (value < 0 ? less : more) : much, share);
}

function linearShade(value, largest) {
  const { more, less } = colours();
  return mixed(value < 0 ? less : more, largest ? Math.min(1, Math.abs(value) / largest) : 0);
}

// All shades of a scale as pixels, which are too many to be mixed one by one.
const SHADES = 4095;
const SCALES = {
  share: (share) => shade(share, false),
  difference: (share) => shade(2 * share - 1, true),
  linear: (share) => linearShade(2 * share - 1, 1),
};
function pixelsOf(scale) {
  const known = (colours().pixels ??= {});
  if (!known[scale]) {
    const bytes = new Uint8ClampedArray(4 * (SHADES + 1));
    for (let place = 0; place <= SHADES; place++) {
      bytes.set([...SCALES[scale](place / SHADES), 255], 4 * place);
    }
    known[scale] = new Uint32Array(bytes.buffer);
  }
  return known[scale];
}
function placeOf(value, scale) {
  return Math.round(SHADES * (scale === "share" ? value : (value + 1) / 2));
}

// A picture of some values, a pixel each, to be drawn larger; `largest` has the fullest shade.
function picture(values, columns, scale, largest = 1) {
  const made = element("canvas", { width: columns, height: values.length / columns });
  const image = new ImageData(made.width, made.height);
  const drawn = new Uint32Array(image.data.buffer);
  const pixels = pixelsOf(scale);
  for (let place = 0; place < values.length; place++) {
    drawn[place] = pixels[placeOf(largest ? values[place] / largest : 0, scale)];
  }
  made.getContext("2d").putImageData(image, 0, 0);
  return made;
}

const rgb = (parts) => `rgb(${parts.join(" ")})`;

// Text that can be read on a shade.
function inkOn([red, green, blue]) {
  return 0.299 * red + 0.587 * green + 0.114 * blue > 140 ? "#111" : "#fff";
}

function pixelRatio() {
  return Math.min(2, window.devicePixelRatio || 1);
}

// A canvas of that many pixels of the page, and its context in these units.
function sized(canvas, width, height) {
  const ratio = pixelRatio();
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.max(1, Math.round(height * ratio));
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.font = font(13);
  context.textBaseline = "middle";
  return context;
}

function font(size) {
  return `${size}px ${getComputedStyle(document.body).fontFamily}`;
}

// As much of a label as there is room for.
function fitting(context, text, room) {
  if (context.measureText(text).width <= room) return text;
  const letters = [...text];
  while (letters.length > 1 && context.measureText(`${letters.join("")}\u2026`).width > room) {
    letters.pop();
  }
  return `${letters.join("")}\u2026`;
}

// Width that the labels take, at most `most`.
function labelWidth(labels, size, most) {
  const context = document.createElement("canvas").getContext("2d");
  context.font = font(size);
  const widest = Math.max(0, ...labels.map((label) => context.measureText(label).width));
  return Math.min(most, Math.ceil(widest) + 8);
}

// A scale with its ends; of signed values with nothing in the middle.
function legend(low, high, isSigned, colourOf = shade) {
  const canvas = element("canvas", { role: "img", "aria-label": `colours from ${low} to ${high}` });
  const width = 160;
  const context = sized(canvas, width, 14);
  for (let place = 0; place < width; place++) {
    const share = place / (width - 1);
    context.fillStyle = rgb(colourOf(isSigned ? 2 * share - 1 : share, isSigned));
    context.fillRect(place, 0, 1, 14);
  }
  return element("div", { className: "legend" }, low, canvas, high);
}

// At most one drawing a frame, however many events there are.
const waiting = new Map();
function nextFrame(name, draw) {
  if (waiting.size === 0) {
    requestAnimationFrame(() => {
      const due = [...waiting.values()];
      waiting.clear();
      for (const one of due) one();
    });
  }
  waiting.set(name, draw);
}

// Words about tokens for the line that is read aloud, and keys that move along a row.

const MOST_SAID = 4;
const MOST_HEADS_SAID = 3;

// A token as it is quoted; the marks keep words of either direction of writing in their place.
function quoted(unit) {
  return `\u201c\u2068${unitLabels()[unit]}\u2069\u201d`;
}

// The largest of some shares as "“the” 40.1%, ...".
function strongest(shares, isSigned) {
  const order = shares.map((share, unit) => [share, unit]).filter(([share]) => share !== null)
    .sort(([one], [other]) => Math.abs(other) - Math.abs(one)).slice(0, MOST_SAID);
  const value = (share) => (isSigned ? `${signed(100 * share, 1)} points` : percent(share));
  return order.map(([share, unit]) => `${quoted(unit)} ${value(share)}`).join(", ");
}

// A row or column of a head's map; null where the pair of texts is not chosen.
function sharesOf(map, unit, side) {
  const segments = unitSegments();
  return segments.map((_, other) => {
    const [query, key] = side === "from" ? [unit, other] : [other, unit];
    return pairShown(segments, query, key) ? map[query * segments.length + key] : null;
  });
}

function say(text) {
  const reading = document.getElementById("reading");
  if (reading.textContent !== text) reading.textContent = text;
}

// The sentence of one token in the chosen heads.
function sayUnit(unit, side) {
  const verb = side === "from" ? "attends to" : "is attended to by";
  const all = data.models.flatMap((_, which) => state.heads.map((head) => [which, head]));
  const shown = all.slice(0, MOST_HEADS_SAID).map(([which, head]) => {
    const map = mapOf(which, state.layer, head, usesWords());
    const owner = data.models.length > 1 ? ` of ${data.models[which].name}` : "";
    const found = strongest(sharesOf(map, unit, side), false);
    return `in head ${headName(state.layer, head)}${owner} ${verb} ${found}`;
  });
  const rest = all.length > shown.length ? `; and ${all.length - shown.length} more` : "";
  say(`${quoted(unit)} ${shown.join("; ")}${rest}.`);
}

// One button of a group takes the focus by Tab; arrows, Home and End move it among the others.
function roving(buttons, columns, current = 0) {
  buttons.forEach((button, place) => {
    button.tabIndex = place === current ? 0 : -1;
    button.addEventListener("keydown", (event) => {
      const steps = { ArrowUp: -columns, ArrowDown: columns };
      if (columns !== 1) Object.assign(steps, { ArrowLeft: -1, ArrowRight: 1 });
      let goal = place + (steps[event.key] ?? 0);
      if (event.key === "Home") goal = 0;
      if (event.key === "End") goal = buttons.length - 1;
      if (goal === place || goal < 0 || goal >= buttons.length) return;
      event.preventDefault();
      buttons[goal].focus();
    });
    button.addEventListener("focus", () => {
      for (const other of buttons) other.tabIndex = -1;
      button.tabIndex = 0;
    });
  });
}

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

// All layers and heads at a glance: a small map each, which opens (Vig 2019, "model view").

const modelView = {
  controls: ["which", "units"],

  caption: () =>
    "Rows are layers, columns are heads. In each small map rows attend and columns are attended " +
    "to, in the order of the text; a shade grows with the square root of the weight, and a pixel " +
    "that stands for several weights shows the largest. A click or Enter opens a head.",

  build(stage) {
    const isDifference = state.which === DIFFERENCE;
    const title = isDifference
      ? `${data.models[0].name} less ${data.models[1].name}` : data.models[state.which].name;
    stage.append(headGrid(`${title}: layer (down) by head (across)`, {
      most: 84,
      draw: (context, layer, head, x, y, size) =>
        thumbnail(context, this.map(layer, head), x, y, size, isDifference),
      name: (layer, head) => this.said(layer, head),
    }));
    stage.append(isDifference ? legend("\u2212100 points", "+100 points", true)
      : legend("0%", "100%", false));
    say("Point at a head to read what it attends to most.");
  },

  map(layer, head) {
    return shownMap(state.which, layer, head, usesWords());
  },

  // The units that get most attention, and how much stays near.
  said(layer, head) {
    const map = this.map(layer, head);
    const count = unitLabels().length;
    if (state.which === DIFFERENCE) {
      const moved = map.reduce((sum, share) => sum + Math.abs(share), 0) / (2 * count);
      return `Head ${headName(layer, head)}: ${percent(moved)} of the attention moved.`;
    }
    const received = Array.from({ length: count }, (_, key) => {
      let sum = 0;
      for (let query = 0; query < count; query++) sum += map[query * count + key];
      return sum / count;
    });
    const most = strongest(received, false);
    return `Head ${headName(layer, head)}: most of all attention goes to ${most}.`;
  },
};

// The largest weight of those that a pixel stands for.
function thumbnail(context, map, x, y, size, isSigned) {
  const count = Math.round(Math.sqrt(map.length));
  const pixels = Math.max(1, Math.round(size * pixelRatio()));
  const scale = isSigned ? "difference" : "share";
  const shades = pixelsOf(scale);
  const image = new ImageData(pixels, pixels);
  const drawn = new Uint32Array(image.data.buffer);
  const spans = Array.from({ length: pixels }, (_, pixel) => covered(pixel, pixels, count));
  for (let down = 0; down < pixels; down++) {
    const [top, bottom] = spans[down];
    const isAsAbove = down > 0 && top === spans[down - 1][0] && bottom === spans[down - 1][1];
    if (isAsAbove) {
      drawn.copyWithin(down * pixels, (down - 1) * pixels, down * pixels);
      continue;
    }
    for (let across = 0; across < pixels; across++) {
      const [left, right] = spans[across];
      let value = 0;
      for (let query = top; query < bottom; query++) {
        for (let key = left; key < right; key++) {
          const share = map[query * count + key];
          if (Math.abs(share) > Math.abs(value)) value = share;
        }
      }
      drawn[down * pixels + across] = shades[placeOf(value, scale)];
    }
  }
  const ratio = pixelRatio();
  context.putImageData(image, Math.round(x * ratio), Math.round(y * ratio));
  context.strokeStyle = colours().line;
  context.strokeRect(x + 0.5, y + 0.5, size - 1, size - 1);
}

// The rows of a map that a row of pixels stands for.
function covered(pixel, pixels, count) {
  const first = Math.floor((pixel * count) / pixels);
  return [first, Math.max(first + 1, Math.floor(((pixel + 1) * count) / pixels))];
}

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

// Tabs and controls around the views, and what is built anew when the state changes.

// By the names of VIEWS; a page may have more.
const BUILT = { head: headView, model: modelView, map: mapView };
const PAIR_NAMES = ["first", "second"];

const CONTROLS = {
  layer: () => select("Layer", data.layers.map((layer, place) => [place, layer]), state.layer,
    (place) => change({ layer: Number(place) })),

  head: () => select("Head", data.heads.map((head, place) => [place, head]), state.heads[0],
    (place) => change({ heads: [Number(place)] })),

  heads: () => {
    const buttons = data.heads.map((head, place) => {
      const button = element("button", {
        type: "button", "aria-pressed": state.heads.includes(place), "aria-label": `head ${head}`,
        onclick: () => toggleHead(place),
      }, head);
      button.style.setProperty("--own", headColour(place));
      button.style.setProperty("--on-own", colours().dark ? "#111" : "#fff");
      return button;
    });
    return group("Heads, each in its colour", buttons, "choices heads");
  },

  units: () => choices("Tokens", [[false, "pieces"], [true, "words"]], state.words,
    (words) => change({ words })),

  pair: () => data.texts.length > 1 && select("Attention", [["all", "all"],
    ...["0-0", "0-1", "1-0", "1-1"].map((pair) => [pair, `from the ${PAIR_NAMES[pair[0]]} text ` +
      `to the ${PAIR_NAMES[pair[2]]}`])], state.pair, (pair) => change({ pair })),

  which: () => data.models.length > 1 && choices("Shown",
    [...data.models.map((model, which) => [which, model.name]), [DIFFERENCE, "difference"]],
    state.which, (which) => change({ which })),
};

function toggleHead(place) {
  const on = state.heads.includes(place);
  if (on && state.heads.length === 1) return; // one head at least
  const heads = on ? state.heads.filter((head) => head !== place) : [...state.heads, place];
  change({ heads: heads.sort((one, other) => one - other) });
}

function group(name, buttons, className = "choices") {
  return element("fieldset", {}, element("legend", {}, name),
    element("div", { className }, ...buttons));
}

function choices(name, options, current, choose) {
  return group(name, options.map(([value, label]) => element("button", {
    type: "button", "aria-pressed": value === current, onclick: () => choose(value),
  }, label)));
}

function select(name, options, current, choose) {
  const list = element("select", { onchange: (event) => choose(event.target.value) },
    ...options.map(([value, label]) => element("option", { value }, String(label))));
  list.value = current;
  return element("label", {}, element("span", {}, name), list);
}

function buildTabs() {
  const tabs = Object.entries(VIEWS).map(([view, name]) => element("button", {
    type: "button", role: "tab", id: `tab-${view}`, "aria-controls": "stage",
    "aria-selected": view === state.view, onclick: () => change({ view }),
  }, name));
  roving(tabs, tabs.length + 1, Object.keys(VIEWS).indexOf(state.view));
  document.getElementById("tabs").replaceChildren(...tabs);
}

// Controls are made anew with the state; the focus goes to the one in the same place.
function buildControls() {
  const place = document.getElementById("controls");
  const all = () => [...place.querySelectorAll("button, select")];
  const focused = all().indexOf(document.activeElement);
  const made = BUILT[state.view].controls.map((name) => CONTROLS[name]()).filter(Boolean);
  place.replaceChildren(...made);
  if (focused >= 0) all()[focused]?.focus();
}

function buildView() {
  const stage = document.getElementById("stage");
  stage.setAttribute("aria-labelledby", `tab-${state.view}`);
  stage.replaceChildren();
  BUILT[state.view].build(stage);
  document.getElementById("caption").textContent = BUILT[state.view].caption();
}

// A token that is held needs no new view; all else does.
function onlyTokenChanged(before) {
  return BUILT[state.view].update && Object.keys(state).every(
    (key) => ["token", "side"].includes(key) || state[key] === before[key]);
}

// Build anew what a change of the state asks for; `buildWords` writes the words of the page.
function followState(buildWords) {
  listeners.push((before) => {
    buildWords();
    if (before.view !== state.view) {
      for (const tab of document.querySelectorAll("[role=tab]")) {
        tab.setAttribute("aria-selected", tab.id === `tab-${state.view}`);
        tab.tabIndex = tab.id === `tab-${state.view}` ? 0 : -1;
      }
    }
    const inStage = document.getElementById("stage").contains(document.activeElement);
    buildControls();
    if (onlyTokenChanged(before)) {
      BUILT[state.view].update();
      return;
    }
    buildView();
    // What had the focus is gone.
    if (inStage) document.getElementById("stage").focus({ preventScroll: true });
  });
}

// Files of the page's data, each loaded once when it is first asked for, and maps unpacked.

const asked = new Map(); // by name: a promise, and how it is kept
window.headsData = (name, content) => asked.get(name)?.resolve(content);

// A page from the disk may not fetch, but it may load a script, which calls `headsData`.
function loaded(name) {
  if (!asked.has(name)) {
    const entry = {};
    entry.promise = new Promise((resolve, reject) => Object.assign(entry, { resolve, reject }));
    asked.set(name, entry);
    const address = new URL(`../heads/${encodeURIComponent(name)}.js`, document.baseURI);
    document.head.append(element("script", {
      src: address.href,
      onerror: () => entry.reject(new Error(`heads/${name}.js is not there`)),
    }));
  }
  return asked.get(name).promise;
}

// What a byte stands for (stages/core/viewer/packed_maps.py).
const SHARES = Float32Array.from({ length: 256 }, (_, code) => (code / 255) ** 2);

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const codes = new Uint8Array(await new Response(stream).arrayBuffer());
  const shares = new Float32Array(codes.length);
  for (let place = 0; place < codes.length; place++) shares[place] = SHARES[codes[place]];
  return shares;
}

// A record as the views show it: the maps of each model by layer, and their patterns.
async function unpackedRecord(record) {
  const size = record.heads.length * record.pieces.length ** 2;
  const models = await Promise.all(record.models.map(async (model) => {
    const shares = await unpacked(model.packed);
    const maps = record.layers.map((_, layer) => shares.subarray(layer * size, (layer + 1) * size));
    return { ...model, maps };
  }));
  return { ...record, models };
}

// What the studies found of one head: sentences on top, and a table a study.

function factTable(described, rows) {
  const heading = described.columns.map((name, column) =>
    element("th", { scope: "col", className: described.numbers[column] ? "number" : "" }, name));
  const body = rows.map((row) => element("tr", {}, ...row.map((text, column) =>
    element("td", { className: described.numbers[column] ? "number" : "" }, text))));
  return element("section", { className: "of-study" },
    element("h2", {}, described.title),
    element("p", {}, `${described.text} `,
      element("a", { href: `${described.page}.html` }, "Of all heads")),
    element("div", { className: "scroll" }, element("table", {},
      element("caption", { className: "hidden" }, described.title),
      element("thead", {}, element("tr", {}, ...heading)), element("tbody", {}, ...body))));
}

function buildFacts(tables, facts) {
  document.getElementById("said").replaceChildren(
    ...facts.said.map((sentence) => element("p", {}, sentence)));
  document.getElementById("facts").replaceChildren(...tables.flatMap((described, place) =>
    (facts.rows[place].length ? [factTable(described, facts.rows[place])] : [])));
}

// The page of one head: which one the address says; what is known of it, and examples of its maps.

INITIAL.view = "head";
const TABS = { ...VIEWS };
const place = { of: 0, layer: 0, head: 0, text: null }; // model, numbers of layer and head, example
let index = null;
let notes = {};

const model = () => index.models[place.of];
const has = (example) => example.heads === null
  || example.heads.some(([layer, head]) => layer === place.layer && head === place.head);
const shownName = () => `Head ${place.layer}-${place.head}`;

function within(value, count) {
  return Number.isInteger(value) && value >= 0 && value < count ? value : 0;
}

// What the address leaves out, or says wrongly, is as at first.
function readPlace() {
  const parts = new URLSearchParams(location.hash.slice(1));
  place.of = within(Number(parts.get("of") ?? NaN), index.models.length);
  place.layer = within(Number(parts.get("layer") ?? NaN), model().layers);
  const [first] = (parts.get("heads") ?? "").split(" ");
  place.head = within(Number(parts.get("head") ?? (first || NaN)), model().heads);
  place.text = parts.get("text");
}

addressParts.push((parts) => {
  parts.set("of", place.of);
  parts.set("head", place.head);
  if (place.text !== null) parts.set("text", place.text);
});

// Where the address has no example of this head: one that was drawn, and no chosen one.
function shownExample() {
  const own = model().examples.filter(has);
  return own.find((example) => example.key === place.text)
    ?? own.find((example) => example.heads === null) ?? own[0] ?? null;
}

function goTo(parts) {
  const { of, layer, head, text } = { ...place, ...parts };
  const next = new URLSearchParams(location.hash.slice(1));
  const named = { of, layer, head, heads: head };
  for (const [name, value] of Object.entries(named)) next.set(name, value);
  if (text === null) next.delete("text");
  else next.set("text", text);
  if ("text" in parts) next.delete("token"); // which was of another text
  location.hash = next;
}

function numbered(count) {
  return Array.from({ length: count }, (_, number) => [number, number]);
}

function buildPicker() {
  const { layers, heads } = model();
  const step = (by) => {
    const next = place.layer * heads + place.head + by;
    return element("button", {
      type: "button", disabled: next < 0 || next >= layers * heads,
      onclick: () => goTo({ layer: Math.floor(next / heads), head: next % heads }),
    }, by < 0 ? "Previous head" : "Next head");
  };
  document.getElementById("picker").replaceChildren(
    ...(index.models.length > 1 ? [select("Model",
      index.models.map(({ name }, number) => [number, name]), place.of,
      (of) => goTo({ of: Number(of), layer: 0, head: 0, text: null }))] : []),
    select("Layer", numbered(layers), place.layer, (layer) => goTo({ layer: Number(layer) })),
    select("Head", numbered(heads), place.head, (head) => goTo({ head: Number(head) })),
    step(-1), step(1));
  document.getElementById("name").textContent = `${shownName()} of ${model().name}`;
  document.title = `${shownName()} · ${model().name}`;
}

function exampleLabel(example) {
  const note = notes[example.key];
  const why = example.heads === null ? note ?? "drawn" : example.why;
  return `${example.text} (${why})`;
}

// The examples that have this head's map, those of one task or corpus together.
function buildExamples(shown) {
  const own = model().examples.filter(has);
  const list = element("select", { id: "example", onchange: () => goTo({ text: list.value }) },
    ...[...new Set(own.map(({ data: of }) => of))].map((of) => element("optgroup", { label: of },
      ...own.filter((example) => example.data === of).map((example) =>
        element("option", { value: example.key }, exampleLabel(example))))));
  list.value = shown.key;
  document.getElementById("examples").replaceChildren(
    element("label", {}, element("span", {}, "Text"), list));
  const note = notes[shown.key] ? `; here is the ${notes[shown.key]}` : "";
  const label = data.label ? ` Its label is \u201c\u2068${data.label}\u2069\u201d.` : "";
  const texts = data.texts.map((text) => `\u201c\u2068${text}\u2069\u201d`).join(" and ");
  const written = index.generated.includes(shown.data)
    ? " The text was generated by a program of this project." : "";
  document.getElementById("why").textContent =
    `${shown.data}: ${shown.why}${note}.${label}${written} ${texts}`;
}

async function buildViewer() {
  const shown = shownExample();
  document.getElementById("viewer").hidden = shown === null;
  document.getElementById("without").hidden = shown !== null;
  if (shown === null) return;
  const file = shown.heads === null ? `maps-${shown.key}` : `maps-${shown.data}-chosen`;
  const record = await unpackedRecord((await loaded(file))[shown.key]);
  showData(record);
  place.text = shown.key;
  for (const view of Object.keys(VIEWS)) delete VIEWS[view];
  Object.assign(VIEWS, TABS);
  if (data.layers.length * data.heads.length === 1) delete VIEWS.model;
  readAddress();
  state.layer = data.layers.indexOf(place.layer);
  const head = data.heads.indexOf(place.head);
  if (!state.heads.includes(head)) state.heads = [head];
  buildExamples(shown);
  inks = null;
  buildTabs();
  buildControls();
  buildView();
}

async function buildHead() {
  buildPicker();
  const { of, layer, head } = place;
  const facts = (await loaded(`facts-${of}-${layer}`))[head];
  if (of !== place.of || layer !== place.layer || head !== place.head) return; // asked for another
  notes = facts.notes;
  buildFacts(model().tables, facts);
}

async function buildPage() {
  readPlace();
  document.body.setAttribute("aria-busy", "true");
  await buildHead();
  await buildViewer();
  document.body.setAttribute("aria-busy", "false");
}

// The view went to another head: so does what is known of it.
listeners.push(() => {
  const layer = data.layers[state.layer];
  const heads = state.heads.map((head) => data.heads[head]);
  if (layer === place.layer && heads.includes(place.head)) return;
  [place.layer, place.head] = [layer, heads[0]];
  history.replaceState(null, "", addressOf(state));
  buildHead().then(() => buildExamples(shownExample()));
});
followState(() => {});

function failed(error) {
  document.getElementById("name").textContent = "What this page shows was not found";
  document.getElementById("said").replaceChildren(element("p", {}, error.message));
}

loaded("index").then((content) => {
  index = content;
  return buildPage();
}).catch(failed);
addEventListener("hashchange", () => buildPage().catch(failed));
darkQuery.addEventListener("change", () => buildPage().catch(failed));
let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth !== width && data) nextFrame("page", buildView);
  width = innerWidth;
});
})();
