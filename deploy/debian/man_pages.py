#!/usr/bin/env python3
"""man_pages: writes the manual pages of the programs, one per program and per command, from their --help.

    man_pages.py DIRECTORY SIGNET_SERVER SIGNET

help2man does not know groups of options and commands, and joins the lines of examples.
"""

import gzip
import os
import re
import shutil
import subprocess
import sys

# Names of sections that manual pages have. Other headings of the help keep their names.
SECTIONS = {"Positionals": "ARGUMENTS", "Subcommands": "COMMANDS"}

HEADING = re.compile(r" *\[?(?:Option Group: )?(\w[\w ]*?)(?:\]|:)$")
ENTRY = re.compile(r" {2,4}(\S.*?)(?: {2,}(\S.*))?$")  # a name and its description, which may follow on the next line
NAME = re.compile(r"-|[A-Z]+\b|\w+$")


def escape(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text[:1] in (".", "'") else text


def format_page(name, section, version, text):
    """The page in roff. `text` is the help, and `name` is for example `signet-call`."""
    summary = usage = ""
    page = []
    examples = False  # whether these lines are examples, which keep their line breaks
    for line in text.splitlines():
        heading, entry = HEADING.match(line), ENTRY.match(line)
        if examples and not entry:
            page.append(".fi\n.RE")
            examples = False
        if line.startswith("Usage: "):
            usage = line.removeprefix("Usage: ")
        elif not summary:
            summary = re.sub(r"^\S+: ", "", line).rstrip(".")
        elif not line:
            page.append(".PP")
        elif heading and heading[1] == "Examples":
            page.append(".SH EXAMPLES\n.RS\n.nf")
            examples = True
        elif heading and line.startswith("  Options"):
            continue  # the options of a group follow the heading of the group
        elif heading:
            page.append(".SH " + SECTIONS.get(heading[1], heading[1]).upper())
        elif entry and not examples and NAME.match(entry[1]):
            page.append(f".TP\n\\fB{escape(entry[1])}\\fR")
            page += [escape(entry[2])] if entry[2] else []
        else:
            page.append(escape(line.strip()))
    page = [f'.TH {escape(name.upper())} {section} "" "Signet {version}"', ".SH NAME",
            f"{escape(name)} \\- {escape(summary)}", ".SH SYNOPSIS", escape(usage)] + page
    return re.sub(r"(\.PP\n)+(?=\.SH|\.PP|$)", "", "\n".join(page) + "\n")


def write_page(directory, section, program, *command):
    """Writes the page of a program or of its command, and returns its help."""
    def run(*words):
        return subprocess.run([program, *words], check=True, capture_output=True, text=True,
                              env={**os.environ, "COLUMNS": "100"}).stdout

    name, text = "-".join([os.path.basename(program), *command]), run(*command, "--help")
    path = os.path.join(directory, f"man{section}", f"{name}.{section}.gz")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(gzip.compress(format_page(name, section, run("--version").strip(), text).encode(), 9, mtime=0))
    return text


def main():
    directory, server, client = sys.argv[1:]
    shutil.rmtree(directory, ignore_errors=True)
    write_page(directory, 8, server)
    commands = write_page(directory, 1, client).partition("\nSubcommands:\n")[2].partition("\n\n")[0]
    for command in re.findall(r"^  ([\w-]+)", commands, re.M):
        write_page(directory, 1, client, command)


if __name__ == "__main__":
    main()
