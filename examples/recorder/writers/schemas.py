"""The agent's tools as JSON Schema, for requests that carry them."""


def tool(name, description, required, **properties):
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    return name, description, schema


TEXT, NUMBER = {"type": "string"}, {"type": "integer"}
TOOLS = [
    tool("bash", "Run a shell command in the project directory.", ["command"], command=TEXT),
    tool("read_file", "Read a file, or a window of its lines.", ["path"], path=TEXT, offset=NUMBER, limit=NUMBER),
    tool("write_file", "Create or replace a file.", ["path", "content"], path=TEXT, content=TEXT),
    tool("edit_file", "Replace a text that occurs exactly once in a file.", ["path", "old_string", "new_string"],
         path=TEXT, old_string=TEXT, new_string=TEXT, intent={"type": "string", "description": "What the edit is for."}),
    tool("view_image", "Look at a picture.", ["path"], path=TEXT),
    tool("apply_patch", "Change files with a patch.", ["input"], input=TEXT),
]


def used_by(events):
    names = {c.tool for e in events for c in getattr(e, "calls", [])}
    return [t for t in TOOLS if t[0] in names]
