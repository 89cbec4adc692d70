"""Arrow in the Python package, with streams that apache-arrow writes and reads: python_arrow.py ADDRESS NODE_MODULES_FOLDER

pyarrow is not installed, so that this tests what needs no pyarrow.
"""

import json
import os
import subprocess
import sys
import tempfile

import signet

HERE = os.path.dirname(os.path.abspath(__file__))


def node(command, path):
    program = os.path.join(HERE, "arrow_files.mjs")
    return json.loads(subprocess.run(["node", program, command, path, sys.argv[2]], stdout=subprocess.PIPE, check=True).stdout)


def main():
    with tempfile.TemporaryDirectory() as folder, signet.connect(sys.argv[1], wait=30) as client:
        path = os.path.join(folder, "accounts.arrow")
        rows = node("write", path)
        fees = client.savings.fees
        expected = fees(rows).to_py()
        assert len(expected) == 1000
        with open(path, "rb") as file:
            written = file.read()
        assert fees(signet.arrow(path)).to_py() == expected
        assert fees(signet.arrow(written)).to_py() == expected
        assert fees.bulk(path, rows_per_call=300).to_py() == expected

        answer = os.path.join(folder, "fees.arrow")
        with open(answer, "wb") as file:
            file.write(fees.with_options(result="arrow")(signet.arrow(written)))
        assert node("print", answer) == expected

        for wrong in (written[:-200], written[:100], b"", b"ARROW1" + written):
            try:
                fees(signet.arrow(wrong))
            except signet.Error as error:
                assert error.code in ("INVALID_ARGUMENT", "DATA_LOSS"), error
            else:
                raise AssertionError("a damaged stream was accepted")


if __name__ == "__main__":
    main()
