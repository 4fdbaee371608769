// Creates elements of the page and of pictures, and puts texts on them in the language of the page; text is never parsed as markup.

import { isRead, isSingular, t } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else if (name === "text") say(node, value);
    else node.setAttribute(name, value === true ? "" : isRead(name) ? t(value) : value);
  }
  const shown = children.flat().filter((child) => child !== null && child !== undefined && child !== false);
  node.append(...shown.map((child) => (child instanceof Node ? child : t(child))));
  return node;
}

/** An element of the page. */
export function html(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** An element of a picture. */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** Sets the text of an element, unless it has that text already. */
export function say(node, text) {
  const words = t(text);
  if (node.textContent !== words) node.textContent = words;
}

/** Sets what screen readers call an element. */
export function label(node, text) {
  node.setAttribute("aria-label", t(text));
}

const madeOf = new WeakMap();

/**
 * Replaces what an element has, unless it is made of the same: a button that is replaced loses the click of a slow hand. Its focus goes
 * to the first new button.
 */
export function renew(node, source, make) {
  const key = JSON.stringify(source);
  if (madeOf.get(node) === key) return;
  madeOf.set(node, key);
  const held = node.contains(document.activeElement);
  node.replaceChildren(...make());
  if (held) node.querySelector("button")?.focus();
}

/** Loads a style of that name with the part of the page that needs it. */
export function addStyle(name) {
  document.head.append(html("link", { rel: "stylesheet", href: new URL(`./${name}.css`, import.meta.url).href }));
}

/** The element with that id. */
export function byId(id) {
  return document.getElementById(id);
}

/** "1 stone", "2 stones"; in French "0 stone". */
export function counted(number, word, words = `${word}s`) {
  return `${number} ${isSingular(number) ? word : words}`;
}

/** The word with a capital. */
export function capital(word) {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

/** The other side. */
export function other(side) {
  return side === "white" ? "black" : "white";
}
