// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What cannot have been sent by a node is refused.
#include <gtest/gtest.h>

#include "protocol/messages/message_codec.hpp"

namespace weft {
namespace {

template <typename Value>
bool is_readable(const Bytes& bytes) {
  WireReader wire(bytes);
  Value value;
  wire(value);
  return wire.finished();
}

// A number of elements that cannot all be there.
TEST(Message, RefusesToReadMoreThanThereIs) {
  Bytes bytes;
  WireWriter out(bytes);
  out(std::uint64_t{3});
  EXPECT_FALSE(is_readable<std::vector<NodeId>>(bytes));
  EXPECT_FALSE(is_readable<PageSet>(bytes));
}

TEST(Message, RefusesAtomicOperationsOnMoreThanAnOperand) {
  AtomicRequest request;
  Bytes bytes;
  WireWriter out(bytes);
  out(std::uint8_t{sizeof request.operand + 1}, AtomicOperation::kLoad, request.type,
      std::uint64_t{0});
  EXPECT_FALSE(is_readable<AtomicRequest>(bytes));
}

// A message that is cut short is refused, never read beyond its end, nor taken for another.
TEST(MessageDeathTest, RefusesWhatIsCutShort) {
  const Bytes bytes =
      encode(Epoch(1), LockGrant{.lock = LockId(7),
                                 .records = {Record{.writer = NodeId(1),
                                                    .number = IntervalNumber(2),
                                                    .late = true,
                                                    .deferred = false,
                                                    .current = false,
                                                    .looked = false,
                                                    .pages = PageSet{{PageIndex(3), 4}},
                                                    .updates = {{NodeId(5), {}}},
                                                    .stores = {}}},
                                 .carried = {},
                                 .pages = {},
                                 .lent = {},
                                 .clock = {IntervalNumber(1)},
                                 .returned = false,
                                 .home = NodeId(3),
                                 .bound = {},
                                 .is_right = false,
                                 .targets = {},
                                 .ahead = {}});
  for (std::size_t size = 2; size < bytes.size(); ++size) {
    const auto read_cut = [&] {
      WireReader wire(ByteView(bytes).first(size));
      read_header(wire);
      (void)decode<LockGrant>(wire);
    };
    const ReadingFrom sender(NodeId(6));
    EXPECT_DEATH(read_cut(), "what node 6 has sent cannot be read: LockGrant of ") << size;
  }
}

}  // namespace
}  // namespace weft
