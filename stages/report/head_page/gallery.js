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
