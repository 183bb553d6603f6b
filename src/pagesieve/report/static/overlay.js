// The units of a page: pointing, tapping and keys show what became of one, and why; page, result and table are linked.
// A view has `.scroll` panels. Units on the page have data-unit; what else is about units has data-units (numbers).
"use strict";

const pagesieveOverlay = (() => {
  // `{name}` in a text is a value, and `{name|page|pages}` a word that goes with a number.
  function translator(texts, language) {
    const table = texts[language] || texts.en;
    return (key, values = {}) =>
      (table[key] ?? texts.en[key] ?? key).replace(/\{(\w+)(?:\|(.*?)\|(.*?))?\}/g, (_, name, one, many) =>
        many === undefined ? (values[name] ?? "") : Number(values[name]) === 1 ? one : many);
  }

  // Which language to show: the one that is written down, else the browser's, else English.
  function chooseLanguage(texts, wanted) {
    const known = [wanted, ...navigator.languages].filter(Boolean).map((name) => name.slice(0, 2).toLowerCase());
    return known.find((name) => name in texts) || "en";
  }

  function translate(root, t) {
    for (const element of root.querySelectorAll("[data-t]")) {
      element.textContent = t(element.dataset.t, element.dataset);
    }
    for (const element of root.querySelectorAll("[data-t-label]")) {
      element.setAttribute("aria-label", t(element.dataset.tLabel, element.dataset));
    }
  }

  // One view: its page, its result, its table.
  class View {
    constructor(root, units, card, t) {
      this.root = root;
      this.units = units; // by number: {id, fate, kept, reason, facts, text, name}; isCorrected where the reader said whether it is kept
      this.card = card;
      this.t = t;
      this.elements = new Map(); // by unit, what is about it
      this.selected = this.pinned = null;
      for (const element of root.querySelectorAll("[data-unit], [data-units]")) {
        for (const id of this.ids(element)) {
          if (!this.elements.has(id)) this.elements.set(id, []);
          this.elements.get(id).push(element);
        }
      }
      this.groups = [
        [...root.querySelectorAll(".unit[id]")],
        [...root.querySelectorAll("a.line")],
        [...root.querySelectorAll("td.number a")],
      ];
      this.label();
      this.groups.forEach((group) => group.forEach((element, k) => (element.tabIndex = k ? -1 : 0)));
      root.addEventListener("pointerover", (event) => hasMoved(event) && this.point(event.target));
      root.addEventListener("pointerleave", () => !this.pinned && !root.contains(document.activeElement) && this.clear());
      root.addEventListener("focusin", (event) => this.point(event.target));
      root.addEventListener("click", (event) => this.click(event));
      root.addEventListener("keydown", (event) => this.key(event));
    }

    // A screen reader hears the fate and the reason of a unit before its words.
    label() {
      for (const element of this.groups[0]) {
        const unit = this.units.get(Number(element.dataset.unit));
        const words = element.textContent ? "" : `: ${unit.text}`;
        element.setAttribute("role", "group");
        element.setAttribute("aria-label", `${this.fate(unit)}. ${this.reason(unit)}${words}`);
      }
    }

    fate(unit) {
      const name = unit.name ? ` (${unit.name})` : "";
      return unit.isCorrected ? this.keeping(unit) : `${this.t(`fate.${unit.fate}`)}${name}, ${this.keeping(unit)}`;
    }

    // Why; of a unit that the reader corrected, what had become of it before, and why.
    reason(unit) {
      const before = { ...unit, kept: !unit.kept, isCorrected: false };
      return unit.isCorrected ? `${this.t("before_you", { fate: this.fate(before) })} ${unit.reason}` : unit.reason;
    }

    keeping({ kept, isCorrected }) {
      return this.t(`${kept ? "kept" : "dropped"}${isCorrected ? "_by_you" : ""}`);
    }

    ids(element) {
      return (element.dataset.unit ?? element.dataset.units).split(" ").filter(Boolean).map(Number);
    }

    // The units that something in the view is about; the innermost counts.
    at(target) {
      const element = target.closest?.("[data-unit], [data-units]");
      return element && this.root.contains(element) ? [element, this.ids(element)] : [null, []];
    }

    point(target) {
      if (this.pinned !== null) return;
      const [element, ids] = this.at(target);
      if (ids.length) this.select(ids, element);
    }

    click(event) {
      if (event.target.closest("a") && (event.ctrlKey || event.metaKey || event.shiftKey)) return;
      const [element, ids] = this.at(event.target);
      if (!ids.length) return this.release();
      event.preventDefault();
      this.release();
      this.select(ids, element);
      this.pin();
    }

    key(event) {
      const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[event.key];
      if (event.key === "Escape") return this.release();
      const [element, ids] = this.at(event.target);
      if (!ids.length) return;
      const link = this.pinned === ids[0] && event.key === "Tab" && !event.shiftKey && this.card.querySelector("a");
      if (link) {
        event.preventDefault();
        link.focus();
      } else if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        const again = this.pinned === ids[0];
        this.release();
        this.select(ids, element);
        if (!again) this.pin();
      } else if (step) {
        event.preventDefault();
        this.release();
        this.move(event.target, step);
      }
    }

    move(from, step) {
      const group = this.groups.find((each) => each.includes(from)) ?? this.groups.find((each) => each.includes(from.closest(".unit[id]")));
      if (!group) return;
      const at = Math.max(0, group.indexOf(from));
      const to = group[Math.min(Math.max(at + step, 0), group.length - 1)];
      group.forEach((element) => (element.tabIndex = element === to ? 0 : -1));
      to.focus({ preventScroll: true });
      reveal(to);
    }

    select(ids, from) {
      this.clear();
      this.selected = ids[0];
      for (const id of ids) {
        for (const element of this.elements.get(id) ?? []) {
          element.classList.add("is-selected");
          if (element !== from && id === ids[0]) reveal(element, from);
        }
      }
      this.show(this.units.get(ids[0]), from);
      this.tell(ids[0]);
    }

    // Others hear which unit is selected; null where none is.
    tell(id) {
      this.root.dispatchEvent(new CustomEvent("unitselected", { bubbles: true, detail: { id, view: this } }));
    }

    // A pinned unit stays, and its card has links to the same unit elsewhere, which Tab goes to.
    pin() {
      this.pinned = this.selected;
      this.card.classList.add("is-fixed");
      for (const element of this.elements.get(this.pinned) ?? []) element.classList.add("is-pinned");
    }

    release() {
      this.pinned = null;
      this.clear();
    }

    clear() {
      for (const element of this.root.querySelectorAll(".is-selected")) element.classList.remove("is-selected", "is-pinned");
      this.selected = null;
      this.card.hidden = true;
      this.card.classList.remove("is-fixed");
      this.tell(null);
    }

    // Fill the card and put it beside what it is about; narrow screens have it at the bottom.
    show(unit, beside) {
      const { card, t } = this;
      card.dataset.fate = unit.fate;
      card.replaceChildren();
      add(card, "strong", this.fate(unit), "letter");
      add(card, "p", this.reason(unit));
      if (unit.facts) add(card, "p", unit.facts, "facts");
      const links = add(card, "p", "", "links");
      for (const [key, selector] of [["to_page", ".unit"], ["to_result", ".line"], ["to_table", "tr"]]) {
        const target = (this.elements.get(unit.id) ?? []).find((element) => element.matches(selector));
        if (target && target !== beside && !beside.contains?.(target)) this.link(links, t(key), target);
      }
      card.hidden = false;
      putBeside(card, beside);
    }

    link(parent, text, target) {
      const link = add(parent, "a", text);
      link.href = "#" + (target.id || "");
      link.addEventListener("click", (event) => {
        event.preventDefault();
        target.scrollIntoView({ block: "center" });
        const focused = target.matches("tr") ? target.querySelector("a") : target;
        focused.focus({ preventScroll: true });
      });
    }
  }

  // Whether a mouse was moved, rather than the page below it scrolled by a key.
  let place = "";
  function hasMoved(event) {
    const before = place;
    place = `${event.screenX} ${event.screenY}`;
    return event.pointerType === "mouse" && place !== before;
  }

  function add(parent, tag, text, name) {
    const element = document.createElement(tag);
    element.textContent = text;
    if (name) element.className = name;
    parent.append(element);
    return element;
  }

  // Scroll a panel, never the window, so that something in it is seen; to its middle, where it was not.
  function reveal(element, from) {
    const panel = element.closest(".scroll");
    if (!panel || (from && panel.contains(from))) return;
    const box = element.getBoundingClientRect(), frame = panel.getBoundingClientRect();
    const top = Math.max(frame.top, 0) + 40, bottom = Math.min(frame.bottom, innerHeight);
    if (box.top >= top && box.bottom <= bottom) return;
    panel.scrollTop += box.top - Math.max(top, (top + bottom - box.height) / 2);
  }

  // Scroll pages and tables of decisions to the first unit that is kept: what stands before it is mostly menus.
  function scrollToKept(root) {
    for (const panel of root.querySelectorAll(".scroll")) {
      const unit = panel.querySelector(".unit[data-kept], tr[data-kept]");
      const head = panel.querySelector("thead");
      const above = head && head.getBoundingClientRect().right > 0 ? head.offsetHeight : 6; // a head that is seen stays in sight
      if (unit) panel.scrollTop += unit.getBoundingClientRect().top - panel.getBoundingClientRect().top - above;
    }
  }

  function putBeside(card, beside) {
    card.style.removeProperty("left");
    card.style.removeProperty("top");
    if (matchMedia("(max-width: 700px)").matches) return;
    const box = beside.getBoundingClientRect(), size = card.getBoundingClientRect();
    const below = box.bottom + 6 + size.height < innerHeight;
    const top = below ? box.bottom + 6 : Math.max(box.top - size.height - 6, 6);
    card.style.left = `${Math.max(6, Math.min(box.left, innerWidth - size.width - 6))}px`;
    card.style.top = `${Math.max(6, Math.min(top, innerHeight - size.height - 6))}px`;
  }

  return { View, reveal, scrollToKept, chooseLanguage, translate, translator };
})();
