// Start the overlay on each view of a report. What is known of the units stands in the tables of decisions.
"use strict";

(() => {
  const texts = JSON.parse(document.getElementById("texts").textContent);
  const language = pagesieveOverlay.chooseLanguage(texts, document.documentElement.dataset.language);
  const t = pagesieveOverlay.translator(texts, language);
  if (language !== document.documentElement.lang) {
    document.documentElement.lang = language;
    pagesieveOverlay.translate(document, t);
  }

  const card = document.createElement("div");
  card.className = "card";
  card.hidden = true;
  card.setAttribute("role", "status");
  document.body.append(card);

  function unitOf(row) {
    return {
      id: Number(row.dataset.units), fate: row.dataset.fate, kept: "kept" in row.dataset, name: row.dataset.name ?? "",
      reason: row.querySelector(".reason").textContent, text: row.querySelector(".text").textContent,
      facts: row.querySelector(".facts")?.textContent ?? "", rows: row.dataset.rows,
    };
  }

  const views = [...document.querySelectorAll(".view")].map((root) => {
    const units = new Map([...root.querySelectorAll("tbody tr")].map(unitOf).map((unit) => [unit.id, unit]));
    return new pagesieveOverlay.View(root, units, card, t);
  });

  // The same rows of the page in the views of other methods are marked, too.
  const places = views.map((view) => new Map([...view.units.values()].map((unit) => [unit.rows, unit.id])));
  document.addEventListener("unitselected", ({ detail: { id, view } }) => {
    const rows = view.units.get(id)?.rows;
    views.forEach((other, k) => {
      if (other === view) return;
      for (const element of other.root.querySelectorAll(".is-selected")) element.classList.remove("is-selected");
      for (const element of (rows && other.elements.get(places[k].get(rows))) || []) {
        element.classList.add("is-selected");
        pagesieveOverlay.reveal(element);
      }
    });
  });
  if (!location.hash) pagesieveOverlay.scrollToKept(document); // a link to a unit leads there
  document.addEventListener("keydown", (event) => event.key === "Escape" && views.forEach((view) => view.release()));
})();
