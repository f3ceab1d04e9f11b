// The page around the views: the sentence on top, and what only one's own text has.

showData(JSON.parse(document.getElementById("data").textContent));
Object.assign(VIEWS, { neuron: "Neurons" });
if (data.models.some((model) => model.prediction)) VIEWS.effect = "Heads off";
Object.assign(BUILT, { neuron: neuronView, effect: effectView });
const OFF = {
  zero: "gives out nothing",
  uniform: "attends to all alike",
};

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

Object.assign(CONTROLS, {
  token: () => select("Token that attends",
    data.pieces.map((piece, token) => [token, `${token} ${piece}`]),
    state.token ?? 0, (token) => change({ token: Number(token), side: "from" })),

  mode: () => choices("A head that is off", Object.entries(OFF), state.mode,
    (mode) => change({ mode })),
});

function buildWords() {
  document.getElementById("sentence").textContent = sentence();
  document.title = `${VIEWS[state.view]}: ${data.models.map((model) => model.name).join(", ")}`;
}

followState(buildWords);

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
