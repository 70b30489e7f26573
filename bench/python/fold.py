"""Times the Python package on a session of JSON lines: `fold.py SESSION BUDGET RUNS`. Prints JSON; CPU milliseconds of this thread."""

import json
import statistics
import sys
import time

import enfold

# Tokens that a step usually adds. Counting more takes its time, wherever it is done.
SMALL = 2_000


def timed(work):
    start = time.thread_time()
    result = work()
    return (time.thread_time() - start) * 1e3, result


def tokens(messages) -> int:
    return sum(enfold.count_text(json.dumps(message, ensure_ascii=False)) for message in messages)


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
        new = len(session)
        took, view = timed(lambda end=end: session.prepare(messages[:end]))
        (warm if view.opened is None else opened).append((took, tokens(messages[new:end])))
    slow = max(warm)
    print(
        json.dumps(
            {
                "messages": len(messages),
                "tokens": enfold.count(messages),
                "fold": statistics.median(took for took, _ in folds),
                "fits": statistics.median(took for took, _ in converted),
                "warm": statistics.median(took for took, _ in warm),
                "warm_worst": slow[0],
                "warm_worst_new": slow[1],
                "warm_small_worst": max(took for took, new in warm if new <= SMALL),
                "warm_small_requests": sum(new <= SMALL for _, new in warm),
                "warm_requests": len(warm),
                "epoch_worst": max((took for took, _ in opened), default=0),
                "view": folds[0][1].tokens,
            }
        )
    )


main()
