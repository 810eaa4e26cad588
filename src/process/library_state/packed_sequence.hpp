// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of random() as it goes from node to node (random.cpp).
#pragma once

#include "base/codec.hpp"

namespace weft::process {

struct PackedSequence {
  char* buffer = nullptr;
  ByteView state, defaults;  // equally long on all nodes
  WEFT_FIELDS(self.buffer, self.state, self.defaults)
};

}  // namespace weft::process
