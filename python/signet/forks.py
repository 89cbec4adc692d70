"""Clients and forks. gRPC does not work in a child if its threads ran at the time of the fork: a lock that one of them held is never
released in the child, and the work that one of them had taken is never done. Therefore, a fork waits until no thread is in a call, and calls
wait until the fork is done. The channels of the process are closed before the fork, so that gRPC's threads end. The next call opens them
again. Locks are made anew in the child. GRPC_ENABLE_FORK_SUPPORT does not help: with it, gRPC 1.51 crashes if threads are in calls, and ends a
child if a channel of the parent is still connecting. Streams are not waited for, and their channels stay open."""

from __future__ import annotations

import os
import threading
import time
import weakref
from typing import Any

# Seconds, for threads of gRPC to end. A channel that failed to connect has them until its next attempt (channel.py: GRPC_OPTIONS), and if
# the program has channels of its own, they stay.
LONGEST_WAIT = 1.1
_THREADS = ("default-exec", "event_engine", "grpc", "resolver-exec", "timer_manager")  # the first letters of the names of gRPC's threads

_registered: weakref.WeakSet[Any] = weakref.WeakSet()


class _Gate:
    """Calls are inside of it, one per thread; a fork waits until no call is."""

    LONGEST_WAIT = 60.0  # seconds

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._calls = 0
        self._forks = 0

    def __enter__(self) -> None:
        with self._condition:
            while self._forks:
                self._condition.wait()
            self._calls += 1

    def __exit__(self, *args: Any) -> None:
        with self._condition:
            self._calls -= 1
            if self._forks:
                self._condition.notify_all()

    def close(self) -> None:
        with self._condition:
            self._forks += 1
            self._condition.wait_for(lambda: self._calls == 0, self.LONGEST_WAIT)

    def open(self) -> None:
        with self._condition:
            self._forks -= 1
            self._condition.notify_all()


gate = _Gate()


def register(each: Any) -> None:
    """Lets `each._before_fork()`, which returns whether it closed something, and `each._in_child()` be called at a fork."""
    _registered.add(each)


def _all() -> list[Any]:
    while True:
        try:
            return list(_registered)
        except RuntimeError:  # another thread added one
            continue


def _before() -> None:
    gate.close()
    if any([each._before_fork() for each in _all()]):
        end = time.monotonic() + LONGEST_WAIT
        while _has_threads_of_grpc() and time.monotonic() < end:
            time.sleep(0.0005)


def _in_child() -> None:
    gate.__init__()  # type: ignore[misc]
    for each in _all():
        each._in_child()


def _has_threads_of_grpc() -> bool:
    """Whether this process has threads of gRPC; False where the system does not list threads."""
    ours = {str(thread.native_id) for thread in threading.enumerate()}
    try:
        return any(_name_of(task).startswith(_THREADS) for task in os.listdir("/proc/self/task") if task not in ours)
    except OSError:
        return False


def _name_of(task: str) -> str:
    try:
        with open(f"/proc/self/task/{task}/comm", encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:  # the thread has ended
        return ""


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=gate.open, after_in_child=_in_child)
