#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# check_purity.sh ARCHIVE: fails if an archive of src/protocol refers to anything but itself,
# weft_base, and what containers need. In particular no thread, clock, socket, file, random number
# or hashed container (std::__detail::_Prime_rehash_policy) can be reached from it.
set -eu

allowed='^(weft::|fmt::'
allowed="$allowed"'|operator (new|delete)'
allowed="$allowed"'|mem(cpy|move|set|cmp)$|bcmp$|strlen$'
allowed="$allowed"'|std::_Rb_tree_(increment|decrement|insert_and_rebalance|rebalance_for_erase)\('
allowed="$allowed"'|std::__detail::_List_node_base::'
allowed="$allowed"'|std::__throw_|std::terminate\(\)$'
allowed="$allowed"'|_Unwind_Resume$|__gxx_personality_v0$|DW.ref.__gxx_personality_v0$'
allowed="$allowed"'|__cxa_(begin_catch|end_catch|rethrow|pure_virtual|call_terminate)$'
allowed="$allowed"'|(vtable|typeinfo) for (weft::|__cxxabiv1::)'
allowed="$allowed"'|_GLOBAL_OFFSET_TABLE_$|__stack_chk_fail$)'

reached=$(nm --undefined-only --demangle "$1" | sed -n 's/^ *U //p' | sort -u)
[ -n "$reached" ] || { echo "check_purity: nothing to check in $1" >&2; exit 2; }
impure=$(printf '%s\n' "$reached" | grep -Ev "$allowed" || true)
[ -z "$impure" ] && exit 0
echo "$1 reaches outside the protocol:" >&2
printf '  %s\n' "$impure" >&2
exit 1
