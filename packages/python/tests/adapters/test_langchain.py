"""LangChain's own agent with its own fake model: 40 steps through a small window."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

pytest.importorskip("langchain", reason="langchain is not installed here")

from langchain.agents import create_agent
from langchain_core.exceptions import ContextOverflowError
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

import enfold
from enfold.langchain import EnfoldMiddleware

STEPS = 40
BUDGET = 8_000


class Script(GenericFakeChatModel):
    """Says what the script says, and remembers what it was sent."""

    seen: list[Any] = []
    refuse: list[int] = []

    def bind_tools(self, tools: Any, **_: Any) -> Any:
        return self

    def _generate(self, messages: Any, *rest: Any, **more: Any) -> Any:
        self.seen.append(list(messages))
        if len(self.seen) - 1 in self.refuse:
            raise ContextOverflowError("too long")
        return super()._generate(messages, *rest, **more)


@tool
def read(path: str) -> str:
    """Reads a file."""
    return "".join(f"{path}:{line}: unused value_{line}\n" for line in range(60))


def script(steps: int = STEPS, last: str = "done") -> Script:
    call = [
        AIMessage("", tool_calls=[{"name": "read", "args": {"path": f"src/f{nth}.rs"}, "id": f"c{nth}"}])
        for nth in range(steps)
    ]
    return Script(messages=iter([*call, AIMessage(last)]), seen=[], refuse=[])


def tokens(messages: list[Any]) -> int:
    from langchain_core.messages import convert_to_openai_messages

    written = convert_to_openai_messages(messages)
    assert isinstance(written, list)
    errors = [it for it in enfold.validate(written, format="openai-chat") if it["severity"] == "error"]
    assert errors == []
    return enfold.count(written, format="openai-chat")


def check(model: Script, state: list[Any], steps: int = STEPS) -> int:
    """Every request is valid and within budget, only grows within an epoch, and the state is whole."""
    rewritten = 0
    for nth, sent in enumerate(model.seen):
        assert tokens(sent) <= BUDGET
        before = model.seen[nth - 1] if nth else []
        same = [a.content == b.content for a, b in zip(before, sent, strict=False)]
        rewritten += len(sent) < len(before) or not all(same)
    results = [it for it in state if isinstance(it, ToolMessage)]
    assert len(results) == steps
    assert all(len(it.content) > 1_500 for it in results)
    return rewritten


def test_an_agent_of_forty_steps_fits_and_its_state_is_whole() -> None:
    model = script()
    agent = create_agent(model, [read], system_prompt="Be brief.", middleware=[EnfoldMiddleware(budget=BUDGET)])
    state = agent.invoke({"messages": [("user", "go")]}, {"recursion_limit": 500})["messages"]
    assert len(model.seen) == STEPS + 1
    assert isinstance(model.seen[-1][0], SystemMessage)
    rewritten = check(model, state)
    assert 0 < rewritten <= 12, f"{rewritten} of {STEPS} requests changed what was sent before"
    own = {id(it) for it in state}
    assert sum(id(it) in own for it in model.seen[-1]) > 10, "unchanged messages are the state's own objects"


def test_async_agents_get_the_same() -> None:
    def run(is_async: bool) -> list[list[str]]:
        model = script()
        agent = create_agent(model, [read], middleware=[EnfoldMiddleware(budget=BUDGET)])
        given: Any = {"messages": [("user", "go")]}
        if is_async:
            asyncio.run(agent.ainvoke(given, {"recursion_limit": 500}))
        else:
            agent.invoke(given, {"recursion_limit": 500})
        return [[str(it.content) for it in sent] for sent in model.seen]

    assert run(is_async=True) == run(is_async=False)


def test_a_thread_that_a_checkpointer_reloads_goes_on_with_the_same_bytes() -> None:
    """Equal, new objects: same epochs, same bytes, state whole."""

    def run(checkpointer: Any) -> tuple[list[list[str]], list[Any]]:
        model = script(20, last="first")
        model = Script(
            messages=iter([*list(model.messages), *list(script(20).messages)]), seen=[], refuse=[]
        )
        agent = create_agent(model, [read], middleware=[EnfoldMiddleware(budget=BUDGET)], checkpointer=checkpointer)
        config: Any = {"recursion_limit": 500, "configurable": {"thread_id": "t"}}
        state = agent.invoke({"messages": [("user", "go")]}, config)["messages"]
        again: Any = [("user", "go on")]
        if checkpointer is None:
            again = [*state, ("user", "go on")]
        state = agent.invoke({"messages": again}, config)["messages"]
        return [[str(it.content) for it in sent] for sent in model.seen], state

    reloaded, state = run(InMemorySaver())
    kept, _ = run(None)
    assert reloaded == kept
    assert len([it for it in state if isinstance(it, ToolMessage)]) == 40


def test_an_overflow_is_answered_with_a_harder_fold_and_one_more_try() -> None:
    model = script(10)
    model.refuse = [9]
    agent = create_agent(model, [read], middleware=[EnfoldMiddleware(budget=100_000)])
    agent.invoke({"messages": [("user", "go")]}, {"recursion_limit": 500})
    assert tokens(model.seen[10]) < tokens(model.seen[9]) * 3 // 4 + 1
    refusing = script(3)
    refusing.refuse = [1, 2]
    agent = create_agent(refusing, [read], middleware=[EnfoldMiddleware(budget=100_000)])
    with pytest.raises(ContextOverflowError):
        agent.invoke({"messages": [("user", "go")]})


def test_the_agent_can_open_what_was_folded() -> None:
    middleware = EnfoldMiddleware(budget=BUDGET, recall=True)
    model = script(20)
    saver = InMemorySaver()
    agent = create_agent(model, [read], middleware=[middleware], checkpointer=saver)
    config: Any = {"recursion_limit": 500, "configurable": {"thread_id": "t"}}
    agent.invoke({"messages": [("user", "go")]}, config)
    shown = " ".join(str(it.content) for it in model.seen[-1])
    handle = shown.split("#", 1)[1][:9]
    call = AIMessage("", tool_calls=[{"name": "unfold", "args": {"handle": handle}, "id": "u"}])
    model.messages = iter([call, AIMessage("done")])
    state = agent.invoke({"messages": [("user", "open it")]}, config)["messages"]
    opened = next(it for it in state if isinstance(it, ToolMessage) and it.tool_call_id == "u")
    assert "unused value_" in opened.content


def test_a_wrong_option_is_told_at_once() -> None:
    with pytest.raises(enfold.BadOption):
        EnfoldMiddleware(budget="much")
