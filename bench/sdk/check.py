"""What the types of the official Python packages say about requests: `anthropic`, `openai`, `google-genai`.

Reads lines of `{"format": …, "request": …}` and answers each with a line: a list of complaints, empty where the
types accept the request. A complaint is `[path, reason]`.

The packages' types are written for people's editors; two things make them say what they mean at run time:
pydantic looks into an `Iterable` only when somebody iterates it, so each is made a list; and a union of parameters
also names the classes of responses, which would take in a parameter that is wrong.
A field that the types do not know is complained of too, as "unknown field": APIs differ in whether they take those.
"""
import json, sys

from anthropic.types.message_create_params import MessageCreateParamsNonStreaming as AnthropicRequest
from google import genai
from google.genai import types as gemini
from openai.types.chat.completion_create_params import CompletionCreateParamsNonStreaming as ChatRequest
from openai.types.responses.response_create_params import ResponseCreateParamsNonStreaming as ResponsesRequest
from pydantic import TypeAdapter, ValidationError
from pydantic_core import SchemaValidator

UNKNOWN = "unknown field"
# What the caller adds to a history: not what folding is about.
CALLERS = {"anthropic": {"model": "m", "max_tokens": 1}, "openai-chat": {"model": "m"}, "openai-responses": {"model": "m"}}

# What these types demand and the API does without: clients in wide use leave it out.
OPTIONAL = {
    "ResponseOutputMessageParam": {"id", "status"},
    "ResponseOutputTextParam": {"annotations"},
    "ResponseInputImageParam": {"detail"},
    "ResponseReasoningItemParam": {"id"},
    "FunctionToolParam": {"parameters", "strict"},
}


def validator(request_type):
    return SchemaValidator(as_meant(TypeAdapter(request_type).core_schema))


def as_meant(schema):
    if isinstance(schema, (list, tuple)):
        return type(schema)(as_meant(one) for one in schema)
    if not isinstance(schema, dict):
        return schema
    schema = {key: as_meant(value) for key, value in schema.items()}
    if schema.get("type") == "generator":
        schema["type"] = "list"
    if schema.get("type") == "typed-dict":
        for field in OPTIONAL.get(schema["cls"].__name__, ()):
            schema["fields"][field]["required"] = False
    if schema.get("type") == "union":
        schema["choices"] = [choice for choice in schema["choices"] if not is_response(choice)] or schema["choices"]
    return schema


def is_response(choice):
    kind = choice.get("type") if isinstance(choice, dict) else None
    return kind == "model" or kind == "union" and all(map(is_response, choice["choices"]))


TYPED_DICTS = {
    "anthropic": validator(AnthropicRequest),
    "openai-chat": validator(ChatRequest),
    "openai-responses": validator(ResponsesRequest),
}
GEMINI_CONTENTS = TypeAdapter(list[gemini.Content])
GEMINI = genai.Client(api_key="none, for nothing is sent")


def complaints(format, request):
    if format == "gemini":
        return gemini_complaints(request)
    # `stream` chooses between two types that are the same in all else.
    request = CALLERS[format] | {key: value for key, value in request.items() if key != "stream"}
    found = typed_dict_complaints(format, request, unknown="forbid")
    unknown = [complaint for complaint in found if complaint[1] == UNKNOWN]
    # Again without them: among members of one kind, only what is left tells which was meant.
    return typed_dict_complaints(format, request, unknown="ignore") + unknown if unknown else found


def typed_dict_complaints(format, request, unknown):
    try:
        TYPED_DICTS[format].validate_python(request, strict=True, extra=unknown)
        return []
    except ValidationError as refused:
        return deepest(refused, request)


def gemini_complaints(request):
    """`contents` and, as the package has it, all the rest as configuration; then what its chats say of such a history."""
    contents = request.get("contents", [])
    config = {key: value for key, value in request.items() if key not in ("contents", "model", "generationConfig")}
    config |= request.get("generationConfig", {})
    found = []
    for check, value, at in [(GEMINI_CONTENTS.validate_json, contents, "contents."),
                             (gemini.GenerateContentConfig.model_validate_json, config, "")]:
        try:
            check(json.dumps(value))
        except ValidationError as refused:
            found += [[at + path, why] for path, why in deepest(refused, value)]
        except Exception as refused:  # some enumerations fail on a value that is no text before they can refuse it
            found.append([at, str(refused)])
    return found or chat_complaints(GEMINI_CONTENTS.validate_json(json.dumps(contents)))


def chat_complaints(history):
    try:
        chat = GEMINI.chats.create(model="m", history=history)
    except ValueError as refused:
        return [["contents", str(refused)]]
    is_whole = len(chat.get_history(curated=True)) == len(history)
    return [] if is_whole else [["contents", "a chat leaves out turns of the model as invalid"]]


def deepest(refused, request):
    """The unknown fields, and the deepest other complaint of each message (or field of the request)."""
    errors = refused.errors(include_url=False, include_context=False)
    # Members of a union that are of another `type` or `role` than the value have nothing to say about what is in it;
    # that all of them are is what to say about a value on which no member has anything else.
    others = {error["loc"][:-1] for error in errors if is_about_kind(error)}
    errors = [error for error in errors if not any(error["loc"][:end] in others for end in range(len(error["loc"]) - 1))]
    inner = [(path_in(request, error), error) for error in errors if error["loc"][:-1] not in others and not is_other_shape(error)]
    known = {tuple(path[:end]) for path, _ in inner for end in range(len(path) + 1)}
    kinds = [(path, error) for path, error in ((path_in(request, error), error) for error in errors if is_about_kind(error))
             if tuple(path[:-1]) not in known]
    best = {}
    for path, error in inner + kinds:
        is_unknown = error["type"] == "extra_forbidden"
        place = tuple(path) if is_unknown else tuple(path[:2])
        if place not in best or len(path) > len(best[place][0]):
            best[place] = path, UNKNOWN if is_unknown else reason(error)
    return [[".".join(map(str, path)), why[:120]] for path, why in best.values()]


def reason(error):
    return f"{str(error['input'])[:40]!r} is none that the package knows" if is_about_kind(error) else error["msg"]


def is_other_shape(error):
    """Where a text or a list may stand, the text's complaint about a list."""
    return error["loc"][-1:] == ("str",) and isinstance(error["input"], (list, dict))


def is_about_kind(error):
    return error["type"] == "literal_error" and error["loc"][-1] in ("type", "role")


def path_in(request, error):
    """The error's place without the names of types that stand in it."""
    path, value = [], request
    for step in error["loc"]:
        if isinstance(value, dict) and step in value or isinstance(value, list) and isinstance(step, int):
            path.append(step)
            value = value[step]
    return path + ([error["loc"][-1]] if error["type"] == "missing" else [])


if __name__ == "__main__":
    for line in sys.stdin:
        case = json.loads(line)
        print(json.dumps(complaints(case["format"], case["request"])), flush=True)
