#!/usr/bin/env python3
"""adding_an_op: builds the ops of docs/guide/adding-an-op.md and runs their cases.

    adding_an_op.py ROOT BUILD

The blocks of the page after a comment `adding_an_op.py compiles FILE`, `runs FILE`, or `adds a line to FILE` are
written to a scratch directory. The new files and the catalogs are compiled against it with the flags of BUILD, and
linked before the libraries of BUILD into a copy of eager_test, which runs the new cases. This takes seconds, because
no other file is compiled. BUILD contains a current eager_test.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

PAGE = "docs/guide/adding-an-op.md"
BLOCK = re.compile(r"<!-- not run: adding_an_op.py (compiles|runs|adds a line to) (\S+) -->\n```\w+\n(.*?)```\n", re.S)
CATALOGS = ("core/ops/catalog.cc", "core/kernels/catalog.cc")
# What one op may touch: an op file, at most a kernel file, a file of cases, and a line in each list.
OPS = {"cube_root": 5, "softsign": 3}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def run(command, directory):
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{shlex.join(command)[-300:]}\n{done.stdout}{done.stderr}")
    return done.stdout


def add_line(text, line):
    """The header with `line` in its list."""
    start = text.index("#define SIGNET_")
    end = text.index("\n", start)
    return text[:end + 1] + line.rstrip() + " \\\n" + text[end + 1:]


def flags(build, file):
    """The command that compiles `file`, or a neighbor of it, without its source, its object, and its header to include."""
    commands = json.loads(read(os.path.join(build, "compile_commands.json")))
    target = os.path.dirname(file)
    for entry in commands:
        output = entry.get("output", "") or entry["command"]
        if os.path.dirname(entry["file"]).endswith("/" + target) or f"signet_{target.replace('/', '_')}.dir" in output:
            words = shlex.split(entry["command"])
            kept, i = [], 0
            while i < len(words):
                if words[i] in ("-o", "-c", "-include", "-MF", "-MT"):
                    i += 2
                    continue
                if words[i] not in (entry["file"], "-MD", "-Winvalid-pch") and not words[i].endswith("ccache"):
                    kept.append(words[i])
                i += 1
            return kept, entry["directory"]
    sys.exit(f"{file}: no command in {build}/compile_commands.json compiles a file of its directory")


def main():
    root, build = (os.path.abspath(path) for path in sys.argv[1:])
    blocks = BLOCK.findall(read(os.path.join(root, PAGE)))
    touched = {}
    with tempfile.TemporaryDirectory() as scratch:
        sources = list(CATALOGS)
        for verb, file, text in blocks:
            op = next((op for op in OPS if op in file or op.replace("_", "") in text.lower()), None)
            touched[op] = touched.get(op, 0) + 1
            path = os.path.join(scratch, file)
            if verb == "adds a line to":
                write(path, add_line(read(path if os.path.exists(path) else os.path.join(root, file)), text))
                continue
            if os.path.exists(os.path.join(root, file)):
                sys.exit(f"{PAGE}: {file} exists already")
            write(path, text)
            if verb == "compiles":
                sources.append(file)
        if touched != OPS:
            sys.exit(f"{PAGE}: expected blocks per op {OPS}, found {touched}")
        for file in CATALOGS:
            write(os.path.join(scratch, file), read(os.path.join(root, file)))
        objects = []
        for file in sources:
            compiler, directory = flags(build, file)
            objects.append(os.path.join(scratch, file + ".o"))
            run([compiler[0], "-I" + scratch, *compiler[1:], "-O0", "-c", os.path.join(scratch, file), "-o", objects[-1]],
                directory)
        link = run(["ninja", "-t", "commands", "eager_test"], build).strip().split("\n")[-1]
        words = shlex.split(re.sub(r"^: && | && :$", "", link))
        output = words.index("-o")
        words[output + 1] = os.path.join(scratch, "eager_test")
        # The first definition is used: another source of a library may bring in its catalog, too.
        run([*words[:output], *objects, "-Wl,--allow-multiple-definition", *words[output:]], build)
        print(run([os.path.join(scratch, "eager_test"), "--gtest_filter=OpCasesTest.*"], scratch), end="")


if __name__ == "__main__":
    main()
