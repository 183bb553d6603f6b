(function () {
  "use strict";
  var place = document.getElementById("late-{{id}}");
  {{paragraphs}}.forEach(function (words) {
    var paragraph = document.createElement("p");
    paragraph.textContent = words;
    place.appendChild(paragraph);
  });
}());
