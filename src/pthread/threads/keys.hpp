// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "base/codec.hpp"

namespace weft::pthread {

// Asked for by every node at its start, in the same order.
void prepare_keys();

// The calling thread ends: runs the destructors of its values of the job's keys.
void destroy_values();

// A value on its way to another node.
struct CarriedValue {
  unsigned key = 0;
  void* value = nullptr;
  WEFT_FIELDS(self.key, self.value)
};
// The calling thread's, which goes to another node, has none here any more, and takes them over
// there. The latter may find no memory: false.
[[nodiscard]] std::vector<CarriedValue> carry_off_values();
[[nodiscard]] bool take_over_values(const std::vector<CarriedValue>& carried);

// Sees to it that what a thread leaves is cleaned up when it ends, however it does: after the
// destructors of thread-local variables.
void clean_up_at_end_of_thread();

}  // namespace weft::pthread
