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
