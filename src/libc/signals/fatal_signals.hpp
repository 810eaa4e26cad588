// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Signals that end the program by default: something may be left to do before they do, which takes
// shared memory (maps/sudden_ends.hpp). So from some moment on such a signal has a handler of
// Weft's, which comes when a handler of the program's could; it does what is left, and lets the
// signal do its work. The program sees SIG_DFL, as before.
#pragma once

namespace weft::libc {

// From now on, `before_end` is called on the thread that such a signal has interrupted, once.
// Whatever the program has a handler for, or ignores, is its own business.
void watch_fatal_signals(void (*before_end)());

// The same for signals after which the system dumps the process: `before_dump` is called on the
// thread, which may be anywhere. It takes no lock.
void watch_core_dumps(void (*before_dump)());

// Whether the default of this signal is watched.
[[nodiscard]] bool is_watched(int number);

// Calls what watch_fatal_signals was given, unless it has begun already, or the thread has a lock
// that it may need. A thread that has itself brought about its end waits for another's to come.
void prepare_end_by(int number);

// In the handler: ends the process by its default.
void end_by(int number);

}  // namespace weft::libc
