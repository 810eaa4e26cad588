# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Completion of `weft` for bash. The lists are made from `weft --help` when Weft is built.

# _weft_words COMMAND: its options; of weft itself, its commands too.
_weft_words() {
  case $1 in
@WORDS@
  esac
}

# _weft_values COMMAND,OPTION: the words that may follow it, or of what kind they are; none if it may be any number.
# Status 1: it takes no value.
_weft_values() {
  case $1 in
@VALUES@
    *) return 1 ;;
  esac
}

# _weft_program COMMAND: where the program stands, or 0. Its own options are not the command's.
_weft_program() {
  local at=2
  case $1 in @PROGRAMS@) ;; *) echo 0; return ;; esac
  while [ "$at" -lt "$COMP_CWORD" ]; do
    case ${COMP_WORDS[at]} in
      -*)
        if [ "${COMP_WORDS[at + 1]-}" = = ]; then
          at=$((at + 2))
        elif _weft_values "$1,${COMP_WORDS[at]}" >/dev/null; then
          at=$((at + 1))
        fi ;;
      *) break ;;
    esac
    at=$((at + 1))
  done
  echo "$at"
}

_weft_offer() { mapfile -t COMPREPLY < <(compgen "$@"); }

_weft_offer_files() {
  compopt -o filenames 2>/dev/null
  _weft_offer -f -- "$1"
}

# _weft_offer_values VALUES BEGINNING. Of hosts, which stand behind each other with commas, the last one is completed.
_weft_offer_values() {
  local before=""
  case $1 in
    "<FILE>" | "<DIR>") _weft_offer_files "$2" ;;
    "<INTERFACE>") _weft_offer -W "$(cd /sys/class/net 2>/dev/null && echo *)" -- "$2" ;;
    "<HOST>")
      case $2 in *,*) before=${2%,*}, ;; esac
      _weft_offer -A hostname -P "$before" -- "${2##*,}" ;;
    *) _weft_offer -W "$1" -- "$2" ;;
  esac
}

# The numbers of the running jobs, for commands that take them; for others none.
_weft_jobs() {
  case $1 in @JOBS@) weft ps 2>/dev/null | sed -n '2,$s/ .*//p' ;; esac
}

# A program of PATH, or one that is named with its folder.
_weft_offer_programs() {
  _weft_offer_files "$1"
  case $1 in */*) ;; *) _weft_offer -c -A directory -- "$1" ;; esac
}

_weft() {
  local word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} command="" program=0 values
  COMPREPLY=()
  [ "$COMP_CWORD" -lt 2 ] || command=${COMP_WORDS[1]}
  [ -z "$command" ] || program=$(_weft_program "$command")
  if [ "$program" -gt 0 ] && [ "$program" -lt "$COMP_CWORD" ]; then
    _weft_offer_files "$word"
    return
  fi
  # bash takes --transport=tcp for three words.
  if [ "$word" = = ]; then
    word="" option=$option=
  elif [ "$option" = = ]; then
    option=${COMP_WORDS[COMP_CWORD - 2]}=
  fi
  if values=$(_weft_values "$command,$option" || _weft_values "$command,${option%=}"); then
    _weft_offer_values "$values" "$word"
  elif [ "${word:0:1}" = - ] || [ "$program" -eq 0 ]; then
    _weft_offer -W "$(_weft_words "$command") $(_weft_jobs "$command")" -- "$word"
  else
    _weft_offer_programs "$word"
  fi
}

complete -F _weft weft
