// The tools of an agent that edits a web site, as it defines them for the AI SDK: through Zod schemas.
import { createRequire } from 'node:module';

import * as ai from 'ai';
import { z } from 'zod';

const { returns } = createRequire(import.meta.url)('../site.js');

const section = z.object({
  sectionId: z.string(), type: z.string(), order: z.number(), isPublished: z.boolean(),
  content: z.object({ heading: z.string(), body: z.string(), imageId: z.string() }),
});

export const tools = {
  getPage: ai.tool({
    description: 'Gets a page with its sections.',
    inputSchema: z.object({ nth: z.number() }),
    outputSchema: z.object({ pageId: z.string(), slug: z.string(), title: z.string(), sections: z.array(section) }),
    execute: async (input) => returns.getPage(input),
  }),
  updateSection: ai.tool({
    description: 'Changes the text of a section.',
    inputSchema: z.object({ sectionId: z.string(), body: z.string() }),
    outputSchema: z.object({ success: z.boolean(), sectionId: z.string(), body: z.string() }),
    execute: async (input) => returns.updateSection(input),
  }),
  searchImages: ai.tool({
    description: 'Finds images by topic.',
    inputSchema: z.object({ nth: z.number() }),
    outputSchema: z.array(z.object({ imageId: z.string(), alt: z.string(), width: z.number() })),
    execute: async (input) => returns.searchImages(input),
  }),
};
