# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Completion of weftcc, weftc++ and weftfc for bash: files, and the options that the compiler underneath names.

# _weft_compiler_options COMPILER BEGINNING. flang completes nothing itself; its help has the options.
_weft_compiler_options() {
  case $1 in
    *weftfc) "$1" --help 2>/dev/null | sed -n 's/^  \(-[^ =<]*=\{0,1\}\).*/\1/p' ;;
    *) "$1" --autocomplete="$2" 2>/dev/null | cut -f 1 ;;
  esac
}

_weft_compiler() {
  local word=${COMP_WORDS[COMP_CWORD]} compiler=${COMP_WORDS[0]} option=""
  COMPREPLY=()
  # bash takes -std=c17 for three words. clang is asked for the values of "-std=" by "-std=,c1".
  if [ "$word" = = ]; then
    option=${COMP_WORDS[COMP_CWORD - 1]} word=""
  elif [ "$COMP_CWORD" -gt 2 ] && [ "${COMP_WORDS[COMP_CWORD - 1]}" = = ]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  if [ -n "$option" ]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_weft_compiler_options "$compiler" "$option=,$word")" -- "$word")
  elif [ "${word:0:1}" = - ]; then
    mapfile -t COMPREPLY < <(compgen -W "$(_weft_compiler_options "$compiler" "$word")" -- "$word")
    [ "${COMPREPLY[0]: -1}" != = ] || compopt -o nospace 2>/dev/null
  fi
  [ ${#COMPREPLY[@]} -gt 0 ] && return
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -f -- "$word")
}

complete -F _weft_compiler weftcc weftc++ weftfc
