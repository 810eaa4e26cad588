// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a thread of another node may come here. The node itself decides, as it alone knows its
// load; who may come is counted from then on, so that not all come to the only idle node.
#pragma once

#include <cstdint>

#include "base/codec.hpp"

namespace weft::pthread {

// Between the nodes.
struct BalanceMessage {
  enum class What : std::uint8_t {
    kForProcessor,  // may a thread come that finds no processor where it is?
    kForData,       // may one come that works on pages of this node?
    kStays,         // one that may come stays away
  };
  using enum What;

  What what = kForProcessor;
  unsigned load = 0;  // of kForData: the threads with work that the asking node has
  WEFT_FIELDS(self.what, self.load)
};

struct NodeLoad {
  unsigned threads = 0;  // with work, and those that are on their way here
  unsigned processors = 1;
};

[[nodiscard]] constexpr bool has_too_many(const NodeLoad& load) {
  return load.threads > load.processors;
}

[[nodiscard]] constexpr bool may_come(const BalanceMessage& question, const NodeLoad& here) {
  switch (question.what) {
    case BalanceMessage::kForProcessor:
      return here.threads < here.processors;
    case BalanceMessage::kForData:
      return here.threads <= question.load + 1;
    case BalanceMessage::kStays:
      return false;
  }
  return false;
}

}  // namespace weft::pthread
