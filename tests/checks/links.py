#!/usr/bin/env python3
"""links: checks that links in README.md and docs have targets, and that the reference lists every flag.

    links.py ROOT         prints each broken link as page:line, and each flag that is missing; exit code 1 if there is one
    links.py --self-test  checks broken pages, and expects the fault of each

A link is relative, and names a file and possibly a heading of it. If the environment names the programs SIGNET_SERVER and
SIGNET_CLI, every flag in their --help must be in docs/reference/server.md and cli.md, and every flag there in --help.
"""

import glob
import os
import re
import subprocess
import sys
import tempfile

OTHER_PROGRAMS = {"--include_imports", "--descriptor_set_out", "--python_out", "--grpc_python_out", "--plugin",
                  "--preset", "--build", "--target", "--rm"}


def lines_of(path):
    """The lines of a page with their numbers, without fenced blocks and inline code."""
    fence = None
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            mark = re.match(r"\s*(```+|~~~+)", line)
            if mark and (fence is None or line.strip() == fence):
                fence = mark.group(1) if fence is None else None
            elif fence is None:
                yield number, re.sub(r"`[^`]*`", lambda code: "`" * len(code.group()), line), line


def headings_of(path):
    """The anchors of a page's headings, as GitHub makes them."""
    anchors = set()
    for _, _, line in lines_of(path):
        if heading := re.match(r"#+ +(.*)", line):
            text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.group(1).strip().lower())
            anchors.add(re.sub(r"[^\w\- ]", "", text).replace(" ", "-"))
    return anchors


def broken_links(root):
    """Yields a sentence for each link without a target."""
    pages = [os.path.join(root, "README.md")] + sorted(glob.glob(os.path.join(root, "docs/**/*.md"), recursive=True))
    for page in filter(os.path.exists, pages):
        for number, line, _ in lines_of(page):
            for link in re.findall(r"\]\(([^)\s]+)[^)]*\)", line):
                if re.match(r"[a-z]+:", link):
                    continue
                path, _, anchor = link.partition("#")
                target = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
                where = f"{os.path.relpath(page, root)}:{number}: link `{link}`"
                if not os.path.exists(target):
                    yield f"{where}: expected a file, found nothing"
                elif anchor and target.endswith(".md") and anchor not in headings_of(target):
                    yield f"{where}: expected a heading `{anchor}` in {os.path.relpath(target, root)}"


def flags_in(text):
    return set(re.findall(r"(?<![\w-])--[a-z][a-z_]+", text)) - OTHER_PROGRAMS


def differing_flags(page, texts):
    """Yields a sentence for each flag that is only in the page or only in the texts of --help."""
    with open(page, encoding="utf-8") as file:
        described = flags_in(file.read())
    known = set().union(*map(flags_in, texts))
    for flag in sorted(known - described):
        yield f"{page}: expected flag `{flag}`, which --help lists"
    for flag in sorted(described - known):
        yield f"{page}: found flag `{flag}`, which --help does not list"


def help_of(*command):
    return subprocess.run([*command, "--help"], capture_output=True, text=True, check=True).stdout


def faults(root):
    yield from broken_links(root)
    server, cli = os.environ.get("SIGNET_SERVER"), os.environ.get("SIGNET_CLI")
    if server and cli:
        server_help, cli_help = help_of(server), help_of(cli)
        commands = re.findall(r"^  ([a-z]+) {2,}", cli_help.split("Subcommands:")[1], re.M)
        commands_help = [cli_help] + [help_of(cli, command) for command in commands]
        reference = os.path.join(root, "docs/reference")
        # Both pages mention flags of the other program.
        server_flags, cli_flags = flags_in(server_help), set().union(*map(flags_in, commands_help))
        for page, own, other in (("server.md", server_flags, cli_flags), ("cli.md", cli_flags, server_flags)):
            for fault in differing_flags(os.path.join(reference, page), [" ".join(own)]):
                if not any(f"found flag `{flag}`" in fault for flag in other - own):
                    yield fault


def self_test():
    pages = {  # path: (text, start of the fault or None)
        "docs/a.md": ("# A b: `c`\n[x](b.md#d-e) [y](https://a.b) `[z](none.md)`\n```text\n[z](none.md)\n```\n", None),
        "docs/b.md": ("# D, e\n[x](a.md#a-b-c) [y](#d-e)\n", None),
        "docs/c.md": ("[x](none.md)\n", "docs/c.md:1: link `none.md`"),
        "docs/d.md": ("\n[x](a.md#none)\n", "docs/d.md:2: link `a.md#none`"),
    }
    with tempfile.TemporaryDirectory() as root:
        os.makedirs(os.path.join(root, "docs"))
        for path, (text, _) in pages.items():
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        found = list(broken_links(root))
        flags = list(differing_flags(os.path.join(root, "docs/b.md"), ["--flag"]))
    expected = [fault for _, fault in pages.values() if fault]
    if len(found) != len(expected) or not all(map(str.startswith, found, expected)) or len(flags) != 1:
        sys.exit(f"self-test: expected {expected} and one flag, found {found} and {flags}")


def main():
    if sys.argv[1:] == ["--self-test"]:
        self_test()
        return 0
    found = list(faults(sys.argv[1] if len(sys.argv) > 1 else "."))
    for fault in found:
        print(fault)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
