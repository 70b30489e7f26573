/** A list of messages as a provider takes them (OpenAI Chat or Responses, Anthropic, Gemini, AI SDK), or as pi-agent-core keeps them. */
export type Messages<M = unknown> = Iterable<M>;

/** A whole session file, as text or bytes: a request, a list, JSON lines, an agent's log. */
export type Whole = string | Uint8Array;

/** The wire formats. */
export type Format = 'openai-chat' | 'openai-responses' | 'anthropic' | 'gemini' | 'ai-sdk' | 'pi-agent-core';

/** What is read and counted how. */
export interface LookOptions {
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
export interface FoldOptions extends LookOptions {
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
        wasPruned: boolean;
        wasSummarized: boolean;
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

/** Folds messages into a budget: what the model should see of them. What fits comes back as it is, the very same objects. */
export function fold<M = any>(messages: Messages<M> | Whole, options: FoldOptions): Promise<View<M>>;
/** The same, here and now. */
export function foldSync<M = any>(messages: Messages<M> | Whole, options: FoldOptions): View<M>;
/** Where the tokens are, by role, part, tool, file and step: what `enfold inspect --json` prints. */
export function inspect(messages: Messages | Whole, options?: LookOptions): Promise<Record<string, any>>;
/** The same, here and now. */
export function inspectSync(messages: Messages | Whole, options?: LookOptions): Record<string, any>;
/** How many tokens messages take, with what stands beside them. */
export function count(messages: Messages | Whole, options?: LookOptions): Promise<number>;
/** The same, here and now. */
export function countSync(messages: Messages | Whole, options?: LookOptions): number;
/** How many tokens a text takes; in o200k if no model is named. */
export function countText(text: string, model?: string): number;
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
