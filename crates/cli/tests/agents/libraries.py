"""Long sessions by the official libraries, streamed and not, over the four APIs. Prints what a program would see."""
import anthropic
import openai
from google import genai
from google.genai import types

TASK = "Look at every log and mend what is wrong (streamed: {})."
MODEL = {"anthropic": "claude-sonnet-4-5", "openai": "gpt-4o", "gemini": "gemini-2.5-pro"}
SCHEMA = {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]}
STEPS = 14


def output(nth):
    return "".join(f"src/part{nth}.rs:{line}: warning: value_{nth}_{line} is never used\n" for line in range(60))


def messages(stream):
    client = anthropic.Anthropic(api_key="dummy-key", max_retries=0)
    tools = [{"name": "bash", "description": "Runs", "input_schema": SCHEMA}]
    history = [{"role": "user", "content": TASK.format(stream)}]
    for nth in range(STEPS):
        asked = dict(model=MODEL["anthropic"], max_tokens=100, tools=tools, messages=history, system="You are an agent.")
        if stream:
            with client.messages.stream(**asked) as events:
                kinds = [event.type for event in events]
                answer = events.get_final_message()
        else:
            kinds, answer = [], client.messages.create(**asked)
        print("messages", stream, nth, kinds, [block.type for block in answer.content], answer.stop_reason)
        # Played out by ourselves, so that it goes on whatever was answered.
        history.append({"role": "assistant", "content": [{"type": "tool_use", "id": f"t{nth}", "name": "bash", "input": {"command": f"cat {nth}"}}]})
        history.append({"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"t{nth}", "content": output(nth)}]})


def chat(stream):
    client = openai.OpenAI(api_key="dummy-key", max_retries=0)
    tools = [{"type": "function", "function": {"name": "bash", "parameters": SCHEMA}}]
    history = [{"role": "system", "content": "You are an agent."}, {"role": "user", "content": TASK.format(stream)}]
    for nth in range(STEPS):
        asked = dict(model=MODEL["openai"], tools=tools, messages=history)
        if stream:
            chunks = list(client.chat.completions.create(stream=True, **asked))
            print("chat", stream, nth, [bool(chunk.choices) and chunk.choices[0].finish_reason for chunk in chunks])
        else:
            choice = client.chat.completions.create(**asked).choices[0]
            print("chat", stream, nth, choice.finish_reason, choice.message.content)
        call = {"id": f"c{nth}", "type": "function", "function": {"name": "bash", "arguments": f'{{"command": "cat {nth}"}}'}}
        history.append({"role": "assistant", "content": None, "tool_calls": [call]})
        history.append({"role": "tool", "tool_call_id": f"c{nth}", "content": output(nth)})


def responses(stream):
    client = openai.OpenAI(api_key="dummy-key", max_retries=0)
    tools = [{"type": "function", "name": "bash", "parameters": SCHEMA, "strict": False}]
    history = [{"role": "user", "content": TASK.format(stream)}]
    for nth in range(STEPS):
        asked = dict(model=MODEL["openai"], tools=tools, input=history, instructions="You are an agent.", store=False)
        if stream:
            print("responses", stream, nth, [event.type for event in client.responses.create(stream=True, **asked)])
        else:
            answer = client.responses.create(**asked)
            print("responses", stream, nth, answer.status, [item.type for item in answer.output])
        history.append({"type": "function_call", "call_id": f"c{nth}", "name": "bash", "arguments": f'{{"command": "cat {nth}"}}'})
        history.append({"type": "function_call_output", "call_id": f"c{nth}", "output": output(nth)})


def gemini(stream):
    client = genai.Client(api_key="dummy-key")
    tools = [types.Tool(function_declarations=[types.FunctionDeclaration(name="bash", description="Runs", parameters_json_schema=SCHEMA)])]
    config = types.GenerateContentConfig(
        system_instruction="You are an agent.", tools=tools,
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )
    history = [types.Content(role="user", parts=[types.Part(text=TASK.format(stream))])]
    for nth in range(STEPS):
        asked = dict(model=MODEL["gemini"], contents=history, config=config)
        if stream:
            answers = list(client.models.generate_content_stream(**asked))
        else:
            answers = [client.models.generate_content(**asked)]
        seen = [(answer.candidates[0].finish_reason, len(answer.candidates[0].content.parts)) for answer in answers]
        print("gemini", stream, nth, seen)
        call = types.FunctionCall(name="bash", args={"command": f"cat {nth}"})
        result = types.FunctionResponse(name="bash", response={"output": output(nth)})
        history.append(types.Content(role="model", parts=[types.Part(function_call=call)]))
        history.append(types.Content(role="user", parts=[types.Part(function_response=result)]))


for ask in (messages, chat, responses, gemini):
    for is_streamed in (False, True):
        ask(is_streamed)
