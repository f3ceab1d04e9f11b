// Words about tokens for the line that is read aloud, and keys that move along a row.

const MOST_SAID = 4;
const MOST_HEADS_SAID = 3;

// A token as it is quoted; the marks keep words of either direction of writing in their place.
function quoted(unit) {
  return `\u201c\u2068${unitLabels()[unit]}\u2069\u201d`;
}

// The largest of some shares as "“the” 40.1%, ...".
function strongest(shares, isSigned) {
  const order = shares.map((share, unit) => [share, unit]).filter(([share]) => share !== null)
    .sort(([one], [other]) => Math.abs(other) - Math.abs(one)).slice(0, MOST_SAID);
  const value = (share) => (isSigned ? `${signed(100 * share, 1)} points` : percent(share));
  return order.map(([share, unit]) => `${quoted(unit)} ${value(share)}`).join(", ");
}

// A row or column of a head's map; null where the pair of texts is not chosen.
function sharesOf(map, unit, side) {
  const segments = unitSegments();
  return segments.map((_, other) => {
    const [query, key] = side === "from" ? [unit, other] : [other, unit];
    return pairShown(segments, query, key) ? map[query * segments.length + key] : null;
  });
}

function say(text) {
  const reading = document.getElementById("reading");
  if (reading.textContent !== text) reading.textContent = text;
}

// The sentence of one token in the chosen heads.
function sayUnit(unit, side) {
  const verb = side === "from" ? "attends to" : "is attended to by";
  const all = data.models.flatMap((_, which) => state.heads.map((head) => [which, head]));
  const shown = all.slice(0, MOST_HEADS_SAID).map(([which, head]) => {
    const map = mapOf(which, state.layer, head, usesWords());
    const owner = data.models.length > 1 ? ` of ${data.models[which].name}` : "";
    const found = strongest(sharesOf(map, unit, side), false);
    return `in head ${headName(state.layer, head)}${owner} ${verb} ${found}`;
  });
  const rest = all.length > shown.length ? `; and ${all.length - shown.length} more` : "";
  say(`${quoted(unit)} ${shown.join("; ")}${rest}.`);
}

// One button of a group takes the focus by Tab; arrows, Home and End move it among the others.
function roving(buttons, columns, current = 0) {
  buttons.forEach((button, place) => {
    button.tabIndex = place === current ? 0 : -1;
    button.addEventListener("keydown", (event) => {
      const steps = { ArrowUp: -columns, ArrowDown: columns };
      if (columns !== 1) Object.assign(steps, { ArrowLeft: -1, ArrowRight: 1 });
      let goal = place + (steps[event.key] ?? 0);
      if (event.key === "Home") goal = 0;
      if (event.key === "End") goal = buttons.length - 1;
      if (goal === place || goal < 0 || goal >= buttons.length) return;
      event.preventDefault();
      buttons[goal].focus();
    });
    button.addEventListener("focus", () => {
      for (const other of buttons) other.tabIndex = -1;
      button.tabIndex = 0;
    });
  });
}
