// The views of a report: the page with its units, the result, the table of decisions; as the report file has them.

import { el, t } from "./dom.js";

export const TABLE = "table"; // the view of the records

const MAX_SIDE_BY_SIDE = 3;
const ELEMENTS = new Set(["DIV", "SPAN", "BR"]);
const ATTRIBUTES = ["class", "data-unit", "data-fate", "data-kept"];
const ID = /^v\d+-u\d+$/;
const policy = window.trustedTypes?.createPolicy("page-source", { createHTML: (text) => text });

// One view with its overlay. `corrections` (unit: belongs) are shown, too.
export class ViewPanel {
  constructor(number, view, card, extra) {
    this.name = `v${number}`;
    this.view = view;
    this.units = new Map(view.units.map((unit) => [unit.id, { ...unit, facts: facts(unit) }]));
    this.root = this.build(extra);
    this.overlay = view.failure ? null : new pagesieveOverlay.View(this.root, this.units, card, t);
  }

  get isTable() {
    return this.view.asked === TABLE;
  }

  build({ head, table }) {
    const { view, name } = this;
    const told = [];
    if (view.method !== view.asked) told.push(t("answered", { method: view.method }));
    if (!view.failure) told.push(t("counts", { kept: view.units.filter((unit) => unit.kept).length, all: view.units.length }));
    const heading = this.isTable ? t("records") : t("method", { asked: view.asked });
    return el("section", { class: this.isTable ? "view table" : "view", id: name, "aria-labelledby": `${name}-h` },
      el("h3", { id: `${name}-h` }, heading),
      told.length ? el("p", { class: "faint" }, told.join(" · ")) : null,
      ...view.notes.map((note) => el("p", { class: "faint" }, note)),
      head,
      view.failure ? el("p", { class: "failure", t: "nothing", values: { why: view.failure } }) : el("div", { class: "panels" },
        this.panel("page", el("div", { class: "redrawn", dir: "auto" }, ...redrawn(view.source)), "redrawn"),
        table ? this.panel("result", table, null, "table") : this.panel("result", this.result()),
        this.panel("decisions", this.decisions())),
    );
  }

  panel(kind, inside, about, word = kind) {
    const label = `${this.name}-${kind}`;
    return el("div", { class: `panel ${kind}` },
      el("h4", { id: label }, t(word), about ? el("small", { t: about }) : null),
      el("div", { class: "scroll", tabindex: "0", role: "region", "aria-labelledby": `${this.name}-h ${label}` }, inside));
  }

  result() {
    return el("div", { class: "lines", dir: "auto" }, ...this.view.lines.map((line) => this.line(line)));
  }

  line({ text, units }) {
    if (!units.length) return el("span", { class: "line" }, text);
    const fate = this.units.get(units[0]).fate;
    return el("a", { class: "line", href: `#${this.name}-d${units[0]}`, "data-units": units.join(" "), "data-fate": fate }, text);
  }

  decisions() {
    const columns = ["number", "fate", "reason", "text"].map((key) => el("th", { scope: "col", t: key }));
    return el("table", {},
      el("thead", {}, el("tr", {}, ...columns, el("th", { scope: "col", class: "belongs", t: "belongs" }))),
      el("tbody", {}, ...[...this.units.values()].map((unit) => this.decision(unit))));
  }

  decision(unit) {
    const { name } = this;
    const told = unit.fate === "record" ? "" : unit.facts;
    return el("tr", { id: `${name}-d${unit.id}`, class: unit.parent === null ? null : "child", "data-units": unit.id, "data-rows": place(unit), "data-fate": unit.fate, "data-kept": unit.kept },
      el("td", { class: "number" }, el("a", { href: `#${name}-u${unit.id}` }, `${unit.id + 1}`)),
      el("td", { class: "fate" }, el("span", { class: "letter" }, t(`fate.${unit.fate}`)), el("small", { class: "kept" }, t(unit.kept ? "kept" : "dropped"))),
      el("td", {}, el("span", { class: "reason" }, unit.reason), told ? el("span", { class: "facts" }, told) : null),
      el("td", { class: "text", dir: "auto" }, unit.text),
      el("td", { class: "belongs", "data-name": t("belongs") }, this.canBelong(unit) ? this.box(unit) : null));
  }

  // Items go with their records.
  canBelong(unit) {
    return unit.fate !== "item";
  }

  box(unit) {
    const label = t("belongs_label", { number: unit.id + 1, text: unit.text.slice(0, 80) });
    const box = el("input", { type: "checkbox", "data-box": unit.id, "aria-label": label });
    box.checked = unit.kept;
    return box;
  }
}

export function showViews(panels) {
  const across = Math.min(panels.length, MAX_SIDE_BY_SIDE);
  return el("div", { class: `views views-${across}` }, ...panels.map((panel) => panel.root));
}

// The same rows of the page in the views of other methods are marked, too.
export function linkViews(panels) {
  const places = panels.map((panel) => new Map([...panel.units.values()].map((unit) => [place(unit), unit.id])));
  panels.forEach((panel) => panel.root.addEventListener("unitselected", ({ detail: { id } }) => {
    const where = id === null ? null : place(panel.units.get(id));
    panels.forEach((other, k) => {
      if (other === panel || !other.overlay) return;
      for (const element of other.root.querySelectorAll(".is-selected")) element.classList.remove("is-selected");
      for (const element of other.overlay.elements.get(places[k].get(where)) ?? []) element.classList.add("is-selected");
    });
  }));
}

export function legend(panels) {
  const counts = new Map();
  for (const panel of panels) for (const unit of panel.view.units) counts.set(unit.fate, (counts.get(unit.fate) ?? 0) + 1);
  return el("ul", { class: "legend", "aria-label": t("what") }, ...[...counts].map(([fate, count]) =>
    el("li", { "data-fate": fate }, el("span", { class: "letter", t: `fate.${fate}` }), " ", el("span", { class: "count" }, `${count}`))));
}

const place = (unit) => (unit.rows.length ? `${unit.rows[0]}-${unit.rows.at(-1)}` : "");

// The numbers that decided, each with its name; "of" goes with the number before it.
function facts(unit) {
  const parts = [];
  for (const [key, value] of Object.entries(unit.numbers)) {
    const shown = Number.isInteger(value) ? `${value}` : value.toFixed(2);
    if (key === "of" && parts.length) parts[parts.length - 1] += ` / ${shown}`;
    else parts.push(`${t(`number.${key}`)} ${shown}`);
  }
  return parts.join(" · ");
}

// The page as the service redraws it: boxes and spans. It is parsed apart, where nothing runs or loads, and copied
// element by element: what is not of these kinds is left out.
function redrawn(source) {
  const parsed = new DOMParser().parseFromString(policy ? policy.createHTML(source) : source, "text/html");
  return copies(parsed.body);
}

function copies(parent) {
  const made = [];
  for (const node of parent.childNodes) {
    if (node.nodeType === Node.TEXT_NODE) made.push(document.createTextNode(node.data));
    else if (node.nodeType === Node.ELEMENT_NODE && ELEMENTS.has(node.tagName)) made.push(copyOf(node));
  }
  return made;
}

function copyOf(node) {
  const element = document.createElement(node.tagName);
  for (const name of ATTRIBUTES) if (node.hasAttribute(name)) element.setAttribute(name, node.getAttribute(name));
  if (ID.test(node.id)) element.id = node.id;
  element.append(...copies(node));
  return element;
}
