// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What dlerror says of the program's dlopen, for each thread. The C library keeps that, too, but
// any dlsym or dlopen that succeeds on the thread takes it away, and much is done between the
// moment when the C library cannot load a file and the moment when the program hears of it: the
// job's lock is released, pages are fetched, messages are sent.
#pragma once

#include <string>

namespace weft {

// Empty: the last call did not fail.
void set_load_failure(std::string why);

// Null if the last call did not fail, or has been asked about. Good until the next such call.
[[nodiscard]] char* take_load_failure();

}  // namespace weft
