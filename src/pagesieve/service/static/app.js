// The web page: what is asked, and the result.

import { asked, fill, isQuestion, keepPlace, lastPlace, mode, prepare, refusal, showMethods, takeFile } from "./asking.js";
import { Corrections, unsaved } from "./corrections.js";
import { LANGUAGES, actions, byId, chooseLanguage, el, language, loadWords, question, say, t } from "./dom.js";
import { copy, download, fileName } from "./files.js";
import { SchemaEditor, recordTable } from "./schema.js";
import { Problem, act, clearProblem, get, isFromElsewhere, post, postFile, postForFile, showProblem, showWords, useToken } from "./service.js";
import { loadSites, showSites } from "./sites.js";
import { TABLE, ViewPanel, legend, linkViews, showViews } from "./views.js";

const FACTS = ["author", "published", "language", "sitename", "kind"];

// `turn` counts what was asked, and `place` is the fragment of the last; `isTrusted` says that links may be followed.
const state = { about: null, turn: 0, place: "#page", isTrusted: false, shown: null, panels: [] };

// What is asked

// Ask what the form asks; return whether it was asked.
async function read() {
  clearProblem();
  const why = refusal(state.about?.max_bytes);
  if (why) return showWords(...why);
  if (!(await mayLose())) return false;
  const turn = ++state.turn;
  const isLast = () => turn === state.turn; // nothing else was asked meanwhile
  byId("result").hidden = true;
  state.shown = null;
  byId("read").disabled = true;
  say("reading");
  try {
    await ask(asked(), isLast);
  } catch (problem) {
    if (isLast()) showFailure(problem);
  } finally {
    if (isLast()) byId("read").disabled = false;
  }
  return true;
}

function showFailure(problem) {
  say("");
  const isEmpty = problem.sort === "nothing-found";
  showProblem(problem, isEmpty ? (mode() === "records" ? "no_records" : "no_article") : undefined);
}

// Ask the service, and show its answer; go no further once something else was asked.
async function ask(request, isLast) {
  const { mode: find, file, address, browser } = request;
  const { hash, isKept } = await keepPlace(request);
  if (!isLast()) return;
  byId("to-page").href = state.place = hash;
  showSection();
  const wanted = { methods: request.methods, records: find === "records", source: true, sites: request.sites && find !== "records" };
  const report = file
    ? await postFile("/v1/explain", file, { ...wanted, url: address || null, methods: wanted.methods.length ? wanted.methods : undefined })
    : await post("/v1/explain", { ...wanted, url: address, browser });
  if (!isLast()) return;
  const name = file ? file.name : address;
  // Later questions are about the very same page.
  const url = report.url ?? (address || null);
  const given = report.source === null ? { url: address, browser } : { html: report.source, url };
  const shown = { mode: find, report, name, given, isKept, sites: wanted.sites, article: null, records: null, schema: null, corrections: [] };
  if (find === "article") shown.article = await post("/v1/article", { ...given, sites: wanted.sites, bodies: ["text", "markdown"] });
  if (find === "records") await takeRecords(shown, null);
  if (!isLast()) return;
  shown.corrections = report.views.map(() => ({ on: false, changed: new Map(), version: 0, saved: 0 }));
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

// Corrections are not lost without a question.
const atStake = () => (state.shown?.corrections ?? []).map(unsaved).reduce((one, two) => one + two, 0);

async function mayLose() {
  const count = atStake();
  return !count || question("lose_corrections", { count }, "lose");
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
  pagesieveOverlay.scrollToKept(byId("result"));
  state.panels.forEach((panel, k) => panel.overlay && addCorrections(panel, shown, k));
}

const title = ({ report, name }) => report.views.find((view) => view.title)?.title ?? name;

const release = () => state.panels.forEach((panel) => panel.overlay?.release());

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
  const list = el("ul", { class: "facts-of-page" }, ...told.map(([key, value]) => el("li", {}, key ? el("span", { class: "faint" }, `${t(key)}: `) : null, value)));
  if (shown.isKept !== null) list.firstChild.append(el("span", { class: "faint" }, ` (${t(shown.isKept ? "file_kept" : "file_not_kept")})`));
  return list;
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
  const button = (kind, what, work) => el("button", { type: "button", class: `${kind}-${what}`, "aria-label": t(`${kind}_of`, { what: t(`as_${what}`) }), t: `as_${what}`, on: { click: acting(work) } });
  const group = (key, ...buttons) => actions({ class: "group", role: "group", "aria-label": t(key) }, el("span", { t: key }), ...buttons);
  const table = (form) => button("download", form, () => fileOfTable(shown, form));
  const forms = shown.records ? [table("csv"), state.about.parquet ? table("parquet") : null] : [];
  return el("div", { class: "tools" },
    group("copy", button("copy", "markdown", () => copy(markdownOf(shown))), button("copy", "json", () => copy(asJson(shown)))),
    group("download",
      button("download", "markdown", () => download(fileName(shown.name, "md"), markdownOf(shown), "text/markdown")),
      button("download", "json", () => download(fileName(shown.name, "json"), asJson(shown), "application/json")),
      ...forms),
    canLearn(shown) ? actions({ class: "group" }, el("button", { type: "button", class: "learn", t: "learn", on: { click: acting(() => learn(shown)) } })) : null);
}

const acting = (work) => (event) => act(event.currentTarget, work);

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
  return download(fileName(shown.name, form), await postForFile(`/v1/records/${form}`, { ...shown.given, ...shown.columns }));
}

const canLearn = (shown) => state.about.sites && Boolean(shown.given.html);

async function learn(shown) {
  if (!shown.given.url) throw new Problem("no-address");
  const done = await post("/v1/sites", { pages: [{ url: shown.given.url, html: shown.given.html }] });
  const { problem } = done.pages[0];
  if (problem) throw new Problem(problem.type.split(":").pop(), problem.detail);
  return ["learnt", { count: done.new }];
}

function schemaEditor(shown) {
  return new SchemaEditor(shown.schema, state.about.types, async (schema, name) => {
    await takeRecords(shown, schema && structuredClone(schema));
    if (state.shown !== shown) return ["applied", {}]; // something else was asked meanwhile
    showResult();
    const button = document.querySelector(`.schema .${name}`);
    button.focus();
    return ["applied", {}, button];
  }).root;
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
  byId("to-sites").hidden = !state.about.sites;
  prepare(state.about);
  showSection();
  follow();
}

// Ask what the fragment says, unless that was asked already.
async function follow() {
  const { hash } = location;
  if (!isQuestion(hash) || hash === state.place) return;
  const why = fill(hash);
  if (why) showWords(...why);
  else if ((await mayFollow()) && (await read())) return;
  if (state.shown) history.pushState(null, "", state.place);
}

// Another site may have made the link, and nothing is fetched for other sites unless the reader wants it.
async function mayFollow() {
  state.isTrusted ||= !isFromElsewhere() || (await question("read_link", { name: asked().address }, "read", "main"));
  return state.isTrusted;
}

// A link within the page leads there, and the fragment goes on to say what is shown.
function onFragment() {
  const { hash } = location;
  const isStart = ["", "#page"].includes(hash);
  if (!isStart && hash !== "#sites" && !isQuestion(hash)) return history.replaceState(null, "", byId("sites-section").hidden ? state.place : "#sites");
  if (isStart) history.replaceState(null, "", state.place);
  clearProblem();
  say("");
  showSection();
  follow();
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
  release();
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
  read();
}

function listen() {
  byId("ask").addEventListener("submit", (event) => (event.preventDefault(), read()));
  byId("ask").addEventListener("change", (event) => event.target.name === "mode" && showMethods());
  byId("file").addEventListener("change", () => byId("file").files.length && (takeFile(byId("file").files[0]), read()));
  byId("remove-file").addEventListener("click", () => (takeFile(null), byId("file").focus()));
  byId("token-form").addEventListener("submit", (event) => (event.preventDefault(), useToken(byId("token").value.trim()), loadAbout()));
  byId("language").addEventListener("click", onLanguage);
  addEventListener("hashchange", onFragment);
  addEventListener("beforeunload", (event) => atStake() && event.preventDefault());
  addEventListener("dragover", (event) => (event.preventDefault(), document.body.classList.add("is-dropping")));
  addEventListener("dragleave", (event) => event.relatedTarget ?? document.body.classList.remove("is-dropping"));
  addEventListener("drop", onDrop);
  addEventListener("keydown", (event) => event.key === "Escape" && release());
}

await loadWords();
listen();
showLanguages();
if (location.hash === "#sites") byId("to-page").href = lastPlace();
await loadAbout();
document.documentElement.dataset.ready = "";
