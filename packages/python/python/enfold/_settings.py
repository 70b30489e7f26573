"""Settings of a policy as keyword arguments: the options of the designs that Enfold unites."""

from __future__ import annotations

from typing import Literal, TypedDict

Category = Literal["rereadable", "non-reproducible", "ephemeral", "computational"]


class Reserves(TypedDict, total=False):
    """Tokens that are kept free in a model's window. Those given here stand as they are; the others shrink in a small window."""

    system: int
    """For a system prompt and tools that are not in the messages. 2,000."""
    output: int | Literal["model"]
    """For the answer: tokens, or `"model"` for as much as the model can write. 4,096."""
    safety: int
    """For what counting gets wrong. 5,000."""


class _OwnTool(TypedDict):
    name: str
    """The tool's name."""
    does: Literal[
        "read", "write", "replace", "rewrite", "insert", "append", "editor", "patch", "shell", "python", "delete", "search",
        "list", "fetch", "subagent", "todo", "other",
    ]  # fmt: skip
    """What it does."""


class OwnTool(_OwnTool, total=False):
    """A tool of your own, so that files it reads and changes are known."""

    path: str
    """The argument that holds the path, where it is none of the usual ones."""


class Counting(TypedDict, total=False):
    """How tokens are counted."""

    tokenizer: Literal["o200k", "cl100k", "heuristic"] | None
    """What counts instead of the model's own tokenizer; `heuristic`: four characters are a token."""


class Understanding(TypedDict, total=False):
    """What is known of your tools and files."""

    categories: dict[str, Category] | None
    """Tool → how its results can be had again. Wins over what is known of the tool."""
    own_tools: list[OwnTool] | None
    """Tools of your own."""
    modified: list[str] | None
    """Files that count as changed by the session, whatever its calls show."""
    instruction_marks: list[str] | None
    """Texts at the head of a message by which injected instructions are known, beside the usual ones."""
    preserve_recent_turns: int | None
    """How many steps and turns count as recent; policy `age` leaves so many turns alone."""


class Pruning(TypedDict, total=False):
    """When old outputs are cleared. Policies `prune` and `prune_then_summarize`."""

    prune_minimum: int | None
    """Clearing has to save so many tokens. 20,000."""
    prune_protect: int | None
    """So many tokens of the newest outputs stay. 40,000."""
    min_turns_to_keep: int | None
    """The newest turns that are neither pruned nor summarized. 2."""


class Settings(Counting, Understanding, Pruning, total=False):
    """What you set of a policy. A setting that the policy has no use for is refused: nothing is set in vain."""

    window: int | None
    """Tokens of the whole window, where they are not the model's."""
    reserves: Reserves | None
    """Tokens that are kept free in the model's window."""
    threshold: float | None
    """From where on messages are folded: a share of the usable tokens (`0.8`), or tokens (`90_000`)."""
    target: float | None
    """What folding aims at: a share of the usable tokens."""
    summarize_dropped: bool | None
    """Whether one summary stands for what was left out."""
    max_result_tokens: int | None
    """Larger results are cut when they come in. 50,000. Policies `balanced` and `microcompact`."""
    trim_floor: float | None
    """`microcompact` does nothing below this share of the window. 0.25."""
    hot_zone_tokens: int | None
    """`microcompact` leaves so many newest tokens whole. 16,000."""
    hot_zone_share: float | None
    """The same as a share of the window; the larger counts. 0.05."""
    bookend_max_chars: int | None
    """Characters that `microcompact` keeps at either end, nearest to that zone. 2,000."""
    bookend_min_chars: int | None
    """The same, furthest from it. 256."""
    degradation_span: float | None
    """Share of the window over which these ends shrink. 0.40."""
    extended_retention: float | None
    """How many times as deep the zone is for what cannot be had again. 1.5; 1.0 where originals are written to files."""
    max_file_reads: int | None
    """How many reads of one file stay whole at most. 5. Policies `retention` and `balanced`."""
    keep_all_edits: bool | None
    """Whether steps that changed a file always stay. Policies `retention` and `age`."""
    bash_truncate: int | None
    """Output of commands over so many characters keeps its ends: a fifth of that each, 2,000 at most. 10,000. Policy `retention`."""
    keep_listings: int | None
    """Listings stay among so many newest results. 30. Policy `retention`."""
    recent_messages_to_keep: int | None
    """The newest messages that are not summarized. 10. Policy `summarize`."""
    summary_tokens: int | None
    """Tokens that a model's part of a summary may take. 800."""
    summary_template: str | None
    """How a summary is asked for: `coding` or `cms`."""
    summary_guidance: str | None
    """What else a model should keep in mind when it writes a summary."""
