#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the completions of bash and zsh: generate.py WEFT SOURCE_FOLDER OUT_FOLDER.

The source folder has a frame for each shell, in which @...@ stands for what the options of `weft` are; see help_text.py.
"""

import pathlib
import sys

sys.dont_write_bytecode = True
from help_text import read_commands  # noqa: E402

ZSH_NAMES = {"UINT": "number", "INT": "number", "TEXT": "value"}
# Kinds of values, by the name that the help has for them.
ZSH_ACTIONS = {"FILE": "_files", "DIR": "_files -/", "HOST": "_sequence _hosts", "INTERFACE": "_net_interfaces"}


def bash_words(commands):
    """Of each command, the words that it offers."""
    cases = []
    for command in commands:
        words = [name for option in command.options for name in option.names]
        if not command.name:
            words = [each.name for each in commands[1:]] + words
        cases.append(f"    '{command.name}') echo '{' '.join(words)}' ;;")
    return "\n".join(cases)


def bash_values(commands):
    """The values of each option: with a "=" behind its name if the value may be left out."""
    cases = []
    for command in commands:
        for option in command.options:
            if not option.value and not option.choices:
                continue
            sign = "=" if option.may_be_bare else ""
            names = " | ".join(f"{command.name},{name}{sign}" for name in option.names)
            kind = f"<{option.value}>" if option.value in ZSH_ACTIONS else " ".join(option.choices)
            cases.append(f"    {names}) echo '{kind}' ;;")
    return "\n".join(cases)


def programs(commands):
    return " | ".join(command.name for command in commands if command.takes_program)


def jobs(commands):
    return " | ".join(command.name for command in commands if command.takes_jobs)


def quoted(text):
    for sign in "\\[]:'":
        text = text.replace(sign, "\\" + sign if sign != "'" else "'\\''")
    return text


def zsh_option(option):
    """One option as _arguments wants it: '(-n --nodes)'{-n,--nodes}'[help]:value:(choices)'."""
    names = option.names[0] if len(option.names) == 1 else "{" + ",".join(option.names) + "}"
    others = f"'({' '.join(option.names)})'" if len(option.names) > 1 else ""
    long_value = "=-" if option.may_be_bare else "=" if option.value and len(option.names) == 1 else ""
    value = ""
    if option.value or option.choices:
        action = f"({' '.join(option.choices)})" if option.choices else ZSH_ACTIONS.get(option.value, " ")
        value = f"{':' if option.may_be_bare else ''}:{ZSH_NAMES.get(option.value, option.value.lower() or 'value')}:{action}"
    return f"{others}{names}'{long_value}[{quoted(option.help)}]{value}'"


def zsh_cases(commands):
    cases = []
    for command in commands[1:]:
        specs = [zsh_option(option) for option in command.options]
        if command.takes_program:
            specs += ["'(-)1:program:_command_names -e'", "'*::arguments:_normal'"]
        if command.takes_jobs:
            specs.append("'*:job:( ${(f)\"$(weft ps 2>/dev/null | sed -n \"2,\\$s/ .*//p\")\"} )'")
        cases.append(f"    {command.name})\n      _arguments -S \\\n        " + " \\\n        ".join(specs) + " ;;")
    return "\n".join(cases)


def zsh_commands(commands):
    return "\n".join(f"    '{each.name}:{quoted(each.help)}'" for each in commands[1:])


def main():
    weft, source, out = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    commands = read_commands(weft)
    parts = {
        "@WORDS@": bash_words(commands), "@VALUES@": bash_values(commands), "@PROGRAMS@": programs(commands), "@JOBS@": jobs(commands),
        "@OWN@": " \\\n    ".join(zsh_option(option) for option in commands[0].options),
        "@COMMANDS@": zsh_commands(commands), "@CASES@": zsh_cases(commands)}
    for frame, result in (("weft.bash", "bash-completion/completions/weft"), ("weft.zsh", "zsh/site-functions/_weft")):
        text = (source / frame).read_text()
        for name, part in parts.items():
            text = text.replace(name, part)
        file = out / result
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


if __name__ == "__main__":
    main()
