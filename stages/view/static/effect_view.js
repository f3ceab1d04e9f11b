// What each head does to this one prediction: the prediction with that head off, less the whole.

const effectView = {
  controls: ["mode"],

  caption: () =>
    "Rows are layers, columns are heads. Each cell is the change that one head off makes to " +
    "this prediction, all others on; orange is more, blue is less, a thick frame marks heads " +
    "without which another class would be predicted. It is of this one text: reports have the " +
    "effects over many. A click or Enter opens a head.",

  build(stage) {
    const panels = element("div", { className: "panels" });
    const shown = [...data.models.keys()].filter((which) => data.models[which].prediction);
    for (const which of shown) {
      const alike = shown.filter((other) => isRegression(other) === isRegression(which));
      const largest = largestChange(alike);
      const digits = effectDigits(which, largest);
      const box = headGrid(effectTitle(which), {
        most: 64,
        draw: (context, layer, head, x, y, size) =>
          this.cell(context, which, layer, head, x, y, size, largest),
        name: (layer, head) => effectSaid(which, layer, head, digits),
      });
      const [low, high] = [-largest, largest].map((value) => effectValue(which, value, digits));
      box.append(legend(low, high, true, (value) => linearShade(value, 1)),
        strongestEffects(which, digits));
      panels.append(box);
    }
    stage.append(panels);
    say("Point at a head to read what the prediction is without it.");
  },

  cell(context, which, layer, head, x, y, size, largest) {
    const { change: moved, other } = changeWithout(which, state.mode, layer, head);
    const fill = linearShade(moved, largest);
    context.fillStyle = rgb(fill);
    context.fillRect(x, y, size, size);
    context.lineWidth = other === null ? 1 : 3;
    context.strokeStyle = other === null ? colours().line : colours().ink;
    const inset = context.lineWidth / 2;
    context.strokeRect(x + inset, y + inset, size - 2 * inset, size - 2 * inset);
    context.lineWidth = 1;
    context.fillStyle = inkOn(fill);
    context.textAlign = "center";
    context.font = font(size < 40 ? 10 : 12);
    const unit = isRegression(which) ? 1 : 100;
    const text = signed(unit * moved, effectDigits(which, largest));
    context.fillText(text, x + size / 2, y + size / 2, size - 4);
    context.font = font(13);
  },
};

const isRegression = (which) => data.models[which].classes.length === 0;

// Models that predict in one unit have one scale.
function largestChange(models) {
  const changes = models.flatMap((which) => cellsOf(which).map((cell) => Math.abs(cell.change)));
  return Math.max(...changes, 1e-6);
}

// Two digits of the largest change, as far as the data has them: six of a share or a score.
function effectDigits(which, largest) {
  const [unit, most] = isRegression(which) ? [1, 6] : [100, 4];
  return Math.max(1, Math.min(most, 1 - Math.floor(Math.log10(unit * largest))));
}

function cellsOf(which) {
  return data.layers.flatMap((_, layer) => data.heads.map((_, head) =>
    ({ layer, head, ...changeWithout(which, state.mode, layer, head) })));
}

function effectTitle(which) {
  const { name, classes, prediction } = data.models[which];
  const what = classes.length
    ? `change of the probability of \u201c${classes[predicted(prediction.whole)]}\u201d, in points`
    : "change of the score";
  return `${name}: ${what}, layer (down) by head (across)`;
}

function effectValue(which, value, digits) {
  return isRegression(which) ? signed(value, digits) : `${signed(100 * value, digits)} points`;
}

function effectSaid(which, layer, head, digits) {
  const { classes, prediction } = data.models[which];
  const { before, after, change: moved, other } = changeWithout(which, state.mode, layer, head);
  const value = (number) => (classes.length
    ? percent(number, Math.max(2, digits)) : number.toFixed(Math.max(3, digits)));
  const what = classes.length ? `\u201c${classes[predicted(prediction.whole)]}\u201d` : "the score";
  const flip = other === null ? "" : ` The prediction would be \u201c${classes[other]}\u201d.`;
  return `Without head ${headName(layer, head)} ${what} goes from ${value(before)} to ` +
    `${value(after)} (${effectValue(which, moved, digits)}).${flip}`;
}

// The heads that matter most to this prediction, in words.
function strongestEffects(which, digits) {
  const cells = cellsOf(which).sort((one, other) => Math.abs(other.change) - Math.abs(one.change));
  const items = cells.slice(0, 5).map(({ layer, head }) => element("li", {}, element("button", {
    type: "button", onclick: () => change({ view: "head", layer, heads: [head] }),
  }, effectSaid(which, layer, head, digits))));
  return element("div", {}, element("h2", {}, "Largest changes"),
    element("ol", { className: "strongest" }, ...items));
}
