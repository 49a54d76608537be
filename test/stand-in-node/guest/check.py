"""Checks a configuration as the installer would: `check.pyc MACHINE CMDLINE`, with the document on stdin.

MACHINE is the output of machine.py, as JSON. Prints "accepted", or the name of the failed rule and what is wrong.
"""
import json
import sys

sys.path.insert(0, "/usr/lib/stand-in")

from config import Unreadable, from_document, from_kernel, merged
from rules import refusal

if __name__ == "__main__":
    try:
        config = merged(from_kernel(sys.argv[2]), from_document(sys.stdin.read()))
        refused = refusal(config, json.loads(sys.argv[1]))
    except Unreadable as error:
        refused = ("load", str(error))
    print(f"{refused[0]}: {refused[1]}" if refused else "accepted")
