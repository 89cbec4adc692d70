#!/usr/bin/env python3
"""header_examples: checks that each public header has an example that a test compiles and runs.

    header_examples.py ROOT         prints each fault as a sentence; exit code 1 if there is one
    header_examples.py --self-test  plants faults in a temporary tree and expects to see them

The comment at the beginning of a header in include/signet has lines such as `//   auto model = signet::Model::Load(..);`.
The same lines are in a test, between the comments `// signet/model.h` and `// end`.
"""

import glob
import os
import re
import sys
import tempfile


def squeezed(code):
    """The code without white space, which clang-format may change."""
    return re.sub(r"\s+", "", code)


def example_of(header_text):
    """The lines of C++ in the comment at the beginning: indented paragraphs that use the namespace signet."""
    lines = []
    for line in header_text.split("\n"):
        if not line.startswith("//"):
            break
        lines.append(line)
    paragraphs, last_was_code = [], False
    for line in lines:
        is_code = line.startswith("//   ")
        if is_code and last_was_code:
            paragraphs[-1] += line[5:] + "\n"
        elif is_code:
            paragraphs.append(line[5:] + "\n")
        last_was_code = is_code
    return "".join(text for text in paragraphs if "signet::" in text)


def faults(root):
    tested = {}
    for path in sorted(glob.glob(os.path.join(root, "tests/**/*_test.cc"), recursive=True)):
        with open(path, encoding="utf-8") as file:
            for header, code in re.findall(r"^ *// (signet/\S+\.h)\n(.*?)^ *// end$", file.read(), re.M | re.S):
                tested[header] = code
    found = set()
    for path in sorted(glob.glob(os.path.join(root, "include/signet/**/*.h"), recursive=True)):
        header = os.path.relpath(path, os.path.join(root, "include"))
        found.add(header)
        with open(path, encoding="utf-8") as file:
            example = example_of(file.read())
        if not example:
            yield f"include/{header}: no example; expected lines of C++ in the comment at the beginning"
        elif header not in tested:
            yield f"include/{header}: its example is in no test; expected it between `// {header}` and `// end`"
        elif squeezed(example) != squeezed(tested[header]):
            yield f"include/{header}: expected the example of the test:\n{tested[header]}"
    for header in sorted(set(tested) - found):
        yield f"tests: an example of `{header}`, which does not exist"


def self_test():
    files = {
        "include/signet/good.h": "// Good: works.\n//\n//   auto x =\n//       signet::F();\n//\n// Thread-safe.\n\n#pragma once\n",
        "include/signet/none.h": "// None: has none.\n//\n//   x => y\n\n#pragma once\n",
        "include/signet/other.h": "// Other.\n//\n//   signet::G();\n\n#pragma once\n",
        "include/signet/ops/lost.h": "// Lost.\n//\n//   signet::H();\n\n#pragma once\n",
        "tests/core/a_test.cc": "  // signet/good.h\n  auto x = signet::F();\n  // end\n"
                                "  // signet/other.h\n  signet::F();\n  // end\n  // signet/gone.h\n  // end\n",
    }
    expected = ["include/signet/none.h: no example", "include/signet/other.h: expected the example",
                "include/signet/ops/lost.h: its example is in no test", "tests: an example of `signet/gone.h`"]
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        found = list(faults(root))
    for start in expected:
        if not any(fault.startswith(start) for fault in found):
            sys.exit(f"self-test: expected {start!r}, found {found}")
    if len(found) != len(expected):
        sys.exit(f"self-test: expected {len(expected)} faults, found {found}")


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    count = 0
    for fault in faults(sys.argv[1] if len(sys.argv) > 1 else "."):
        print(fault)
        count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
