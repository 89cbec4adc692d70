#!/usr/bin/env python3
"""floors: checks that every #include in core, server and client keeps to cmake/floors.txt.

    floors.py ROOT         prints each breach as file:line and a sentence; exit code 1 when there is one
    floors.py --self-test  plants breaches in a temporary tree and expects to see them
"""

import os
import re
import sys
import tempfile

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')


class Rules:
    """The parsed floors.txt: floors (lowest first), doors, libraries as (name, patterns, homes)."""

    def __init__(self, path):
        self.floors, self.doors, self.libraries = [], [], []
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                words = line.split("#", 1)[0].split()
                if not words:
                    continue
                if words[0] == "floor" and len(words) == 2:
                    self.floors.append(words[1])
                elif words[0] == "door" and len(words) == 2:
                    self.doors.append(words[1])
                elif words[0] == "library" and "in" in words[3:]:
                    middle = words.index("in", 3)
                    self.libraries.append((words[1], words[2:middle], words[middle + 1:]))
                else:
                    sys.exit(f"{path}:{number}: expected `floor FOLDER`, `door FOLDER` or "
                             f"`library NAME INCLUDES.. in FOLDERS..`")

    def folder_of(self, path):
        """The floor or door a path lies in, or None."""
        for folder in self.floors + self.doors:
            if path.startswith(folder + "/"):
                return folder
        return None

    def check(self, path, included):
        """Yields a sentence for each rule that `path` breaks by including `included`."""
        here, there = self.folder_of(path), self.folder_of(included)
        if there is not None and there != here:
            if there in self.doors:
                yield f"`{here}` includes `{included}`; nothing outside `{there}` includes it"
            elif here in self.floors and self.floors.index(there) > self.floors.index(here):
                below = self.floors[:self.floors.index(here)]
                yield (f"`{here}` includes `{included}`, which is a higher floor; "
                       f"it may include itself and: {', '.join(below) or 'nothing else'}")
        # The most exact pattern decides, so that *.grpc.pb.h is gRPC and not protobuf.
        best = None
        for name, patterns, homes in self.libraries:
            for pattern in patterns:
                hit = included.endswith(pattern[1:]) if pattern[0] == "*" else included.startswith(pattern)
                if hit and (best is None or len(pattern) > len(best[0])):
                    best = (pattern, name, homes)
        if best is not None and here not in best[2]:
            yield f"`{here}` includes `{included}`; {best[1]} has its home in: {', '.join(best[2])}"


def breaches(root):
    rules = Rules(os.path.join(root, "cmake/floors.txt"))
    known = set(rules.floors)
    for name in sorted(os.listdir(os.path.join(root, "core"))):
        if os.path.isdir(os.path.join(root, "core", name)) and f"core/{name}" not in known:
            yield f"core/{name}: a folder that is not in cmake/floors.txt; list it as a floor"
    for top in ["core"] + rules.doors:
        for folder, _, files in sorted(os.walk(os.path.join(root, top))):
            for file in sorted(files):
                if not file.endswith((".h", ".cc")):
                    continue
                path = os.path.relpath(os.path.join(folder, file), root)
                if rules.folder_of(path) is None:
                    yield f"{path}:1: lies in no floor; move it into one of: {', '.join(rules.floors)}"
                    continue
                with open(os.path.join(root, path), encoding="utf-8") as lines:
                    for number, line in enumerate(lines, 1):
                        match = INCLUDE.match(line)
                        for sentence in rules.check(path, match.group(2)) if match else ():
                            yield f"{path}:{number}: {sentence}"


def self_test(rules_text):
    planted = {  # path, include => how the breach starts, or None when it is allowed
        ("core/types/a.h", '"core/values/tensor.h"'): "core/types/a.h:2: `core/types` includes",
        ("core/values/b.h", '"core/types/shape.h"'): None,
        ("core/types/c.cc", "<Eigen/Core>"): "core/types/c.cc:2: `core/types` includes `Eigen/Core`; Eigen has",
        ("core/kernels/d.cc", "<Eigen/Core>"): None,
        ("core/model/e.cc", "<grpcpp/grpcpp.h>"): "core/model/e.cc:2: `core/model` includes `grpcpp/",
        ("core/model/f.cc", '"signet/v1/service.grpc.pb.h"'): "core/model/f.cc:2: `core/model` includes `signet",
        ("core/model/g.cc", '"signet/v1/types.pb.h"'): None,
        ("core/graph/h.cc", '"signet/v1/types.pb.h"'): "core/graph/h.cc:2: `core/graph` includes `signet",
        ("server/i.cc", '"client/client.h"'): "server/i.cc:2: `server` includes `client/client.h`; nothing",
        ("client/j.cc", '"server/limits.h"'): "client/j.cc:2: `client` includes `server/limits.h`; nothing",
        ("core/base/k.cc", '"server/limits.h"'): "core/base/k.cc:2: `core/base` includes `server",
        ("client/l.cc", "<grpcpp/grpcpp.h>"): None,
        ("server/m.cc", "<csv.h>"): "server/m.cc:2: `server` includes `csv.h`; libcsv has",
        ("core/utils/n.cc", "<string>"): "core/utils",
    }
    with tempfile.TemporaryDirectory() as root:
        files = {path: f"#pragma once\n#include {include}\n" for path, include in planted}
        files["cmake/floors.txt"] = rules_text
        for path, text in files.items():
            os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        found = list(breaches(root))
    for (path, include), start in planted.items():
        seen = [line for line in found if line.startswith(path if start is None else start)]
        if bool(seen) != (start is not None):
            sys.exit(f"self-test: {path} including {include}: expected {start!r}, saw {seen}\n" + "\n".join(found))


def main():
    if sys.argv[1:] == ["--self-test"]:
        here = os.path.dirname(os.path.abspath(__file__))
        with open(os.path.join(here, "../../cmake/floors.txt"), encoding="utf-8") as file:
            self_test(file.read())
        return 0
    count = 0
    for breach in breaches(sys.argv[1] if len(sys.argv) > 1 else "."):
        print(breach)
        count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
