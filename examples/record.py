#!/usr/bin/env python3
"""Records the example sessions: runs every scripted tool call for real and writes what came back.

usage: record.py [--home /home/dev] [NAME ...]      NAME: a file of sessions/, without it all of them

The tools run in HOME/PROJECT, a fresh copy of projects/PROJECT with a git history; the path shows in the sessions,
which is why it is not a temporary directory. Needs python3, gcc, make and git.
"""
import argparse
import datetime
import importlib
import shutil
import sys
from pathlib import Path

from recorder import writers
from recorder.script import Abandoned, Delegate, Step
from recorder.tools import Result, Workshop

HERE = Path(__file__).parent
MARK = ".git/made-by-record"


class Clock:
    """Time in a session: it starts at a fixed moment and passes a little with every message."""

    def __init__(self):
        self.time = datetime.datetime(2025, 11, 3, 9, 0, 0, tzinfo=datetime.timezone.utc)

    def now(self):
        return self.time

    def tick(self, seconds=17):
        self.time += datetime.timedelta(seconds=seconds)


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--home", type=Path, default=Path("/home/dev"))
    options.add_argument("names", nargs="*")
    options = options.parse_args()
    recorded = {}
    for name, (script_name, write) in writers.SESSIONS.items():
        if options.names and name not in options.names:
            continue
        if script_name not in recorded:
            recorded[script_name] = record(script_name, options.home)
        script = recorded[script_name]
        target = HERE / "sessions" / name
        write(script, target)
        print(f"{name}: {script_name}, {steps_in(script.EVENTS)} steps", file=sys.stderr)


def record(script_name, home):
    """Runs a script; afterwards every call in its EVENTS carries its result."""
    script = importlib.import_module(f"scripts.{script_name}")
    clock = Clock()
    workshop = Workshop(home / script.PROJECT, clock)
    prepare(workshop, script)
    script.DIRECTORY = str(workshop.directory)
    run(script.EVENTS, workshop)
    return script


def prepare(workshop, script):
    directory = workshop.directory
    if directory.exists():
        if not (directory / MARK).exists():
            sys.exit(f"record: {directory} exists and was not made here; move it away or give another --home")
        shutil.rmtree(directory)
    shutil.copytree(HERE / "projects" / script.PROJECT, directory)
    workshop.bash("git init -q -b main")
    (directory / MARK).touch()
    for message, paths in script.COMMITS:
        workshop.clock.tick(86400 - 300)
        workshop.bash(f"git add {paths} && git commit -q -m '{message}'")
    workshop.clock.tick(3600)


def run(events, workshop):
    for event in events:
        if isinstance(event, Abandoned):
            run(event.events, workshop)
        event.at = workshop.clock.now()
        workshop.clock.tick()
        for call in getattr(event, "calls", []):
            call.result = answer(call, workshop)
            workshop.clock.tick(3)
        event.done = workshop.clock.now()


def answer(call, workshop):
    if isinstance(call, Delegate):
        run(call.steps, workshop)
        return Result(call.report)
    return workshop.run(call)


def steps_in(events):
    return sum(1 for e in events if isinstance(e, Step) and e.calls)


if __name__ == "__main__":
    main()
