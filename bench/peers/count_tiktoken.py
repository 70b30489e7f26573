"""Counts every text of a file of JSON strings with Python's tiktoken; prints CPU seconds and tokens per set."""
import json, sys, time

start = time.process_time()
import tiktoken

encoding = tiktoken.get_encoding("o200k_base")
load = time.process_time() - start

rows = {}
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as lines:
        texts = [json.loads(line) for line in lines]
    start = time.process_time()
    tokens = sum(len(encoding.encode_ordinary(text)) for text in texts)
    rows[path] = {"seconds": time.process_time() - start, "tokens": tokens}
print(json.dumps({"load": load, "version": tiktoken.__version__, "sets": rows}))
