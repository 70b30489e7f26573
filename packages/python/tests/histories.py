"""Sessions as an agent would have them, for tests."""

from __future__ import annotations

from typing import Any


# Lines that a tool prints: about 900 tokens.
LINES = 50


def output(nth: int) -> str:
    """What a tool printed."""
    return "".join(f"src/file_{nth}.rs:{line}: unused value_{nth}_{line}\n" for line in range(LINES))


def chat(steps: int) -> list[dict[str, Any]]:
    """A task and so many steps of OpenAI Chat."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Make the tests pass."}]
    for nth in range(steps):
        arguments = '{"command":"make %d"}' % nth
        call = {"id": f"c{nth}", "type": "function", "function": {"name": "bash", "arguments": arguments}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"c{nth}", "content": output(nth)})
    return messages


def anthropic(steps: int) -> list[dict[str, Any]]:
    """The same as Anthropic takes it."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Make the tests pass."}]
    for nth in range(steps):
        call = {"type": "tool_use", "id": f"t{nth}", "name": "bash", "input": {"command": f"make {nth}"}}
        result = {"type": "tool_result", "tool_use_id": f"t{nth}", "content": output(nth)}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    return messages


def responses(steps: int) -> list[dict[str, Any]]:
    """The same as items of OpenAI Responses."""
    items: list[dict[str, Any]] = [{"role": "user", "content": "Make the tests pass."}]
    for nth in range(steps):
        arguments = '{"command":"make %d"}' % nth
        items.append({"type": "function_call", "call_id": f"c{nth}", "name": "bash", "arguments": arguments})
        items.append({"type": "function_call_output", "call_id": f"c{nth}", "output": output(nth)})
    return items


def gemini(steps: int) -> list[dict[str, Any]]:
    """The same as Gemini takes it."""
    contents: list[dict[str, Any]] = [{"role": "user", "parts": [{"text": "Make the tests pass."}]}]
    for nth in range(steps):
        call = {"functionCall": {"name": "bash", "args": {"command": f"make {nth}"}}}
        result = {"functionResponse": {"name": "bash", "response": {"output": output(nth)}}}
        contents += [{"role": "model", "parts": [call]}, {"role": "user", "parts": [result]}]
    return contents


def ai_sdk(steps: int) -> list[dict[str, Any]]:
    """The same as the AI SDK's model messages."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": "Make the tests pass."}]
    for nth in range(steps):
        about = {"toolCallId": f"c{nth}", "toolName": "bash"}
        call = {"type": "tool-call", **about, "input": {"command": f"make {nth}"}}
        result = {"type": "tool-result", **about, "output": {"type": "text", "value": output(nth)}}
        messages += [{"role": "assistant", "content": [call]}, {"role": "tool", "content": [result]}]
    return messages


FORMATS = {
    "openai-chat": chat,
    "anthropic": anthropic,
    "openai-responses": responses,
    "gemini": gemini,
    "ai-sdk": ai_sdk,
}
