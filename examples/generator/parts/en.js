(function (w, d) {
  "use strict";
  var page = w.__COURIER__ || {}, queue = [];
  d.documentElement.className = d.documentElement.className.replace("no-js", "js");
  function on(el, type, fn) { if (el && el.addEventListener) { el.addEventListener(type, fn, false); } }
  function each(list, fn) { for (var i = 0; i < list.length; i++) { fn(list[i], i); } }
  function fallback(slot) {
    var html = '<div class="slot__fallback"><p>Support local reporting.</p></div>' + "<" + "!-- empty -->";
    if (slot.clientHeight < 40 && slot.children.length < 2) { slot.insertAdjacentHTML("beforeend", html); }
  }
  function beacon(name, value) {
    queue.push([name, value, Date.now()]);
    if (queue.length > 20 && navigator.sendBeacon) { navigator.sendBeacon(page.beacon, JSON.stringify(queue.splice(0))); }
  }
  function closeConsent() {
    var box = d.getElementById("consent");
    if (box) { box.setAttribute("hidden", ""); }
    try { w.localStorage.setItem("courier.consent", "1"); } catch (e) { beacon("nostore", 1); }
  }
  on(d, "DOMContentLoaded", function () {
    each(d.querySelectorAll(".slot"), fallback);
    each(d.querySelectorAll("[data-consent]"), function (b) { on(b, "click", closeConsent); });
    each(d.querySelectorAll("img[data-src]"), function (img) { img.src = img.getAttribute("data-src"); });
    each(d.querySelectorAll(".talk__tools button"), function (b) {
      on(b, "click", function () { beacon("talk", b.getAttribute("data-do")); });
    });
  });
  on(w, "scroll", function () {
    var depth = Math.round(100 * (w.scrollY + w.innerHeight) / d.body.scrollHeight);
    if (depth > (page.depth || 0) + 24) { page.depth = depth; beacon("depth", depth); }
  });
}(window, document));
