// Copying, and downloads. Each returns what it did, as `act` says it: the key of the words, and values.

import { Problem } from "./service.js";

export function download(name, content, type = "text/plain") {
  const blob = content instanceof Blob ? content : new Blob([content], { type: `${type};charset=utf-8` });
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
  return ["downloaded", { name }];
}

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    throw new Problem("copy-failed");
  }
  return ["copied"];
}

// What files of a page are called: after the page.
export function fileName(name, ending) {
  const stem = name.replace(/[?#].*$/, "").replace(/\/+$/, "").split(/[/\\]/).pop().replace(/\.x?html?$/i, "");
  return `${stem.replace(/[^\p{L}\p{N}._-]+/gu, "_").slice(0, 60) || "page"}.${ending}`;
}
