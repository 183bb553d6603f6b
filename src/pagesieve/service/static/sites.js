// The site library: what it knows of each site; sites can be forgotten.

import { byId, el, language, question, say, t } from "./dom.js";
import { forget, get, trying } from "./service.js";

const state = { sites: [], shown: new Map() }; // what is shown of a site, by its key

export async function loadSites() {
  await trying(async () => {
    state.sites = await get("/v1/sites");
    for (const key of state.shown.keys()) if (!state.sites.some((site) => site.key === key)) state.shown.delete(key);
    showSites();
  });
}

export function showSites() {
  const head = ["site", "pages", "size", "newest", "actions"].map((key) => el("th", { scope: "col", t: key }));
  const rows = state.sites.flatMap((site) => [row(site), ...(state.shown.has(site.key) ? [known(state.shown.get(site.key))] : [])]);
  byId("sites-section").replaceChildren(
    el("h2", { id: "sites-title", t: "sites_title" }), el("p", { class: "faint", t: "sites_about" }),
    rows.length ? el("table", { class: "sites sheet" }, el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...rows)) : el("p", { t: "sites_none" }));
}

function row(site) {
  const isShown = state.shown.has(site.key);
  return el("tr", { "data-site": site.key },
    el("th", { scope: "row" }, site.key), el("td", { "data-name": t("pages") }, `${site.pages}`), el("td", { "data-name": t("size") }, `${Math.ceil(site.size / 1000)} kB`), el("td", { "data-name": t("newest") }, day(site.newest)),
    el("td", {}, el("div", { class: "line-up" },
      el("button", { type: "button", class: "show", t: isShown ? "hide" : "show", "aria-expanded": `${isShown}`, "aria-label": t(isShown ? "hide_label" : "show_label", { site: site.key }), on: { click: () => toggle(site.key) } }),
      el("button", { type: "button", class: "forget", t: "forget", "aria-label": t("forget_label", { site: site.key }), on: { click: () => drop(site) } }))));
}

async function toggle(key) {
  await trying(async () => {
    if (!state.shown.delete(key)) state.shown.set(key, await get(`/v1/sites/${encodeURIComponent(key)}`));
    showSites();
    document.querySelector(`tr[data-site="${CSS.escape(key)}"] .show`).focus();
  });
}

function known(site) {
  const list = (title, items) => el("div", {}, el("h3", { t: title }), items.length ? el("ul", {}, ...items.map((item) => el("li", { dir: "auto" }, ...item))) : el("p", { class: "faint", t: "nothing_known" }));
  const faint = (text) => el("span", { class: "faint" }, ` – ${text}`);
  return el("tr", { class: "known" }, el("td", { colspan: "5" }, el("div", { class: "knowledge" },
    list("known_pages", site.pages.map((page) => [page.url ?? "–", faint(day(page.learnt))])),
    list("known_templates", site.templates.map((template) => [template.text, faint(t("seen_on", { count: template.frequency }))])),
    list("known_lists", site.lists.map((each) => [t("columns_of", { record: each.record, columns: each.columns.join(", ") })])))));
}

async function drop(site) {
  if (!(await question("forget_sure", { site: site.key, pages: site.pages }, "forget"))) return;
  await trying(async () => {
    const gone = await forget(`/v1/sites/${encodeURIComponent(site.key)}`);
    await loadSites();
    say("forgotten", { site: site.key, pages: gone.forgotten });
    byId("sites-section").focus();
  });
}

const day = (text) => {
  const found = new Date(text);
  return Number.isNaN(found.getTime()) ? text : found.toLocaleDateString(language() === "zh" ? "zh-CN" : "en-GB", { year: "numeric", month: "short", day: "numeric" });
};
