#!/usr/bin/env python3
"""snippets: runs every shell, Python, JavaScript and C++ snippet of README.md and docs/**/*.md.

    snippets.py ROOT [PAGE...]   checks these pages, or all; exit code 1 if a snippet fails
    snippets.py --self-test      checks broken pages, and expects the failure of each

The environment names the programs: SIGNET_SERVER, SIGNET_CLI, and SIGNET_BUILD, the build directory with
compile_commands.json. Without them, the programs of ROOT/build/dev run.

How to write a page:

- Every fenced block has a language.
- ```console has lines `$ command`, each followed by its output. A command continues after a line that ends in `\`,
  and in lines that begin with `> `. In the output, a line `...` matches any lines, and `...` within a line matches any
  text. A command without output in the page must succeed. The output includes standard error.
- ```sh, ```python, ```javascript and ```cpp run and must succeed. C++ is compiled only. Statements without `main` or a
  definition are compiled as the body of a function.
- `print(...)  # text` and `console.log(...);  // text` must print that text, in which `...` matches any text.
- ```json must parse, or each line of it in a file `.ndjson`. ```text, ```proto, ```textproto and ```signet are not run.
- `<!-- not run: REASON -->` before a block skips it. `<!-- file: NAME -->` before a block writes it to a file instead.
- The blocks of a page run in order, in one scratch directory, one shell, one Python process, and one JavaScript
  program, which is a module if it has a line that begins with `import`. The directory contains links to the directories of the repository, such as examples and proto.
- `signet` and `signet-server` are in PATH, SIGNET_ROOT is the repository, and the package signet and the Python modules of
  proto/ can be imported. SIGNET_ADDRESS and the text `localhost:8500` name a server of the example models. If a page starts
  signet-server without --listen, that server listens at this address instead. `localhost:8501` is a free address.
"""

import concurrent.futures
import glob
import importlib.util
import json
import os
import random
import re
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time

LANGUAGES = ("console", "sh", "python", "javascript", "cpp", "json", "text", "proto", "textproto", "signet")
LINKED = ("bench", "client", "core", "deploy", "docs", "examples", "include", "proto", "server", "tests")
SECONDS = 60  # for one command or program
TAIL = 20  # lines of output to show


class Block:
    """A fenced block: its page, the number of its first line, its language, text, and comment directive."""

    def __init__(self, page, line, language, text, directive):
        self.page, self.line, self.language, self.text = page, line, language, text
        self.skipped = directive.startswith("not run:")
        self.file = directive.removeprefix("file:").strip() if directive.startswith("file:") else ""


class Failure(Exception):
    """A snippet that failed: the number of its line in the page, the command, what was expected and found."""

    def __init__(self, line, command, expected, found):
        super().__init__(command)
        self.line, self.command, self.expected, self.found = line, command, expected, found

    def report(self, page):
        def indented(text):
            lines = text.rstrip("\n").split("\n")
            if len(lines) > TAIL:
                lines = ["..."] + lines[-TAIL:]
            return "\n".join("    " + line for line in lines)

        return (f"{page}:{self.line}: {self.command}\n  expected:\n{indented(self.expected)}\n"
                f"  found:\n{indented(self.found)}")


def blocks_of(page, text):
    """The fenced blocks of a page, and its failures: fences without a language, or without an end."""
    blocks, failures, directive = [], [], ""
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        at += 1
        if comment := re.fullmatch(r"\s*<!-- (.*?) *-->\s*", line):
            directive = comment.group(1)
            continue
        fence = re.match(r"( *)(`{3,}|~{3,})(.*)", line)
        if not fence:
            directive = directive if not line.strip() else ""
            continue
        indent, mark, language = fence.group(1), fence.group(2), fence.group(3).strip()
        start = at
        while at < len(lines) and lines[at].strip() != mark:
            at += 1
        if at == len(lines):
            failures.append(Failure(start, line, "an end of the fenced block", "the end of the page"))
            break
        body = "".join(each.removeprefix(indent) + "\n" for each in lines[start:at])
        at += 1
        if directive == "not run:":
            failures.append(Failure(start, f"<!-- {directive} -->", "a reason", "nothing"))
        if language not in LANGUAGES:
            failures.append(Failure(start, line, "a language: " + ", ".join(LANGUAGES), language or "no language"))
        else:
            blocks.append(Block(page, start + 1, language, body, directive))
        directive = ""
    return blocks, failures


def pattern_of(expected):
    """A regular expression of a text in which `...` within a line matches any text."""
    return ".*".join(re.escape(part) for part in expected.rstrip().split("..."))


def matches(expected, found):
    """Whether the lines of `found` are those of `expected`, in which a line `...` matches any lines."""
    if not expected:
        return not found
    if expected[0].strip() == "...":
        return any(matches(expected[1:], found[skip:]) for skip in range(len(found) + 1))
    return bool(found) and re.fullmatch(pattern_of(expected[0]), found[0].rstrip()) is not None and matches(
        expected[1:], found[1:])


def commands_of(block):
    """The commands of a console block: (line, command, lines of output)."""
    commands = []
    for number, line in enumerate(block.text.splitlines(), block.line):
        if line.startswith("$ "):
            commands.append((number, line[2:], []))
        elif not commands:
            raise Failure(number, line, "a line `$ command` at the start of a console block", line)
        elif not commands[-1][2] and (commands[-1][1].endswith("\\") or line.startswith("> ")):
            commands[-1] = (commands[-1][0], commands[-1][1] + "\n" + line.removeprefix("> "), [])
        else:
            commands[-1][2].append(line)
    for _, _, output in commands:
        while output and not output[-1].strip():
            output.pop()
    return commands


def free_port():
    """A free port below those that the system gives to outgoing connections."""
    while True:
        port = random.randrange(20000, 32000)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port


class Shell:
    """A bash process that runs commands one after the other, with its own process group."""

    def __init__(self, directory, environment):
        self.directory = os.path.join(directory, ".shell")
        os.makedirs(self.directory)
        reading, writing = os.pipe()
        self.process = subprocess.Popen(
            ["bash", "--norc", "--noprofile"], stdin=subprocess.PIPE, cwd=directory, env=environment, text=True,
            pass_fds=[writing], start_new_session=True)
        os.close(writing)
        self.statuses, self.writing = reading, writing

    def run(self, command, stops_at_failure):
        """Returns the exit status, and the output. A status of None: no end in time, or the shell exited."""
        script, output = os.path.join(self.directory, "script"), os.path.join(self.directory, "output")
        on_error = "trap 'status=$?; trap - ERR; return $status' ERR" if stops_at_failure else ":"
        # The trap is set within the script, which it leaves.
        with open(script, "w", encoding="utf-8") as file:
            file.write(f"{on_error}; {command}\n")
        quoted = f". {shlex.quote(script)} </dev/null >{shlex.quote(output)} 2>&1 {self.writing}>&-"
        try:
            self.process.stdin.write(f"{quoted}; status=$?; trap - ERR; echo $status >&{self.writing}\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return None, "the shell has exited"
        status = self.next_status()
        try:
            with open(output, encoding="utf-8", errors="replace") as file:
                return status, file.read()
        except FileNotFoundError:
            return status, ""

    def next_status(self):
        """The line that a command ends with; None if there is none in time."""
        os.set_blocking(self.statuses, False)
        text, end = b"", time.monotonic() + SECONDS
        while not text.endswith(b"\n") and time.monotonic() < end:
            try:
                piece = os.read(self.statuses, 100)
            except BlockingIOError:
                time.sleep(0.005)
                continue
            if not piece:
                break
            text += piece
        return int(text) if text.strip() else None

    def close(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        self.process.stdin.close()
        os.close(self.statuses)


# Runs blocks of Python that it reads, one JSON text per line: [page, line, code], in one namespace.
PYTHON_DRIVER = r"""
import contextlib, io, json, linecache, os, sys, traceback
answers = os.fdopen(os.dup(1), "w")
names = {"__name__": "__main__"}
lines = {}  # of the code of each page, by number; tracebacks and traces read them
for message in sys.stdin:
    page, line, code = json.loads(message)
    out, failed = io.StringIO(), False
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        source = "\n" * (line - 1) + code
        known = lines.setdefault(page, {})
        known.update((number, text) for number, text in enumerate(source.splitlines(True)) if number >= line - 1)
        linecache.cache[page] = (1, None, [known.get(number, "\n") for number in range(max(known) + 1)], page)
        try:
            exec(compile(source, page, "exec"), names)
        except BaseException:
            failed = True
            traceback.print_exc()
    print(json.dumps([failed, out.getvalue()]), file=answers, flush=True)
os._exit(0)
"""


class Setup:
    """What all pages share: the programs, the stubs of proto/, and the flags of the compiler."""

    def __init__(self, root, directory):
        self.root = os.path.abspath(root)
        self.build = os.path.abspath(os.environ.get("SIGNET_BUILD") or os.path.join(root, "build/dev"))
        self.server = os.environ.get("SIGNET_SERVER") or os.path.join(self.build, "server/signet-server")
        self.cli = os.environ.get("SIGNET_CLI") or os.path.join(self.build, "client/signet")
        self.directory = directory
        self.modules = os.path.join(self.root, "build/node/node_modules")
        self.stubs = os.path.join(directory, "stubs")
        os.makedirs(self.stubs)
        protos = os.path.join(self.root, "proto")
        files = [os.path.relpath(path, protos) for path in glob.glob(os.path.join(protos, "**/*.proto"), recursive=True)
                 if "/signet/" in path or "/rpc/" in path]
        if files:
            subprocess.run(
                ["protoc", f"--proto_path={protos}", f"--python_out={self.stubs}", f"--grpc_python_out={self.stubs}",
                 "--plugin=protoc-gen-grpc_python=/usr/bin/grpc_python_plugin", *files], check=True)
        engine = glob.glob(os.path.join(self.build, "python/signet/_core*.so"))
        for path in glob.glob(os.path.join(self.root, "python/signet/*")) + engine:
            if not path.endswith("__pycache__"):
                os.symlink(path, os.path.join(self.stubs, "signet", os.path.basename(path)))

    def compiler(self):
        """The command that checks a C++ file: the one that compiles the client, without its output."""
        with open(os.path.join(self.build, "compile_commands.json"), encoding="utf-8") as file:
            entry = next(each for each in json.load(file) if "/client/" in each["file"])
        words = shlex.split(entry["command"])
        if "ccache" in words[0]:
            words = words[1:]
        words = words[:words.index("-o")]
        return [word for word in words if not word.startswith("-W")] + ["-w", "-O0", "-fsyntax-only"], entry["directory"]


class Page:
    """Runs the blocks of one page."""

    def __init__(self, setup, path, text):
        self.setup, self.path, self.text = setup, path, text
        self.ran = self.skipped = 0
        self.notes = []
        self.shell = self.python = self.server = None
        self.javascript = []

    def check(self):
        """Returns the failures of the page."""
        blocks, failures = blocks_of(self.path, self.text)
        with tempfile.TemporaryDirectory(prefix="snippets.") as self.directory:
            try:
                self.prepare(blocks)
                for block in blocks:
                    try:
                        self.run(block)
                    except Failure as failure:
                        failures.append(failure)
            finally:
                for process in (self.server, self.python):
                    if process:
                        process.kill()
                        process.wait()
                if self.shell:
                    self.shell.close()
        return failures

    def prepare(self, blocks):
        root = self.setup.root
        for name in LINKED:
            if os.path.isdir(os.path.join(root, name)):
                os.symlink(os.path.join(root, name), os.path.join(self.directory, name))
        self.port = free_port()
        self.ports = {8500: self.port, 8501: free_port()}
        programs = os.path.join(self.directory, ".programs")
        os.makedirs(programs)
        os.symlink(self.setup.cli, os.path.join(programs, "signet"))
        with open(os.path.join(programs, "signet-server"), "w", encoding="utf-8") as file:
            file.write(f"#!/bin/sh\ncase \" $* \" in\n  *' --listen'* | *' --help'* | *' --version'*) ;;\n"
                       f"  *) set -- --listen 127.0.0.1:{self.port} \"$@\" ;;\nesac\n"
                       f"exec {shlex.quote(self.setup.server)} \"$@\"\n")
        os.chmod(os.path.join(programs, "signet-server"), 0o755)
        self.environment = dict(
            os.environ, PATH=f"{programs}:{os.environ['PATH']}", SIGNET_ADDRESS=f"localhost:{self.port}",
            SIGNET_ROOT=root, PYTHONPATH=f"{self.setup.stubs}:{self.directory}", PYTHONDONTWRITEBYTECODE="1",
            no_proxy="localhost,127.0.0.1", NO_PROXY="localhost,127.0.0.1")
        run = "\n".join(block.text for block in blocks if not block.skipped and not block.file and
                        block.language in ("console", "sh", "python", "javascript"))
        starts = any("--models" in line and "--listen" not in line for line in re.findall(r"\bsignet-server\b.*", run))
        if not starts and re.search(r"\bsignet\b|localhost:8500", run):
            self.start_server()

    def start_server(self):
        log = os.path.join(self.directory, ".log")
        ready = os.path.join(self.directory, ".port")
        with open(log, "wb") as out:
            self.server = subprocess.Popen(
                [self.setup.server, "--models", os.path.join(self.setup.root, "examples/models"), "--listen",
                 f"127.0.0.1:{self.port}", "--port_file", ready], stderr=out)
        end = time.monotonic() + SECONDS
        while not os.path.exists(ready):
            if self.server.poll() is not None or time.monotonic() > end:
                with open(log, encoding="utf-8") as file:
                    sys.exit("the server does not start:\n" + file.read())
            time.sleep(0.02)

    def to_real(self, text):
        """A snippet with the real addresses in place of localhost:8500 and localhost:8501."""
        return re.sub(r"\b(localhost|127\.0\.0\.1|0\.0\.0\.0):(8500|8501)\b",
                      lambda found: f"{found[1]}:{self.ports[int(found[2])]}", text)

    def to_page(self, text):
        """Output as a page writes it: with localhost:8500, and without the scratch directory."""
        for written, real in self.ports.items():
            text = text.replace(f":{real}", f":{written}").replace(f"port={real}", f"port={written}")
        return text.replace(self.directory + "/", "")

    def run(self, block):
        if block.skipped:
            self.skipped += 1
        elif block.file:
            path = os.path.normpath(os.path.join(self.directory, block.file))
            if not path.startswith(self.directory + "/"):
                raise Failure(block.line, block.file, "a file in the scratch directory", path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(self.to_real(block.text))
            if block.language == "json":
                self.run_json(block)
        elif runner := getattr(self, "run_" + block.language, None):
            self.ran += 1
            runner(block)

    def run_json(self, block):
        try:
            for text in block.text.splitlines() if block.file.endswith((".ndjson", ".jsonl")) else [block.text]:
                json.loads(text)
        except ValueError as error:
            raise Failure(block.line, "json", "JSON", str(error)) from None

    def run_command(self, line, command, stops_at_failure):
        if not self.shell:
            self.shell = Shell(self.directory, self.environment)
        status, output = self.shell.run(self.to_real(command), stops_at_failure)
        output = self.to_page(output)
        if status is None:
            self.shell.close()
            self.shell = None
            os.rename(os.path.join(self.directory, ".shell"), os.path.join(self.directory, f".shell{line}"))
            raise Failure(line, command, f"an end within {SECONDS} s", output)
        return status, output

    def run_sh(self, block):
        status, output = self.run_command(block.line, block.text, True)
        if status:
            raise Failure(block.line, block.text.strip(), "exit code 0", f"exit code {status}\n{output}")

    def run_console(self, block):
        for line, command, expected in commands_of(block):
            status, output = self.run_command(line, command, False)
            found = output.rstrip().splitlines()
            if expected and not matches(expected, found):
                raise Failure(line, command, "\n".join(expected), output)
            if not expected and status:
                raise Failure(line, command, "exit code 0", f"exit code {status}\n{output}")

    def check_printed(self, block, pattern, output):
        """Compares the output with the comments of the lines that print."""
        lines = iter(output.splitlines())
        for number, line in enumerate(block.text.splitlines(), block.line):
            if said := re.search(pattern, line):
                wanted = pattern_of(said.group(1))
                if not any(re.fullmatch(wanted, each.rstrip()) for each in lines):
                    raise Failure(number, line.strip(), said.group(1), output)

    def run_python(self, block):
        missing = [name for name in re.findall(r"^(?:import|from) (\w+)", block.text, re.M)
                   if name in ("numpy", "pyarrow", "pandas", "grpc") and not importlib.util.find_spec(name)]
        if missing:
            self.ran, self.skipped = self.ran - 1, self.skipped + 1
            self.notes.append(f"{self.path}:{block.line}: not run: no Python module {', '.join(missing)}")
            return
        if not self.python:
            self.python = subprocess.Popen(
                [sys.executable, "-c", PYTHON_DRIVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                cwd=self.directory, env=self.environment)
        print(json.dumps([self.path, block.line, self.to_real(block.text)]), file=self.python.stdin, flush=True)
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            try:
                answer = pool.submit(self.python.stdout.readline).result(SECONDS)
            except concurrent.futures.TimeoutError:
                self.python.kill()
                answer = ""
        if not answer:
            self.python.wait()
            self.python = None
            raise Failure(block.line, "python", f"an end within {SECONDS} s", "none")
        failed, output = json.loads(answer)
        output = self.to_page(output)
        if failed:
            raise Failure(block.line, "python", "no exception", output)
        self.check_printed(block, r"^[^#]*\bprint\(.*\)  # (.*)$", output)

    def run_javascript(self, block):
        packages = re.findall(r"require\(\"([^\"./][^\"]*)\"\)|from \"([^\"./][^\"]*)\"", block.text)
        packages = ["/".join(name.split("/")[:2 if name[0] == "@" else 1]) for pair in packages for name in pair if name]
        node = subprocess.run(["sh", "-c", "command -v node"], capture_output=True, check=False).returncode == 0
        missing = [name for name in packages if not name.startswith("node:") and
                   not os.path.isdir(os.path.join(self.setup.modules, name))]
        if not node or missing or (self.javascript and self.javascript[-1] is None):
            self.javascript.append(None)
            self.ran, self.skipped = self.ran - 1, self.skipped + 1
            self.notes.append(f"{self.path}:{block.line}: not run: no " + (", ".join(missing) if node else "node"))
            return
        modules = os.path.join(self.directory, "node_modules")
        if os.path.isdir(self.setup.modules) and not os.path.exists(modules):
            os.symlink(self.setup.modules, modules)
        # All blocks so far, at their lines of the page.
        self.javascript.append(block)
        lines = []
        for each in self.javascript:
            lines += [""] * (each.line - 1 - len(lines)) + self.to_real(each.text).splitlines()
        is_module = any(re.search(r"^import ", line) for line in lines)
        program = os.path.join(self.directory, os.path.basename(self.path) + (".mjs" if is_module else ".js"))
        with open(program, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        try:
            done = subprocess.run(["node", program], cwd=self.directory, env=self.environment, capture_output=True,
                                  text=True, check=False, timeout=SECONDS)
        except subprocess.TimeoutExpired:
            raise Failure(block.line, "javascript", f"an end within {SECONDS} s", "none") from None
        output = self.to_page(done.stdout + done.stderr)
        if done.returncode:
            raise Failure(block.line, "javascript", "exit code 0", output)
        self.check_printed(block, r"console\.log\(.*\);  // (.*)$", output)

    def run_cpp(self, block):
        command, directory = self.setup.compiler()
        whole = re.search(r"\bmain\(|^(class|struct|namespace|template|enum)\b|^[\w:<>*& ]+\([^;]*\) (const )?\{$",
                          block.text, re.M)
        lines = block.text.splitlines()
        if not whole:
            head = [line if line.startswith("#") else "" for line in lines]
            body = ["" if line.startswith("#") else line for line in lines]
            lines = head + ["void Snippet() {", f'#line {block.line} "{self.path}"'] + body + ["}"]
        source = os.path.join(self.directory, f".line{block.line}.cc")
        with open(source, "w", encoding="utf-8") as file:
            file.write(f'#line {block.line} "{self.path}"\n' + "\n".join(lines) + "\n")
        done = subprocess.run([*command, f"-I{self.setup.root}", f"-I{self.directory}", source], cwd=directory,
                              capture_output=True, text=True, check=False)
        if done.returncode:
            errors = [line for line in done.stderr.splitlines() if "error" in line]
            raise Failure(block.line, "cpp", "a program that compiles", "\n".join(errors) or done.stderr)


def pages_of(root):
    pages = [os.path.join(root, "README.md")]
    pages += sorted(glob.glob(os.path.join(root, "docs/**/*.md"), recursive=True))
    return [os.path.relpath(page, root) for page in pages if os.path.exists(page)]


def check_pages(root, pages):
    """The pages and their failures, two pages at a time."""
    with tempfile.TemporaryDirectory(prefix="snippets.") as directory:
        setup = Setup(root, directory)

        def check(path):
            with open(os.path.join(root, path), encoding="utf-8") as file:
                page = Page(setup, path, file.read())
            return page, page.check()

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            return list(pool.map(check, pages))


BROKEN = {  # a page, and the start of its report; None if it has no failure
    "```console\n$ echo a; echo b\na\nb\n$ (echo a; echo b; echo c)\na\n...\n$ echo 12 ms\n... ms\n```": None,
    "```console\n$ echo a\nb\n```": "2: echo a\n  expected:\n    b\n  found:\n    a",
    "```console\n$ echo a; echo b\na\n```": "2: echo a; echo b",
    "```console\n$ false\n```": "2: false\n  expected:\n    exit code 0",
    "```console\n$ signet call none\n...NOT_FOUND...\n```": "2: signet call none",
    "```console\n$ cd /\n$ x=3; f() { echo $x; }\n$ f; pwd\n3\n/\n```": None,
    "```console\n$ cat <<E\n> a\n> E\na\n$ echo \\\n  b\nb\n```": None,
    "```console\noutput\n```": "2: output\n  expected:\n    a line `$ command`",
    "```console\n$ exit 3\n```\n\n```sh\ntrue\n```": "2: exit 3\n  expected:\n    an end",
    "```sh\nfalse\ntrue\n```": "2: false\ntrue\n  expected:\n    exit code 0\n  found:\n    exit code 1",
    "```sh\ncd /\nx=1\n```\n```console\n$ pwd; echo $x\n/\n1\n```": None,
    "```sh\nfalse\n```\n```console\n$ echo a\nb\n```": "2: false",
    "```sh\nif false; then echo; fi\n! false\nfalse || true\n```": None,
    "```sh\ntest -n \"$SIGNET_ROOT\"\n```": None,
    "```\ntext\n```": "1: ```\n  expected:\n    a language",
    "```pyhton\ntext\n```": "1: ```pyhton\n  expected:\n    a language",
    "```text\ntext": "1: ```text\n  expected:\n    an end of the fenced block",
    "```python\nx = 1\n```\n```python\nprint(x)  # 1\n```": None,
    "```python\nprint(1)  # 2\n```": "2: print(1)  # 2\n  expected:\n    2\n  found:\n    1",
    "\n```python\nx = 1\nraise ValueError(3)\n```": "3: python\n  expected:\n    no exception\n  found:\n    Traceback",
    "```json\n{\"a\": 1,}\n```": "2: json",
    "<!-- file: a/b.txt -->\n```text\nhello\n```\n```console\n$ cat a/b.txt\nhello\n```": None,
    "<!-- file: ../b.txt -->\n```text\nhello\n```": "3: ../b.txt",
    "<!-- not run: it fails -->\n```sh\nfalse\n```": None,
    "<!-- not run: -->\n```sh\nfalse\n```": "2: <!-- not run: -->",
    "<!-- file: a.ndjson -->\n```json\n{}\n{}\n```": None,
    "<!-- file: a.json -->\n```json\n{\n```": "3: json",
    "<!-- not run: it fails -->\n\ntext\n\n```sh\nfalse\n```": "6: false",
    "```cpp\n#include <string>\nstd::string text = \"a\";\n```": None,
    "```cpp\nint x = 1;\nstd::string text;\n```": "2: cpp\n  expected:\n    a program that compiles\n  found:\n    BROKEN.md:3:",
    "```javascript\nconst a = 1;\n```\n```javascript\nconsole.log(a);  // 1\n```": None,
    "```javascript\nconsole.log(1);  // 2\n```": "2: console.log(1);",
    "```javascript\nimport fs from \"node:fs\";\nawait fs.promises.access(\".\");\n```": None,
}


def self_test():
    with tempfile.TemporaryDirectory(prefix="snippets.") as root:
        os.makedirs(os.path.join(root, "build/dev"))
        with open(os.path.join(root, "build/dev/compile_commands.json"), "w", encoding="utf-8") as file:
            json.dump([{"file": "/client/a.cc", "directory": root, "command": "g++ -std=c++20 -o a.o -c a.cc"}], file)
        os.environ.update(SIGNET_BUILD=os.path.join(root, "build/dev"), SIGNET_SERVER="/bin/false", SIGNET_CLI="/bin/false")
        setup = Setup(root, os.path.join(root, "setup"))
        node = subprocess.run(["sh", "-c", "command -v node"], capture_output=True, check=False).returncode == 0
        Page.start_server = lambda self: None
        for text, start in BROKEN.items():
            if "```javascript" in text and not node:
                continue
            reports = [failure.report("BROKEN.md") for failure in Page(setup, "BROKEN.md", text).check()]
            if start is None and reports:
                sys.exit(f"self-test: expected no failure, found {reports} of the page\n{text}")
            if start is not None and (not reports or not reports[0].startswith("BROKEN.md:" + start)):
                sys.exit(f"self-test: expected the failure\nBROKEN.md:{start}\nfound {reports} of the page\n{text}")


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    root = sys.argv[1]
    begin = time.monotonic()
    results = check_pages(root, [os.path.relpath(page, root) if os.path.isabs(page) else page
                                 for page in sys.argv[2:]] or pages_of(root))
    failed = 0
    for page, failures in results:
        for note in page.notes:
            print(note)
        for failure in failures:
            failed += 1
            print(failure.report(page.path))
    print(f"snippets: {len(results)} pages, {sum(page.ran for page, _ in results)} snippets ran, "
          f"{sum(page.skipped for page, _ in results)} are marked as not run or lack a package, {failed} failed, "
          f"{time.monotonic() - begin:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
