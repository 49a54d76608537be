"""Checks a configuration as the installer would: `check.pyc MACHINE CMDLINE`, with the document on stdin.

MACHINE is the output of machine.py, as JSON. Prints "accepted", or the name of the failed rule and what is wrong.
"""
import json
import sys

sys.path.insert(0, "/usr/lib/stand-in")

from config import Unreadable, from_document, from_kernel, merged
from rules import firmware, refusal

if __name__ == "__main__":
    machine = json.loads(sys.argv[1])
    try:
        stopped = firmware(sys.argv[2], machine)
        config = {} if stopped else merged(from_kernel(sys.argv[2]), from_document(sys.stdin.read()))
        refused = ("firmware", stopped) if stopped else refusal(config, machine)
    except Unreadable as error:
        refused = ("load", str(error))
    print(f"{refused[0]}: {refused[1]}" if refused else "accepted")
