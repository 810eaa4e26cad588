// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cancelling threads, and ending them by pthread_exit, where they run on a program stack. Its pages
// may be away or protected at any moment, and then the kernel cannot write there: neither the frame
// of the signal by which the C library cancels, nor what it reads of libgcc_s when it first needs
// to unwind. (The kernel ends a process for the one, the C library for the other.)
#pragma once

namespace weft::pthread {

// Has the C library do once, here, what it would do at the first cancellation, and gives its
// handler the signal stack. To be called before the program has threads of its own, on whatever
// node: main may end by pthread_exit where it is. Once is enough.
void prepare_cancellation();

}  // namespace weft::pthread
