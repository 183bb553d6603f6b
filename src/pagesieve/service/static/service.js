// Requests to the service, and what goes wrong with them.

import { byId, el, has, t, tell } from "./dom.js";

const TYPES = "urn:pagesieve:problem:";
const token = { value: sessionStorage.getItem("token") };

export class Problem extends Error {
  constructor(sort, detail = "") {
    super(detail || sort);
    this.sort = sort;
    this.detail = detail;
  }
}

export function useToken(value) {
  token.value = value;
  sessionStorage.setItem("token", value);
}

export const hasToken = () => Boolean(token.value);

async function send(method, path, body, type) {
  const headers = {};
  if (type) headers["Content-Type"] = type;
  if (token.value) headers.Authorization = `Bearer ${token.value}`;
  let response;
  try {
    response = await fetch(path, { method, headers, body });
  } catch {
    throw new Problem("offline");
  }
  if (response.ok) return response;
  let told = {};
  try {
    told = await response.json();
  } catch {
    // An answer of something between us and the service.
  }
  throw new Problem((told.type ?? "").startsWith(TYPES) ? told.type.slice(TYPES.length) : "failed", told.detail ?? `${response.status}`);
}

export const get = async (path) => (await send("GET", path)).json();
export const forget = async (path) => (await send("DELETE", path)).json();
export const post = async (path, value) => (await send("POST", path, JSON.stringify(value), "application/json")).json();
export const postForFile = async (path, value) => (await send("POST", path, JSON.stringify(value), "application/json")).blob();

// Whether a page of another site may have opened this one, which the service tells by the request for it. Such a page
// can also go back or forward to it, but only the reader can reload it.
export function isFromElsewhere() {
  const [{ type, serverTiming = [] }] = performance.getEntriesByType("navigation");
  return type !== "reload" && !serverTiming.some(({ name }) => name === "own");
}

// A file goes as it is, whatever its encoding; the options are in the query.
export async function postFile(path, file, options) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(options)) {
    for (const each of [value].flat()) if (each !== undefined && each !== null && each !== "") query.append(name, each);
  }
  return (await send("POST", `${path}?${query}`, file, "text/html")).json();
}

// Say in words what went wrong: in the reader's language, and as the service tells it.
export function showProblem(problem, words) {
  const place = byId("problem");
  const [text, ...details] = wordsOf(problem, words);
  if (problem.sort === "unauthorized") byId("token-form").hidden = false;
  place.replaceChildren(el("p", {}, el("strong", {}, text)), ...details.map((detail) => el("p", { class: "faint" }, detail)));
  place.hidden = false;
}

function wordsOf(problem, words) {
  if (!(problem instanceof Problem)) console.error(problem); // a fault of the web page itself
  const key = `problem.${problem.sort}`;
  const text = words ?? (problem.sort === "unauthorized" && hasToken() ? "token_wrong" : has(key) ? key : "problem.failed");
  return [t(text), ...(problem.detail ? [`${t("details")}: ${problem.detail}`] : [])];
}

export function showWords(key, values) {
  byId("problem").replaceChildren(el("p", {}, el("strong", { t: key, values })));
  byId("problem").hidden = false;
}

export function clearProblem() {
  byId("problem").hidden = true;
  byId("problem").replaceChildren();
}

// Do something that may fail, and show what went wrong.
export async function trying(work) {
  clearProblem();
  try {
    await work();
  } catch (problem) {
    showProblem(problem);
    byId("problem").scrollIntoView({ block: "nearest" });
  }
}

// Do what a button is for, and say there what came of it: `work` returns the key of the words, values,
// and the button where that is another by then.
export async function act(button, work) {
  clearProblem();
  try {
    const [key, values, place = button] = await work();
    tell(place, t(key, values));
  } catch (problem) {
    tell(button, wordsOf(problem).join(" "), true);
    if (problem.sort === "unauthorized") showProblem(problem); // the form for the token is there
  }
}
