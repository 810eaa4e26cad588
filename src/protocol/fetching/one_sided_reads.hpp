// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pages that their homes expose are read there without a message (protocol/exposure.md).
#pragma once

#include <array>

#include "protocol/context/context.hpp"
#include "protocol/updates/update_streams.hpp"

namespace weft {

class OneSidedReads {
 public:
  OneSidedReads(Context& context, const UpdateStreams& streams)
      : context_(context), streams_(streams) {}

  // What this home has shown by now is all that a reader on this node needs to see there.
  [[nodiscard]] bool may_read_at(NodeId home) const;
  // After that, in the same step of the engine. The page's contents, valid until the next call;
  // empty if the home does not expose it, or has withdrawn it meanwhile.
  [[nodiscard]] ByteView read(NodeId home, PageIndex page);

 private:
  [[nodiscard]] bool is_in_epoch(NodeId home) const;
  [[nodiscard]] bool has_applied(NodeId home) const;

  Context& context_;
  const UpdateStreams& streams_;
  std::array<std::byte, kPageBytes> contents_{};
};

}  // namespace weft
