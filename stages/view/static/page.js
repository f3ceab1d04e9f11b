// The page around the views: the sentence on top, tabs, controls, and what is built anew when.

const BUILT = {
  head: headView, model: modelView, map: mapView, neuron: neuronView, effect: effectView,
};
const OFF = {
  zero: "gives out nothing",
  uniform: "attends to all alike",
};
const PAIR_NAMES = ["first", "second"];

function millions(count) {
  return count >= 1e5 ? `${(count / 1e6).toFixed(1)} million` : count.toLocaleString("en");
}

function describe(model) {
  return `${model.name} (${model.type}, ${model.layers} layers x ${model.heads} heads, ` +
    `${millions(model.parameters)} parameters)`;
}

function viewInWords() {
  const head = `head ${headName(state.layer, state.heads[0])}`;
  const several = state.heads.length > 1
    ? `heads ${state.heads.map((one) => headName(state.layer, one)).join(", ")}` : head;
  return {
    model: "all layers and heads at a glance",
    head: `lines from each token to what it attends to, in ${several}`,
    map: `the map of ${head}`,
    neuron: `the neurons behind the scores of ${head}`,
    effect: "the prediction with each head off",
  }[state.view];
}

function shortened(text) {
  const letters = [...text];
  return letters.length > 160 ? `${letters.slice(0, 160).join("")}\u2026` : text;
}

function sentence() {
  const texts = data.texts.map(shortened).map((text) => `\u201c\u2068${text}\u2069\u201d`)
    .join(" and ");
  const view = viewInWords();
  return `Attention of ${data.models.map(describe).join(" beside ")} on ${texts} ` +
    `(${TOKENS} tokens): ${view}.`;
}

function predictionInWords({ name, classes, prediction }) {
  const owner = data.models.length > 1 ? `${name} predicts` : "It predicts";
  if (!classes.length) return `${owner} the score ${prediction.whole[0].toFixed(3)}.`;
  const order = classes.map((label, place) => [prediction.whole[place], label])
    .sort(([one], [other]) => other - one).slice(0, 5);
  const rest = classes.length > order.length ? ", ..." : "";
  const said = order.map(([share, label]) => `\u201c${label}\u201d ${percent(share)}`);
  return `${owner} ${said.join(", ")}${rest}.`;
}

function rounding() {
  const chosen = [];
  const [first] = data.models;
  if (data.layers.length < first.layers) chosen.push(`layers ${data.layers.join(", ")}`);
  if (data.heads.length < first.heads) chosen.push(`heads ${data.heads.join(", ")}`);
  const part = chosen.length ? ` Of the model this page has ${chosen.join(" and ")} alone.` : "";
  const unknown = data.unknown
    ? ` The tokenizer does not know ${data.unknown} of the tokens: what stands there is lost.` : "";
  return `Layers and heads are counted from 0; head 3-7 is head 7 of layer 3. Weights are ` +
    `rounded to 1/${data.highest} (at most ${(50 / data.highest).toFixed(3)} points off), ` +
    `queries and keys to 1/${data.largest} of their head's largest value. Attention to a word is the sum ` +
    `over its pieces, attention from it their mean.${part}${unknown}`;
}

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

  token: () => select("Token that attends",
    data.pieces.map((piece, token) => [token, `${token} ${piece}`]),
    state.token ?? 0, (token) => change({ token: Number(token), side: "from" })),

  mode: () => choices("A head that is off", Object.entries(OFF), state.mode,
    (mode) => change({ mode })),
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

function buildWords() {
  document.getElementById("sentence").textContent = sentence();
  document.title = `${VIEWS[state.view]}: ${data.models.map((model) => model.name).join(", ")}`;
}

// A token that is held needs no new view; all else does.
function onlyTokenChanged(before) {
  return BUILT[state.view].update && Object.keys(state).every(
    (key) => ["token", "side"].includes(key) || state[key] === before[key]);
}

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

function buildPage() {
  inks = null;
  buildTabs();
  buildWords();
  buildControls();
  buildView();
}

readAddress();
document.getElementById("prediction").textContent =
  data.models.filter((model) => model.prediction).map(predictionInWords).join(" ");
document.getElementById("rounding").textContent = rounding();
buildPage();
darkQuery.addEventListener("change", buildPage);
let width = innerWidth;
addEventListener("resize", () => {
  if (innerWidth !== width) nextFrame("page", buildPage);
  width = innerWidth;
});
addEventListener("hashchange", () => { readAddress(); buildPage(); });
