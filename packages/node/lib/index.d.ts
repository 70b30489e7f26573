/** A list of messages as a provider takes them (OpenAI Chat or Responses, Anthropic, Gemini, AI SDK), or as pi-agent-core keeps them. */
export type Messages<M = unknown> = Iterable<M>;

/** A whole session file, as text or bytes: a request, a list, JSON lines, an agent's log. */
export type Whole = string | Uint8Array;

/** The wire formats. */
export type Format = 'openai-chat' | 'openai-responses' | 'anthropic' | 'gemini' | 'ai-sdk' | 'pi-agent-core';

/** How a tool's results can be had again. */
export type Category = 'rereadable' | 'non-reproducible' | 'ephemeral' | 'computational';

/** Tokens that are kept free in a model's window. Those given here stand as they are; the others shrink in a small window. */
export interface Reserves {
  /** For a system prompt and tools that are not in the messages. 2,000. */
  system?: number;
  /** For the answer: tokens, or `'model'` for as much as the model can write. 4,096. */
  output?: number | 'model';
  /** For what counting gets wrong. 5,000. */
  safety?: number;
}

/** A tool of your own, so that files it reads and changes are known. */
export interface OwnTool {
  name: string;
  /** What it does. */
  does:
    | 'read' | 'write' | 'replace' | 'rewrite' | 'insert' | 'append' | 'editor' | 'patch' | 'shell' | 'python' | 'delete'
    | 'search' | 'list' | 'fetch' | 'subagent' | 'todo' | 'other';
  /** The argument that holds the path, where it is none of the usual ones. */
  path?: string;
}

/** How tokens are counted. */
export interface Counting {
  /** What counts instead of the model's own tokenizer; `heuristic`: four characters are a token. */
  tokenizer?: 'o200k' | 'cl100k' | 'heuristic';
}

/** What is known of your tools and files. */
export interface Understanding {
  /** Tool → how its results can be had again. Wins over what is known of the tool. */
  categories?: Record<string, Category>;
  /** Tools of your own. */
  ownTools?: readonly OwnTool[];
  /** Files that count as changed by the session, whatever its calls show. */
  modified?: readonly string[];
  /** Texts at the head of a message by which injected instructions are known, beside the usual ones. */
  instructionMarks?: readonly string[];
  /** How many steps and turns count as recent; policy `age` leaves so many turns alone. */
  preserveRecentTurns?: number;
}

/** When old outputs are cleared. Policies `prune` and `prune_then_summarize`. */
export interface PruningSettings {
  /** Clearing has to save so many tokens. 20,000. */
  pruneMinimum?: number;
  /** So many tokens of the newest outputs stay. 40,000. */
  pruneProtect?: number;
  /** The newest turns that are neither pruned nor summarized. 2. */
  minTurnsToKeep?: number;
}

/** What you set of a policy. A setting that the policy has no use for is refused: nothing is set in vain. */
export interface Settings extends Counting, Understanding, PruningSettings {
  /** Tokens of the whole window, where they are not the model's. */
  window?: number;
  /** Tokens that are kept free in the model's window. */
  reserves?: Reserves;
  /** From where on messages are folded: a share of the usable tokens (`0.8`), or tokens (`90_000`). */
  threshold?: number;
  /** What folding aims at: a share of the usable tokens. */
  target?: number;
  /** Whether one summary stands for what was left out. */
  summarizeDropped?: boolean;
  /** Larger results are cut when they come in. 50,000. Policies `balanced` and `microcompact`. */
  maxResultTokens?: number;
  /** `microcompact` does nothing below this share of the window. 0.25. */
  trimFloor?: number;
  /** `microcompact` leaves so many newest tokens whole. 16,000. */
  hotZoneTokens?: number;
  /** The same as a share of the window; the larger counts. 0.05. */
  hotZoneShare?: number;
  /** Characters that `microcompact` keeps at either end, nearest to that zone. 2,000. */
  bookendMaxChars?: number;
  /** The same, furthest from it. 256. */
  bookendMinChars?: number;
  /** Share of the window over which these ends shrink. 0.40. */
  degradationSpan?: number;
  /** How many times as deep the zone is for what cannot be had again. 1.5; 1.0 where originals are written to files. */
  extendedRetention?: number;
  /** How many reads of one file stay whole at most. 5. Policies `retention` and `balanced`. */
  maxFileReads?: number;
  /** Whether steps that changed a file always stay. Policies `retention` and `age`. */
  keepAllEdits?: boolean;
  /** Output of commands over so many characters keeps its ends: a fifth of that each, 2,000 at most. 10,000. Policy `retention`. */
  bashTruncate?: number;
  /** Listings stay among so many newest results. 30. Policy `retention`. */
  keepListings?: number;
  /** The newest messages that are not summarized. 10. Policy `summarize`. */
  recentMessagesToKeep?: number;
  /** Tokens that a model's part of a summary may take. 800. */
  summaryTokens?: number;
  /** How a summary is asked for. */
  summaryTemplate?: 'coding' | 'cms';
  /** What else a model should keep in mind when it writes a summary. */
  summaryGuidance?: string;
}

/** What is read and counted how. */
export interface LookOptions extends Counting {
  /** The model they are for: its counts. Without one, tokens are counted in o200k. */
  model?: string;
  /** The wire format; of a whole session also a transcript's. Without one it is recognised by content. */
  format?: Format | (string & {});
  /** The system prompt, in a format that keeps it beside the list. */
  system?: unknown;
  /** The tool definitions: counted. */
  tools?: readonly unknown[];
}

/** How to fold. Either `budget` or `model` must be said. */
export interface FoldOptions extends LookOptions, Settings {
  /** Tokens that a view may take (`16000`, `"16k"`), or a share of the model's usable window (`0.8`, `"80%"`). */
  budget?: number | string;
  /** A policy that ships, by name, or one of your own as TOML. `balanced`. */
  policy?: string;
  /** The session's name: handles are made from it; without one, from the first message. */
  name?: string;
  /** Makes handles hard to guess; one per installation. */
  secret?: string;
  /** Keeps what is about to be hidden where your agent can read it; folds then name the path. Functions that end in `Sync` refuse it. */
  persistResult?: PersistResult;
}

/**
 * Keeps an original and gives the path, as the agent would name it; nothing, where it keeps none. It is asked before a view leaves
 * that hides the original, once for each, and the view waits for it. If it fails, the fold names its handle alone.
 */
export type PersistResult = (content: string, from: PersistedFrom) => string | undefined | Promise<string | undefined>;

/** Where an original comes from. */
export interface PersistedFrom {
  /** The tool that was called; `unknown` where it is no tool's. */
  toolName: string;
  /** What is lost with it; nothing for tools without a category. */
  category: 'rereadable' | 'non-reproducible' | 'ephemeral' | 'computational' | undefined;
  /** The place of its message in your list. */
  messageIndex: number | undefined;
}

/** How a session folds. */
export interface SessionOptions extends FoldOptions {
  /** Whether you can ask a model for summaries. Views then come with a question where one would help. */
  asks?: boolean;
  /** How long the provider keeps a request in its cache: hooks fold when it has gone cold. What is known of the model, else 300. */
  cacheSeconds?: number;
}

/** How a stored session folds. */
export interface StoredSessionOptions extends Omit<FoldOptions, 'name'> {
  /** Who is asked for summaries: `anthropic:MODEL`, `openai:MODEL`, `openai-responses:MODEL`. Keys come from the environment. */
  summarizer?: string;
  /** Where the summarizer's API is, if not at the provider's own place. */
  summarizerUrl?: string;
  /** A folder for originals as files, which folded texts name. */
  blobs?: string;
  /** How long a provider keeps a request in its cache. What is known of the model, else 300. */
  cacheSeconds?: number;
  /** Your clock, in milliseconds since 1970. `Date.now`. */
  now?: () => number;
  /** How long to wait for another process that compacts the same session. 60. */
  patienceSeconds?: number;
  /** Hears each event when it happens: a compaction's start before a model is asked. What it throws becomes a warning. */
  onEvent?: (event: Event) => void;
}

/** Something that happened to a session. */
export type Event =
  | { type: 'compaction:start'; data: { tokensBefore: number; modelLimit: number; reason: string } }
  | {
      type: 'prune:complete';
      data: { tokensBefore: number; tokensAfter: number; outputsPruned: number; tokensSaved: number; prunedTools: string[] };
    }
  | {
      type: 'compaction:complete';
      data: {
        tokensBefore: number;
        tokensAfter: number;
        messages: number;
        messagesCompacted: number;
        /** Which messages a summary stands for: places in your list. */
        compacted: number[];
        wasPruned: boolean;
        wasSummarized: boolean;
        /** What the summary says. */
        summary: string | null;
        round: number | null;
        byModel: boolean;
        reachedTarget: boolean;
      };
    }
  | { type: 'summary:failed'; data: { round: number; class: string; why: string } }
  | { type: 'marker:returned'; data: { message: number; tool: string; callId: string; handle: string } };

/** Where a message of a view comes from: your own at `index`, the same with something folded in it, or none of yours. */
export type Origin = { kind: 'same' | 'changed'; index: number } | { kind: 'new'; index?: undefined };

/** Something noticed about an input. */
export interface Finding {
  severity: 'error' | 'warning' | 'note';
  [detail: string]: unknown;
}

/** A message of your list that is not in a view. */
export interface Dropped {
  /** Its place in your list. */
  message: number;
  role: string;
  /** How much it matters: from system 100 to summarized 20. */
  priority: number;
  /** Tokens it took. */
  tokens: number;
  step: number | null;
  /** How it left: `drop`, `told`, `summary`, … */
  fold: string | null;
  /** What opens it. */
  handles: string[];
}

/** A text, call or result that is shorter in a view than it was. */
export interface Shortened {
  /** The place of its message in your list. */
  message: number;
  /** The tool that it is a result of. */
  tool: string | null;
  priority: number;
  /** Tokens it took. */
  originalTokens: number;
  /** Tokens it takes. */
  tokens: number;
  /** What was done: `placeholder`, `bookend`, … */
  fold: string | null;
  /** What opens it. */
  handles: string[];
}

/** What clearing old outputs of tools would bring. */
export interface Prunable {
  isWorthIt: boolean;
  outputs: number;
  tokens: number;
  tools: string[];
}

/** What to send. */
export class View<M = unknown> {
  private constructor();
  /** The messages: your own objects where nothing changed. */
  readonly messages: M[];
  /** Where each message comes from. */
  readonly origins: Origin[];
  /** The messages as JSON, byte for byte as they would be sent. */
  readonly texts: string[];
  /** The system prompt, where the format keeps it beside the list. */
  readonly system: unknown;
  /** The wire format. */
  readonly format: Format;
  /** Tokens of the view. */
  readonly tokens: number;
  /** How many messages, from the first on, are those of the view before, byte for byte. 0 outside a session. */
  readonly unchanged: number;
  /** The epoch it belongs to: within one, each view is the one before plus new messages. 0 outside a session. */
  readonly epoch: number;
  /** Why this view opened a new epoch, if it did: `overflow`, `cold`, … */
  readonly opened: string | undefined;
  /** The key of the question that a model may be asked before this view is sent. */
  readonly question: string | undefined;
  /** What it hides that no view before did, by handle. */
  readonly originals: Map<string, string>;
  /** Messages of your list that are not in the view. */
  readonly dropped: Dropped[];
  /** What stands shortened in the view, with the tokens that it took before. */
  readonly shortened: Shortened[];
  /** What was done and why, pass by pass. */
  readonly trace: { passes: { pass: string; folds: unknown[]; [detail: string]: unknown }[]; [detail: string]: unknown };
  /** Everything about the view apart from its messages and originals, as the command's JSON names it. */
  readonly report: Record<string, unknown>;
  /** What happened when it was made. */
  readonly events: Event[];
  /** Tools that its messages still refer to. */
  readonly tools: string[];
  /** In a line, for people. */
  toString(): string;
}

/** What a model may be asked. */
export interface Question {
  /** Names the question: `answer` wants it. */
  key: string;
  /** 1 for the first summary of a session. */
  round: number;
  system: string;
  user: string;
  maxTokens: number;
  temperature: number;
}

/**
 * A running session in memory: give it what happened, send what it prepares. Between epochs a view only grows at its end, so the
 * provider's prompt cache holds. Promises of one session are kept one after the other; a method that is none throws `Reentered`
 * while one is pending.
 */
export class Session<M = any> {
  constructor(options?: SessionOptions);
  /** Appends one message. */
  push(message: M): void;
  /** Takes over the whole list: what is the same stays, the rest is new. False if the past was changed. */
  sync(messages: Messages<M>): boolean;
  /** Says what stands beside the messages from the next list on. */
  surround(beside: { system?: unknown; tools?: readonly unknown[] | undefined }): void;
  /** What to send now; of this list, if one is given. Only what is new in it is converted, and the work is done on another thread. `cold`: the provider has forgotten the last request. */
  prepare(messages?: Messages<M>, options?: { cold?: boolean }): Promise<View<M>>;
  /** The same, here and now. */
  prepareSync(messages?: Messages<M>, options?: { cold?: boolean }): View<M>;
  /** When the agent's work is done and the user has the word: folds what the next request need not hold, if that saves much. */
  settle(): Promise<View<M> | undefined>;
  /** The same, here and now. */
  settleSync(): View<M> | undefined;
  /** The original behind a handle. */
  recall(handle: string): string | undefined;
  /** Takes in how many input tokens, cached ones included, the provider counted for the last view. */
  report(inputTokens: number): void;
  /** The provider refused the last view as too long: the next one is folded harder. */
  overflowed(counted?: number): void;
  /** What a model that reads `window` tokens may be asked before this view is sent. The view is good without. */
  ask(view: View<M>, window?: number): Question | undefined;
  /** The key of a question whose answer will be needed soon. */
  questionAhead(): string | undefined;
  /** Takes in what a model answered, and why it stopped. Prepare again for a better view. */
  answer(key: string, text: string, finish?: string): void;
  /** Nobody will answer the question. */
  giveUp(key: string): void;
  /** What another process needs beside the messages to go on with the same view. */
  checkpoint(): string | undefined;
  /** Goes on as another process did; the messages that were sent must be there. */
  reopen(checkpoint: string): void;
  /** What clearing old outputs of tools would bring now. Nothing is changed. */
  pruning(): Prunable;
  /** Whether clearing old outputs of tools would save enough to be worth it. */
  needsPruning(): boolean;
  /** Notes a file as changed by the session, whatever its calls show. */
  markModified(path: string): void;
  /** Whether the next view will have to be folded anew, as far as can be told. */
  isFull(): boolean;
  /** How long the provider keeps a request in its cache. */
  readonly cacheSeconds: number;
  /** The wire format. */
  readonly format: Format;
  /** The epoch of the last view. */
  readonly epoch: number;
  /** How many messages of your list it has. */
  readonly length: number;
}

/** A session in a SQLite database: every original is stored before a view hides it, and another process can go on with it. */
export class StoredSession<M = any> {
  private constructor();
  /** Opens a session with everything it was, or creates it; one that is not there yet needs its `format`. */
  static open<M = any>(path: string, id: string, options?: StoredSessionOptions): Promise<StoredSession<M>>;
  /** Its id. */
  readonly id: string;
  /** Appends one message. When this is done, it is stored. */
  push(message: M): Promise<void>;
  /** Takes over the whole list. When this is done, what is new is stored. False if the past was changed. */
  sync(messages: Messages<M>): Promise<boolean>;
  /** What to send now; of this list, if one is given. What it hides is stored when this is done. */
  prepare(messages?: Messages<M>): Promise<View<M>>;
  /** Folds what the next request need not hold, if that saves much. */
  settle(): Promise<View<M> | undefined>;
  /** Does the work and settles, also when the work fails. */
  work<T>(work: (session: StoredSession<M>) => Promise<T>): Promise<T>;
  /** The original behind a handle of any view there ever was. */
  recall(handle: string): Promise<string | undefined>;
  /** Messages that hold all words of a query, newest first. */
  search(query: string, limit?: number): Promise<{ message: number; snippet: string }[]>;
  /** What clearing old outputs of tools would bring now. Nothing is changed. */
  pruning(): Promise<Prunable>;
  /** Whether clearing old outputs of tools would save enough to be worth it. */
  needsPruning(): Promise<boolean>;
  /** The messages that were sent last, by another process too. Empty while nothing was folded. */
  lastView(): Promise<M[]>;
  /** The session in figures: how often and when it was compacted, and who compacts it now (`lease`). What `enfold sessions show ID --json` prints. */
  about(): Promise<Record<string, any>>;
  /** What became of each message, of all or of those since the last compaction. What `enfold sessions messages ID --json` prints. */
  compacted(options?: { sinceCompaction?: boolean }): Promise<{
    compacted: number | null;
    messages: { number: number; role: string; tokens: number; hidden: boolean; fold: string | null; handles: string[] }[];
  }>;
  /** Takes in what the provider charged for the last request. */
  report(usage: { inputTokens: number; cacheRead?: number; cacheWrite?: number; outputTokens?: number }): Promise<void>;
  /** The provider refused the last view as too long: the next one is folded harder. */
  overflowed(counted?: number): Promise<void>;
  /** The wire format. */
  readonly format: Format;
  /** The epoch of the last view. */
  readonly epoch: number;
  /** How many messages of your list it has. */
  readonly length: number;
}

/** Messages in another format, and what that loses. */
export interface Converted {
  format: string;
  system: unknown;
  tools: unknown[] | undefined;
  messages: any[];
  /** All of it as one text: a request body; of the notation, the notation. */
  text: string;
  losses: Finding[];
}

/** How `fold` folds. */
export interface FoldOnceOptions extends FoldOptions {
  /** Whether the provider still holds the last request. `cold`. */
  cache?: 'warm' | 'cold';
}

/**
 * Folds messages into a budget: what the model should see of them. What fits comes back as it is, the very same objects. Without a
 * budget they are folded from the model's threshold on.
 */
export function fold<M = any>(messages: Messages<M> | Whole, options: FoldOnceOptions): Promise<View<M>>;
/** The same, here and now. */
export function foldSync<M = any>(messages: Messages<M> | Whole, options: FoldOnceOptions): View<M>;
/** Where the tokens are, by role, part, tool, file and step: what `enfold inspect --json` prints. */
export function inspect(messages: Messages | Whole, options?: LookOptions): Promise<Record<string, any>>;
/** The same, here and now. */
export function inspectSync(messages: Messages | Whole, options?: LookOptions): Record<string, any>;
/** How many tokens messages take, with what stands beside them. */
export function count(messages: Messages | Whole, options?: LookOptions): Promise<number>;
/** The same, here and now. */
export function countSync(messages: Messages | Whole, options?: LookOptions): number;
/** How many tokens a text takes; in o200k if neither a model nor a tokenizer is named. */
export function countText(text: string, how?: string | ({ model?: string } & Counting)): number;
/** What a provider would object to, rule by rule, with remedies. Those of severity `error` it refuses. */
export function validate(messages: Messages | Whole, options?: LookOptions): Promise<Finding[]>;
/** The same, here and now. */
export function validateSync(messages: Messages | Whole, options?: LookOptions): Finding[];
/** What a session is about and how far it has come; as `text` in at most so many tokens. */
export function ledger(
  messages: Messages | Whole,
  options?: LookOptions & { tokens?: number },
): Promise<{ ledger: Record<string, any>; text: string }>;
/** The same, here and now. */
export function ledgerSync(
  messages: Messages | Whole,
  options?: LookOptions & { tokens?: number },
): { ledger: Record<string, any>; text: string };
/** Messages in another format, and what that loses. To `notation`: a text for people, and no messages. */
export function convert(messages: Messages | Whole, to: Format | 'notation', options?: LookOptions): Promise<Converted>;
/** The same, here and now. */
export function convertSync(messages: Messages | Whole, to: Format | 'notation', options?: LookOptions): Converted;

/** A change of a file. */
export interface Change {
  step: number;
  path: string;
  to: string | null;
  verb: string;
  intent: string | null;
  added: number | null;
  removed: number | null;
}
/** What is known of a file. */
export interface File {
  path: string;
  lastStep: number;
  operation: string | null;
  modified: boolean;
  deleted: boolean;
  reads: number;
  changes: number;
  added: number;
  removed: number;
  lines: number | null;
  preview: string | null;
  intents: string[];
}
/** The files of a session: all, and those that were changed, touched lately (the latest first), or not lately. */
export interface Files {
  step: number;
  files: File[];
  modified: string[];
  recent: string[];
  stale: string[];
}
/** What a file held: `whole` (then `text` is there), `partial` (then `runs` are), `absent` or `unknown`. */
export interface FileState {
  path: string;
  step: number;
  content: 'whole' | 'partial' | 'absent' | 'unknown';
  text: string | null;
  runs: { first: number; lines: string[] }[] | null;
  lines: number | null;
  doubt: { since: number; because: string } | null;
}
/** How much a message matters: from system 100 to summarized 20. */
export interface Classified {
  message: number;
  role: string;
  turn: number | null;
  step: number | null;
  priority: number;
  tokens: number;
}
/** How files and tools are looked at. */
export interface FactOptions extends Understanding {
  /** The wire format; of a whole session also a transcript's. */
  format?: Format | (string & {});
}

/** What a session changed, file by file, in the words of its calls; the same as `text`. */
export function changelog(messages: Messages | Whole, options?: FactOptions): Promise<{ changes: Change[]; text: string }>;
/** The same, here and now. */
export function changelogSync(messages: Messages | Whole, options?: FactOptions): { changes: Change[]; text: string };
/** Which files a session touched, when and how. Recent are those of the last `maxAge` steps (5); `preview` is how many characters of a file's beginning are shown (100). */
export function files(messages: Messages | Whole, options?: FactOptions & { maxAge?: number; preview?: number }): Promise<Files>;
/** The same, here and now. */
export function filesSync(messages: Messages | Whole, options?: FactOptions & { maxAge?: number; preview?: number }): Files;
/** What a file held after a turn or a step, as far as the session shows it; at the end, if neither is said. */
export function fileAt(
  messages: Messages | Whole,
  path: string,
  options?: FactOptions & { turn?: number; step?: number },
): Promise<FileState>;
/** The same, here and now. */
export function fileAtSync(
  messages: Messages | Whole,
  path: string,
  options?: FactOptions & { turn?: number; step?: number },
): FileState;
/** How much each message matters, and what it takes. */
export function priorities(messages: Messages | Whole, options?: LookOptions & Understanding): Promise<Classified[]>;
/** The same, here and now. */
export function prioritiesSync(messages: Messages | Whole, options?: LookOptions & Understanding): Classified[];
/** What clearing old outputs of tools would bring. Nothing is changed. */
export function pruning(messages: Messages | Whole, options?: LookOptions & PruningSettings & { policy?: string }): Promise<Prunable>;
/** The same, here and now. */
export function pruningSync(messages: Messages | Whole, options?: LookOptions & PruningSettings & { policy?: string }): Prunable;
/** Whether clearing old outputs of tools would save enough to be worth it. */
export function needsPruning(messages: Messages | Whole, options?: LookOptions & PruningSettings & { policy?: string }): Promise<boolean>;
/** The same, here and now. */
export function needsPruningSync(messages: Messages | Whole, options?: LookOptions & PruningSettings & { policy?: string }): boolean;
/** A model's window and every number that follows from it: what `enfold models MODEL --json` prints. With `tokens`, `history` says whether messages of that size are over the threshold or near the end. */
export function modelBudget(
  model: string,
  options?: { tokens?: number; policy?: string; reserves?: Reserves; threshold?: number; target?: number; window?: number },
): Record<string, any>;
/** Tool definitions with an optional field `intent`, in which the model says why it changes something. Those of these names; without names, those that are known to change files. */
export function addIntent<T>(tools: T, names?: readonly string[] | string): T;

/** Anything Enfold refuses or cannot do. */
export class EnfoldError extends Error {
  /** The kind, for programs: `bad_input`, `cannot_fit`, … */
  readonly code: string;
  /** The place of the message that is to blame. */
  readonly messageIndex: number | undefined;
}
/** A message, or a whole input, is none. You can mend it. */
export class BadInput extends EnfoldError {}
/** An option is wrong. You can mend it. */
export class BadOption extends EnfoldError {}
/** What must stay is larger than the budget. Allow more. */
export class CannotFit extends EnfoldError {}
/** The database failed; nothing was written. */
export class StoreError extends EnfoldError {}
/** Another process compacts the session. Try again later. */
export class Busy extends EnfoldError {}
/** A session was called while it is at work. Await the call before. */
export class Reentered extends EnfoldError {}
/** A call before this one failed inside Enfold. Begin a new session, and please report it. */
export class Broken extends EnfoldError {}
