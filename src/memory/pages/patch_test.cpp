// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the protocol writes into mapped pages: bytes that are a difference, and bytes that are none.
#include <gtest/gtest.h>

#include <cstring>

#include "memory/diffs/diff.hpp"
#include "memory/pages/memory_test_node.hpp"

namespace weft {
namespace {

constexpr PageIndex kPage(4);

class EveryBackEndPatched : public testing::TestWithParam<NamedBackEnd> {
 protected:
  TestNode node{GetParam().back_end, 64};
};

TEST_P(EveryBackEndPatched, ForeignBytesAndOwnBytesStayApart) {
  node.write(kPage, 0, 1);
  {
    const std::lock_guard guard(node.lock);
    Bytes twin = Bytes(kPageBytes);
    Bytes other = twin;
    other[1] = std::byte{2};
    node.memory().apply_diff(kPage, encode_diff(twin.data(), other.data()));
    const std::byte before[] = {twin[2]}, patched[] = {std::byte{3}};
    EXPECT_TRUE(node.memory().patch(GlobalOffset(kPage.value() * kPageBytes + 2), before, patched));
  }
  EXPECT_EQ(node.read(kPage, 0), 1);
  EXPECT_EQ(node.read(kPage, 1), 2);
  EXPECT_EQ(node.read(kPage, 2), 3);
  // The write and the applied byte differ from the twin; the patched one does not.
  EXPECT_EQ(changed_bytes(node.diff(kPage)), 2U);
}

TEST_P(EveryBackEndPatched, PatchUnderTheInitialTwinIsNoDifference) {
  const std::lock_guard guard(node.lock);
  node.memory().map_tracked({kPage, 1}, Twin::kInitial);
  const std::uint64_t value = 0x0102030405060708;
  const ByteView before = node.memory().contents(kPage).subspan(8, 8);
  const Bytes held(before.begin(), before.end());
  EXPECT_TRUE(node.memory().patch(GlobalOffset(kPage.value() * kPageBytes + 8), held,
                                  std::as_bytes(std::span(&value, 1))));
  EXPECT_TRUE(node.memory().make_diff(kPage).empty());
  EXPECT_EQ(std::memcmp(node.memory().contents(kPage).data() + 8, &value, 8), 0);
}

TEST_P(EveryBackEndPatched, PatchLeavesWhatAThreadHasWritten) {
  const Bytes before = Bytes(kPageBytes);
  node.write(kPage, 8, 5);
  {
    const std::lock_guard guard(node.lock);
    const std::byte patched[] = {std::byte{3}};
    EXPECT_FALSE(node.memory().patch(GlobalOffset(kPage.value() * kPageBytes + 8),
                                     ByteView(before).subspan(8, 1), patched));
  }
  EXPECT_EQ(node.read(kPage, 8), 5);
  EXPECT_EQ(changed_bytes(node.diff(kPage)), 1U);
}

INSTANTIATE_TEST_SUITE_P(Memory, EveryBackEndPatched, testing::ValuesIn(testable_back_ends()),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace weft
