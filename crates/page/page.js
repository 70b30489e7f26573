"use strict";
// What the scripts of all pages share: the data of the page, elements made of text only, and the box beside the pointer.
const page = { data: JSON.parse(document.getElementById("data").textContent) };

page.number = (value) => value.toLocaleString("en");
page.times = (count, what) => `${page.number(count)} ${what}${count === 1 ? "" : "s"}`;
page.byId = (id) => document.getElementById(id);

// Children are elements or text, never markup: what strangers wrote cannot become anything else.
page.make = (tag, classes, ...children) => {
  const element = document.createElement(tag);
  if (classes) element.className = classes;
  element.append(...children);
  return element;
};

page.tip = {
  box: page.byId("tip"),
  show(event, ...children) {
    const box = page.tip.box;
    box.replaceChildren(...children);
    box.hidden = false;
    const fits = event.clientX + 16 + box.offsetWidth <= innerWidth;
    box.style.left = Math.max(4, fits ? event.clientX + 16 : event.clientX - 16 - box.offsetWidth) + "px";
    box.style.top = Math.min(event.clientY + 14, innerHeight - box.offsetHeight - 6) + "px";
  },
  hide() {
    page.tip.box.hidden = true;
  },
};
addEventListener("scroll", page.tip.hide, { passive: true });
