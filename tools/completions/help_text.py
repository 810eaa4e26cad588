# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The commands of `weft` and their options, read from what `weft --help` and `weft COMMAND --help` print.

The help comes from the option tables, so an option that is new there is completed without a further step.
"""

import dataclasses
import re
import subprocess

OPTION = re.compile(r"  (-[\w-]+(?:,-[\w-]+)*)(\{[^}]*\})?(.*)")
CHOICES = re.compile(r"\{([^}]*)\}")
COMMAND = re.compile(r"  ([a-z][\w-]*) {2,}(.*)")


@dataclasses.dataclass
class Option:
    names: list  # -n, --nodes
    help: str = ""
    value: str = ""  # UINT, TEXT, ...; empty: none
    choices: tuple = ()
    may_be_bare: bool = False  # the value comes behind "=" only


@dataclasses.dataclass
class Command:
    name: str  # empty: weft itself
    help: str
    options: list
    takes_program: bool
    takes_jobs: bool = False


def read_option(match):
    names, bare, rest = match.groups()
    told, _, help_text = rest.partition("  ")
    told = told.split("(Env:")[0].strip()
    choices = CHOICES.search(told)
    value = re.match(r"[A-Za-z]+", told)
    return Option(names.split(","), help_text.strip(), value.group(0) if value else "",
                  tuple(choices.group(1).split(",")) if choices else (), bare is not None)


def read_options(lines):
    options = []
    for line in lines:
        match = OPTION.fullmatch(line)
        if match:
            options.append(read_option(match))
        elif options and line.startswith(" " * 10):
            options[-1].help = (options[-1].help + " " + line.strip()).strip()
    return options


def sections(text):
    """The lines below each heading, such as Options."""
    found, name = {}, ""
    for line in text.splitlines():
        heading = re.fullmatch(r"(\w+):", line)
        name = heading.group(1) if heading else name
        found.setdefault(name, []).append(line)
    return found


def ask(*command):
    return sections(subprocess.run([*command, "--help"], capture_output=True, text=True, check=True).stdout)


def read_command(weft, name, help_text):
    parts = ask(weft, name)
    arguments = "\n".join(parts.get("Positionals", []))
    return Command(name, help_text, read_options(parts.get("Options", [])), "PROGRAM" in arguments, " JOB" in arguments)


def read_commands(weft):
    """Weft itself, and then each of its commands."""
    parts = ask(weft)
    named = [match.groups() for match in map(COMMAND.fullmatch, parts["Subcommands"]) if match]
    own = Command("", "", read_options(parts["Options"]), False)
    return [own, *(read_command(weft, name, text) for name, text in named)]
