"""Binding, with the vectors of $SIGNET_VECTORS_DIR."""

import json
import os

import pytest
from conftest import SOURCE

import signet
from signet.binding import Binder
from signet.errors import BINDING_REASONS
from signet.types import KINDS, FunctionType, Parameter

FOLDER = os.environ.get("SIGNET_VECTORS_DIR", os.path.join(SOURCE, "tests/vectors"))
FILE = os.path.join(FOLDER, "functions", "bind.json")
KIND_NAMES = ["", "positional_only", "positional_or_keyword", "var_positional", "keyword_only", "var_keyword"]


def function_type(signature):
    parameters = []
    for each in signature["parameters"]:
        kind = KINDS[KIND_NAMES.index(each["kind"].lower())]
        default = ... if each.get("optional") else Parameter.empty
        parameters.append(Parameter(each["name"], kind, default=default))
    return FunctionType(parameters)


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
            if found == case.get("error") and "param" in case:
                assert f"`{case['param']}`" in error.message, case["id"]
        assert found in accepted, case["id"]
        checked += 1
    assert checked > len(cases) // 2


def signature_text(signature):
    """The parameters in the model language; each optional one has the default 0."""
    parts, has_star = [], False
    parameters = [{**each, "kind": each["kind"].lower()} for each in signature["parameters"]]
    for i, each in enumerate(parameters):
        star = {"var_positional": "*", "var_keyword": "**"}.get(each["kind"], "")
        if each["kind"] == "keyword_only" and not has_star:
            parts.append("*")
            has_star = True
        has_star = has_star or star == "*"
        parts.append(star + each["name"] + (" = 0" if each.get("optional") else ""))
        if each["kind"] == "positional_only" and all(other["kind"] != "positional_only" for other in parameters[i + 1 :]):
            parts.append("/")
    return ", ".join(parts)


def test_sentences_of_vectors_are_those_of_the_engine(tmp_path):
    """Each call that the client rejects is also bound by the engine, which a server uses."""
    pytest.importorskip("signet._core")
    with open(FILE, encoding="utf-8") as file:
        cases = json.load(file)
    models, compared = {}, 0
    for case in cases:
        keywords = [name for name, _ in case["kwargs"]]
        if case.get("error") not in BINDING_REASONS or len(set(keywords)) < len(keywords):
            continue
        try:
            type_ = function_type(case["signature"])
        except (ValueError, KeyError):
            continue
        if not type_.parameters:
            continue  # the type of the result is known, and only the client shows it
        text = f"def f({signature_text(case['signature'])}):\n    return {next(iter(type_.parameters))}\n"
        if text not in models:
            folder = tmp_path / f"m{len(models)}" / "1"
            folder.mkdir(parents=True)
            (folder / "model.signet").write_text(text, encoding="utf-8")
            models[text] = signet.load(folder, "m")
        function = models[text].f
        with pytest.raises(signet.BindingError) as local:
            function(*([0] * len(case["args"])), **dict.fromkeys(keywords, 0))
        function = models[text].f.with_options()
        function._bound = lambda args, kwargs: ([None] * len(args), [None] * len(kwargs))
        with pytest.raises(signet.BindingError) as engine:
            function(*([0] * len(case["args"])), **dict.fromkeys(keywords, 0))
        assert type_.parameters.keys() == {each["name"]: None for each in case["signature"]["parameters"]}.keys()
        assert engine.value.reason == local.value.reason, case["id"]
        assert engine.value.message.endswith(local.value.message), (case["id"], engine.value.message, local.value.message)
        compared += 1
    assert compared > 100
