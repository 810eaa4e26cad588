// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// c_state.c with the library in an archive.
// libraries: state_archive.c static
// flags: -fcommon
#include "c_state.c"
