"""Judges the answers of bind_property_test.cc: python3 bind_judge.py FILE, one case a line.

A signature is judged by inspect.Signature, a call by a real call for what is bound and by
Signature.bind for which fault is found. Left out: what inspect takes and the grammar does not (two
*args), and faults of calls that name a positional-only parameter in addition to **kwargs, where versions of
inspect differ and a real call words it otherwise.
"""

import inspect
import json
import keyword
import re
import sys

KINDS = list(inspect._ParameterKind)
SIGNATURE_FAULTS = [
    (r"wrong parameter order", "WRONG_PARAMETER_ORDER"),
    (r"duplicate parameter name", "DUPLICATE_PARAMETER"),
    (r"non-default argument follows default|without a default follows", "REQUIRED_AFTER_OPTIONAL"),
    (r"is not a valid parameter name", "INVALID_PARAMETER_NAME"),
    (r"cannot have default values", "VARIADIC_OPTIONAL"),
]
CALL_FAULTS = [
    (r"too many positional arguments", "TOO_MANY_POSITIONAL"),
    (r"multiple values for argument '(\w+)'", "MULTIPLE_VALUES"),
    (r"missing a required.*argument: '(\w+)'", "MISSING_REQUIRED"),
    (r"unexpected keyword argument '(\w+)'", "UNEXPECTED_KEYWORD"),
    (r"'(\w+)' parameter is positional only", "POSITIONAL_ONLY_AS_KEYWORD"),
    (r"positional-only arguments? passed as keyword arguments?: '(\w+)'", "POSITIONAL_ONLY_AS_KEYWORD"),
]


def classify(faults, message):
    for pattern, reason in faults:
        match = re.search(pattern, message)
        if match:
            return reason, match.group(1) if match.groups() else ""
    raise ValueError(f"no reason for {message!r}")


def make_signature(parameters):
    return inspect.Signature([
        inspect.Parameter(name, KINDS[kind], default=-1 if optional else inspect.Parameter.empty)
        for name, kind, optional in parameters
    ])


def real_function(signature):
    """A function of this signature that returns what it was given, without defaults."""
    namespace = {}
    exec(f"def f{signature}:\n return locals()", namespace)  # names are identifiers here
    return namespace["f"]


def plain(signature, bound):
    """Bound arguments as the cases write them: no defaults, no empty variadics."""
    out = {}
    for name, value in bound.items():
        kind = signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_POSITIONAL:
            value = list(value)
        elif kind is inspect.Parameter.VAR_KEYWORD:
            value = list(value.values())
        if value not in (-1, []):
            out[name] = value
    return out


def judge(case):
    """What is wrong with the answer, or None; and what was judged."""
    parameters, answer = case["parameters"], case["answer"]
    kinds = [kind for _, kind, _ in parameters]
    if kinds.count(2) > 1 or kinds.count(4) > 1:
        ok = answer.get("error") in {reason for _, reason in SIGNATURE_FAULTS}
        return (None if ok else "took two variadic parameters"), "grammar"
    try:
        signature = make_signature(parameters)
    except ValueError as error:
        reason, _ = classify(SIGNATURE_FAULTS, str(error))
        # Name, default and order faults of different parameters may be met in either order.
        ok = answer.get("error") in {r for _, r in SIGNATURE_FAULTS}
        return (None if ok else f"signature: {reason}"), "signature"
    args = list(range(case["positional"]))
    kwargs = {name: name for name in case["keywords"]}
    by_name = {name for name, kind, _ in parameters if kind == 0} & set(kwargs)
    if any(keyword.iskeyword(name) for name, _, _ in parameters):  # no def can have it
        if by_name and 4 in kinds:
            return None, "beyond judging"
        call = lambda: plain(signature, signature.bind(*args, **kwargs).arguments)
    else:
        call = lambda: plain(signature, real_function(signature)(*args, **kwargs))
    try:
        expected = call()
    except TypeError:
        expected = None
    if expected is not None or "bound" in answer:
        ok = answer.get("bound") == expected
        return (None if ok else f"bound: {expected}"), "bound"
    if by_name and 4 in kinds:
        return None, "beyond judging"
    try:
        signature.bind(*args, **kwargs)
    except TypeError as error:
        reason, param = classify(CALL_FAULTS, str(error))
        ok = (answer["error"], answer["param"]) == (reason, param)
        return (None if ok else f"{reason} {param}"), "rejected"
    return "inspect accepts it, a real call does not", "rejected"


def main():
    counts, wrong = {}, 0
    with open(sys.argv[1]) as file:
        for line in file:
            case = json.loads(line)
            fault, judged = judge(case)
            counts[judged] = counts.get(judged, 0) + 1
            if fault:
                wrong += 1
                print(f"{line.strip()}\n  python: {fault}")
    print("python", sys.version.split()[0], "judged", sum(counts.values()), "calls:",
          ", ".join(f"{count} {what}" for what, count in sorted(counts.items())), "; wrong:", wrong)
    return 1 if wrong or not counts else 0


if __name__ == "__main__":
    sys.exit(main())
