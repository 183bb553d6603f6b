// Elements and words. Text of pages only ever becomes text: nothing here takes markup.

const words = { texts: { en: {} }, language: "en" };

export const LANGUAGES = { en: "English", zh: "中文" };

export async function loadWords() {
  const tables = await Promise.all(["/static/report/texts.json", "/static/texts.json"].map(async (url) => (await fetch(url)).json()));
  for (const name of Object.keys(LANGUAGES)) words.texts[name] = Object.assign({}, ...tables.map((table) => table[name]));
  setLanguage(pagesieveOverlay.chooseLanguage(words.texts, remembered()));
}

export function setLanguage(name) {
  words.language = name;
  document.documentElement.lang = name;
  pagesieveOverlay.translate(document, t);
}

export function chooseLanguage(name) {
  try {
    localStorage.setItem("language", name);
  } catch {
    // A browser that keeps nothing forgets the choice.
  }
  setLanguage(name);
}

export const language = () => words.language;

export const has = (key) => key in words.texts.en;

export function t(key, values) {
  return pagesieveOverlay.translator(words.texts, words.language)(key, values);
}

// An element: `t` is the key of its words, `values` what is filled in; `on` are listeners; others are attributes.
export function el(tag, given = {}, ...children) {
  const { t: key, values = {}, on = {}, ...attributes } = given;
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  for (const [name, listener] of Object.entries(on)) element.addEventListener(name, listener);
  if (key) element.textContent = t(key, values);
  element.append(...children.filter((child) => child != null));
  return element;
}

// Words in which what stands between backticks is code.
export function prose(key, tag = "p", given = {}) {
  return el(tag, given, ...t(key).split("`").map((part, k) => (k % 2 ? el("code", {}, part) : part)));
}

export const byId = (id) => document.getElementById(id);

export function say(key, values) {
  byId("status").textContent = key ? t(key, values) : "";
}

// Buttons, and below them a line that says what the last one did; screen readers hear it.
export function actions(given, ...buttons) {
  return el("div", given, ...buttons, el("p", { class: "outcome", role: "status" }));
}

// Say what a button did, where it stands; nothing once its result gave way to another.
export function tell(button, text, isBad = false) {
  if (!button.isConnected) return;
  const line = button.closest(":has(> .outcome)").querySelector(".outcome");
  clearOutcomes();
  line.style.setProperty("--at", `${Math.round(button.getBoundingClientRect().left - line.parentElement.getBoundingClientRect().left)}px`);
  line.append(el("span", { class: isBad ? "is-bad" : null }, text));
}

export function clearOutcomes() {
  for (const line of document.querySelectorAll(".outcome")) line.replaceChildren();
}

// Ask before something is done that cannot be undone; resolves to whether it may be done.
export function question(key, values, yes, look = "danger") {
  const dialog = byId("confirm");
  byId("confirm-text").textContent = t(key, values);
  byId("confirm-yes").textContent = t(yes);
  byId("confirm-yes").className = look;
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => (dialog.onclose = () => resolve(dialog.returnValue === "yes")));
}

function remembered() {
  try {
    return localStorage.getItem("language");
  } catch {
    return null;
  }
}
