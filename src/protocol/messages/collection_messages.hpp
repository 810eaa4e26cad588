// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages by which nodes agree up to where all have heard the records (protocol/collecting.md).
#pragma once

#include <cstdint>
#include <vector>

#include "protocol/messages/message_type.hpp"
#include "protocol/messages/records.hpp"

namespace weft {

// To all others: how far have you heard?
struct CollectAsk {
  std::uint64_t round = 0;  // as the asker counts
  VectorClock clock;        // of the asker
  WEFT_MESSAGE(kCollectAsk, self.round, self.clock)
};

struct CollectReply {
  std::uint64_t round = 0;
  VectorClock clock;
  std::vector<Record> records;  // that the asker lacks
  WEFT_MESSAGE(kCollectReply, self.round, self.clock, self.records)
};

// To all others, when all have answered.
struct Collect {
  VectorClock heard;            // up to there by all nodes
  std::vector<Record> records;  // that the receiver lacked when it answered
  WEFT_MESSAGE(kCollect, self.heard, self.records)
};

}  // namespace weft
