"""What a new user tried first: each test is a mistake, or data, of someone who has read the guide once."""

import os
import re
import signal
import subprocess
import sys
import time
import traceback
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("signet._core")

import signet  # noqa: E402
from signet import ops  # noqa: E402


def saved(folder, factor, name="a"):
    """Saves a model `name` whose function multiplies by `factor`, and loads it."""
    @signet.function
    def f(x: "float32[?]"):
        return x * factor

    signet.Model("", f, name=name).save(folder)
    return signet.load(folder, name)


# --- functions of other models ----------------------------------------------------------------------------

def test_two_models_of_one_name_are_both_called(tmp_path):
    one, two = saved(tmp_path / "c" / "1", 2.0), saved(tmp_path / "c" / "2", 6.0)

    @signet.function
    def both(x: "float32[?]"):
        return one.f(x), two.f(x)

    @signet.function
    def again(x: "float32[?]"):
        return two.f(x), one.f(x)

    assert [float(each[0]) for each in both([1])] == [2, 6]
    model = signet.Model("", both, again)
    assert [float(each[0]) for each in model.again([1])] == [6, 2]
    assert set(re.findall(r"def (_a\w*)", model.to_text())) == {"_a_f", "_a_2_f"}
    model.save(tmp_path / "both" / "1")
    assert [float(each[0]) for each in signet.load(tmp_path / "both" / "1").both([1])] == [2, 6]


def test_names_of_imported_functions_never_meet(tmp_path):
    """`_a_b_f` may be the function `b_f` of `a`, or `f` of `a_b`, or a function of the program."""
    @signet.function
    def b_f(x: "float32[?]"):
        return x * 2

    signet.Model("", b_f).save(tmp_path / "1")
    first, second = signet.load(tmp_path / "1", "a"), saved(tmp_path / "2", 6.0, "a_b")

    @signet.function
    def both(x: "float32[?]"):
        return first.b_f(x), second.f(x)

    assert [float(each[0]) for each in both([1])] == [2, 6]


def test_functions_that_import_the_same_model_share_it(tmp_path):
    model = saved(tmp_path / "1", 3.0, "shared")

    @signet.function
    def f(x: "float32[?]"):
        return model.f(x)

    @signet.function
    def g(x: "float32[?]"):
        return model.f(x) + 1

    joint = signet.Model("", f, g)
    assert float(joint.f([1])[0]) == 3 and float(joint.g([1])[0]) == 4
    assert joint.to_text().count("def _shared_f") == 1


def test_networks_of_one_file_name():
    models = os.path.join(os.environ.get("SIGNET_MODELS_DIR", ""), "onnx")
    paths = [os.path.join(models, name, "model.onnx") for name in ("xgb_regressor", "lgbm_regressor_tensor")]
    if not all(map(os.path.exists, paths)):
        pytest.skip("needs SIGNET_MODELS_DIR")
    a, b = map(signet.from_onnx, paths)

    @signet.function
    def both(x: "float32[?, 13]"):
        return a.main(x), b.main(x)

    x = np.linspace(0, 1, 26, dtype=np.float32).reshape(2, 13)
    for found, wanted in zip(both(x), (a.main(x), b.main(x))):
        np.testing.assert_array_equal(np.asarray(found), np.asarray(wanted))


# --- texts of traced values -------------------------------------------------------------------------------

@pytest.mark.parametrize("make", [lambda x: f"Hello {x}", str, lambda x: "%s" % x, lambda x: {"%s" % x: 1}, lambda x: "{}".format(x),
                                  lambda x: f"{x:>5}", lambda x: print(f"{x}"), lambda x: print(str(x))],
                         ids=["f-string", "str", "percent", "key", "format", "width", "print f-string", "print str"])
def test_a_traced_value_has_no_text(make):
    @signet.function
    def greet(x: "string[]"):
        return {"greeting": make(x)}

    with pytest.raises(signet.TraceError, match="`x` has no text while the function is traced; `ops.string_concat`"):
        greet("Ann")


def test_print_repr_and_logging_show_traced_values(capsys, caplog):
    import logging

    @signet.function
    def greet(x: "string[]"):
        print(x)
        print("x:", x, repr(x), f"{x!r}")
        logging.getLogger("greet").warning("%s", x)
        return ops.string_concat("Hello ", x)

    assert greet("Ann") == "Hello Ann"
    shown = "<traced value x: string[]>"
    assert capsys.readouterr().out == f"{shown}\nx: {shown} {shown} {shown}\n"
    assert caplog.messages == [shown]


# --- constructors -----------------------------------------------------------------------------------------

@signet.extension_type("newuser.Masked")
class Masked:
    """Values, some of which count."""
    mask: "bool[...]"
    n: "int32[...]"
    k: int = 3
    unit: str = "a"


@pytest.mark.parametrize("parts, message", [
    ({"mask": ["a"]}, r'component `mask`: `\[0\]`: expected true or false for `bool`, found text "a"'),
    ({"mask": [None]}, r"component `mask`: `\[0\]`: .*found null"), ({"mask": [0.3]}, "found `0.3`"),
    ({"mask": np.array([1])}, "component `mask`: expected bool, found int64"),
    ({"n": [1.7]}, r"component `n`: `\[0\]`: expected an integer for `int32`, found `1.7`"), ({"n": ["7"]}, 'found text "7"'),
    ({"n": [300 * 10**9]}, "expected -2147483648 to 2147483647"), ({"n": [1e20]}, r"found `1e\+20`"), ({"n": [None]}, "found null"),
    ({"n": np.float64([1])}, "component `n`: expected int32, found float64"),
    ({"k": "a"}, "static attribute `k`: expected a value of the class `int`, found 'a'"), ({"k": True}, "found True"),
    ({"unit": 5}, "static attribute `unit`: expected a value of the class `str`, found 5")])
def test_constructors_convert_as_calls_do(parts, message):
    with pytest.raises((ValueError, TypeError), match=message):
        Masked(**{"mask": [True], "n": [1], **parts})


def test_constructors_accept_what_calls_accept():
    made = Masked([True, False], np.int64([1, 2]), np.int64(4), unit="b")
    assert made.n.dtype == np.int32 and made.mask.tolist() == [True, False] and made.k == 4
    assert Masked(True, 5).n == 5 and Masked([], [[1], [2]]).n.shape == (2, 1)


def test_static_attributes_are_checked_while_traced():
    @signet.function
    def f(x: "int32[?]"):
        return Masked([True], x, unit=5).n

    with pytest.raises(signet.TraceError, match="static attribute `unit`"):
        f([1])


# --- servers ----------------------------------------------------------------------------------------------

SERVING = """
import os, sys, threading, time
import signet

@signet.function
def f(x: "float32[?]"):
    return x * 2

server = signet.Model("", f).serve(name="q")
"""


def test_a_server_ends_with_the_program_that_was_killed(tmp_path):
    (tmp_path / "program.py").write_text(SERVING + 'with server as q:\n    print(q.f([1]), server._process.pid, flush=True)\n    time.sleep(60)\n')
    with subprocess.Popen([sys.executable, str(tmp_path / "program.py")], stdout=subprocess.PIPE, text=True) as program:
        pid = int(program.stdout.readline().split()[-1])
        assert is_running(pid)
        program.send_signal(signal.SIGKILL)
    assert ends(pid)


def test_a_server_that_was_not_stopped_ends_with_the_program(tmp_path):
    program = SERVING + "served = server.start()\nprint(served.f([1]), server._process.pid)\n"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True)
    assert ends(int(done.stdout.split()[-1]))


def is_running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def ends(pid):
    end = time.monotonic() + 30
    while is_running(pid) and time.monotonic() < end:
        time.sleep(0.05)
    return not is_running(pid)


def test_a_server_for_several_cells_of_a_notebook(tmp_path):
    import threading

    server = saved(tmp_path / "1", 2.0).serve(name="q")
    with pytest.raises(AttributeError, match=r"write `with model.serve\(\) as served: served.f\(...\)`, or `served = server.start\(\)`"):
        server.f([1])
    with pytest.raises(RuntimeError, match="has not started"):
        server.address
    starts = threading.Thread(target=server.start)  # the server does not end with the thread
    starts.start()
    starts.join()
    served = server.start()
    time.sleep(0.3)
    assert served.f([1]) == [2] and signet.connect(server.address).q.f([2]) == [4]
    server.stop()
    server.stop()
    assert "not running" in repr(server)
    assert server.start().f([3]) == [6]
    server.stop()
