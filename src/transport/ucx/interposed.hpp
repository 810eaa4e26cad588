// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What UCX does too early, or without asking, is changed by defining the functions that it calls
// (interposed.cpp). They must be found before UCX's and the C library's own: in an executable that
// is so, a shared library that holds them must be preloaded and export
// ucm_set_global_opts, shm_open, shm_unlink and timerfd_create.
#pragma once

namespace weft {

// True if UCX really came past here when it was loaded.
[[nodiscard]] bool ucx_is_interposed();

// What UCX opens while the program runs gets a number from 256 on, of which the function is told,
// on the thread that polls. Call before there are peers.
void keep_descriptors_of_ucx(void (*function)(int descriptor));

}  // namespace weft
