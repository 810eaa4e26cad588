// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// state.c once more, for another kind of link.
// flags: -fcommon -fuse-ld=lld
#include "state.c"
