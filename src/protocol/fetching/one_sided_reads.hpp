// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pages that their homes expose are read there without a message (protocol/exposure.md).
#pragma once

#include "protocol/context/context.hpp"
#include "protocol/updates/update_streams.hpp"

namespace weft {

class OneSidedReads {
 public:
  OneSidedReads(Context& context, UpdateStreams& streams) : context_(context), streams_(streams) {}

  // What this home has shown by now is all that a reader on this node needs to see there.
  [[nodiscard]] bool may_read_at(NodeId home) const;
  // The same for a shown word of that page.
  [[nodiscard]] bool may_look_at(NodeId home, PageIndex page) const;
  // Which pages may be read: those that their home exposes (after may_read_at, in the same step of
  // the engine); all, as it has answered a request for them in this epoch; or all, as it has named
  // them for the next epoch, when it had all of this one.
  enum class Pages : std::uint8_t { kExposed, kAnswered, kPushed };
  // Brings contents of these absent pages. Returns those that it has not brought: they may not be
  // read, or the home has gone on. They may hold anything.
  [[nodiscard]] PageSet read(NodeId home, Epoch epoch, const PageSet& pages, Pages which);

 private:
  // Of how many, from the first on.
  [[nodiscard]] std::uint64_t read_run(NodeId home, Epoch epoch, PageRange pages, Pages which);
  [[nodiscard]] bool shows(NodeId home, Epoch epoch, Pages which) const;
  [[nodiscard]] bool has_applied(NodeId home, const std::vector<StreamPosition>& requirement) const;

  Context& context_;
  UpdateStreams& streams_;
};

}  // namespace weft
