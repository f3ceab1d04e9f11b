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
