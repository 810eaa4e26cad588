// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program's threads that are on this node now, main among node 0's. Only where threads are
// moved unasked (runtime/interface/move_points.hpp); else nothing is kept.
#pragma once

namespace weft::pthread {

// Once, before the program runs. Calls before it do nothing.
void start_presence();

// The calling thread is here from now on, and no more. A thread may say it again.
void note_presence();
void note_absence();

// How many of them have work (activity.hpp). Any thread may ask; nothing blocks.
[[nodiscard]] unsigned threads_with_work();
// How many run at this moment: they do not wait in Weft. The same.
[[nodiscard]] unsigned running_threads();

}  // namespace weft::pthread
