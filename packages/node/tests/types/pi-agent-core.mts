// The hook fits the types of pi-agent-core.
import { Agent } from '@mariozechner/pi-agent-core';
import { enfold } from 'enfold/pi-agent-core';

const folding = enfold({ budget: '100k', policy: 'microcompact', cacheSeconds: 3_600, now: () => 0, persistResult: async (content, { toolName }) => `${toolName}${content}` });
const agent: Agent = new Agent({ transformContext: folding.transformContext });
const original: string | undefined = await folding.recall('#123456789');
// @ts-expect-error
enfold({ persistResult: 'a folder' });
export { agent, original };
