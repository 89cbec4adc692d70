"""Cases 59 to 72: signals, limits of the machine, files, and logs."""

import glob
import os
import signal
import tempfile
import threading
import time

import grpc

from lib import BOUND, DEADLINE, Failed, check, floats, integers, request, running, wait_for
from overload import ENDLESS, code_of, endless


def fault_59_sigterm_under_load():
    with running("--drain_seconds", "30") as server:
        codes, stop = [], threading.Event()

        def client():
            with server.connect() as channel:
                while not stop.is_set():
                    try:
                        server.send(request("floats", floats(1, 2)), channel=channel)
                    except grpc.RpcError as error:
                        codes.append(error.code())
                        if error.code() == grpc.StatusCode.UNAVAILABLE:
                            return

        clients = [threading.Thread(target=client) for _ in range(8)]
        for each in clients:
            each.start()
        time.sleep(0.3)
        server.process.send_signal(signal.SIGTERM)
        check(server.process.wait(timeout=BOUND) == 0, "exit code 0")
        stop.set()
        for each in clients:
            each.join()
        check(set(codes) <= {grpc.StatusCode.UNAVAILABLE}, f"each rejected call is UNAVAILABLE: {set(codes)}")


def fault_60_sigterm_during_the_start():
    for delay in (0, 0.01, 0.03, 0.1):
        def later(process, seconds=delay):
            time.sleep(seconds)
            process.send_signal(signal.SIGTERM)

        with running() as server:
            later(server.process)
            code = server.process.wait(timeout=BOUND)
            check(code in (0, 128 + signal.SIGTERM, -signal.SIGTERM), f"exit code {code}")


def fault_61_kill_and_restart():
    with running() as first:
        models = first.models
        answer = first.call("floats", floats(1, 2))
        first.process.kill()
        first.process.wait()
        with running(models=models) as second:
            check(second.call("floats", floats(1, 2)) == answer, "the same answer after a restart")


def fault_62_few_processors():
    processors = sorted(os.sched_getaffinity(0))[:1]
    with running(preexec=lambda: os.sched_setaffinity(0, processors)) as server:
        wait_for(lambda: "compute_threads=1" in server.log_text(), "one compute thread for one processor")
        server.still_answers()


def fault_63_little_memory():
    with running("--memory", "256MB") as server:
        server.still_answers()
        server.rejects(request("sums", integers(*range(4_000_000)), integers(1)),
                       grpc.StatusCode.RESOURCE_EXHAUSTED)
        check(server.resident_bytes() < 256 << 20, f"{server.resident_bytes() >> 20} MiB")
        server.still_answers()


def fault_64_closed_log():
    reading, writing = os.pipe()
    with running("--log_level", "debug", stderr=writing) as server:
        os.close(writing)
        os.close(reading)
        for _ in range(50):
            server.still_answers("without a log")


def fault_65_clock_jumps():
    library = next(iter(glob.glob("/usr/lib/*/faketime/libfaketime.so.1")), None)
    check(library is not None, "libfaketime is installed (Debian package faketime)")
    with tempfile.TemporaryDirectory() as folder:
        clock = os.path.join(folder, "clock")

        def set_clock(offset):
            with open(clock, "w", encoding="ascii") as file:
                file.write(offset)

        set_clock("+0")
        fake = {"LD_PRELOAD": library, "FAKETIME_TIMESTAMP_FILE": clock, "FAKETIME_NO_CACHE": "1",
                "DONT_FAKE_MONOTONIC": "1", "ASAN_OPTIONS": "verify_asan_link_order=0"}
        with running(*ENDLESS, environment=fake) as server:
            for offset in ("+3600", "-3600", "+0"):
                long_call = endless(server)
                set_clock(offset)
                server.still_answers(f"the clock jumps to {offset}")
                check(code_of(endless(server, timeout=0.3)) == DEADLINE, "a deadline holds")
                check(not long_call.done(), "a call in flight goes on")
                long_call.cancel()
            server.process.send_signal(signal.SIGTERM)
            check(server.process.wait(timeout=BOUND) == 0, "exit code 0")


def fault_70_control_characters_in_the_log():
    with running("--log_level", "debug") as server:
        message = request("floats", floats(1))
        message.model.name = "m\n2026 forged\x1b[31m\r\x07"
        try:
            server.send(message)
        except grpc.RpcError as error:
            check("\n" not in error.details() and "\x1b" not in error.details(), f"{error.details()!r}")
        else:
            raise Failed("a name with control characters was found")
        wait_for(lambda: "forged" in server.log_text(), "the error is logged")
        text = server.log_text()
        check("\x1b" not in text and "\x07" not in text, "no control characters")
        check(not any(line.startswith("2026 forged") for line in text.splitlines()), "one line")
