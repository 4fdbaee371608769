// The language of the page: texts are written in English where they are used, and translated on their way to the screen.

import { load } from "./store.js";

/** The languages, and the files of those that texts are translated into; another one follows by its file and a line here. */
const FILES = { en: null, fr: () => import("./fr.js") };
export const LANGUAGES = { auto: "Match browser", en: "English", fr: "Français" };

const chosen = load("settings", {}).language;
const wanted = chosen in FILES ? [chosen] : navigator.languages.map((name) => name.split("-")[0]);
/** The language of the page. */
export const language = wanted.find((name) => name in FILES) ?? "en";
document.documentElement.lang = language;

/** English texts with their translations; `{name}` stands for anything, which is translated too. */
const words = FILES[language] ? (await FILES[language]()).words : null;
const known = new Map(Object.entries(words ?? {}));

/** Sentences of the server begin without a capital and end without a full stop; they are shown with both. */
const ENDS = "[.!?…]*";
const anyCase = (source) => source.replace(/^\p{L}/u, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
const likeFirst = (text, model) => (/^\p{Lu}/u.test(model) ? text.charAt(0).toUpperCase() + text.slice(1) : text);
/** Whether a translation takes the case of the first English letter: within a sentence it does not where the text begins with a name. */
const begins = (english, inner) => !inner || !english.startsWith("{");

/** Points or moves, the last after a word. */
const LIST = /^([a-m]\d\S*(?:, [a-m]\d\S*)*) (and|or) ([a-m]\d\S*)$/;

/** What a part stands for: sides are a word, numbers have digits. */
const PARTS = { side: "\\w+", owner: "\\w+", mover: "\\w+", n: "\\d[\\d.,\\s]*", all: "\\d[\\d.,\\s]*" };
const part = (name) => `(?<${name}>${PARTS[name] ?? ".+?"})`;
const escaped = (text) => text.replaceAll(/[.*+?^$|()[\]\\]/g, "\\$&");
const length = ([english]) => english.replaceAll(/\{\w+\}/g, "").length;
/** Those with a part that stands for anything, the most specific first. */
const patterns = [...known].filter(([english]) => english.includes("{")).sort((a, b) => length(b) - length(a))
  .map(([english, text]) => {
    const form = anyCase(escaped(english)).replaceAll(/\{(\w+)\}/g, (_, name) => part(name));
    return { form: new RegExp(`^${form}(?<ends>${ENDS})$`, "s"), english, text };
  });

function translated(text, inner) {
  if (known.has(text)) return known.get(text);
  for (const { form, english, text: pattern } of patterns) {
    const groups = form.exec(text)?.groups;
    if (!groups) continue;
    const words = pattern.replaceAll(/\{(\w+)\}/g, (_, name) => t(groups[name], true));
    return (begins(english, inner) ? likeFirst(words, text) : words) + groups.ends;
  }
  const list = LIST.exec(text);
  if (list) return `${list[1]} ${t(list[2])} ${list[3]}`;
  const sentence = /^(.*[^.!?…])([.!?…]+)$/.exec(text);
  const [, core, ends] = sentence ?? [null, text, ""];
  const lower = core.charAt(0).toLowerCase() + core.slice(1);
  for (const it of [core, lower]) if (known.has(it)) return likeFirst(known.get(it), core) + ends;
  // Sentence by sentence, then what commas separate.
  for (const [border, joint] of [[/(?<=[.!?…]) /, " "], [", ", ", "]]) {
    const parts = text.split(border);
    if (parts.length > 1) return parts.map((it) => t(it, inner)).join(joint);
  }
  return text;
}

/** What has been translated. */
const [whole, within] = [new Map(), new Map()];

/** A text in the language of the page; the same if it is not known. `inner` is whether it is within a sentence. */
export function t(value, inner = false) {
  const text = String(value);
  if (!words) return text;
  const [, before, core, after] = /^(\s*)(.*?)(\s*)$/s.exec(text);
  // Numbers of the server have a point.
  if (/^\d+\.\d+( s)?$/.test(core)) return text.replace(".", decimal(0.1, 1)[1]);
  if (!/\p{L}{2}/u.test(core)) return text;
  const key = core.replaceAll(/\s+/g, " ");
  const done = inner ? within : whole;
  if (!done.has(key)) done.set(key, translated(key, inner));
  return before + done.get(key) + after;
}

const NAMES = ["aria-label", "title", "placeholder"];

/** Whether people read or hear an attribute of that name. */
export function isRead(name) {
  return NAMES.includes(name);
}

/** Translates what the page has from the beginning. */
export function translatePage() {
  if (!words) return;
  document.title = t(document.title);
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) texts.currentNode.data = t(texts.currentNode.data);
  for (const name of NAMES) {
    for (const node of document.querySelectorAll(`[${name}]`)) node.setAttribute(name, t(node.getAttribute(name)));
  }
}

/** A number with so many digits after the point, as the language writes it. */
export function decimal(value, digits = 0) {
  return value.toLocaleString(language, { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

const plurals = new Intl.PluralRules(language);
/** Whether a number takes the singular: 1, in French also 0. */
export const isSingular = (number) => plurals.select(number) === "one";

/** A number of bytes with its unit. */
export function byteText(bytes) {
  const step = bytes < 1000 ? 0 : Math.min(4, Math.floor(Math.log10(bytes) / 3));
  return `${decimal(bytes / 1000 ** step, step ? 1 : 0)} ${["B", "kB", "MB", "GB", "TB"][step]}`;
}
