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
