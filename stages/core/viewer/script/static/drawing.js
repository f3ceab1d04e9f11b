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
