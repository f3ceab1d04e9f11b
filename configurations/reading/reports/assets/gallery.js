"use strict";
(() => {
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

// Draws each picture of the gallery when it comes into sight.

const GAP = 2; // between the small maps of a text
const LEAST = 9; // pixels of a token whose label can be read

// One map with its tokens, where there is room for their labels.
function drawMap(canvas, record, room) {
  const tokens = record.pieces.length;
  let margin = labelWidth(record.pieces, 11, room / 4);
  let size = (room - margin) / tokens;
  if (size < LEAST) [margin, size] = [1, (room - 2) / tokens];
  const context = sized(canvas, room, room);
  context.imageSmoothingEnabled = false;
  const shares = record.models[0].maps[0].subarray(0, tokens * tokens);
  context.drawImage(picture(shares, tokens, "share"), margin, margin, tokens * size, tokens * size);
  context.strokeStyle = colours().line;
  context.strokeRect(margin - 0.5, margin - 0.5, tokens * size + 1, tokens * size + 1);
  if (margin === 1) return;
  context.font = font(Math.min(11, size));
  context.fillStyle = colours().ink;
  record.pieces.forEach((piece, token) => {
    const text = fitting(context, piece, margin - 4);
    const middle = margin + (token + 0.5) * size;
    context.textAlign = "right";
    context.fillText(text, margin - 3, middle);
    context.save();
    context.translate(middle, margin - 3);
    context.rotate(-Math.PI / 2);
    context.textAlign = "left";
    context.fillText(text, 0, 0);
    context.restore();
  });
}

// The maps of all heads, layers from the top.
function drawAll(canvas, record, room) {
  const tokens = record.pieces.length;
  const { layers, heads } = record;
  const size = Math.floor(room / heads.length) - GAP;
  const context = sized(canvas, room, layers.length * (size + GAP));
  layers.forEach((_, layer) => heads.forEach((_, head) => {
    const from = head * tokens * tokens;
    const shares = record.models[0].maps[layer].subarray(from, from + tokens * tokens);
    const [x, y] = [head * (size + GAP), layer * (size + GAP)];
    context.drawImage(picture(shares, tokens, "share"), x, y, size, size);
    context.strokeStyle = colours().line;
    context.strokeRect(x + 0.5, y + 0.5, size - 1, size - 1);
  }));
}

async function draw(canvas) {
  const { file, key, all } = canvas.dataset;
  const record = await unpackedRecord((await loaded(file))[key]);
  const draws = all === undefined ? drawMap : drawAll;
  draws(canvas, record, canvas.parentElement.clientWidth);
  canvas.dataset.drawn = "yes";
}

function failed(canvas, error) {
  canvas.replaceWith(element("span", { className: "muted" }, error.message));
}

const pictures = document.querySelectorAll("canvas[data-file]");
const seen = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    seen.unobserve(target);
    draw(target).catch((error) => failed(target, error));
  }
}, { rootMargin: "300px" });
for (const canvas of pictures) seen.observe(canvas);
darkQuery.addEventListener("change", () => {
  inks = null;
  for (const canvas of pictures) seen.observe(canvas);
});

})();
