// A finger or a pointer over a drawing: which message that is, and what it holds.
{
  const { columns, order } = page.data;
  const plots = [...document.querySelectorAll("[data-chart]")];
  const sums = [];
  columns.reduce((sum, column) => (sums.push(sum + column.tokens), sum + column.tokens), 0);

  const line = (name, value, colour) => {
    const dot = colour ? [page.make("i", "dot p-" + name.split(" ")[0])] : [];
    return page.make("div", "", ...dot, name, page.make("span", "", value));
  };

  const show = (event, plot) => {
    const box = plot.getBoundingClientRect();
    const nth = Math.floor(((event.clientX - box.left) / box.width) * columns.length);
    const at = Math.min(Math.max(nth, 0), columns.length - 1);
    const column = columns[at];
    if (!column) return;
    const [first, last] = column.messages;
    const title = (first === last ? `message ${first}, ${column.role}` : `messages ${first} to ${last}`) +
      (column.step ? ` · step ${column.step}` : "") + (column.turn ? ` · turn ${column.turn}` : "");
    const parts = order.filter((part) => column.parts[part]);
    const rows = parts.map((part) => line(part, page.number(column.parts[part]), true));
    const dollars = column.dollars ? [line("cost", `$${column.dollars.toFixed(3)}`, false)] : [];
    page.tip.show(event, page.make("b", "", title), ...rows, line("so far", page.number(sums[at]), false), ...dollars);
    for (const other of plots) {
      const rule = other.querySelector("em");
      rule.style.left = ((at + 0.5) / columns.length) * 100 + "%";
      rule.style.opacity = 0.5;
    }
  };
  const hide = () => {
    page.tip.hide();
    for (const plot of plots) plot.querySelector("em").style.opacity = 0;
  };
  for (const plot of plots) {
    plot.addEventListener("pointermove", (event) => show(event, plot));
    plot.addEventListener("pointerdown", (event) => show(event, plot));
    plot.addEventListener("pointerleave", hide);
  }
  addEventListener("scroll", hide, { passive: true });
}
