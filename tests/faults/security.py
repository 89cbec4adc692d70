"""Cases 66 and 67: certificates, and tokens and permissions. The tests are those of tests/end_to_end."""

import os
import subprocess
import sys

from lib import SOURCE, check


def passes(script):
    done = subprocess.run([sys.executable, os.path.join(SOURCE, "tests/end_to_end", script)], capture_output=True,
                          text=True, timeout=600, check=False)
    check(done.returncode == 0, f"{script}: {(done.stdout + done.stderr)[-1000:]}")


def fault_66_certificates():
    passes("tls.py")


def fault_67_tokens_and_permissions():
    passes("permissions.py")
