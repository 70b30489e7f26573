//! The catalogue.

use crate::validate::Rule;

pub(in crate::validate) static RULES: &[Rule] = &[
    Rule::offline(
        "A1",
        "every `tool_use` is answered by a `tool_result` in the very next message",
        "`tool_use` ids were found without `tool_result` blocks immediately after",
    ),
    Rule::offline(
        "A2",
        "`tool_result` blocks come first in their message, text after them",
        "`tool_use` ids were found without `tool_result` blocks immediately after",
    ),
    Rule::offline(
        "A3",
        "all results of parallel calls stand in one user message (spread ones are merged, but teach the model to call one by one)",
        "`tool_use` ids were found without `tool_result` blocks immediately after",
    ),
    Rule::offline(
        "A4",
        "every `tool_result` answers a `tool_use` of the previous message",
        "unexpected `tool_use_id` found in `tool_result` blocks",
    ),
    Rule::offline(
        "A5",
        "server tool calls and their results are paired within the assistant's turn",
        "must have a corresponding `server_tool_use` block before it",
    ),
    Rule::offline(
        "A6",
        "after an unfinished `server_tool_use` come only tool results, and its tool is still defined",
        "tool was provided",
    ),
    Rule::offline(
        "A7",
        "ids are unique in a request, and each has one result",
        "`tool_use` ids must be unique",
    ),
    Rule::offline(
        "A8",
        "ids are made of letters, digits, `_` and `-`; those of server tools start with `srvtoolu_`",
        "String should match pattern '^[a-zA-Z0-9_-]+$'",
    ),
    Rule::offline(
        "A9",
        "`tools` is there whenever the history has tool blocks",
        "Requests which include `tool_use` or `tool_result` blocks must define tools",
    ),
    Rule::offline(
        "A10",
        "no message is empty (an assistant's may be, on some servers only)",
        "messages must have non-empty content",
    ),
    Rule::offline(
        "A11",
        "no text block is empty, none blank where nothing else stands beside it; `system` too",
        "text content blocks must",
    ),
    Rule::offline(
        "A12",
        "a `tool_result` with `is_error` has content",
        "content cannot be empty if `is_error` is true",
    ),
    Rule::offline(
        "A13",
        "the first message is the user's, unless a signed `compaction` block stands first",
        "first message must use the \"user\" role",
    ),
    Rule::offline(
        "A14",
        "roles alternate (merged by Anthropic itself, refused by older Bedrock models)",
        "roles must alternate between \"user\" and \"assistant\"",
    ),
    Rule::offline(
        "A15",
        "no assistant message stands last from Claude 4.6 on or with thinking; before, it has no trailing white space",
        "does not support assistant message prefill",
    ),
    Rule::provider(
        "A16",
        "thinking in the latest assistant message is complete and unchanged",
        "blocks in the latest assistant message cannot be modified",
        "only the provider knows what it sent; of a view, what was folded is compared with its request",
    ),
    Rule::provider(
        "A17",
        "a thinking block comes back byte for byte, text and signature together",
        "Invalid `signature` in `thinking` block",
        "only the provider can verify a signature; that there is one is checked",
    ),
    Rule::offline(
        "A18",
        "with manual thinking, the assistant's turn in a tool loop starts with thinking",
        "When `thinking` is enabled, a final `assistant` message must start with a thinking block",
    ),
    Rule::offline(
        "A19",
        "without thinking, a final assistant message holds no thinking",
        "When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`",
    ),
    Rule::provider(
        "A20",
        "nothing before a thinking block has changed since it was written (Fable 5.1, Opus 5.5, Sonnet 5.5)",
        "The block is bound to a different conversation",
        "the binding is inside the signature; of a view, what stands before its thinking is compared with what was sent",
    ),
    Rule::offline(
        "A21",
        "at most 4 `cache_control` markers, the automatic one included",
        "A maximum of 4 blocks with cache_control may be provided",
    ),
    Rule::offline(
        "A22",
        "no `cache_control` on empty text, thinking or parts of blocks",
        "cache_control cannot be set for empty text blocks",
    ),
    Rule::offline(
        "A23",
        "markers of 1h stand before those of 5m, in the order tools, system, messages",
        "a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block",
    ),
    Rule::offline(
        "A24",
        "a `system` message stands after a user turn and before an assistant turn or at the end, on models that take it",
        "(400, no fixed wording)",
    ),
    Rule::offline(
        "A25",
        "at most 600 images, 100 where the window is 200,000 tokens; no side above 8000 pixels, 2000 among more than 20 images",
        "many-image requests",
    ),
    Rule::offline(
        "A26",
        "no field that the API does not know (one that a beta may add is only noted)",
        "Extra inputs are not permitted",
    ),
    Rule::offline("A27", "at most 32 MB and 100,000 messages", "request_too_large"),
    Rule::offline("A28", "roles, blocks and fields have the shapes the API defines", "Field required"),
];
