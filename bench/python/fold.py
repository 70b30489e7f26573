"""Times the Python package on a session of JSON lines: `fold.py SESSION BUDGET RUNS`. Prints JSON; CPU milliseconds of this thread."""

import json
import statistics
import sys
import time

import enfold


def timed(work):
    start = time.thread_time()
    result = work()
    return (time.thread_time() - start) * 1e3, result


def main() -> None:
    path, budget, runs = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    messages = [json.loads(line) for line in open(path, encoding="utf-8")]
    enfold.count_text("loads the vocabulary")
    folds = [timed(lambda: enfold.fold(messages, budget=budget)) for _ in range(runs)]
    converted = [timed(lambda: enfold.fold(messages, budget=10**9)) for _ in range(runs)]
    # Request after request over the last hundred steps: only what is new is converted.
    session = enfold.Session(budget=budget)
    session.prepare(messages[:-200])
    warm, opened = [], []
    for end in range(len(messages) - 200, len(messages) + 1, 2):
        took, view = timed(lambda end=end: session.prepare(messages[:end]))
        (warm if view.opened is None else opened).append(took)
    print(
        json.dumps(
            {
                "messages": len(messages),
                "tokens": enfold.count(messages),
                "fold": statistics.median(took for took, _ in folds),
                "fits": statistics.median(took for took, _ in converted),
                "warm": statistics.median(warm),
                "warm_worst": max(warm),
                "warm_requests": len(warm),
                "epoch_worst": max(opened, default=0),
                "view": folds[0][1].tokens,
            }
        )
    )


main()
