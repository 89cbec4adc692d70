#!/usr/bin/env python3
"""Writes the wheels of the package: make_wheel.py PACKAGE_FOLDER OUTPUT_FOLDER

PACKAGE_FOLDER is build/dev/python, which the build fills. One wheel is for this platform and this Python, and contains the engine
(signet._core). The other is for any platform, and contains the client. Needs setuptools, wheel, and no network.
"""

import contextlib
import glob
import os
import shutil
import subprocess
import sys
import tempfile

# setuptools names the wheel after the platform if the distribution has modules that were compiled.
SETUP = """
from setuptools import Distribution, setup

class Compiled(Distribution):
    def has_ext_modules(self):
        return True

setup(distclass=Compiled)
"""


def make_wheel(package, output, with_engine):
    sources = os.path.dirname(os.path.abspath(__file__))
    with tempfile.TemporaryDirectory() as stage:
        left_out = ["__pycache__"] if with_engine else ["__pycache__", "_core*.so"]
        shutil.copytree(os.path.join(package, "signet"), os.path.join(stage, "signet"), ignore=shutil.ignore_patterns(*left_out))
        for file in ("pyproject.toml", "README.md", "../LICENSE"):
            shutil.copy(os.path.join(sources, file), stage)
        if with_engine:
            with open(os.path.join(stage, "setup.py"), "w", encoding="utf-8") as file:
                file.write(SETUP)
            for module in glob.glob(os.path.join(stage, "signet", "_core*.so")):
                subprocess.run(["strip", "--strip-unneeded", module], check=True)
        made = subprocess.run([sys.executable, "-c", "import sys; from setuptools import build_meta; print(build_meta.build_wheel(sys.argv[1]))", output],
                              cwd=stage, stdout=subprocess.PIPE, stderr=None, text=True, check=True)
    return os.path.join(output, made.stdout.split()[-1])


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    package, output = map(os.path.abspath, sys.argv[1:])
    os.makedirs(output, exist_ok=True)
    with contextlib.redirect_stdout(sys.stderr):
        wheels = [make_wheel(package, output, False)]
        if glob.glob(os.path.join(package, "signet", "_core*.so")):
            wheels.append(make_wheel(package, output, True))
    print("\n".join(wheels))


if __name__ == "__main__":
    main()
