"""Runs the tests of hostile and fault cases: run.py [--long] [NUMBER...]

The last line says how many of the cases of the list ran. A case may have several tests.
"""

import importlib
import os
import re
import sys
import time
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import lib  # noqa: E402

CASES = 76
MODULES = ["payload", "overload", "repository", "live_repository", "environment", "security", "observability",
           "batching", "mixed", "inference", "hostile"]


def collect(is_long):
    tests = {}
    for name in MODULES:
        module = importlib.import_module(name)
        for function_name, function in vars(module).items():
            if getattr(function, "__module__", None) != name:
                continue
            match = re.fullmatch(r"fault_(\d\d)_(\w+?)(_long)?", function_name)
            if match:
                key = (int(match[1]), match[2])
                if is_long or not match[3]:
                    if key not in tests or match[3]:
                        tests[key] = (module, function)
    return dict(sorted(tests.items()))


def main():
    words = sys.argv[1:]
    is_long = "--long" in words
    numbers = {int(word) for word in words if word != "--long"}
    tests = {key: test for key, test in collect(is_long).items() if not numbers or key[0] in numbers}
    ran, failed = set(), 0
    shared = None
    with lib.contextlib.ExitStack() as stack:
        for (number, what), (module, function) in tests.items():
            started = time.monotonic()
            try:
                if getattr(module, "SHARED_SERVER", False):
                    if shared is None or not shared.is_alive():
                        shared = stack.enter_context(lib.running())
                    function(shared)
                    lib.check(shared.is_alive(), "the server ended")
                    shared.still_answers()
                else:
                    function()
                outcome = "ok"
            except Exception as fault:  # each kind of failure fails this case only
                failed += 1
                outcome = f"FAILED: {fault}"
                if not isinstance(fault, lib.Failed):
                    traceback.print_exc()
            ran.add(number)
            print(f"{number:2} {what.replace('_', ' ')}: {outcome} ({time.monotonic() - started:.1f} s)", flush=True)
    missing = sorted(set(range(1, CASES + 1)) - ran)
    if missing and not numbers:
        print(f"not run: {', '.join(map(str, missing))}")
    print(f"faults: {len(ran)} of {CASES} ran, {failed} tests failed")
    return 1 if failed else 0


sys.exit(main())
