#!/usr/bin/env python3
"""places: checks that an op, its kernel, its cases, and its documentation are where a reader looks for them.

    places.py ROOT         prints each fault; exit code 1 if there is one
    places.py --self-test  plants faults in a temporary tree and expects to see them

The op in core/ops/FAMILY/STEM.cc has its cases in tests/core/ops/FAMILY/STEM.cases and its kernel in
core/kernels/FAMILY/STEM.cc. A kernel file that holds the kernels of other op files of its family is listed, with these,
in FAMILY_kernels.h: `//   STEM.cc: other, files`. An op that is not internal has an entry `### OP` in
docs/reference/ops/FAMILY.md, and cases, unless its family calls functions of a model.
"""

import glob
import os
import re
import sys
import tempfile

OP = [re.compile(r'\.name = "([a-z_0-9]+)"'), re.compile(r'\{"([a-z_0-9]+)",\s*"[A-Z]')]
# The definition of an internal op: from its name to the field, with no other name between.
INTERNAL = re.compile(r'\.name = "([a-z_0-9]+)"(?:(?!\.name = ).)*?\.internal = true', re.S)
ENTRY = re.compile(r"^### ([a-z_0-9]+)$", re.M)
WITHOUT_CASES = {"control"}  # cases cannot call functions of a model
KERNEL = re.compile(r'\{"([a-z_0-9]+)",\s*[A-Z]')
LISTED = re.compile(r"^//   (\w+)\.cc: ([\w, ]+)$", re.M)
WITHOUT_OP = {"fail"}  # the kernel of a node that control flow adds


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def place(path, top):
    """(family, stem) of a file in `top`."""
    return os.path.basename(os.path.dirname(path)), os.path.splitext(os.path.basename(path))[0]


def faults(root):
    ops = {}  # name -> (family, stem)
    internal = set()
    for path in sorted(glob.glob(os.path.join(root, "core/ops/*/*.cc"))):
        if os.path.basename(os.path.dirname(path)) in ("def", "build"):
            continue
        text = read(path)
        internal.update(INTERNAL.findall(text))
        for pattern in OP:
            for name in pattern.findall(text):
                ops.setdefault(name, place(path, "core/ops"))
    listed = {}
    for path in glob.glob(os.path.join(root, "core/kernels/*/*_kernels.h")):
        family = os.path.basename(os.path.dirname(path))
        for stem, others in LISTED.findall(read(path)):
            listed[family, stem] = set(others.split(", "))
    used = set()
    for path in sorted(glob.glob(os.path.join(root, "core/kernels/*/*.cc"))):
        family, stem = place(path, "core/kernels")
        table = re.search(r"constexpr KernelDef k\w*Kernels\[\] = \{(.*?)\n?\};", read(path), re.S)
        for name in KERNEL.findall(table.group(1)) if table else ():
            if name in WITHOUT_OP:
                continue
            if name not in ops:
                yield f"core/kernels/{family}/{stem}.cc: kernel of `{name}`, which no file in core/ops makes"
                continue
            op_family, op_stem = ops[name]
            if op_family != family:
                yield f"core/kernels/{family}/{stem}.cc: kernel of `{name}`; expected it in core/kernels/{op_family}"
            elif op_stem != stem and op_stem not in listed.get((family, stem), ()):
                yield (f"core/kernels/{family}/{stem}.cc: kernel of `{name}`; expected it in {op_stem}.cc, or "
                       f"`//   {stem}.cc: {op_stem}` in {family}_kernels.h")
            elif op_stem != stem:
                used.add((family, stem, op_stem))
    for (family, stem), others in sorted(listed.items()):
        for other in sorted(others):
            if (family, stem, other) not in used:
                yield f"core/kernels/{family}/{family}_kernels.h: {stem}.cc holds no kernel of {other}.cc"
    tested = set()
    for path in sorted(glob.glob(os.path.join(root, "tests/core/ops/*/*.cases"))):
        family, stem = place(path, "tests/core/ops")
        tested.add((family, stem))
        for number, line in enumerate(read(path).split("\n"), 1):
            name = re.match(r"[a-z_][a-z_0-9]*(?=$| )", line)
            if name and ops.get(name[0]) != (family, stem):
                expected = "core/ops/{}/{}.cc".format(*ops[name[0]]) if name[0] in ops else "no file in core/ops"
                yield f"tests/core/ops/{family}/{stem}.cases:{number}: case of `{name[0]}`, which {expected} makes"
    yield from document_faults(root, {name: where for name, where in ops.items() if name not in internal}, tested)


def document_faults(root, ops, tested):
    """The faults of `ops`, which are not internal and have cases in the files `tested`."""
    documented = {}  # name -> family
    for path in sorted(glob.glob(os.path.join(root, "docs/reference/ops/*.md"))):
        family = os.path.splitext(os.path.basename(path))[0]
        for name in ENTRY.findall(read(path)):
            documented[name] = family
            if name not in ops:
                yield f"docs/reference/ops/{family}.md: entry of `{name}`, which no file in core/ops makes"
    for name, (family, stem) in sorted(ops.items()):
        if documented.get(name) != family:
            yield f"core/ops/{family}/{stem}.cc: `{name}`; expected an entry in docs/reference/ops/{family}.md"
        if (family, stem) not in tested and family not in WITHOUT_CASES:
            yield f"core/ops/{family}/{stem}.cc: `{name}`; expected cases in tests/core/ops/{family}/{stem}.cases"


def self_test():
    files = {
        "core/ops/shape/tile.cc": '{.name = "tile"}',
        "core/ops/shape/stack.cc": '{.name = "stack"}',
        "core/ops/text/upper.cc": '{.name = "upper"}',
        "core/kernels/shape/tile.cc": 'constexpr KernelDef kTileKernels[] = {{"tile", Make}, {"upper", Make}\n};',
        "core/kernels/shape/join.cc": 'constexpr KernelDef kJoinKernels[] = {{"stack", Make}, {"lost", Make}\n};',
        "core/kernels/shape/shape_kernels.h": "//   tile.cc: stack\n",
        "tests/core/ops/shape/tile.cases": "tile 1\n-> 1\nstack 2\n-> 2\n",
        "core/ops/shape/inner.cc": '{.name = "inner", .internal = true}',
        "docs/reference/ops/shape.md": "### tile\n### stack\n### gone\n",
    }
    expected = ["kernel of `upper`; expected it in core/kernels/text", "kernel of `stack`; expected it in stack.cc",
                "kernel of `lost`, which no file", "tile.cc holds no kernel of stack.cc", "tile.cases:3: case of `stack`",
                "shape.md: entry of `gone`", "`stack`; expected cases in tests/core/ops/shape/stack.cases",
                "`upper`; expected an entry in docs/reference/ops/text.md",
                "`upper`; expected cases in tests/core/ops/text/upper.cases"]
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        found = list(faults(root))
    for words in expected:
        if not any(words in line for line in found):
            sys.exit(f"self-test: expected {words!r}, found:\n" + "\n".join(found))
    if len(found) != len(expected):
        sys.exit(f"self-test: expected {len(expected)} faults, found:\n" + "\n".join(found))


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    found = list(faults(sys.argv[1] if len(sys.argv) > 1 else "."))
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
