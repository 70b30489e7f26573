// One view at a time: what became of each message within the budget that is looked at.
page.view = () => page.data.views[page.at ?? page.data.start];

// kept, thinned, told or gone; a message that is as it was has no text of its own.
page.fate = (nth) => {
  const view = page.view();
  const changed = view.changed[nth + 1];
  if (!changed) return { fate: "kept", tokens: page.data.messages[nth].tokens, folds: [] };
  return { ...changed, folds: changed.folds.map((fold) => view.folds[fold]) };
};

page.title = (nth) => {
  const { role, step, tool } = page.data.messages[nth];
  return [`message ${nth + 1}, ${role}`, step && `step ${step}`, tool].filter(Boolean).join(" · ");
};

page.first = (text, letters) => {
  const words = text.slice(0, 2 * letters).replace(/\s+/g, " ").trim();
  return words.length > letters ? words.slice(0, letters) + "…" : words;
};
