#!/usr/bin/env python3
"""Writes the wheel of the package: make_wheel.py PACKAGE_FOLDER OUTPUT_FOLDER

PACKAGE_FOLDER is build/dev/python, which the build fills. Needs setuptools and wheel, and no network.
"""

import contextlib
import os
import shutil
import sys
import tempfile


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    package, output = map(os.path.abspath, sys.argv[1:])
    settings = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pyproject.toml")
    os.makedirs(output, exist_ok=True)
    with tempfile.TemporaryDirectory() as stage:
        shutil.copytree(os.path.join(package, "signet"), os.path.join(stage, "signet"), ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(settings, stage)
        os.chdir(stage)
        from setuptools import build_meta

        with contextlib.redirect_stdout(sys.stderr):
            name = build_meta.build_wheel(output)
    print(os.path.join(output, name))


if __name__ == "__main__":
    main()
