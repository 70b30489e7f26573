"""One writer per format; SESSIONS says which script is written in which format to which file."""
from . import chat, claude_code, codex, requests, small, trajectories

SESSIONS = {
    "long.jsonl": ("tally_limits", chat.write),
    "claude-code.jsonl": ("tally_year", claude_code.write),
    "codex.jsonl": ("shelf_dates", codex.write),
    "responses.json": ("shelf_dates", requests.responses),
    "anthropic.json": ("shelf_chart", requests.anthropic),
    "gemini.json": ("shelf_chart", requests.gemini),
    "ai-sdk.json": ("shelf_chart", requests.ai_sdk),
    "legacy-rows.json": ("shelf_chart", small.legacy_rows),
    "copilot-cli.jsonl": ("count_words", small.copilot_cli),
    "gemini-cli.json": ("count_words", small.gemini_cli),
    "pi.jsonl": ("count_words", small.pi),
    "swe-agent-0.traj": ("count_words", trajectories.swe_agent_0),
    "swe-agent-1.traj": ("count_words", trajectories.swe_agent_1),
    "mini-swe-agent.traj.json": ("count_words", trajectories.mini_swe_agent),
    "openhands.jsonl": ("count_words", trajectories.openhands),
    "openhands-sdk": ("count_words", trajectories.openhands_sdk),
}
