// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// c_state.c with everything linked by lld, which lays data out in another way.
// libraries: state_lld.c
// flags: -fcommon -fuse-ld=lld
#include "c_state.c"
