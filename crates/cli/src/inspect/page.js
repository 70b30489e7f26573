"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const tip = document.getElementById("tip");
  const plots = [...document.querySelectorAll("[data-chart]")];
  const number = (value) => value.toLocaleString("en");
  const sums = [];
  data.columns.reduce((sum, column) => (sums.push(sum + column.tokens), sum + column.tokens), 0);

  const line = (name, value, colour) => {
    const row = document.createElement("div");
    if (colour) {
      const dot = document.createElement("i");
      dot.className = "dot p-" + name.split(" ")[0];
      row.append(dot);
    }
    const amount = document.createElement("span");
    amount.textContent = value;
    row.append(name, amount);
    return row;
  };

  const show = (event, plot) => {
    const box = plot.getBoundingClientRect();
    const nth = Math.floor(((event.clientX - box.left) / box.width) * data.columns.length);
    const column = data.columns[Math.min(Math.max(nth, 0), data.columns.length - 1)];
    if (!column) return;
    const [first, last] = column.messages;
    const title = document.createElement("b");
    title.textContent = (first === last ? `message ${first}, ${column.role}` : `messages ${first} to ${last}`) +
      (column.step ? ` · step ${column.step}` : "") + (column.turn ? ` · turn ${column.turn}` : "");
    const rows = data.order.filter((part) => column.parts[part]).map((part) => line(part, number(column.parts[part]), true));
    rows.push(line("so far", number(sums[data.columns.indexOf(column)]), false));
    tip.replaceChildren(title, ...rows);
    tip.hidden = false;
    const left = event.clientX + 16 + tip.offsetWidth > innerWidth ? event.clientX - 16 - tip.offsetWidth : event.clientX + 16;
    tip.style.left = Math.max(4, left) + "px";
    tip.style.top = Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 6) + "px";
    for (const other of plots) {
      const rule = other.querySelector("em");
      rule.style.left = ((nth + 0.5) / data.columns.length) * 100 + "%";
      rule.style.opacity = 0.5;
    }
  };
  const hide = () => {
    tip.hidden = true;
    for (const plot of plots) plot.querySelector("em").style.opacity = 0;
  };
  for (const plot of plots) {
    plot.addEventListener("pointermove", (event) => show(event, plot));
    plot.addEventListener("pointerdown", (event) => show(event, plot));
    plot.addEventListener("pointerleave", hide);
  }
  addEventListener("scroll", hide, { passive: true });
})();
