// What the studies measured of one head: a table a study.

function factTable(described, rows) {
  const heading = described.columns.map((name, column) =>
    element("th", { scope: "col", className: described.numbers[column] ? "number" : "" }, name));
  const body = rows.map((row) => element("tr", {}, ...row.map((text, column) =>
    element("td", { className: described.numbers[column] ? "number" : "" }, text))));
  return element("section", { className: "of-study" },
    element("h2", {}, described.title),
    element("p", {}, `${described.text} `,
      element("a", { href: `${described.page}.html` }, "Of all heads")),
    element("div", { className: "scroll" }, element("table", {},
      element("caption", { className: "hidden" }, described.title),
      element("thead", {}, element("tr", {}, ...heading)), element("tbody", {}, ...body))));
}

function buildFacts(tables, facts) {
  document.getElementById("status").replaceChildren();
  document.getElementById("facts").replaceChildren(...tables.flatMap((described, place) =>
    (facts.rows[place].length ? [factTable(described, facts.rows[place])] : [])));
}
