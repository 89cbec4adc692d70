#!/usr/bin/env python3
"""outside: checks that no file of the repository names a path outside of it, so that a clone needs nothing else.

    outside.py ROOT         prints each fault; exit code 1 if there is one
    outside.py --self-test  plants faults in a temporary tree and expects to see them

1. A relative path with `..` exists, seen from the directory of its file, and does not leave the repository.
2. A path after the root of the repository, such as `SOURCE, "../models"`, does not begin with `..`.
3. A symbolic link does not leave the repository.
4. Tests may also use names such as `../other`, which programs must reject, links to versions of models, such as `../1/model.pb`, and
   paths after a variable.

`.ci/run` may name the folders that it passes to the tests in variables.
"""

import os
import re
import subprocess
import sys
import tempfile

MAY_LEAVE = {".ci/run", "tests/checks/outside.py"}
# A path whose first or later part is `..`; not the dots of `.../load`, and not a part of a URL.
PATH = re.compile(r"(?<![\w./$})\]@~*])((?:[\w.-]+/)*\.\.(?:/[\w.@-]+)+)")
# The root of the repository, and then `..`.
FROM_ROOT = re.compile(r"""(?:\bSOURCE|\bROOT|\broot|SOURCE_DIR)\b[@})]*["']?(?:/|,\s*["']|\s*/\s*["'])\.\.(?=[/"'])""")
ALLOWED = {
    "../part/1",  # a test expects that it is rejected
    "../proto",  # of clients/node, in the package that `npm pack` makes
}


def files_of(root):
    """The files that Git knows, or else all files."""
    known = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, text=True, check=False)
    if known.returncode == 0 and known.stdout:
        return [name for name in known.stdout.split("\0") if name]
    return [os.path.relpath(os.path.join(folder, name), root) for folder, _, names in os.walk(root) for name in names]


def leaves(path):
    return os.path.normpath(path).split(os.sep)[0] == ".."


def faults_of_line(root, name, line):
    folder = os.path.dirname(name)
    if found := FROM_ROOT.search(line):
        yield f"expected a path in the repository, found `{found[0]}`"
    for path in PATH.findall(line):
        if not leaves(path):
            continue
        seen = os.path.normpath(os.path.join(folder, path))
        if not leaves(seen) and os.path.exists(os.path.join(root, seen)):
            continue
        parts = [part for part in path.split("/") if part != ".."]
        if not leaves(seen) and (path in ALLOWED or "node_modules" in parts or (name.startswith("tests/") and (len(parts) < 2 or parts[0].isdigit()))):
            continue
        yield f"expected a path in the repository, found `{path}`, which {'leaves it' if leaves(seen) else 'does not exist'}"


def faults(root):
    for name in sorted(set(files_of(root)) - MAY_LEAVE):
        path = os.path.join(root, name)
        if os.path.islink(path):
            if leaves(os.path.join(os.path.dirname(name), os.readlink(path))) or os.path.isabs(os.readlink(path)):
                yield f"{name}: expected a link in the repository, found one to `{os.readlink(path)}`"
            continue
        try:
            with open(path, encoding="utf-8") as file:
                lines = file.read().split("\n")
        except (UnicodeDecodeError, OSError):
            continue  # not text
        for number, line in enumerate(lines, 1):
            if ".." in line:
                for fault in faults_of_line(root, name, line):
                    yield f"{name}:{number}: {fault}"


def self_test():
    files = {
        "dev": 'models=${MODELS:-../other/models}\n',
        "docs/page.md": "[dev](../dev), `.../load`, [gone](../gone.md), [far](../../other)\n",
        "bench/a/b.cc": 'Variable("DIR", "../other/models")\n#include "../b/c.h"\n',
        "bench/b/c.h": "",
        "tests/x/y.py": 'os.path.join(SOURCE, "../models")\nreject("../etc")\nread("../other/models")\n',
        "tests/environment.in": 'IS_DIRECTORY "@PROJECT_SOURCE_DIR@/../other"\n',
    }
    expected = {"dev:1: `../other/models`", "docs/page.md:1: `../gone.md`", "docs/page.md:1: `../../other`",
                "bench/a/b.cc:1: `../other/models`", 'tests/x/y.py:1: `SOURCE, "..`', "tests/x/y.py:3: `../other/models`",
                "tests/environment.in:1: `SOURCE_DIR@/..`", "docs/link: `/etc/hostname`"}
    with tempfile.TemporaryDirectory() as root:
        for name, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(root, name)) or root, exist_ok=True)
            with open(os.path.join(root, name), "w", encoding="utf-8") as file:
                file.write(text)
        os.symlink("/etc/hostname", os.path.join(root, "docs/link"))
        found = {re.sub(r"^(\S+:) .*found (?:one to )?(`[^`]*`).*", r"\1 \2", fault) for fault in faults(root)}
    if found != expected:
        sys.exit(f"expected {sorted(expected - found)}, found {sorted(found - expected)}")
    print("self-test ok")


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    found = list(faults(sys.argv[1]))
    print("\n".join(found))
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
