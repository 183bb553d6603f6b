// The table of records, and its schema: columns are renamed, left out, or read as another type.

import { actions, el, prose, t } from "./dom.js";
import { download, fileName } from "./files.js";
import { act } from "./service.js";

export function recordTable(records, panelName, unitOf) {
  const names = Object.keys(records.records[0]?.items ?? {});
  const types = new Map(records.columns.map((column) => [column.name, column.type]));
  const head = names.map((name) => el("th", { scope: "col" }, name, types.has(name) ? el("small", {}, types.get(name)) : null));
  const rows = records.records.map((record, k) => {
    const unit = unitOf(k);
    const number = unit === undefined ? `${k + 1}` : el("a", { href: `#${panelName}-u${unit}` }, `${k + 1}`);
    return el("tr", unit === undefined ? {} : { "data-units": unit, "data-fate": "record" },
      el("td", { class: "number" }, number), ...names.map((name) => el("td", { dir: "auto" }, shown(record.items[name]))));
  });
  return el("table", { class: "records" }, el("thead", {}, el("tr", {}, el("th", { scope: "col", t: "no" }), ...head)), el("tbody", {}, ...rows));
}

function shown(value) {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.map(shown).join(" · ");
  if (typeof value === "object") return Object.values(value).filter((part) => part !== null).map(shown).join(" ");
  return `${value}`;
}

// The editor of a schema. `apply` is called with the schema as it is edited, and the name of
// the button.
export class SchemaEditor {
  constructor(state, types, apply) {
    this.state = state; // {given, edited, open}
    this.types = types;
    this.apply = apply;
    this.root = this.build();
  }

  build() {
    const { state } = this;
    const head = ["keep", "name", "type", "link_name"].map((key) => el("th", { scope: "col", t: key }));
    const details = el("details", { class: "sheet schema" },
      el("summary", { t: "schema" }),
      prose("schema_hint", "p", { class: "faint" }),
      el("div", { class: "wide" }, el("table", {}, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...state.edited.columns.map((column, k) => this.row(column, k))))),
      actions({ class: "line-up" },
        this.button("main apply", "apply", () => this.apply(state.edited, "apply")),
        this.button("reset", "reset", () => this.reset()),
        this.button("download-schema", "download_schema", () => download(fileName("schema", "json"), JSON.stringify(state.edited, null, 2) + "\n", "application/json"))));
    details.open = state.open;
    details.addEventListener("toggle", () => (state.open = details.open));
    return details;
  }

  button(name, key, work) {
    return el("button", { type: "button", class: name, t: key, on: { click: (event) => act(event.currentTarget, work) } });
  }

  row(column, k) {
    const { name } = this.state.given.columns[k];
    const keep = el("input", { type: "checkbox", "aria-label": t("keep_label", { name }) });
    keep.checked = column.keep;
    keep.addEventListener("change", () => this.keep(column, keep.checked));
    const type = el("select", { "aria-label": t("type_label", { name }) }, ...this.types.map((each) => el("option", { value: each }, each)));
    type.value = column.type;
    type.addEventListener("change", () => (column.type = type.value));
    return el("tr", {}, el("td", {}, keep), el("td", {}, this.input(column, "name", t("name_label", { name }))), el("td", {}, type),
      el("td", {}, column.link === null ? null : this.input(column, "link", t("link_label", { name }))));
  }

  input(column, field, label) {
    const input = el("input", { type: "text", "aria-label": label, value: column[field] });
    input.addEventListener("input", () => {
      const { edited } = this.state;
      if (edited.key !== null && edited.key === column[field]) edited.key = input.value;
      column[field] = input.value;
    });
    return input;
  }

  // Records cannot be told apart by a column that is left out.
  keep(column, value) {
    const { edited, given } = this.state;
    column.keep = value;
    const of = (schema) => schema.columns.findIndex((each) => schema.key !== null && [each.name, each.link].includes(schema.key));
    if (!value && of(edited) === edited.columns.indexOf(column)) edited.key = null;
    const key = of(given);
    if (value && key === edited.columns.indexOf(column)) edited.key = given.key === given.columns[key].name ? column.name : column.link;
  }

  reset() {
    this.state.edited = structuredClone(this.state.given);
    return this.apply(null, "reset");
  }
}
