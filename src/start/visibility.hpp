// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

// Seen by the program, and replaceable by the node library: calls within libweft.so go through
// symbol search too.
#define WEFT_EXPORT __attribute__((visibility("default")))
