(function () {
  "use strict";
  var source = JSON.parse(document.getElementById("store").textContent);
  var mount = document.getElementById("root");
  var state = { tag: null, query: "", opened: {}, starred: {} };

  function element(name, attributes, children) {
    var node = document.createElement(name), key;
    for (key in attributes || {}) {
      if (key === "onclick") { node.addEventListener("click", attributes[key]); } else { node.setAttribute(key, attributes[key]); }
    }
    (children || []).forEach(function (child) {
      node.appendChild(typeof child === "string" ? document.createTextNode(child) : child);
    });
    return node;
  }

  function wordsOf(date) {
    var months = ["January", "February", "March", "April", "May", "June"], bits = date.split("-");
    return Number(bits[2]) + " " + months[Number(bits[1]) - 1] + " " + bits[0];
  }

  function allTags(notes) {
    var seen = {};
    notes.forEach(function (note) { note.tags.forEach(function (tag) { seen[tag] = (seen[tag] || 0) + 1; }); });
    return Object.keys(seen).sort().map(function (tag) { return { name: tag, count: seen[tag] }; });
  }

  function matches(note) {
    var hay = (note.place + " " + note.text + " " + note.tags.join(" ")).toLowerCase();
    return (!state.tag || note.tags.indexOf(state.tag) > -1) && hay.indexOf(state.query.toLowerCase()) > -1;
  }

  function chip(tag) {
    return element("span", {
      "class": "chip" + (state.tag === tag.name ? " is-on" : ""),
      onclick: function () { state.tag = state.tag === tag.name ? null : tag.name; draw(); }
    }, [tag.name + " (" + tag.count + ")"]);
  }

  function calendar(notes) {
    var days = {}, cells = [], n;
    notes.forEach(function (note) { days[note.date] = true; });
    for (n = 1; n <= 45; n += 1) {
      var day = new Date(Date.UTC(2024, 3, n)).toISOString().slice(0, 10);
      cells.push(element("span", { "class": days[day] ? "has" : "", title: day }));
    }
    return element("div", { "class": "calendar", "aria-hidden": "true" }, cells);
  }

  function card(note) {
    return element("article", { "class": "note", id: "note-" + note.id }, [
      element("div", { "class": "note__head" }, [
        element("time", { datetime: note.date }, [wordsOf(note.date)]),
        element("span", {}, [note.author])
      ]),
      element("h2", { "class": "note__place" }, [note.place]),
      element("p", { "class": "note__text" }, [note.text]),
      element("div", { "class": "note__tags" }, [note.tags.map(function (tag) { return "#" + tag; }).join(" ")]),
      element("div", { "class": "note__tools" }, [
        element("button", { type: "button", onclick: function () { state.starred[note.id] = !state.starred[note.id]; toast("Kept"); } }, ["Keep"]),
        element("button", { type: "button", onclick: function () { toast("#note-" + note.id); } }, ["Link"])
      ])
    ]);
  }

  function species(list) {
    var rows = list.map(function (kind) {
      return element("tr", { id: "sp-" + kind.key }, [
        element("td", {}, [kind.name]),
        element("td", {}, [element("i", {}, [kind.latin])]),
        element("td", {}, [kind.group]),
        element("td", {}, [wordsOf(kind.first)])
      ]);
    });
    return element("table", { "class": "species" }, [element("caption", {}, ["First sightings this spring"])].concat(rows));
  }

  function toast(words) {
    var box = document.getElementById("toast");
    box.textContent = words;
    box.style.display = "block";
    window.setTimeout(function () { box.style.display = "none"; }, 1500);
  }

  function draw() {
    var shown = source.notes.filter(matches);
    mount.innerHTML = "";
    mount.appendChild(element("p", { "class": "state" }, [shown.length + " of " + source.notes.length + " entries"]));
    mount.appendChild(calendar(source.notes));
    mount.appendChild(element("div", { "class": "chips" }, allTags(source.notes).map(chip)));
    shown.forEach(function (note) { mount.appendChild(card(note)); });
    mount.appendChild(species(source.species));
    if (!shown.length) { mount.insertAdjacentHTML("beforeend", "<div class='state'>Nothing found.</div>"); }
  }

  document.getElementById("find").addEventListener("input", function (event) { state.query = event.target.value; draw(); });
  draw();
}());
