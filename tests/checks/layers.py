#!/usr/bin/env python3
"""layers: checks that every #include in include, core, server, client, and python/core is allowed by cmake/layers.txt.

    layers.py ROOT         prints each fault as file:line and a sentence; exit code 1 if there is one
    layers.py --self-test  plants faults in a temporary tree and expects to see them
"""

import os
import re
import sys
import tempfile

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')
TREES = ("include", "core", "server", "client", "python/core")
MOST_FILES = 40  # source files in one directory


class Rules:
    """The parsed layers.txt: layers in order (name -> words), libraries (name -> include patterns)."""

    def __init__(self, path):
        self.layers, self.headers, self.uses, self.libraries, self.everywhere = {}, {}, {}, {}, set()
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                words = line.split("#", 1)[0].split()
                if not words:
                    continue
                where = f"{path}:{number}"
                if words[0] == "library" and ":" in words[2:]:
                    colon = words.index(":", 2)
                    self.libraries[words[1]] = words[colon + 1:]
                    if "everywhere" in words[2:colon]:
                        self.everywhere.add(words[1])
                elif words[0] == "layer" and len(words) > 1:
                    if words[1] in self.layers:
                        sys.exit(f"{where}: duplicate layer `{words[1]}`")
                    self.headers[words[1]] = {word for word in words[2:] if word.endswith(".h")}
                    self.uses[words[1]] = {word[1:] for word in words[2:] if word.startswith("+")}
                    self.layers[words[1]] = [word for word in words[2:] if word[0] != "+" and not word.endswith(".h")]
                else:
                    sys.exit(f"{where}: expected `layer DIRECTORY INCLUDES..` or `library NAME TARGETS.. : INCLUDES..`")

    def faults(self):
        """Yields a sentence for each fault of the file itself. A layer lists only layers in earlier rows, so there is
        no cycle."""
        seen = set()
        for name, words in self.layers.items():
            for word in words:
                if word not in self.layers:
                    yield f"cmake/layers.txt: `{name}`: no row for `{word}`"
                elif word not in seen:
                    yield f"cmake/layers.txt: `{name}`: `{word}` is not in an earlier row, so there may be a cycle"
            for library in sorted(self.uses[name] - set(self.libraries)):
                yield f"cmake/layers.txt: `{name}`: no row for library `{library}`"
            seen.add(name)

    def reach(self, name):
        """The layers that `name` may include, with itself."""
        found, todo = set(), [name]
        while todo:
            layer = todo.pop()
            if layer not in found:
                found.add(layer)
                todo += self.layers.get(layer, [])
        return found

    def library_of(self, included):
        """The library that an include belongs to, by the longest pattern that fits, or None."""
        best = None
        for name, patterns in self.libraries.items():
            for pattern in patterns:
                fits = included.endswith(pattern[1:]) if pattern[0] == "*" else included.startswith(pattern)
                if fits and (best is None or len(pattern) > len(best[0])):
                    best = (pattern, name)
        return best and best[1]

    def check(self, here, included, is_quoted):
        """Yields a sentence if a file of the layer `here` may not include `included`."""
        if is_quoted and included.startswith("signet/") and not included.endswith(".pb.h"):
            included = f"include/{included}"  # the directory `include` is searched; *.pb.h are generated
        there = os.path.dirname(included)
        if is_quoted and included.startswith(tuple(f"{tree}/" for tree in TREES)):
            if there not in self.reach(here) and included not in self.headers[here]:
                allowed = ", ".join(f"`{word}`" for word in self.layers[here]) or "no other directory"
                yield (f"`{here}` includes `{included}`; expected one of its layers, found `{there}`; "
                       f"it may include {allowed}, and what these may include")
            return
        library = self.library_of(included)
        if library is None:
            is_standard = not is_quoted and "/" not in included and "." not in included
            if not is_standard:
                yield f"`{here}` includes `{included}`, which belongs to no library of cmake/layers.txt"
        elif library not in self.uses[here] | self.everywhere:
            homes = ", ".join(f"`{name}`" for name, uses in self.uses.items() if library in uses) or "no layer"
            yield f"`{here}` includes `{included}`; the library {library} may be used in: {homes}"


def faults(root):
    rules = Rules(os.path.join(root, "cmake/layers.txt"))
    yield from rules.faults()
    filled = set()
    for top in TREES:
        for folder, _, files in sorted(os.walk(os.path.join(root, top))):
            here = os.path.relpath(folder, root)
            sources = sorted(file for file in files if file.endswith((".h", ".cc")))
            if not sources:
                continue
            filled.add(here)
            if here not in rules.layers:
                yield f"{here}: no row in cmake/layers.txt"
                continue
            if len(sources) > MOST_FILES:
                yield f"{here}: {len(sources)} source files; expected at most {MOST_FILES}; divide it by topic"
            for file in sources:
                path = f"{here}/{file}"
                with open(os.path.join(root, path), encoding="utf-8") as lines:
                    for number, line in enumerate(lines, 1):
                        match = INCLUDE.match(line)
                        for sentence in rules.check(here, match.group(2), match.group(1) == '"') if match else ():
                            yield f"{path}:{number}: {sentence}"
    for name in sorted(set(rules.layers) - filled):
        yield f"cmake/layers.txt: `{name}` has no source files"


def self_test(rules_text):
    planted = {  # path, include => how the fault starts, or None if the include is allowed
        ("core/types/a.h", '"core/values/row_algebra.h"'): "core/types/a.h:2: `core/types` includes",
        ("core/values/b.h", '"core/types/stacking.h"'): None,
        ("core/values/b1.h", '"signet/shape.h"'): None,
        ("core/values/b2.h", '"signet/ops/run_op.h"'): "core/values/b2.h:2: `core/values` includes `include/signet/ops",
        ("include/signet/b3.h", '"core/types/stacking.h"'): "include/signet/b3.h:2: `include/signet` includes `core/types",
        ("include/signet/b4.h", '"signet/v1/model.pb.h"'): "include/signet/b4.h:2: `include/signet` includes `signet/v1",
        ("core/types/c.cc", "<Eigen/Core>"): "core/types/c.cc:2: `core/types` includes `Eigen/Core`; the library Eigen",
        ("core/kernels/simd/d.cc", "<Eigen/Core>"): None,
        ("core/model/e.cc", "<grpcpp/grpcpp.h>"): "core/model/e.cc:2: `core/model` includes `grpcpp/",
        ("core/model/native/f.cc", '"signet/v1/model.pb.h"'): None,
        ("core/graph/lower/g.cc", '"signet/v1/types.pb.h"'): "core/graph/lower/g.cc:2: `core/graph/lower` includes `signet",
        ("server/h.cc", '"client/lib/service_client.h"'): "server/h.cc:2: `server` includes `client/lib/service_client.h`",
        ("client/lib/i.cc", '"server/call/limits.h"'): "client/lib/i.cc:2: `client/lib` includes `server",
        ("core/base/j.cc", "<folly/Any.h>"): "core/base/j.cc:2: `core/base` includes `folly/Any.h`, which belongs to no",
        ("client/lib/k.cc", "<grpcpp/grpcpp.h>"): None,
        ("core/base/l.cc", "<absl/strings/match.h>"): None,
        ("core/base/m.cc", "<string>"): None,
        ("core/ops/shape/n.cc", '"core/ops/text/text_ops.h"'): "core/ops/shape/n.cc:2: `core/ops/shape` includes",
        ("core/ops/shape/o.cc", '"core/ops/catalog.h"'): "core/ops/shape/o.cc:2: `core/ops/shape` includes",
        ("core/kernels/simd/p.cc", '"core/ops/nn/recurrent_activation.h"'): None,
        ("core/kernels/simd/q.cc", '"core/ops/nn/recurrent.h"'): "core/kernels/simd/q.cc:2: `core/kernels/simd` includes",
        ("core/utils/r.cc", "<string>"): "core/utils: no row",
        **{(f"core/graph/plan/s{i}.cc", "<string>"): "core/graph/plan: 41 source" for i in range(MOST_FILES + 1)},
    }
    with tempfile.TemporaryDirectory() as root:
        files = {path: f"#pragma once\n#include {include}\n" for path, include in planted}
        files["cmake/layers.txt"] = rules_text + "layer core/early core/late\nlayer core/late core/early\n"
        for path, text in files.items():
            os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        found = list(faults(root))
    expected = [(path, include, start) for (path, include), start in planted.items()]
    expected.append(("cmake/layers.txt", "a cycle", "cmake/layers.txt: `core/early`: `core/late` is not in an earlier row"))
    for path, include, start in expected:
        seen = [line for line in found if line.startswith(path + ":" if start is None else start)]
        if bool(seen) != (start is not None):
            sys.exit(f"self-test: {path} including {include}: expected {start!r}, found {seen}\n" + "\n".join(found))


def main():
    if sys.argv[1:] == ["--self-test"]:
        here = os.path.dirname(os.path.abspath(__file__))
        with open(os.path.join(here, "../../cmake/layers.txt"), encoding="utf-8") as file:
            self_test(file.read())
        return 0
    count = 0
    for fault in faults(sys.argv[1] if len(sys.argv) > 1 else "."):
        print(fault)
        count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
