"""Smart tool history: a file's first and last reads stay with samples between, edits always, long output keeps its ends."""

import json

import enfold

messages: list[dict] = [{"role": "user", "content": "Keep more of the tool results."}]


def step(tool: str, arguments: dict, output: str) -> None:
    call = {"id": f"c{len(messages)}", "type": "function", "function": {"name": tool, "arguments": json.dumps(arguments)}}
    messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
    messages.append({"role": "tool", "tool_call_id": call["id"], "content": output})


def config(version: int) -> str:
    return f"VERSION = {version}\n" + "".join(f"setting_{line} = {line}\n" for line in range(200))


for version in range(8):
    step("read_file", {"file_path": "config.py"}, config(version))
    edit = {"old_str": f"VERSION = {version}", "new_str": f"VERSION = {version + 1}", "intent": f"Release {version + 1}"}
    step("edit_file", {"file_path": "config.py", **edit}, "Edited config.py")
step("bash", {"command": "npm test"}, "".join(f"test {line} passed\n" for line in range(1_000)))
messages.append({"role": "user", "content": "What did you change?"})

def smart_tool_retention(max_file_reads: int = 5, keep_all_edits: bool = True, bash_truncate: int = 10_000) -> enfold.View:
    """The document's projection: half of the tokens, and everything that was done."""
    kept = {"max_file_reads": max_file_reads, "keep_all_edits": keep_all_edits, "bash_truncate": bash_truncate}
    return enfold.fold(messages, policy="retention", budget=enfold.count(messages) // 2, **kept)


text = json.dumps(smart_tool_retention(max_file_reads=4).messages)
tool = {"type": "function", "function": {"name": "edit_file", "parameters": {"type": "object", "properties": {}}}}
print("reads that are whole:", text.count("setting_199 = 199"))
print("edits that are there:", sum(f"Release {version + 1}" in text for version in range(8)))
print("output keeps its ends:", "test 0 passed" in text and "test 999 passed" in text and "test 500 passed" not in text)
print("intent for the tool:", list(enfold.add_intent([tool])[0]["function"]["parameters"]["properties"]))
print("changelog:", next(line for line in enfold.changelog(messages)["text"].splitlines() if line.startswith("- ")))
print("after step 3:", (enfold.file_at(messages, "config.py", step=3)["text"] or "").splitlines()[:1])
