"""Cases 31 to 44: connections, floods, queues, deadlines, and cancellation. Each test starts a server of its own."""

import contextlib
import os
import resource
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

import grpc

from lib import (BOUND, CALL, DEADLINE, EXHAUSTED, INVALID, Failed, check, copy_models, floats, integers, literal, request,
                 running, scalar, service_pb2, tensor, wait_for)

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def dial(server):
    return socket.create_connection(("127.0.0.1", server.port), timeout=BOUND)


def send_quietly(connection, data):
    with contextlib.suppress(OSError):  # the server may have closed the connection
        connection.sendall(data)


def is_closed(connection):
    connection.settimeout(0.05)
    try:
        while connection.recv(1 << 16):
            pass
        return True
    except TimeoutError:
        return False
    except OSError:
        return True


def endless(server, channel=None, timeout=BOUND, priority="normal"):
    """A call that runs for a very long time: money that earns nothing never reaches the target."""
    return server.start_call(
        request("years_until", scalar(1), scalar(0), scalar(2), model="savings", most=literal(int=2_000_000_000)),
        timeout=timeout, channel=channel, metadata=[("signet-priority", priority)])


ENDLESS = ("--max_loop_steps", "1000000000000")


def occupy(server):
    """Starts an endless call, and waits until it runs on the compute thread."""
    server.still_answers()
    before = processor_seconds(server)
    call = endless(server)
    wait_for(lambda: processor_seconds(server) - before > 0.3, "an endless call runs")
    return call


def code_of(call):
    try:
        call.result()
        return None
    except (grpc.RpcError, grpc.FutureCancelledError):
        return call.code()


def processor_seconds(server):
    with open(f"/proc/{server.process.pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / 100


def wait_until_idle(server):
    def is_idle():
        before = processor_seconds(server)
        time.sleep(0.5)
        return processor_seconds(server) - before < 0.1

    wait_for(is_idle, "the processor is idle")


def fault_31_slow_upload():
    with running("--stall_seconds", "1") as server:
        with dial(server) as connection:
            send_quietly(connection, PREFACE + frame(4, 0, 0) + frame(1, 4, 1, b"x" * 16_000)[:20])

            def closes():
                send_quietly(connection, b"x")
                return is_closed(connection)

            wait_for(closes, "the server closes a slow connection")
        server.still_answers()


def literal_header(name, value):
    return b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value


def open_stream(connection, method):
    """Sends the beginning of a call over a connection of HTTP/2, without its message."""
    path = b"/signet.v1.TensorService/" + method
    headers = (b"\x83\x86" + literal_header(b":path", path) + literal_header(b":authority", b"localhost") +
               literal_header(b"te", b"trailers") + literal_header(b"content-type", b"application/grpc"))
    send_quietly(connection, PREFACE + frame(4, 0, 0) + frame(4, 1, 0) + frame(1, 4, 1, headers))


def fault_31_slow_message_of_a_call():
    with running("--stall_seconds", "1") as server:
        for method in (b"Call", b"CallStream"):
            with dial(server) as connection:
                open_stream(connection, method)
                message = b"\0" + struct.pack(">I", 10_000) + b"x" * 10_000
                send_quietly(connection, frame(0, 0, 1, message)[:100])

                def closes(connection=connection):
                    send_quietly(connection, b"x")
                    return is_closed(connection)

                wait_for(closes, f"the server closes a connection that sends a message of {method} slowly")
        check("more slowly than 1 KiB per second" in server.log_text(), "the log says why")
        server.still_answers()


def fault_31_client_that_does_not_read():
    message = request("count", tensor("int64", [], struct.pack("<q", 1_000_000))).SerializeToString()
    streamed = service_pb2.CallStreamRequest(id=1, call=service_pb2.CallRequest.FromString(message)).SerializeToString()
    with running("--stall_seconds", "1") as server:
        server.send(message)  # 8 MB
        before = server.resident_bytes()
        for method, data in ((b"Call", message), (b"CallStream", streamed)):
            with dial(server) as connection:
                open_stream(connection, method)
                send_quietly(connection, frame(0, 0, 1, b"\0" + struct.pack(">I", len(data)) + data))
                if method == b"Call":
                    send_quietly(connection, frame(0, 1, 1))
                # The client reads its socket, but never permits more than the first 64 KiB of the response.
                wait_for(lambda connection=connection: is_closed(connection),
                         f"the server closes a connection that does not read the response of {method}")
        check("reads responses more slowly" in server.log_text(), "the log says why")
        wait_for(lambda: server.resident_bytes() - before < 50 << 20, "memory comes back")
        server.still_answers()


def fault_32_floods():
    with running() as server:
        before = server.resident_bytes()
        headers = frame(1, 4, 1, b"\x83\x86\x84")
        floods = [b"".join(frame(1, 4, 2 * i + 1, b"\x83\x86\x84") + frame(3, 0, 2 * i + 1, b"\0\0\0\x08") for i in range(20_000)),
                  frame(4, 0, 0) * 20_000, frame(6, 0, 0, b"01234567") * 50_000,
                  headers[:4] + b"\0" + headers[5:] + frame(9, 0, 1, b"\x40\x01a\x01b" * 1000) * 500]
        for flood in floods:
            with dial(server) as connection:
                send_quietly(connection, PREFACE + frame(4, 0, 0))
                for start in range(0, len(flood), 1 << 16):
                    send_quietly(connection, flood[start:start + (1 << 16)])
            server.still_answers()
        wait_for(lambda: server.resident_bytes() - before < 100 << 20, "memory comes back")


def idle_connections(count, limit):
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, count * 2 + 200), hard))
    try:
        with running("--max_connections", str(limit)) as server, contextlib.ExitStack() as stack:
            server.still_answers()
            before = server.resident_bytes()
            for _ in range(count):
                with contextlib.suppress(OSError):
                    stack.enter_context(dial(server))
            server.still_answers("a client that was connected before")
            with open(f"/proc/{server.process.pid}/limits", encoding="ascii") as file:
                check("Max open files" in file.read(), "limits")
            stack.close()
            # Without a further call, which would also return it.
            wait_for(lambda: server.resident_bytes() - before < 40 << 20, "memory comes back")
            wait_for(server.is_serving, "new connections are accepted again")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def fault_33_idle_connections():
    idle_connections(400, 200)


def fault_33_idle_connections_long():
    idle_connections(10_000, 5_000)


def fault_34_few_descriptors():
    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))

    with running(preexec=limit) as server:
        server.still_answers()
        for _ in range(3):
            connections = [dial(server) for _ in range(100)]
            server.still_answers("a client among 100 connections")
            for connection in connections:
                connection.close()
        wait_for(server.is_serving, "new connections are accepted again")


def fault_35_queue_full():
    with running("--compute_threads", "1", "--max_queued_calls", "2", *ENDLESS) as server:
        server.still_answers()  # a call of new types would wait for a thread that makes functions
        calls = [endless(server) for _ in range(12)]
        wait_for(lambda: any(call.done() for call in calls), "some calls are rejected")
        rejected = [call for call in calls if call.done()]
        for call in rejected:
            check(code_of(call) == EXHAUSTED, f"expected RESOURCE_EXHAUSTED, found {code_of(call)}: {call.details()}")
            metadata = dict(call.trailing_metadata())
            check(int(metadata.get("grpc-retry-pushback-ms", "0")) > 0, f"the time to wait: {metadata}")
        server.still_answers("a small call")
        for call in calls:
            call.cancel()
        wait_until_idle(server)
        server.still_answers()


def fault_35_queue_full_on_a_stream():
    with running("--compute_threads", "1", "--max_queued_calls", "2", *ENDLESS) as server:
        first = occupy(server)
        calls = [service_pb2.CallStreamRequest(id=i, call=request(
            "years_until", scalar(1), scalar(0), scalar(2), model="savings", most=literal(int=2_000_000_000)))
            for i in range(8)]
        method = "/signet.v1.TensorService/CallStream"
        stream = server.channel.stream_stream(method)(
            iter([call.SerializeToString() for call in calls]), timeout=BOUND)
        rejected = [service_pb2.CallStreamResponse.FromString(next(stream)) for _ in range(6)]
        for answer in rejected:
            check(answer.error.reason == "QUEUE_FULL", f"expected QUEUE_FULL, found {answer}")
        check(len({answer.id for answer in rejected}) == 6, "each call has its own error")
        stream.cancel()
        first.cancel()
        wait_until_idle(server)  # the calls that waited do not start
        server.still_answers()


def fault_35_bytes_in_the_queue():
    large = floats(*[1.0] * 250_000)  # 1 MB
    with running("--compute_threads", "1", "--max_queued_bytes", "2500000", *ENDLESS) as server:
        server.call("floats", large)
        first = occupy(server)
        calls = [server.start_call(request("floats", large)) for _ in range(6)]
        wait_for(lambda: sum(call.done() for call in calls) == 4, "four of six calls are rejected")
        for call in calls:
            if call.done():
                check(code_of(call) == EXHAUSTED and "--max_queued_bytes" in call.details(), call.details())
        first.cancel()
        results = [call for call in calls if code_of(call) is None]
        check(len(results) == 2, f"the calls that wait are answered: {len(results)}")


def flood(server, seconds, threads=32):
    """Sends more work than the server can do, until some calls have results. Returns the numbers of results and of
    rejected calls."""
    counts, lock, start = {"ok": 0, "rejected": 0}, threading.Lock(), time.monotonic()
    wrong = []

    def client():
        with server.connect() as channel:
            while time.monotonic() < start + (seconds if counts["ok"] > 10 else BOUND):
                try:
                    server.send(request("years_until", scalar(1), scalar(0), scalar(2), model="savings",
                                        most=literal(int=20_000)), channel=channel)
                    key = "ok"
                except grpc.RpcError as error:
                    key = "rejected"
                    if error.code() != EXHAUSTED:
                        wrong.append(f"{error.code()}: {error.details()}")
                with lock:
                    counts[key] += 1

    workers = [threading.Thread(target=client) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    check(not wrong, f"unexpected errors, such as {wrong[:1]}")
    return counts


def overload(seconds):
    with running("--compute_threads", "1", "--max_queued_calls", "8") as server:
        server.still_answers()
        before = server.resident_bytes()
        counts = flood(server, seconds)
        check(counts["ok"] > 10, f"calls are answered under load: {counts}")
        server.still_answers("right after the load")
        wait_for(lambda: server.resident_bytes() - before < 200 << 20, "memory comes back")


def fault_36_overload():
    overload(3)


def fault_36_overload_long():
    overload(600)


def fault_37_deadline_in_the_queue():
    with running("--compute_threads", "1", *ENDLESS) as server:
        first = occupy(server)
        second = endless(server, timeout=0.3)
        code, details = code_of(second), second.details()
        check(code == DEADLINE, f"expected DEADLINE_EXCEEDED, found {code}")
        # Small work that continues would otherwise run after it has expired.
        check("while it waited for a thread" in details or "Deadline Exceeded" in details, details)
        first.cancel()
        wait_until_idle(server)  # the second call never starts


def fault_38_deadline_in_a_long_call():
    with running("--compute_threads", "1", *ENDLESS) as server:
        check(code_of(endless(server, timeout=0.3)) == DEADLINE, "DEADLINE_EXCEEDED")
        wait_until_idle(server)
        server.still_answers()


def fault_39_cancelled_call():
    with running("--compute_threads", "1", *ENDLESS) as server:
        running_call = occupy(server)
        queued = endless(server)
        server.still_answers()  # until the server has received the call
        queued.cancel()
        running_call.cancel()
        wait_until_idle(server)
        large = floats(*[1.0] * 500_000)  # needs the compute thread
        check(server.call("floats", large) == large, "the thread is free")


def fault_39_cancelled_in_the_queue_frees_its_place():
    with running("--compute_threads", "1", "--max_queued_calls", "1", *ENDLESS) as server:
        first = occupy(server)
        waiting = endless(server)
        rejected = endless(server)
        wait_for(lambda: rejected.done() or waiting.done(), "the queue is full")
        waiting, rejected = (waiting, rejected) if rejected.done() else (rejected, waiting)
        check(code_of(rejected) == EXHAUSTED, "the queue holds one call")
        large = request("floats", floats(*[1.0] * 500_000))
        for _ in range(20):
            waiting.cancel()

            def is_accepted():
                nonlocal waiting
                waiting = endless(server)
                with contextlib.suppress(grpc.FutureTimeoutError, grpc.RpcError):
                    waiting.result(timeout=0.2)
                return not waiting.done()

            wait_for(is_accepted, "the place of a cancelled call is free")
        waiting.cancel()
        first.cancel()
        check(server.send(large) == floats(*[1.0] * 500_000), "the thread is free")
        wait_until_idle(server)


def killed_clients(count):
    program = (
        "import sys, grpc\n"
        "call = grpc.insecure_channel(sys.argv[1]).unary_unary(sys.argv[2])\n"
        f"call.future(sys.stdin.buffer.read(), timeout={BOUND})\n"
        f"print('sent', flush=True)\nimport time; time.sleep({BOUND})\n")
    message = request("years_until", scalar(1), scalar(0), scalar(2), model="savings",
                      most=literal(int=2_000_000_000)).SerializeToString()
    with running(*ENDLESS) as server:
        server.still_answers()
        before = server.resident_bytes()
        for _ in range(count):
            with subprocess.Popen([sys.executable, "-c", program, server.address, CALL], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE) as client:
                client.stdin.write(message)
                client.stdin.close()
                client.stdout.readline()
                client.kill()
        wait_until_idle(server)
        server.still_answers()
        wait_for(lambda: server.resident_bytes() - before < 50 << 20, "memory comes back")


def fault_40_killed_clients():
    killed_clients(5)


def fault_40_killed_clients_long():
    killed_clients(1000)


def fault_42_arithmetic_faults():
    with running() as server:
        least = -2**63
        for x, y in ((1, 0), (0, 0), (least, -1), (least, 0)):
            with contextlib.suppress(grpc.RpcError):
                server.call("quotients", integers(x), integers(y))
            server.still_answers(f"{x} / {y}")
        server.rejects(request("quotients", integers(1), integers(0)), INVALID)


def work(server, priority, steps=20_000, channel=None, timeout=BOUND):
    """A call that takes a few milliseconds on a compute thread."""
    return server.start_call(
        request("years_until", scalar(1), scalar(0), scalar(2), model="savings", most=literal(int=steps)),
        channel=channel, timeout=timeout, metadata=[("signet-priority", priority)])


def fault_43_low_priority_flood():
    with running("--compute_threads", "1", "--max_queued_calls", "64") as server, server.connect() as other:
        code_of(work(server, "normal"))
        stop, low, lock = threading.Event(), {"ok": 0, "rejected": 0}, threading.Lock()

        def client():
            with server.connect() as channel:
                while not stop.is_set():
                    code = code_of(work(server, "low", channel=channel))
                    with lock:
                        low["rejected" if code == EXHAUSTED else "ok"] += 1

        clients = [threading.Thread(target=client) for _ in range(80)]
        for each in clients:
            each.start()
        wait_for(lambda: low["rejected"] > 0, "the queue is full of calls of low priority")
        for _ in range(20):
            code = code_of(work(server, "normal", channel=other))
            check(code is None, f"a call of normal priority is not rejected: {code}")
        finished = low["ok"]
        wait_for(lambda: low["ok"] > finished + 10, "low priority is not starved")
        stop.set()
        for each in clients:
            each.join()
        server.still_answers()


def fault_43_high_priority_is_first():
    with tempfile.TemporaryDirectory() as folder:
        models = copy_models(folder)
        with open(os.path.join(models, "savings", "settings.textproto"), "w", encoding="utf-8") as file:
            file.write("scheduling { priority: HIGH max_queued_calls: 8 }\n")
        with running("--compute_threads", "1", *ENDLESS, models=models) as server:
            code_of(work(server, "normal"))
            first = occupy(server)
            order = []
            calls = []
            for priority in ["normal"] * 8 + ["high"]:
                call = work(server, priority)
                call.add_done_callback(lambda call, priority=priority: order.append((priority, call.code())))
                calls.append(call)
                server.still_answers()  # until the server has received the call
            # The queue of the model is full, so the newest call of normal priority makes room.
            wait_for(lambda: len(order) == 1, "a call is displaced")
            check(order[0] == ("normal", EXHAUSTED), f"expected a call of normal priority, found {order}")
            first.cancel()
            wait_for(lambda: len(order) == 9, "all calls are answered")
            check(order[1] == ("high", grpc.StatusCode.OK), f"high priority is first: {order}")
            check(all(code == grpc.StatusCode.OK for _, code in order[1:]), f"the others are answered: {order}")


def fault_43_low_is_not_starved():
    with running("--compute_threads", "1", *ENDLESS) as server:
        occupy(server)
        calls = [endless(server) for _ in range(4)]  # normal priority, which never ends
        for _ in range(3):
            code = code_of(work(server, "low"))
            check(code is None, f"a call of low priority is answered: {code}")
        for call in calls:
            call.cancel()


def fault_43_unknown_priority():
    with running() as server:
        call = work(server, "urgent")
        check(code_of(call) == INVALID, f"expected INVALID_ARGUMENT, found {call.code()}")
        check("priorities: high, normal, low" in call.details(), call.details())


def fault_44_endless_loop():
    with running("--max_loop_steps", "100000") as server:
        call = endless(server)
        check(code_of(call) == EXHAUSTED and "--max_loop_steps" in call.details(), f"{call.code()}: {call.details()}")
        server.still_answers()
