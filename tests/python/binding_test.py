"""Binding, with the vectors of $SIGNET_VECTORS_DIR."""

import json
import os

import pytest

import signet
from signet.binding import Binder
from signet.errors import BINDING_REASONS
from signet.types import KINDS, FunctionType, Parameter

FOLDER = os.environ.get("SIGNET_VECTORS_DIR", "")
FILE = os.path.join(FOLDER, "functions", "bind.json")
KIND_NAMES = ["", "positional_only", "positional_or_keyword", "var_positional", "keyword_only", "var_keyword"]


def function_type(signature):
    parameters = []
    for each in signature["parameters"]:
        kind = KINDS[KIND_NAMES.index(each["kind"].lower())]
        default = ... if each.get("optional") else Parameter.empty
        parameters.append(Parameter(each["name"], kind, default=default))
    return FunctionType(parameters)


@pytest.mark.skipif(not os.path.exists(FILE), reason="SIGNET_VECTORS_DIR has no functions/bind.json")
def test_vectors():
    with open(FILE, encoding="utf-8") as file:
        cases = json.load(file)
    checked = 0
    for case in cases:
        try:
            type_ = function_type(case["signature"])
        except (ValueError, KeyError):
            continue  # no names of Python
        if case.get("error", "MISSING_REQUIRED") not in BINDING_REASONS:
            continue  # the signature itself is wrong, which only a server checks
        keywords = [name for name, _ in case["kwargs"]]
        if len(set(keywords)) < len(keywords):
            continue  # Python itself rejects them
        accepted = set(case.get("acceptable", ())) | {case.get("error", "")}
        try:
            Binder(type_).bind(len(case["args"]), keywords)
            found = ""
        except signet.BindingError as error:
            found = error.reason
        assert found in accepted, case["id"]
        checked += 1
    assert checked > len(cases) // 2
