// What is asked: the form, and the fragment of the address that says the same, so that a reload or a link asks it again.

import { byId, el, t } from "./dom.js";

const COMPARED = ["auto", "lineblocks"]; // what is compared unless other methods are chosen
const FILE = "file"; // what the tab keeps of the last file: its name and its version in one line, and then its bytes
const PLACE = "place"; // the last fragment, for a reload in another section

const form = { file: null, canBrowse: false };

export const mode = () => byId("ask").elements.mode.value;

// Show what the service, as it was started, can be asked for.
export function prepare({ browser, sites, methods }) {
  form.canBrowse = browser;
  byId("with-browser").hidden = !browser || Boolean(form.file);
  byId("with-sites").hidden = !sites;
  byId("methods").replaceChildren(byId("methods").firstElementChild, ...methods.map(methodBox));
  showMethods();
}

function methodBox(name) {
  const box = el("input", { type: "checkbox", value: name });
  box.checked = COMPARED.includes(name);
  return el("label", {}, box, el("span", {}, name));
}

export const showMethods = () => (byId("methods").hidden = mode() !== "compare");

// What the form asks.
export function asked() {
  const { file } = form;
  const address = withScheme(byId("address").value.trim());
  const methods = { article: ["auto"], records: [], compare: [...document.querySelectorAll("#methods input:checked")].map((box) => box.value) }[mode()];
  return { mode: mode(), file, address, methods, browser: !file && byId("browser").checked, sites: byId("use-sites").checked };
}

const withScheme = (address) => (address && !/^[a-z][a-z0-9+.-]*:/i.test(address) ? `https://${address}` : address);

export function takeFile(file) {
  form.file = file ?? null;
  byId("chosen").hidden = !file;
  byId("drop-hint").hidden = Boolean(file);
  byId("chosen-name").textContent = file?.name ?? "";
  byId("address-label").dataset.t = file ? "address_of_file" : "address";
  byId("address-label").textContent = t(byId("address-label").dataset.t);
  byId("with-browser").hidden = Boolean(file) || !form.canBrowse;
  byId("file").value = ""; // so that the same file can be chosen again
}

// Why the form asks nothing that could be answered: the key of the words, and values; null where it does.
export function refusal(most = Infinity) {
  const { file, address, mode: wanted, methods } = asked();
  const megabytes = (size) => (size / 1e6).toFixed(1);
  if (!file && !address) return ["need_page"];
  if (wanted === "compare" && !methods.length) return ["need_methods"];
  if (file?.size > most) return ["file_large", { name: file.name, size: megabytes(file.size), most: megabytes(most) }];
  return null;
}

// Fragments

const version = (file) => `${file.size}-${file.lastModified}`;
const partsOf = (hash) => new URLSearchParams(hash.slice(1));

// Whether a fragment says what is asked, rather than where in this page to go.
export const isQuestion = (hash) => ["url", "file"].some((name) => partsOf(hash).has(name));

function fragment({ mode: wanted, file, address, methods, browser, sites }) {
  const parts = new URLSearchParams();
  if (file) parts.set("file", file.name);
  if (file) parts.set("version", version(file));
  if (address) parts.set("url", address.replace(/^([^/]+:\/\/)[^/?#]*@/, "$1")); // a link is passed on: no password is in it
  parts.set("find", wanted);
  if (wanted === "compare") for (const name of methods) parts.append("method", name);
  if (browser) parts.set("browser", "yes");
  if (sites) parts.set("sites", "yes");
  return `#${parts}`;
}

// Fill in the form as a fragment says. Return what cannot be asked again, as `refusal` does: a file that is not kept.
export function fill(hash) {
  const parts = partsOf(hash);
  const file = parts.has("file") ? keptFile(parts.get("file"), parts.get("version")) : null;
  takeFile(file);
  byId("address").value = parts.get("url") ?? "";
  byId("ask").elements.mode.value = parts.get("find");
  for (const box of document.querySelectorAll("#methods input")) if (parts.has("method")) box.checked = parts.getAll("method").includes(box.value);
  byId("browser").checked = parts.has("browser");
  byId("use-sites").checked = parts.has("sites");
  showMethods();
  return parts.has("file") && !file ? ["file_gone", { name: parts.get("file") }] : null;
}

// Enter what is asked in the address, and keep its file in this tab. Return the fragment, and whether a file is kept.
export async function keepPlace(request) {
  const hash = fragment(request);
  if (["", "#page", hash].includes(location.hash)) history.replaceState(null, "", hash);
  else history.pushState(null, "", hash);
  keep(PLACE, hash);
  return { hash, isKept: request.file ? await keepFile(request.file) : null };
}

export const lastPlace = () => recall(PLACE) ?? "#page";

async function keepFile(file) {
  const head = `${JSON.stringify([file.name, version(file)])}\n`;
  if (recall(FILE)?.startsWith(head)) return true;
  try {
    const bytes = new Uint8Array(await file.arrayBuffer());
    return keep(FILE, head + Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  } catch {
    return false; // it is gone, which the service will be told
  }
}

function keptFile(name, wanted) {
  const text = recall(FILE) ?? "";
  const end = text.indexOf("\n");
  if (text.slice(0, end) !== JSON.stringify([name, wanted])) return null;
  const bytes = Uint8Array.from(text.slice(end + 1), (letter) => letter.charCodeAt(0));
  return new File([bytes], name, { type: "text/html", lastModified: Number(wanted.split("-")[1]) });
}

// A tab keeps some megabytes, or nothing at all.
function keep(name, text) {
  try {
    sessionStorage.setItem(name, text);
    return true;
  } catch {
    sessionStorage.removeItem(name);
    return false;
  }
}

const recall = (name) => sessionStorage.getItem(name);
