"use strict";
(() => {
  const folds = [...document.querySelectorAll("details.changed, details.gone")];
  const all = document.querySelectorAll("details");
  const on = (name, event, act) => document.querySelector(`[data-${name}]`).addEventListener(event, act);
  on("open", "click", () => folds.forEach((fold) => (fold.open = true)));
  on("close", "click", () => all.forEach((row) => (row.open = false)));
  on("only", "change", (event) => document.querySelector(".sheet").classList.toggle("only", event.target.checked));
})();
