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
