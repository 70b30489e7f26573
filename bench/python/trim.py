"""Times LangChain's own trimming on a session of JSON lines: `trim.py SESSION BUDGET RUNS`. Prints JSON; CPU milliseconds of this thread."""

import json
import statistics
import sys
import time

from langchain_core.messages import convert_to_messages, trim_messages
from langchain_core.messages.utils import count_tokens_approximately


def main() -> None:
    path, budget, runs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    messages = convert_to_messages([json.loads(line) for line in open(path, encoding="utf-8")])
    times = []
    for _ in range(runs):
        start = time.thread_time()
        trim_messages(messages, max_tokens=budget, token_counter=count_tokens_approximately)
        times.append((time.thread_time() - start) * 1e3)
    print(json.dumps({"trim": statistics.median(times)}))


main()
