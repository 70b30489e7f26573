'use strict';
// A session of an agent that edits a web site: pages, sections, images and their ids, with tools that return objects. Written for these
// tests. 30 turns are about 80,000 tokens.

const TOPICS = ['Harbour', 'Orchard', 'Workshop', 'Library', 'Observatory', 'Bakery', 'Garden', 'Archive', 'Theatre', 'Quarry'];
const KINDS = ['hero', 'text', 'gallery', 'faq', 'testimonials', 'pricing', 'team', 'contact'];
const WORDS = 'visitors spring volunteers restored wooden evening guided quiet festival local history children opening hours tickets path'.split(' ');

/** Sentences about a topic: the same for the same number, and others for any other. */
function prose(seed, sentences) {
  const word = (nth) => WORDS[(seed * 7 + nth * nth * 3 + nth) % WORDS.length];
  const sentence = (nth) => `${TOPICS[(seed + nth) % 10]} ${seed}.${nth}: ${Array.from({ length: 9 }, (_, at) => word(nth * 11 + at)).join(' ')}.`;
  return Array.from({ length: sentences }, (_, nth) => sentence(nth)).join(' ');
}

const hex = (seed) => ((seed + 1) * 2_654_435_761 % 4_294_967_296).toString(16).padStart(8, '0');
const section = (page, nth) => ({
  sectionId: `sec_${hex(page * 100 + nth)}`,
  type: KINDS[(page + nth) % KINDS.length],
  order: nth,
  content: { heading: `${TOPICS[page % 10]} ${nth}`, body: prose(page * 10 + nth, 5), imageId: `img_${hex(page * 1_000 + nth)}` },
  isPublished: nth % 3 !== 0,
});

/** A page as the site keeps it. */
function page(nth) {
  return {
    pageId: `page_${hex(nth + 50_000)}`,
    slug: `/${TOPICS[nth % 10].toLowerCase()}-${nth}`,
    title: `${TOPICS[nth % 10]} ${nth}`,
    sections: Array.from({ length: 6 }, (_, at) => section(nth, at)),
  };
}

/** What the tools return. */
const returns = {
  getPage: ({ nth }) => page(nth),
  updateSection: ({ sectionId, body }) => ({ success: true, sectionId, body }),
  searchImages: ({ nth }) => Array.from({ length: 25 }, (_, at) => ({ imageId: `img_${hex(nth * 1_000 + at)}`, alt: prose(nth + at, 1), width: 800 + at })),
};

/** The call that the agent makes in its step of this number: two pages, images for them, then changes. */
function call(nth) {
  const [turn, step] = [Math.floor(nth / 4), nth % 4];
  if (step < 2) return { toolName: 'getPage', input: { nth: turn * 2 + step } };
  if (step === 2) return { toolName: 'searchImages', input: { nth: turn } };
  return { toolName: 'updateSection', input: { sectionId: page(turn * 2).sections[1].sectionId, body: prose(turn + 900, 6) } };
}

/** The whole session as messages of the AI SDK: so many turns of four steps each. */
function session(turns) {
  const messages = [{ role: 'system', content: 'You edit a web site. Use the tools; keep ids as they are.' }];
  for (let turn = 0; turn < turns; turn++) {
    const text = `Make the page about the ${TOPICS[(turn * 2) % 10]} (${page(turn * 2).slug}) friendlier, and give it a picture.`;
    messages.push({ role: 'user', content: [{ type: 'text', text }] });
    for (let step = 0; step < 4; step++) {
      const { toolName, input } = call(turn * 4 + step);
      const toolCallId = `call_${turn}_${step}`;
      const output = { type: 'json', value: returns[toolName](input) };
      messages.push({ role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName, input }] });
      messages.push({ role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] });
    }
    messages.push({ role: 'assistant', content: [{ type: 'text', text: `The page ${page(turn * 2).pageId} is friendlier now.` }] });
  }
  return messages;
}

/** The ids that stand in a value. */
function ids(value) {
  return new Set(JSON.stringify(value).match(/\b(?:page|sec|img)_[0-9a-f]{8}\b/g) ?? []);
}

module.exports = { call, ids, returns, session };
