#!/usr/bin/env python3
"""cookbook: checks that docs/guide/cookbook.md shows the functions of the example model cookbook.

    cookbook.py ROOT        exit code 1 if a function of the page is not one of the model, or the reverse
"""

import os
import re
import sys


def functions_of(text):
    """The functions in a text, by name, without their decorators."""
    functions = re.findall(r"^def (\w+)(\(.*?\n)(?=\S(?<!\))|\Z)", text, re.M | re.S)
    return {name: body.rstrip() for name, body in functions}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    texts = []
    for path in ("docs/guide/cookbook.md", "examples/models/cookbook/1/model.signet"):
        with open(os.path.join(sys.argv[1], path), encoding="utf-8") as file:
            texts.append(functions_of(file.read()))
    page, model = texts
    wrong = sorted(name for name in page.keys() | model.keys() if page.get(name) != model.get(name))
    for name in wrong:
        print(f"docs/guide/cookbook.md: expected the function `{name}` of examples/models/cookbook/1, found "
              + ("another body" if name in page and name in model else "no such function in one of them"))
    print(f"cookbook: {len(page)} functions, {len(wrong)} differ")
    return 1 if wrong or not page else 0


if __name__ == "__main__":
    sys.exit(main())
