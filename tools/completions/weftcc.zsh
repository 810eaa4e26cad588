#compdef weftcc weftc++ weftfc
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Completion of weftcc, weftc++ and weftfc for zsh: files, and the options that the compiler underneath names.

local -a options
if [[ $PREFIX == -* ]]; then
  case $words[1] in  # flang completes nothing itself; its help has the options
    *weftfc) options=(${(f)"$($words[1] --help 2>/dev/null | sed -n 's/^  \(-[^ =<]*=\{0,1\}\).*/\1/p')"}) ;;
    *) options=(${(f)"$($words[1] --autocomplete=$PREFIX 2>/dev/null | cut -f 1)"}) ;;
  esac
  compadd -- $options && return
fi
_files
