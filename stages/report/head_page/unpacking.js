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
