// The language of the page: texts are written in English where they are used, and translated on their way to the screen.

import { load } from "./store.js";

/** The languages, and the files of those that texts are translated into; another one follows by its file and a line here. */
const FILES = { en: null, fr: () => import("./fr.js") };
export const LANGUAGES = { auto: "As the browser", en: "English", fr: "Français" };

const chosen = load("settings", {}).language;
const wanted = chosen in FILES ? [chosen] : navigator.languages.map((name) => name.split("-")[0]);
/** The language of the page. */
export const language = wanted.find((name) => name in FILES) ?? "en";
document.documentElement.lang = language;

/** English texts with their translations; `{name}` stands for anything, which is translated too. */
const words = FILES[language] ? (await FILES[language]()).words : null;
const known = new Map(Object.entries(words ?? {}));

const escaped = (text) => text.replaceAll(/[.*+?^$|()[\]\\]/g, "\\$&");
const length = ([english]) => english.replaceAll(/\{\w+\}/g, "").length;
/** Those with a part that stands for anything, the most specific first. */
const patterns = [...known].filter(([english]) => english.includes("{")).sort((a, b) => length(b) - length(a))
  .map(([english, text]) => ({ form: new RegExp(`^${escaped(english).replaceAll(/\{(\w+)\}/g, "(?<$1>.+?)")}$`), text }));

function translated(text) {
  if (known.has(text)) return known.get(text);
  for (const { form, text: pattern } of patterns) {
    const groups = form.exec(text)?.groups;
    if (groups) return pattern.replaceAll(/\{(\w+)\}/g, (_, name) => t(groups[name]));
  }
  const sentence = /^(.*[^.!?…])([.!?…]+)$/.exec(text);
  if (sentence && known.has(sentence[1])) return known.get(sentence[1]) + sentence[2];
  // Sentence by sentence, then what commas separate.
  for (const [border, joint] of [[/(?<=[.!?…]) /, " "], [", ", ", "]]) {
    const parts = text.split(border);
    if (parts.length > 1) return parts.map(t).join(joint);
  }
  return text;
}

/** A text in the language of the page; the same if it is not known. */
export function t(value) {
  const text = String(value);
  if (!words) return text;
  const [, before, core, after] = /^(\s*)(.*?)(\s*)$/s.exec(text);
  if (!/\p{L}{2}/u.test(core)) return text;
  const key = core.replaceAll(/\s+/g, " ");
  if (!known.has(key)) known.set(key, translated(key));
  return before + known.get(key) + after;
}

const NAMES = ["aria-label", "title", "placeholder"];

/** Whether people read or hear an attribute of that name. */
export function isRead(name) {
  return NAMES.includes(name);
}

/** Translates what the page has from the beginning. */
export function translatePage() {
  if (!words) return;
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) texts.currentNode.data = t(texts.currentNode.data);
  for (const name of NAMES) {
    for (const node of document.querySelectorAll(`[${name}]`)) node.setAttribute(name, t(node.getAttribute(name)));
  }
}
