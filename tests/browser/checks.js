"use strict";
// What is wrong with a page for those who see, hear or tap it; runs inside of the page itself.

function nameOf(control) {
  const label = control.labels?.[0]?.textContent ?? "";
  const image = control.querySelector("img")?.alt ?? "";
  const parts = [control.getAttribute("aria-label"), label, control.textContent, image];
  return parts.map((part) => (part ?? "").trim()).find(Boolean) ?? "";
}

function channels(colour) {
  const numbers = colour.match(/[\d.]+/g).map(Number);
  return { rgb: numbers.slice(0, 3), alpha: numbers[3] ?? 1 };
}

function ground(element) {
  for (let place = element; place; place = place.parentElement) {
    const { rgb, alpha } = channels(getComputedStyle(place).backgroundColor);
    if (alpha > 0) return rgb;
  }
  return [255, 255, 255];
}

function luminance(rgb) {
  const [red, green, blue] = rgb.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one, two) {
  const [light, dark] = [luminance(one), luminance(two)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function shown(element) {
  return element.checkVisibility() && element.getClientRects().length > 0;
}

function told(element) {
  const classes = element.getAttribute("class");
  return `${element.localName}${classes ? `.${classes}` : ""} "${element.textContent.trim().slice(0, 40)}"`;
}

function paleTexts() {
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.textContent.trim() || !shown(element)) continue;
    if (element.closest("svg, script, style, .hidden, .skip")) continue;
    const style = getComputedStyle(element);
    const size = parseFloat(style.fontSize);
    const needed = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    const ratio = contrast(channels(style.color).rgb, ground(element));
    if (ratio < needed) found.push(`${told(element)}: ${ratio.toFixed(2)}`);
  }
  return found;
}

function check() {
  const controls = [...document.querySelectorAll("a[href], button, input, select, summary")];
  const unfocused = [];
  for (const control of controls.filter(shown)) {
    control.focus();
    const style = getComputedStyle(control);
    if (style.outlineStyle === "none" || parseFloat(style.outlineWidth) < 2) unfocused.push(told(control));
  }
  document.activeElement?.blur();
  const wide = [...document.querySelectorAll("main *")].filter(
    (element) => shown(element) && !element.closest(".scroll table, svg, .hidden") &&
      element.getBoundingClientRect().right > innerWidth + 1,
  );
  return {
    width: innerWidth,
    dark: matchMedia("(prefers-color-scheme: dark)").matches,
    controls: controls.length,
    unnamed: controls.filter((control) => !nameOf(control)).map((control) => control.outerHTML.slice(0, 120)),
    unfocused,
    pale: paleTexts(),
    sideways: document.documentElement.scrollWidth - innerWidth,
    wide: wide.map(told).slice(0, 10),
    script_ran: globalThis.hostile === true,
  };
}
