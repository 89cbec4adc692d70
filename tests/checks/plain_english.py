#!/usr/bin/env python3
"""plain_english: finds phrases in comments, texts, and documentation that are hard to read.

    plain_english.py ROOT          prints each phrase; exit code 1 if there is one
    plain_english.py --self-test   plants phrases in a temporary tree and expects to find them

In code, only comments and string literals are checked; spelling is checked everywhere. PHRASES lists what to write instead.
"""

import os
import re
import sys
import tempfile
import tokenize

# Texts of other projects: vectors of other authors.
SKIPPED = ("tests/vectors/",)
# Reviewed exceptions: a file and the text of a line in it. These lines quote other programs, or print a count whose name a
# reader of the output may expect.
ALLOWED = {
    "client/lib/service_client.cc": ["// gRPC lists what it tried: `failed to connect to all addresses; .. : Connection refused`."],
    "tests/client/lib/service_client_test.cc": [
        'EXPECT_EQ(MessageOf(status), "cannot connect to a server at `127.0.0.1:1`: Connection refused");'],
    "tests/conformance/models_test.cc": ['std::printf("models: onnx ran %d passed %d refused %d differ %d\\n",'],
    "tests/conformance/onnx/onnx_files_test.cc": [
        'std::printf("models: onnx import ran %d same %d refused %d\\n", same + rejected, same, rejected);'],
    "tests/conformance/onnx/onnx_node_test.cc": [
        'std::printf("models: onnx %s suite ran %d passed %d refused %d differ %d\\n", suite.c_str(),'],
}

UNITS = (r"(?:row|element|name|parameter|value|dimension|partition|line|level|column|thread|message|call|field|axis|axes|"
         r"node|output|input|group|batch|step|output|class|word|byte|channel|image|window|head|sample|shard|piece|file|key)")
PHRASES = [  # (where, pattern, what to write)
    ("text", r"\b(?:nobody|somebody|whoever|whomever)\b", "name the reader, caller, or thread"),
    ("text", r"\bwhatever\b", "any X"),
    ("text", r"\b(?:one|a bit|a list|a byte|a number|a row|a line|an element) an? " + UNITS + r"\b", "one per X"),
    ("text", r"\bbut for\b|\bsave for\b", "except for"),
    ("text", r"\brefus(?:e|es|ed|al|als|ing)\b", "reject, error"),
    ("text", r"(?<!there )(?<!There )\b(?:is|are|was|were) no (?!longer\b|more\b|less\b|fewer\b|greater\b|other\b|need\b|later\b)\w+(?<!s)\b(?! [=<>])",
     "is not a X"),
    ("text", r"\bwhat is none\b|\bof what is\b|\btakes? each\b", "name the thing"),
    ("text", r"\bbeside\b", "next to, in addition to"),
    ("text", r"\bdoors?\b", "parser of untrusted input"),
    ("error", r"; (?:it )?takes?\b", "expected X, found Y"),
    ("any", r"(?i)\w*(?:special|optim|normal|recogn|initial|serial|organ|material|vector|amort|general|real|minim|maxim|"
            r"local|final|util|summar|token|parallel|synchron|linear|quant|canonical|color|custom|stabil|categor)"
            r"is(?:e|ed|es|er|ers|ing|ation|ations)\b", "American spelling: -ize"),
    ("any", r"(?i)(?:behaviour|neighbour|favour|honour|colour|centre\b|licence|defence|catalogue|modell(?:ed|ing)|"
            r"labell(?:ed|ing)|travell(?:ed|ing)|fulfil\b)", "American spelling"),
]
COMPILED = [(where, re.compile(pattern), advice) for where, pattern, advice in PHRASES]

STRING = re.compile(r'R"\((?:.|\n)*?\)"|"(?:\\.|[^"\\\n])*"|//[^\n]*')


def texts_of_cpp(text):
    """Yields (line, kind, text) of each comment and string literal. Joins comments on consecutive lines."""
    comment, start = [], 0
    for found in STRING.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        part = found.group(0)
        if part.startswith("//"):
            if comment and line == start + len(comment):
                comment.append(part[2:].strip())
                continue
            if comment:
                yield start, "text", comment
            comment, start = [part[2:].strip()], line
        else:
            before = text[text.rfind("\n", 0, found.start()) + 1:found.start()]
            if not before.lstrip().startswith("#include"):
                yield line, "error", part.split("\n")
    if comment:
        yield start, "text", comment


def texts_of_python(path):
    with open(path, "rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type in (tokenize.COMMENT, tokenize.STRING):
                yield token.start[0], "text", token.string.split("\n")


def texts_of(path, text):
    name = os.path.basename(path)
    if name.endswith((".cc", ".h", ".proto", ".js")):
        yield from texts_of_cpp(text)
    elif name.endswith(".py"):
        yield from texts_of_python(path)
    elif name.endswith((".md", ".cases")):
        for paragraph in re.finditer(r"(?:[^\n]+\n?)+", text):
            yield text.count("\n", 0, paragraph.start()) + 1, "text", paragraph.group(0).rstrip("\n").split("\n")
    elif name.endswith((".sh", ".cmake", ".txt")) or name == "dev":
        for number, line in enumerate(text.split("\n"), 1):
            if "#" in line:
                yield number, "text", [line[line.index("#"):]]


def matches(kind, lines, number):
    """Yields (line, phrase, advice) in a text of several lines; a phrase may continue on the next line."""
    joined, starts = "", []
    for line in lines:
        starts.append(len(joined))
        joined += line + " "
    for where, pattern, advice in COMPILED:
        if where == "any" or (where == "error" and kind != "error"):
            continue
        for found in pattern.finditer(joined):
            at = max(i for i, start in enumerate(starts) if start <= found.start())
            yield number + at, found.group(0), advice


def findings(root):
    """Yields (path, line, phrase, advice)."""
    for directory, names, files in os.walk(root):
        outputs = ("node_modules", "__pycache__", "build" if directory == root else "")  # core/ops/build has sources
        names[:] = sorted(n for n in names if not n.startswith(".") and n not in outputs)
        for name in sorted(files):
            path = os.path.join(directory, name)
            relative = os.path.relpath(path, root)
            if relative == "tests/checks/plain_english.py" or relative.startswith(SKIPPED) or not (
                    name.endswith((".cc", ".h", ".proto", ".js", ".py", ".md", ".cases", ".sh", ".cmake", ".txt")) or
                    relative == "dev"):
                continue
            try:
                with open(path, encoding="utf-8") as file:
                    text = file.read()
            except UnicodeDecodeError:
                continue
            lines = text.split("\n")
            allowed = ALLOWED.get(relative, ())
            found = set()
            for number, kind, part in texts_of(path, text):
                found.update(matches(kind, part, number))
            for number, line in enumerate(lines, 1):
                for where, pattern, advice in COMPILED:
                    if where == "any":
                        found.update((number, hit.group(0), advice) for hit in pattern.finditer(line))
            for number, phrase, advice in sorted(found):
                if lines[number - 1].strip() not in allowed:
                    yield relative, number, phrase, advice


def self_test():
    planted = {
        "core/base/a.h": [
            ("// Frees what nobody reads.", "nobody"), ("// Sizes, one a row.", "one a row"), ("// All but for x.", "but for"),
            ("// A phrase, one a\n// row each.", "one a row"), ("// Refused if too long.", None),
            ("// It is refused.", "refused"), ("// What is no tensor.", "is no tensor"),
            ("// Null if there is no tensor.", None),
            ('Error("axis 3; takes 0 to 2");', "; takes"), ("int neighbour_count;", "neighbour"),
            ("void Specialise();", "Specialise"), ('int refused = Refuse(1);  // it is no longer than 8', None),
            ('const char* kHonored = "accepts any value";', None), ('#include "core/base/beside.h"', None),
        ],
        "docs/a.md": [("Whatever a client sends, it is rejected.", None), ("It takes whatever comes.", "whatever")],
        "tests/a.py": [('"""Finds what somebody meant."""', "somebody")],
        "tests/a.cases": [("# one a row", "one a row")],
    }
    for path, cases in planted.items():
        for text, phrase in cases:
            with tempfile.TemporaryDirectory() as root:
                os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write(text + "\n")
                found = [hit for _, _, hit, _ in findings(root)]
                if (phrase is None and found) or (phrase is not None and phrase not in found):
                    print(f"plain_english: self-test: `{text}`: expected {phrase}, found {found}")
                    return 1
    return 0


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    failed = False
    for path, number, phrase, advice in findings(sys.argv[1]):
        failed = True
        print(f"{path}:{number}: `{phrase}`; write: {advice}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
