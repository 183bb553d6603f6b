// Corrections of a result: which units belong to it and which do not, and labelled pages made of them.

import { actions, clearOutcomes, el, prose, question, t } from "./dom.js";
import { download } from "./files.js";
import { act, post, postForFile } from "./service.js";

const labelled = { article: new Map(), records: new Map() }; // by source, what was corrected since the page was opened

// How many corrections of a view would be lost: they are neither saved nor downloaded as they are now.
export const unsaved = ({ changed, version, saved }) => (version === saved ? 0 : changed.size);

// The corrections of one view. `state` outlives the panel, which is made anew when the language changes.
export class Corrections {
  constructor(panel, state, page, canSave) {
    this.panel = panel;
    this.state = state; // {on, changed: unit: belongs, version, saved: the version that was saved}
    this.page = page; // {html, url, sites}
    this.bar = this.build(canSave);
    panel.root.querySelector(".correct").replaceWith(this.bar);
    for (const type of ["click", "keydown"]) panel.root.addEventListener(type, (event) => this.take(event), true);
    panel.root.addEventListener("change", (event) => event.target.dataset.box && this.correct([Number(event.target.dataset.box)], event.target.checked, event.target.closest("tr")));
    for (const [id, value] of state.changed) this.show(id, value);
    this.switch(state.on);
  }

  build(canSave) {
    this.toggle = el("button", { type: "button", class: "toggle", "aria-pressed": "false", t: "correct", on: { click: () => this.switch(!this.state.on) } });
    this.count = el("span", { class: "faint" });
    this.fetch = el("button", { type: "button", class: "labelled", on: { click: () => act(this.fetch, () => this.keeping(() => this.archive())) } });
    const save = el("button", { type: "button", class: "main", t: "save", on: { click: () => act(save, () => this.keeping(() => this.save())) } });
    this.more = el("div", { class: "correct-more" },
      prose("correct_hint"),
      actions({ class: "line-up" },
        el("button", { type: "button", class: "undo", t: "undo", on: { click: () => this.undo() } }),
        canSave ? save : null,
        this.fetch, this.count));
    return el("div", { class: "correct" }, this.toggle, this.more);
  }

  switch(on) {
    this.state.on = on;
    this.toggle.setAttribute("aria-pressed", `${on}`);
    this.more.hidden = !on;
    this.panel.root.classList.toggle("is-correcting", on);
    this.tell();
  }

  // While a result is corrected, a click or the space bar on a unit changes it; a box takes its own.
  take(event) {
    if (!this.state.on || !this.panel.root.querySelector(".panels").contains(event.target)) return;
    if (event.target.matches("input")) return event.key === "Escape" || event.stopPropagation();
    if (event.type === "keydown" && event.key !== " ") return;
    if (event.target.closest(".decisions")) return;
    const [element, ids] = this.panel.overlay.at(event.target);
    const owners = [...new Set(ids.map((id) => this.owner(id)))];
    if (!owners.length) return;
    event.preventDefault();
    event.stopPropagation();
    this.correct(owners, !this.panel.units.get(owners[0]).kept, element);
  }

  // Correct some units; the card of the first then says so, beside what was pressed.
  correct(ids, value, element) {
    const { overlay } = this.panel;
    this.set(ids, value);
    overlay.release();
    overlay.select([ids[0]], element);
  }

  owner(id) {
    const unit = this.panel.units.get(id);
    return this.panel.canBelong(unit) ? id : unit.parent;
  }

  set(ids, value) {
    for (const id of ids) {
      const was = this.panel.view.units[id].kept;
      if (value === was) this.state.changed.delete(id);
      else this.state.changed.set(id, value);
      this.show(id, value);
    }
    this.state.version += 1;
    clearOutcomes(); // what was saved is no longer all
    this.tell();
  }

  async undo() {
    const count = unsaved(this.state);
    if (count && !(await question("undo_sure", { count }, "undo"))) return;
    for (const id of [...this.state.changed.keys()]) this.set([id], this.panel.view.units[id].kept);
  }

  show(id, value) {
    const { root, units, overlay } = this.panel;
    Object.assign(units.get(id), { kept: value, isCorrected: this.state.changed.has(id) });
    for (const element of overlay.elements.get(id) ?? []) {
      if (element.matches(".unit, tr")) {
        element.toggleAttribute("data-kept", value);
        element.classList.toggle("is-corrected", this.state.changed.has(id));
      }
    }
    const row = root.querySelector(`tr[id$="-d${id}"]`);
    row.querySelector(".kept").textContent = overlay.keeping(units.get(id));
    row.querySelector("input").checked = value;
    overlay.label();
    this.showLines();
  }

  // The result as it would be: lines that do not belong are struck out, and units that do are put in.
  showLines() {
    const { root, units } = this.panel;
    for (const added of root.querySelectorAll(".line.is-added")) added.remove();
    const lines = [...root.querySelectorAll("a.line")];
    for (const line of lines) line.classList.toggle("is-out", line.dataset.units.split(" ").every((id) => this.state.changed.get(Number(id)) === false));
    const added = [...this.state.changed].filter(([, value]) => value).map(([id]) => id).sort((one, two) => two - one);
    for (const id of added) {
      if (this.panel.isTable) continue;
      const before = lines.findLast((line) => Number(line.dataset.units.split(" ")[0]) < id);
      const line = el("span", { class: "line is-added" }, units.get(id).text);
      if (before) before.after(line);
      else root.querySelector(".lines").prepend(line);
    }
  }

  tell() {
    const count = this.state.changed.size;
    this.count.textContent = t(!count || unsaved(this.state) ? "correct_count" : "correct_count_saved", { count });
    const pages = new Set(labelled[this.kind].keys()).add(this.page.html);
    this.fetch.textContent = t("download_labelled", { count: pages.size });
  }

  get kind() {
    return this.panel.isTable ? "records" : "article";
  }

  // The page with its corrections, as the service takes it.
  get request() {
    const ids = (wanted) => [...this.state.changed].filter(([, value]) => value === wanted).map(([id]) => id);
    const method = this.panel.isTable ? "auto" : this.panel.view.asked;
    const { html, url, sites } = this.page;
    return { html, url, sites: sites && !this.panel.isTable, kind: this.kind, method, belongs: ids(true), belongs_not: ids(false) };
  }

  // Save the corrections as they are now, in one way or another: `work` returns what it did.
  async keeping(work) {
    const { version } = this.state;
    const done = await work();
    this.state.saved = version;
    this.tell();
    return done;
  }

  async save() {
    return ["saved", await post("/v1/corrections", { pages: [this.request] })];
  }

  async archive() {
    const { kind } = this;
    const pages = new Map(labelled[kind]).set(this.page.html, this.request);
    const data = await postForFile("/v1/corrections/archive", { pages: [...pages.values()] });
    labelled[kind] = pages;
    return download(kind === "records" ? "records.tar.xz" : "articles.tar.xz", data);
  }
}
