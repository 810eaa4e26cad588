// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// File descriptors that Weft and the transport have open in the program's process. A program may
// close whatever it did not open, as some do in a loop, and use any number that is free: so its
// calls do not see Weft's, and Weft's have numbers that programs do not choose.
//
//   0 ... 2   3 ... 255        256 ...
//   streams   the program's    Weft's, where it asks at the start; then both, as they come
//
// The transport takes the lowest free number. So all low ones are taken while it starts.
#pragma once

namespace weft::libc {

// Before Weft opens anything but `own`. What else is open now is the program's.
void fill_low_descriptors(int own);
// Before the program runs. Low numbers are free again; what has been opened since is kept.
void keep_open_descriptors();
// One that Weft opens later, for as long as that file is open. Calls are serialised by the caller.
void keep_descriptor(int descriptor);

// Whether it is Weft's; true only in the node itself, not in the child of a fork.
[[nodiscard]] bool is_kept(int descriptor);
// The same, if it is the program that asks.
[[nodiscard]] bool is_kept_from_program(int descriptor);
// The first kept one from `begin` on; -1 if there is none.
[[nodiscard]] int next_kept(int begin);

}  // namespace weft::libc
