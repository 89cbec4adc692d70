"""A child process that ends with this one, however this one ends."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import Any

# Asks the kernel for SIGTERM at the end of the parent, and becomes the program of the arguments.
_WITH_THE_PARENT = """
import ctypes, os, signal, sys
PR_SET_PDEATHSIG = 1
ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, int(signal.SIGTERM))
if os.getppid() == int(sys.argv[1]):  # otherwise the parent has ended before
    os.execv(sys.argv[2], sys.argv[2:])
"""


def start(arguments: Sequence[str], output: Any) -> subprocess.Popen[bytes]:
    """Starts a program, whose output goes to the file `output`."""
    is_linux = sys.platform.startswith("linux") and bool(sys.executable)
    first = [sys.executable, "-I", "-S", "-c", _WITH_THE_PARENT, str(os.getpid())] if is_linux else []
    outcome: list[Any] = []
    is_started = threading.Event()

    # The kernel takes the end of the thread that started a process for the end of the parent. This thread ends after the process.
    def run() -> None:
        try:
            process = subprocess.Popen([*first, *arguments], stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
        except OSError as error:
            outcome.append(error)
            return
        else:
            outcome.append(process)
        finally:
            is_started.set()
        process.wait()

    threading.Thread(target=run, name="signet-server", daemon=True).start()
    is_started.wait()
    if isinstance(outcome[0], OSError):
        raise outcome[0]
    started: subprocess.Popen[bytes] = outcome[0]
    return started
