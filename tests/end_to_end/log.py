#!/usr/bin/env python3
"""Places of the log of the server: rotated files that logrotate may rename, syslog, the journal, and a pipe that is not read."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "lib"))
from server import CLI, SERVER, SOURCE, check, running  # noqa: E402

MODELS = os.path.join(SOURCE, "examples/models")


def wait_for(condition):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read().splitlines()


def call(server, *arguments):
    done = subprocess.run([CLI, "call", "half_plus_two", "predict", *arguments, "--address", server.address],
                          capture_output=True, text=True, timeout=60)
    check(done.returncode == 0, "a call succeeds: " + done.stderr)


def files(folder):
    log, access = os.path.join(folder, "signet.log"), os.path.join(folder, "access.log")
    with running("--log_file", log, "--log_format", "json", "--access_log", access) as server:
        check(wait_for(lambda: any('"event":"serving"' in line for line in lines_of(log))), "the file has the events")
        check(all(json.loads(line)["time"] for line in lines_of(log)), "each line is an object")
        check(lines_of(server.log) == [], "standard error has none")
        call(server, "[1.0]")
        check(wait_for(lambda: len(lines_of(access)) == 1), "the access log has the call")
        for path in (log, access):
            os.rename(path, path + ".old")
        server.process.send_signal(signal.SIGUSR1)
        check(wait_for(lambda: os.path.exists(log) and os.path.exists(access)), "SIGUSR1 begins new files")
        call(server, "[2.0]")
        check(wait_for(lambda: len(lines_of(access)) == 1), "the new access log has the next call")
        check(len(lines_of(access + ".old")) == 1, "the renamed one does not grow")
        server.process.terminate()
        check(server.process.wait(60) == 0 and '"event":"stopped"' in lines_of(log)[-1], "the new file has the end")
    with running("--access_log", access, "--log_file_bytes", "1000", "--log_files", "2", "--log_to", "stderr",
                 "--log_file", log) as server:
        for _ in range(10):
            call(server, "[1.0]")
        check(wait_for(lambda: os.path.exists(os.path.join(folder, "access.2.log"))), "the access log is rotated")
        check(not os.path.exists(os.path.join(folder, "access.3.log")), "old files are removed")
        check(wait_for(lambda: any(" serving " in line for line in lines_of(server.log))), "--log_to adds standard error")
    for flags, reason in ((["--log_file", folder], "--log_file: cannot write"),
                          (["--log_file", os.path.join(folder, "missing/log")], "--log_file: cannot write"),
                          (["--log_to", "stdout"], "--log_to: expected one of stderr, syslog, journal; found `stdout`")):
        done = subprocess.run([SERVER, "--models", MODELS, "--listen", "127.0.0.1:0", *flags], capture_output=True,
                              text=True, timeout=60)
        check(done.returncode != 0 and reason in done.stderr, f"{flags}: {done.stderr}")


def full_pipe(folder):
    """Standard error is not read. Calls are answered, the log file has all lines, and the process ends."""
    log = os.path.join(folder, "all.log")
    port_file = os.path.join(folder, "port")
    read, write = os.pipe()
    process = subprocess.Popen(
        [SERVER, "--models", MODELS, "--listen", "127.0.0.1:0", "--port_file", port_file, "--log_level", "debug",
         "--log_to", "stderr", "--log_file", log], stderr=write)
    try:
        check(wait_for(lambda: os.path.exists(port_file)), "the server starts")
        os.set_blocking(write, False)
        try:
            while True:
                os.write(write, bytes(4096))
        except BlockingIOError:
            pass
        os.set_blocking(write, True)
        with open(port_file, encoding="ascii") as file:
            address = f"127.0.0.1:{int(file.read())}"
        for _ in range(3):
            done = subprocess.run([CLI, "call", "half_plus_two", "missing", "--address", address], capture_output=True,
                                  timeout=60)
            check(done.returncode != 0, "a call is answered")
        process.terminate()
        check(process.wait(60) == 0, "the process ends")
        check(" stopped " in lines_of(log)[-1], "another place has all lines")
    finally:
        process.kill()
        process.wait()
        os.close(read)
        os.close(write)


def messages(folder):
    """Syslog and the journal are sockets of this test, in a mount namespace."""
    device, run = os.path.join(folder, "dev"), os.path.join(folder, "run")
    os.makedirs(device)
    os.makedirs(os.path.join(run, "systemd/journal"))
    for name in ("null", "urandom"):
        open(os.path.join(device, name), "w", encoding="ascii").close()
    sockets = {}
    for name, path in (("syslog", os.path.join(device, "log")), ("journal", os.path.join(run, "systemd/journal/socket"))):
        sockets[name] = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        sockets[name].bind(path)
        sockets[name].settimeout(60)
    script = (f"mount --bind /dev/null {device}/null && mount --bind /dev/urandom {device}/urandom && "
              f"mount --rbind {device} /dev && mount --bind {run} /run && exec \"$@\"")
    command = ["unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh"]
    if shutil.which("unshare") is None or subprocess.run([*command, "true"], capture_output=True, timeout=60).returncode:
        print("skipped: this machine permits no mount namespaces, so syslog and the journal are not tested")
        return
    process = subprocess.Popen([*command, SERVER, "--models", MODELS, "--listen", "127.0.0.1:0", "--log_to",
                                "syslog,journal"], stderr=subprocess.PIPE, text=True)
    try:
        for name, own, priority in (("syslog", b" signet-server[", b"<30>"),
                                    ("journal", b"SYSLOG_IDENTIFIER=signet-server", b"PRIORITY=6")):
            while True:
                message = sockets[name].recv(1 << 16)
                if b"serving" in message and b"address=127.0.0.1:" in message:
                    break
            check((own in message or b" signet-server: " in message) and priority in message, f"{name}: {message!r}")
        process.terminate()
        errors = process.communicate(timeout=60)[1]
        check(process.returncode == 0 and errors == "", "standard error has no lines: " + errors)
    finally:
        process.kill()
        process.wait()
    if not os.path.exists("/run/systemd/journal/socket"):
        done = subprocess.run([SERVER, "--models", MODELS, "--log_to", "journal"], capture_output=True, text=True, timeout=60)
        check(done.returncode == 1 and "--log_to: cannot write `/run/systemd/journal/socket`" in done.stderr,
              "without a journal, the server does not start: " + done.stderr)


with tempfile.TemporaryDirectory() as temporary:
    files(temporary)
    full_pipe(temporary)
    messages(temporary)
