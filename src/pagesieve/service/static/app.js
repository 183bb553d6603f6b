// The web page: what is asked, and the result.

import { Corrections } from "./corrections.js";
import { LANGUAGES, byId, chooseLanguage, el, language, loadWords, say, t } from "./dom.js";
import { copy, download, fileName } from "./files.js";
import { SchemaEditor, recordTable } from "./schema.js";
import { Problem, clearProblem, get, post, postFile, postForFile, showProblem, showWords, trying, useToken } from "./service.js";
import { loadSites, showSites } from "./sites.js";
import { TABLE, ViewPanel, legend, linkViews, scrollToResults, showViews } from "./views.js";

const COMPARED = ["auto", "lineblocks"]; // what is compared unless other methods are chosen
const FACTS = ["author", "published", "language", "sitename", "kind"];

const state = { about: null, file: null, shown: null, panels: [] };

// What is asked

const mode = () => byId("ask").elements.mode.value;

function wanted() {
  const methods = { article: ["auto"], records: [], compare: [...document.querySelectorAll("#methods input:checked")].map((box) => box.value) };
  return { methods: methods[mode()], records: mode() === "records", source: true, sites: byId("use-sites").checked && mode() !== "records" };
}

function takeFile(file) {
  state.file = file ?? null;
  byId("chosen").hidden = !file;
  byId("drop-hint").hidden = Boolean(file);
  byId("chosen-name").textContent = file?.name ?? "";
  byId("address-label").dataset.t = file ? "address_of_file" : "address";
  byId("address-label").textContent = t(byId("address-label").dataset.t);
  byId("with-browser").hidden = Boolean(file) || !state.about?.browser;
  if (!file) byId("file").value = "";
}

function refusal() {
  const address = byId("address").value.trim();
  if (!state.file && !address) return ["need_page"];
  if (mode() === "compare" && !wanted().methods.length) return ["need_methods"];
  const most = state.about?.max_bytes ?? Infinity;
  const megabytes = (size) => (size / 1e6).toFixed(1);
  if (state.file && state.file.size > most) return ["file_large", { name: state.file.name, size: megabytes(state.file.size), most: megabytes(most) }];
  return null;
}

const withScheme = (address) => (address && !/^[a-z][a-z0-9+.-]*:/i.test(address) ? `https://${address}` : address);

async function read() {
  clearProblem();
  byId("result").hidden = true;
  state.shown = null;
  say("");
  const why = refusal();
  if (why) return showWords(...why);
  say("reading");
  byId("read").disabled = true;
  try {
    await ask();
  } catch (problem) {
    say("");
    const isEmpty = problem.sort === "nothing-found";
    showProblem(problem, isEmpty ? (mode() === "records" ? "no_records" : "no_article") : undefined);
  } finally {
    byId("read").disabled = false;
  }
}

async function ask() {
  const asked = wanted();
  const address = withScheme(byId("address").value.trim());
  const browser = !state.file && byId("browser").checked;
  const report = state.file
    ? await postFile("/v1/explain", state.file, { ...asked, url: address || null, methods: asked.methods.length ? asked.methods : undefined })
    : await post("/v1/explain", { ...asked, url: address, browser });
  const name = state.file ? state.file.name : address;
  // Later questions are about the very same page.
  const url = report.url ?? (address || null);
  const given = report.source === null ? { url: address, browser } : { html: report.source, url };
  const shown = { mode: mode(), report, name, given, sites: asked.sites, article: null, records: null, schema: null, corrections: [] };
  if (shown.mode === "article") shown.article = await post("/v1/article", { ...given, sites: asked.sites, bodies: ["text", "markdown"] });
  if (shown.mode === "records") await takeRecords(shown, null);
  shown.corrections = report.views.map(() => ({ on: false, changed: new Map() }));
  state.shown = shown;
  showResult();
  say("ready", { title: title(shown) });
  byId("result").focus({ preventScroll: true });
  byId("result").scrollIntoView({ block: "start" });
}

async function takeRecords(shown, schema) {
  const columns = schema ? { schema } : { sites: byId("use-sites").checked };
  shown.records = await post("/v1/records", { ...shown.given, ...columns });
  shown.columns = columns;
  if (!shown.schema) shown.schema = { given: shown.records.schema, edited: structuredClone(shown.records.schema), open: false };
}

// The result

function showResult() {
  const { shown } = state;
  const { report } = shown;
  state.panels = report.views.map((view, number) => new ViewPanel(number, view, byId("card"), {
    head: view.failure ? null : el("div", { class: "correct" }),
    table: view.asked === TABLE && shown.records ? recordTable(shown.records, `v${number}`, recordUnits(view)) : null,
  }));
  byId("result").replaceChildren(
    el("h2", { id: "result-title", dir: "auto" }, title(shown)),
    facts(shown),
    shown.article?.problem ? el("p", { class: "instead", t: `instead.${shown.article.problem}` }) : "",
    ...report.notes.map((note) => el("p", { class: "faint" }, note)),
    tools(shown),
    legend(state.panels),
    shown.schema ? schemaEditor(shown) : "",
    ...drift(shown),
    showViews(state.panels));
  byId("result").hidden = false;
  linkViews(state.panels);
  scrollToResults(state.panels);
  state.panels.forEach((panel, k) => panel.overlay && addCorrections(panel, shown, k));
}

const title = ({ report, name }) => report.views.find((view) => view.title)?.title ?? name;

function recordUnits(view) {
  const units = view.units.filter((unit) => unit.fate === "record").map((unit) => unit.id);
  return (k) => units[k];
}

function addCorrections(panel, shown, k) {
  if (!shown.given.html) return panel.root.querySelector(".correct").replaceChildren(el("p", { class: "faint", t: "no_correction" }));
  const page = { html: shown.given.html, url: shown.given.url, sites: shown.sites };
  new Corrections(panel, shown.corrections[k], page, state.about.corrections);
}

function facts(shown) {
  const told = [["source", shown.report.url ?? shown.name]];
  for (const key of FACTS) if (shown.article?.[key]) told.push([key, `${shown.article[key]}`]);
  if (shown.records) told.push([null, t("rows", { count: shown.records.records.length })]);
  if (shown.records?.next_url) told.push(["next_page", shown.records.next_url]);
  return el("ul", { class: "facts-of-page" }, ...told.map(([key, value]) => el("li", {}, key ? el("span", { class: "faint" }, `${t(key)}: `) : null, value)));
}

function drift(shown) {
  const lines = shown.records?.drift ?? [];
  return lines.length ? [el("p", { class: "faint" }, `${t("drift")}: ${lines.join("; ")}`)] : [];
}

const markdown = (shown) => shown.report.views.filter((view) => !view.failure).map((view) => view.lines.map((line) => line.text).join("\n")).join("\n\n---\n\n") + "\n";

function asJson(shown) {
  const value = shown.article ?? (shown.records && withoutSchema(shown.records)) ?? withoutSource(shown.report);
  return JSON.stringify(value, null, 2) + "\n";
}

const withoutSchema = ({ schema, ...rest }) => rest;
const withoutSource = ({ source, ...rest }) => ({ ...rest, views: rest.views.map(({ source: drawn, ...view }) => view) });

function tools(shown) {
  const button = (kind, what, work) => el("button", { type: "button", class: `${kind}-${what}`, "aria-label": t(`${kind}_of`, { what: t(`as_${what}`) }), t: `as_${what}`, on: { click: work } });
  const group = (key, ...buttons) => el("div", { class: "group", role: "group", "aria-label": t(key) }, el("span", { t: key }), ...buttons);
  const table = (form) => button("download", form, () => fileOfTable(shown, form));
  const forms = shown.records ? [table("csv"), state.about.parquet ? table("parquet") : null] : [];
  return el("div", { class: "tools" },
    group("copy", button("copy", "markdown", () => copy(markdownOf(shown))), button("copy", "json", () => copy(asJson(shown)))),
    group("download",
      button("download", "markdown", () => download(fileName(shown.name, "md"), markdownOf(shown), "text/markdown")),
      button("download", "json", () => download(fileName(shown.name, "json"), asJson(shown), "application/json")),
      ...forms),
    canLearn(shown) ? el("button", { type: "button", class: "learn", t: "learn", on: { click: () => learn(shown) } }) : null);
}

// The table as it is shown, which a schema may have changed.
function markdownOf(shown) {
  if (!shown.records) return markdown(shown);
  const cell = (text) => text.replace(/\s+/g, " ").replaceAll("\\", "\\\\").replaceAll("|", "\\|");
  const rows = [...document.querySelectorAll("table.records tr")].map((row) => [...row.cells].slice(1).map((each) => cell(each.firstChild?.textContent ?? "")));
  const lines = rows.map((row) => `| ${row.join(" | ")} |`);
  lines.splice(1, 0, `|${" --- |".repeat(rows[0].length)}`);
  return lines.join("\n") + "\n";
}

async function fileOfTable(shown, form) {
  await trying(async () => {
    download(fileName(shown.name, form), await postForFile(`/v1/records/${form}`, { ...shown.given, ...shown.columns }));
  });
}

const canLearn = (shown) => state.about.sites && Boolean(shown.given.html);

async function learn(shown) {
  if (!shown.given.url) return showWords("learn_needs_url");
  await trying(async () => {
    const done = await post("/v1/sites", { pages: [{ url: shown.given.url, html: shown.given.html }] });
    const { problem } = done.pages[0];
    if (problem) throw new Problem(problem.type.split(":").pop(), problem.detail);
    say("learnt", { count: done.new });
  });
}

function schemaEditor(shown) {
  return new SchemaEditor(shown.schema, state.about.types, (schema) => trying(async () => {
    await takeRecords(shown, schema && structuredClone(schema));
    showResult();
    say("applied");
    document.querySelector(".schema summary").focus();
  })).root;
}

// The page itself

async function loadAbout() {
  try {
    state.about = await get("/v1/about");
  } catch (problem) {
    return showProblem(problem);
  }
  clearProblem();
  byId("token-form").hidden = true;
  byId("with-browser").hidden = !state.about.browser || Boolean(state.file);
  byId("with-sites").hidden = byId("to-sites").hidden = !state.about.sites;
  byId("methods").replaceChildren(byId("methods").firstElementChild, ...state.about.methods.map(methodBox));
  showSection();
}

function methodBox(name) {
  const box = el("input", { type: "checkbox", value: name });
  box.checked = COMPARED.includes(name);
  return el("label", {}, box, el("span", {}, name));
}

function showSection() {
  const isSites = location.hash === "#sites" && state.about?.sites;
  byId("sites-section").hidden = !isSites;
  byId("ask").hidden = isSites;
  byId("result").hidden = isSites || !state.shown;
  for (const [id, isHere] of [["to-page", !isSites], ["to-sites", isSites]]) {
    if (isHere) byId(id).setAttribute("aria-current", "page");
    else byId(id).removeAttribute("aria-current");
  }
  if (isSites) loadSites();
}

function showLanguages() {
  const other = Object.keys(LANGUAGES).find((name) => name !== language());
  byId("language").textContent = LANGUAGES[other];
  byId("language").lang = other;
  byId("language").dataset.to = other;
}

function onLanguage() {
  chooseLanguage(byId("language").dataset.to);
  showLanguages();
  clearProblem();
  say("");
  if (state.shown) showResult();
  if (!byId("sites-section").hidden) showSites();
}

function onDrop(event) {
  event.preventDefault();
  document.body.classList.remove("is-dropping");
  const [file] = event.dataTransfer.files;
  const address = event.dataTransfer.getData("text/uri-list") || event.dataTransfer.getData("text/plain");
  if (file) takeFile(file);
  else if (address) byId("address").value = address.split("\n")[0].trim();
  else return;
  if (byId("ask").hidden) {
    history.replaceState(null, "", "#page");
    showSection();
  }
  read();
}

function listen() {
  byId("ask").addEventListener("submit", (event) => (event.preventDefault(), read()));
  byId("ask").addEventListener("change", (event) => event.target.name === "mode" && (byId("methods").hidden = mode() !== "compare"));
  byId("file").addEventListener("change", () => byId("file").files.length && (takeFile(byId("file").files[0]), read()));
  byId("remove-file").addEventListener("click", () => (takeFile(null), byId("file").focus()));
  byId("token-form").addEventListener("submit", (event) => (event.preventDefault(), useToken(byId("token").value.trim()), loadAbout()));
  byId("language").addEventListener("click", onLanguage);
  addEventListener("hashchange", () => ["#sites", "#page"].includes(location.hash) && (clearProblem(), say(""), showSection()));
  addEventListener("dragover", (event) => (event.preventDefault(), document.body.classList.add("is-dropping")));
  addEventListener("dragleave", (event) => event.relatedTarget ?? document.body.classList.remove("is-dropping"));
  addEventListener("drop", onDrop);
  addEventListener("keydown", (event) => event.key === "Escape" && state.panels.forEach((panel) => panel.overlay?.release()));
}

await loadWords();
listen();
showLanguages();
byId("methods").hidden = mode() !== "compare";
await loadAbout();
document.documentElement.dataset.ready = "";
