#compdef weft
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Completion of `weft` for zsh. The lists are made from `weft --help` when Weft is built.

local -a commands
local state line
typeset -A opt_args

_arguments -C \
    @OWN@ \
    '1:command:->command' '*::argument:->argument' && return

case $state in
  command)
    commands=(
@COMMANDS@
    )
    _describe command commands ;;
  argument)
    case $words[1] in
@CASES@
    esac ;;
esac
