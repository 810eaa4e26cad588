// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread
// least_nodes: 2
// environment: WEFT_SPREAD=random
// counted: threads_gathered
//
// The same, where threads also go apart again, at random.

#include "gathered_sleepers.c"
