"""Research agents: SWE-agent 0.x and 1.x, mini-swe-agent, OpenHands' output and its SDK's events."""
import shutil

from .common import Ids, User, compact_json, estimate, spoken, write_json, write_lines


def parts(script):
    """The task, the steps with their one shell call, and the final words."""
    events = spoken(script.EVENTS)
    return events[0], [e for e in events[1:] if e.calls], events[-1]


def body_of(call):
    return call.result.text.rsplit("\n[exit code", 1)[0]


def submission_of(steps):
    """The patch that a research agent hands in: the output of the script's last command."""
    return steps[-1].calls[0].result.text + "\n"


def swe_agent_0(script, path):
    """No tool calls: the action stands in a fence, the observation is the next user message."""
    task, steps, last = parts(script)
    prompt = f"(Open file: n/a)\n(Current directory: {script.DIRECTORY})\nbash-$"
    history = [{"role": "system", "content": script.SYSTEM, "agent": "primary"},
               {"role": "user", "content": f"{task.text}\n{prompt}", "agent": "primary"}]
    trajectory = []
    state = compact_json({"open_file": "n/a", "working_dir": script.DIRECTORY}) + "\n"
    for step in steps:
        call = step.calls[0]
        thought, action, observation = step.text + "\n\n", call.args["command"] + "\n", body_of(call) + "\n"
        response = f"{thought}```\n{action}```"
        history += [{"role": "assistant", "content": response, "thought": thought, "action": action, "agent": "primary"},
                    {"role": "user", "content": f"{observation}{prompt}", "agent": "primary"}]
        trajectory.append({"action": action, "observation": observation, "response": response, "state": state, "thought": thought})
    history.append({"role": "assistant", "content": f"{last.text}\n\n```\nsubmit\n```", "thought": last.text + "\n\n", "action": "submit\n",
                    "agent": "primary"})
    stats = {"total_cost": 0.02, "instance_cost": 0.02, "tokens_sent": 5200, "tokens_received": 310, "api_calls": len(steps) + 1}
    write_json(path, {"environment": "swe_main", "trajectory": trajectory, "history": history,
                      "info": {"exit_status": "submitted", "submission": submission_of(steps), "model_stats": stats}})


def swe_agent_1(script, path):
    """Tool calls with ids; each step of the trajectory repeats the prompt so far."""
    ids = Ids(path.name)
    task, steps, last = parts(script)
    history = [{"role": "system", "content": script.SYSTEM, "agent": "main", "message_type": "system_prompt"},
               {"role": "user", "content": [{"type": "text", "text": task.text}], "agent": "main", "message_type": "observation"}]
    trajectory = []

    def act(text, action, name, arguments, observation):
        id = ids.text("toolu_01", 22)
        before = [dict(message) for message in history]
        call = {"index": 1, "function": {"arguments": compact_json(arguments), "name": name}, "id": id, "type": "function"}
        history.append({"role": "assistant", "content": text, "thought": text, "action": action, "agent": "main", "tool_calls": [call],
                        "message_type": "action"})
        seen = [{"type": "text", "text": "OBSERVATION:\n" + observation}]
        history.append({"role": "tool", "content": seen, "agent": "main", "message_type": "observation", "tool_call_ids": [id]})
        trajectory.append({"action": action, "observation": observation, "response": text, "thought": text, "execution_time": 0.2,
                           "state": {"working_dir": script.DIRECTORY}, "messages": before, "extra_info": {}})

    for step in steps:
        command = step.calls[0].args["command"]
        act(step.text, command, "bash", {"command": command}, body_of(step.calls[0]))
    act(last.text, "submit", "submit", {}, submission_of(steps))
    stats = {"instance_cost": 0.02, "tokens_sent": 5200, "tokens_received": 310, "api_calls": len(trajectory)}
    info = {"swe_agent_version": "1.0.1", "submission": submission_of(steps), "exit_status": "submitted", "model_stats": stats}
    write_json(path, {"trajectory": trajectory, "history": history, "info": info, "replay_config": "{}", "environment": "count__words-1"})


def mini_swe_agent(script, path):
    """Plain chat: one fenced command per answer, return code and output as the next user message."""
    ids = Ids(path.name)
    task, steps, last = parts(script)
    messages = [{"role": "system", "content": script.SYSTEM + " Your response must contain exactly ONE bash code block."},
                {"role": "user", "content": f"<pr_description>\n{task.text}\n</pr_description>"}]

    def answer(content):
        choice = {"finish_reason": "stop", "index": 0, "message": {"role": "assistant", "content": content}}
        usage = {"prompt_tokens": estimate(str(messages)), "completion_tokens": estimate(content)}
        usage["total_tokens"] = sum(usage.values())
        response = {"id": ids.text("gen-", 24), "object": "chat.completion", "model": "gpt-5-mini", "choices": [choice], "usage": usage}
        messages.append({"role": "assistant", "content": content, "extra": {"response": response}})

    for step in steps:
        call = step.calls[0]
        answer(f"THOUGHT: {step.text}\n\n```bash\n{call.args['command']}\n```")
        messages.append({"role": "user", "content": f"<returncode>{call.result.exit_code}</returncode>\n<output>\n{body_of(call)}\n</output>"})
    submit = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT && git diff HEAD~1"
    answer(f"THOUGHT: {last.text}\n\n```bash\n{submit}\n```")
    messages.append({"role": "user", "content": submission_of(steps)})
    info = {"exit_status": "Submitted", "submission": submission_of(steps), "model_stats": {"instance_cost": 0.01, "api_calls": len(steps) + 1},
            "mini_version": "1.15.0", "config": {"environment": {"cwd": script.DIRECTORY, "timeout": 60}, "model": {"model_name": "gpt-5-mini"}}}
    write_json(path, {"info": info, "messages": messages, "trajectory_format": "mini-swe-agent-1", "instance_id": "count__words-1"})


def openhands(script, path):
    """Actions and observations; every event of one model answer repeats that answer."""
    ids = Ids(path.name)
    task, steps, last = parts(script)
    history = []

    def event(at, source, message, **fields):
        history.append({"id": len(history), "timestamp": at.strftime("%Y-%m-%dT%H:%M:%S.%f"), "source": source, "message": message, **fields})

    def metadata(text, name, arguments):
        id, function = ids.text("toolu_01", 22), {"arguments": compact_json(arguments), "name": name}
        message = {"content": text, "role": "assistant", "tool_calls": [{"index": 1, "function": function, "id": id, "type": "function"}],
                   "function_call": None}
        response = {"id": ids.text("chatcmpl-", 24), "created": 1762300000, "model": "gpt-5-mini", "object": "chat.completion",
                    "choices": [{"finish_reason": "tool_calls", "index": 0, "message": message}],
                    "usage": {"completion_tokens": estimate(text) + 30, "prompt_tokens": 2000, "total_tokens": estimate(text) + 2030}}
        return {"function_name": name, "tool_call_id": id, "model_response": response, "total_calls_in_response": 1}

    event(task.at, "agent", script.SYSTEM, action="system", args={"content": script.SYSTEM, "tools": []})
    event(task.at, "user", task.text, action="message", args={"content": task.text, "image_urls": None, "wait_for_response": False})
    for step in steps:
        call = step.calls[0]
        command, code = call.args["command"], call.result.exit_code
        tool = metadata(step.text, "execute_bash", {"command": command})
        event(step.at, "agent", f"Running command: {command}", action="run", tool_call_metadata=tool,
              args={"command": command, "is_input": False, "thought": step.text, "blocking": False, "hidden": False})
        extras = {"command": command, "metadata": {"exit_code": code, "pid": -1, "working_dir": script.DIRECTORY, "prefix": "",
                                                   "suffix": f"\n[The command completed with exit code {code}.]"}, "hidden": False}
        event(step.done, "agent", f"Command `{command}` executed with exit code {code}.", cause=len(history) - 1, observation="run",
              tool_call_metadata=tool, content=body_of(call), extras=extras, success=code == 0)
    tool = metadata("", "finish", {"message": last.text, "task_completed": "true"})
    event(last.at, "agent", last.text, action="finish", tool_call_metadata=tool,
          args={"final_thought": last.text, "task_completed": "true", "outputs": {}, "thought": ""})
    write_lines(path, [{"instance_id": "count__words-1", "test_result": {"git_patch": submission_of(steps)}, "instruction": task.text,
                        "metadata": {"agent_class": "CodeActAgent", "llm_config": {"model": "gpt-5-mini"}, "max_iterations": 50},
                        "history": history, "metrics": {"accumulated_cost": 0.01}, "error": None}])


def openhands_sdk(script, path):
    """A folder with one file per event."""
    ids, events = Ids(path.name), []
    task, steps, last = parts(script)

    def event(at, source, kind, **fields):
        events.append({"id": ids.uuid(), "timestamp": at.strftime("%Y-%m-%dT%H:%M:%S.%f"), "source": source, **fields, "kind": kind})
        return events[-1]["id"]

    def text(value):
        return {"cache_prompt": False, "type": "text", "text": value, "enable_truncation": True}

    def message(role, value):
        return {"role": role, "content": [text(value)], "thinking_blocks": []}

    terminal = {"description": "Execute a bash command in the terminal.", "action_type": "TerminalAction", "observation_type": "TerminalObservation",
                "annotations": {"title": "terminal", "readOnlyHint": False}, "kind": "TerminalTool", "title": "terminal"}
    event(task.at, "agent", "SystemPromptEvent", system_prompt=text(script.SYSTEM), tools=[terminal])
    event(task.at, "user", "MessageEvent", llm_message=message("user", task.text), activated_skills=[], extended_content=[])
    for step in steps:
        call, id = step.calls[0], ids.text("toolu_01", 22)
        command, code = call.args["command"], call.result.exit_code
        thinking = [{"type": "thinking", "thinking": step.thinking, "signature": ids.opaque(96)}] if step.thinking else []
        action = event(step.at, "agent", "ActionEvent", thought=[text(step.text)], reasoning_content=step.thinking or None,
                       thinking_blocks=thinking, action={"command": command, "is_input": False, "reset": False, "kind": "TerminalAction"},
                       tool_name="terminal", tool_call_id=id,
                       tool_call={"id": id, "name": "terminal", "arguments": compact_json({"command": command}), "origin": "completion"},
                       llm_response_id=ids.text("chatcmpl-", 24), security_risk="LOW")
        observation = {"content": [text(body_of(call))], "is_error": False, "command": command, "exit_code": code, "timeout": False,
                       "metadata": {"exit_code": code, "pid": -1, "working_dir": script.DIRECTORY, "prefix": "",
                                    "suffix": f"\n[The command completed with exit code {code}.]"}, "kind": "TerminalObservation"}
        event(step.done, "environment", "ObservationEvent", tool_name="terminal", tool_call_id=id, observation=observation, action_id=action)
    event(last.at, "agent", "MessageEvent", llm_message=message("assistant", last.text), llm_response_id=ids.text("chatcmpl-", 24),
          activated_skills=[], extended_content=[])
    shutil.rmtree(path, ignore_errors=True)
    path.mkdir(parents=True)
    for number, row in enumerate(events):
        write_json(path / f"event-{number:05}-{row['id']}.json", row)
