// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The answers of a node that is checked (protocol_check.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/codec.hpp"
#include "base/ids.hpp"

namespace weft::check_messages {

struct State {
  std::uint64_t sent = 0, received = 0;  // messages of the protocol
  std::uint64_t epoch = 0;
  bool others_here = false;  // threads outside the team
  WEFT_FIELDS(self.sent, self.received, self.epoch, self.others_here)
};

struct RoundState {
  std::uint32_t round = 0;  // in which the node is
  State state;
  WEFT_FIELDS(self.round, self.state)
};

struct Copy {
  PageIndex page;
  NodeId home;
  std::uint64_t hash = 0;
  WEFT_FIELDS(self.page, self.home, self.hash)
};

struct Copies {
  std::vector<Copy> copies;
  std::optional<PageIndex> next;  // from which there are more
  WEFT_FIELDS(self.copies, self.next)
};

struct Detail {
  Bytes contents;
  std::string history;
  WEFT_FIELDS(self.contents, self.history)
};

}  // namespace weft::check_messages
