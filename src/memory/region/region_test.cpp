// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory/region/region.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstdio>
#include <cstring>
#include <fstream>

#include "memory/pages/memory_test_node.hpp"

namespace weft {
namespace {

using Contents = SegmentSpec::Contents;

std::byte* map_private(std::uint64_t bytes) {
  void* got = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT_NE(got, MAP_FAILED);
  return static_cast<std::byte*>(got);
}

// Far from where the kernel puts things by itself.
constexpr ProgramAddress kFreeAddress(0x510000000000);

TEST(Region, TranslatesBetweenAllThreeKindsOfAddress) {
  const ProgramAddress second = kFreeAddress;
  auto made = Region::create({{.name = "a", .address = {}, .bytes = 2 * kPageBytes},
                              {.name = "b", .address = second, .bytes = 3 * kPageBytes}});
  ASSERT_TRUE(made.ok()) << made.error();
  const Region& region = *made.value();
  EXPECT_EQ(region.page_count(), 5U);
  EXPECT_EQ(region.segments()[1].address, second);
  const ProgramAddress inside(second.value() + 5000);
  EXPECT_EQ(region.offset_of(inside), GlobalOffset(2 * kPageBytes + 5000));
  EXPECT_EQ(region.program_address(GlobalOffset(2 * kPageBytes + 5000)), inside);
  EXPECT_TRUE(region.contains(second));
  EXPECT_FALSE(region.contains(ProgramAddress(second.value() - 1)));
  EXPECT_TRUE(region.contains(ProgramAddress(second.value() + 3 * kPageBytes - 1)));
  EXPECT_FALSE(region.contains(ProgramAddress(second.value() + 3 * kPageBytes)));
  EXPECT_FALSE(region.offset_of(ProgramAddress(0)).has_value());
  auto* program = reinterpret_cast<volatile char*>(inside.value());
  *program = 'x';
  EXPECT_EQ(*region.runtime_address(*region.offset_of(inside)).pointer(), std::byte{'x'});
}

TEST(Region, RangesAreCutWhereSegmentsMeet) {
  auto made = Region::create({{.name = "a", .address = {}, .bytes = 2 * kPageBytes},
                              {.name = "b", .address = {}, .bytes = 2 * kPageBytes}});
  ASSERT_TRUE(made.ok()) << made.error();
  std::vector<PageRange> pieces;
  made.value()->for_each_piece({PageIndex(1), 2}, [&](ProgramAddress begin, PageRange piece) {
    EXPECT_EQ(made.value()->program_address(GlobalOffset::of_page(piece.first)), begin);
    pieces.push_back(piece);
  });
  EXPECT_EQ(pieces, (std::vector<PageRange>{{PageIndex(1), 1}, {PageIndex(2), 1}}));
}

TEST(Region, ASegmentMayBeInPieces) {
  constexpr std::uint64_t kStride = 16 * kPageBytes;
  auto made = Region::create({{.name = "a", .address = {}, .bytes = kPageBytes},
                              {.name = "b",
                               .address = kFreeAddress,
                               .bytes = 6 * kPageBytes,
                               .piece_bytes = 2 * kPageBytes,
                               .stride_bytes = kStride}});
  ASSERT_TRUE(made.ok()) << made.error();
  const Region& region = *made.value();
  EXPECT_EQ(region.page_count(), 7U);
  const ProgramAddress last(kFreeAddress.value() + 2 * kStride + kPageBytes + 8);
  EXPECT_EQ(region.offset_of(last), GlobalOffset(6 * kPageBytes + 8));
  EXPECT_EQ(region.program_address(GlobalOffset(6 * kPageBytes + 8)), last);
  EXPECT_TRUE(region.contains(ProgramAddress(kFreeAddress.value() + 2 * kPageBytes - 1)));
  EXPECT_FALSE(region.contains(ProgramAddress(kFreeAddress.value() + 2 * kPageBytes)));
  EXPECT_FALSE(region.contains(ProgramAddress(kFreeAddress.value() + kStride - 1)));
  EXPECT_FALSE(region.contains(ProgramAddress(kFreeAddress.value() + 3 * kStride)));
  *reinterpret_cast<volatile char*>(last.value()) = 'x';
  EXPECT_EQ(*region.runtime_address(*region.offset_of(last)).pointer(), std::byte{'x'});
  // What lies between two pieces belongs to others, also when the region is gone.
  auto* const between = reinterpret_cast<void*>(kFreeAddress.value() + 2 * kPageBytes);
  const auto take = [&] {
    return mmap(between, kPageBytes, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
  };
  EXPECT_EQ(take(), between);
  made.value().reset();
  EXPECT_EQ(take(), MAP_FAILED);
  munmap(between, kPageBytes);
}

TEST(Region, ASegmentMayBeThereLater) {
  auto made =
      Region::create({{.name = "a", .address = {}, .bytes = kPageBytes},
                      {.name = "b", .address = kFreeAddress, .bytes = 2 * kPageBytes, .stage = 1},
                      {.name = "c", .address = {}, .bytes = kPageBytes}});
  ASSERT_TRUE(made.ok()) << made.error();
  Region& region = *made.value();
  EXPECT_EQ(region.page_count(), 4U);
  EXPECT_EQ(region.segments()[1].offset, GlobalOffset(3 * kPageBytes));
  EXPECT_FALSE(region.contains(kFreeAddress));
  const auto opened = region.open_stage(1);
  ASSERT_TRUE(opened.ok()) << opened.error();
  ASSERT_EQ(opened.value().size(), 1U);
  EXPECT_EQ(region.offset_of(kFreeAddress), GlobalOffset(kPageBytes));
  std::vector<PageRange> pieces;
  region.for_each_piece({PageIndex(0), 4},
                        [&](ProgramAddress, PageRange piece) { pieces.push_back(piece); });
  EXPECT_EQ(pieces,
            (std::vector<PageRange>{{PageIndex(0), 1}, {PageIndex(1), 2}, {PageIndex(3), 1}}));
  *reinterpret_cast<volatile char*>(kFreeAddress.value()) = 'x';
  EXPECT_EQ(*region.page_pointer(PageIndex(1)), std::byte{'x'});
  EXPECT_TRUE(region.open_stage(1).value().empty());
}

TEST(Region, PiecesAreWholePagesAndDoNotOverlap) {
  const auto is_accepted = [](std::uint64_t piece_bytes, std::uint64_t stride_bytes) {
    return Region::create({{.name = "a",
                            .address = kFreeAddress,
                            .bytes = 4 * kPageBytes,
                            .piece_bytes = piece_bytes,
                            .stride_bytes = stride_bytes}})
        .ok();
  };
  EXPECT_TRUE(is_accepted(2 * kPageBytes, 2 * kPageBytes));
  EXPECT_FALSE(is_accepted(2 * kPageBytes, kPageBytes));
  EXPECT_FALSE(is_accepted(3 * kPageBytes, 8 * kPageBytes));
  EXPECT_FALSE(is_accepted(kPageBytes / 2, 8 * kPageBytes));
  EXPECT_FALSE(is_accepted(0, 8 * kPageBytes));
}

TEST(Region, WhatIsAttachedTakesSparePages) {
  constexpr std::uint64_t kSparePages = 5000;
  auto made = Region::create({{.name = "a", .address = {}, .bytes = 2 * kPageBytes}},
                             kSparePages * kPageBytes);
  ASSERT_TRUE(made.ok()) << made.error();
  Region& region = *made.value();
  EXPECT_EQ(region.page_count(), 2 + kSparePages);
  const auto attach = [&](std::byte* memory) {
    return region.attach({.name = "late",
                          .address = ProgramAddress::of(memory),
                          .bytes = 2 * kPageBytes,
                          .contents = Contents::kTakeOver});
  };
  std::byte* const first = map_private(2 * kPageBytes);
  first[5000] = std::byte{7};
  EXPECT_FALSE(region.contains(ProgramAddress::of(first)));
  const auto segment = attach(first);
  ASSERT_TRUE(segment.ok()) << segment.error();
  EXPECT_EQ(region.segments().size(), 2U);
  const GlobalOffset offset = segment.value().offset;
  EXPECT_EQ(region.offset_of(ProgramAddress::of(first + 5000)),
            GlobalOffset(offset.bytes() + 5000));
  EXPECT_EQ(first[5000], std::byte{7});
  EXPECT_EQ(region.page_pointer(offset.page())[5000], std::byte{7});
  EXPECT_EQ(region.initial_contents(PageIndex(offset.page().value() + 1))[5000 - kPageBytes],
            std::byte{7});
  first[0] = std::byte{8};
  EXPECT_EQ(*region.page_pointer(offset.page()), std::byte{8});
  EXPECT_EQ(*region.initial_contents(offset.page()), std::byte{0});

  const auto next = attach(map_private(2 * kPageBytes));
  ASSERT_TRUE(next.ok()) << next.error();
  EXPECT_GT(next.value().offset.page().value(), offset.page().value() + 256) << "too near";
  std::uint64_t pages = 0;
  region.for_each_piece({PageIndex(0), region.page_count()},
                        [&](ProgramAddress, PageRange piece) { pages += piece.count; });
  EXPECT_EQ(pages, 6U);
  while (attach(map_private(2 * kPageBytes)).ok()) ++pages;
  EXPECT_EQ(pages, 8U) << "there was room for another number of segments";
}

TEST(Region, GuardsAreLeftOut) {
  auto made = Region::create({{.name = "a", .address = {}, .bytes = 6 * kPageBytes},
                              {.name = "b", .address = {}, .bytes = 6 * kPageBytes}});
  ASSERT_TRUE(made.ok()) << made.error();
  Region& region = *made.value();
  const auto pieces_of = [&](PageRange pages) {
    std::vector<PageRange> pieces;
    region.for_each_piece(pages, [&](ProgramAddress begin, PageRange piece) {
      EXPECT_EQ(region.program_address(GlobalOffset::of_page(piece.first)), begin);
      pieces.push_back(piece);
    });
    return pieces;
  };
  ASSERT_TRUE(region.guard({PageIndex(2), 2}).ok());
  ASSERT_TRUE(region.guard({PageIndex(5), 2}).ok());  // the end of one, the begin of the other
  EXPECT_EQ(pieces_of({PageIndex(0), 12}),
            (std::vector<PageRange>{{PageIndex(0), 2}, {PageIndex(4), 1}, {PageIndex(7), 5}}));
  EXPECT_EQ(pieces_of({PageIndex(1), 2}), (std::vector<PageRange>{{PageIndex(1), 1}}));
  EXPECT_TRUE(pieces_of({PageIndex(2), 2}).empty());
  EXPECT_EQ(pieces_of({PageIndex(3), 2}), (std::vector<PageRange>{{PageIndex(4), 1}}));
  EXPECT_TRUE(region.contains(region.program_address(GlobalOffset::of_page(PageIndex(2)))));
  EXPECT_TRUE(region.guard({PageIndex(2), 2}).ok()) << "twice does no harm";
}

TEST(Region, RefusesWhatIsTakenOrNotWholePages) {
  std::byte* taken = map_private(kPageBytes);
  taken[0] = std::byte{77};
  const auto address = ProgramAddress::of(taken);
  auto made = Region::create({{.name = "heap", .address = address, .bytes = kPageBytes}});
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().find("heap"), std::string::npos) << made.error();
  EXPECT_EQ(taken[0], std::byte{77});
  munmap(taken, kPageBytes);
  EXPECT_FALSE(Region::create({{.name = "odd", .address = {}, .bytes = 100}}).ok());
  EXPECT_FALSE(Region::create({{.name = "nowhere",
                                .address = {},
                                .bytes = kPageBytes,
                                .contents = Contents::kTakeOver}})
                   .ok());
}

TEST(Region, TakesOverWhatIsThere) {
  constexpr std::uint64_t kPages = 100;
  std::byte* data = map_private(kPages * kPageBytes);
  std::strcpy(reinterpret_cast<char*>(data) + 3 * kPageBytes, "initialised");
  data[9 * kPageBytes] = std::byte{0};  // touched, and still zero
  auto made = Region::create({{.name = "data",
                               .address = ProgramAddress::of(data),
                               .bytes = kPages * kPageBytes,
                               .contents = Contents::kTakeOver}});
  ASSERT_TRUE(made.ok()) << made.error();
  Region& region = *made.value();
  EXPECT_EQ(region.resident_bytes(), kPageBytes) << "zero pages take no memory";
  EXPECT_STREQ(reinterpret_cast<char*>(data) + 3 * kPageBytes, "initialised");
  data[3 * kPageBytes] = std::byte{'I'};
  EXPECT_EQ(*region.page_pointer(PageIndex(3)), std::byte{'I'}) << "one memory, two views";
  EXPECT_EQ(*region.initial_contents(PageIndex(3)), std::byte{'i'});
  EXPECT_EQ(*region.initial_contents(PageIndex(4)), std::byte{0});
  made.value().reset();
  EXPECT_STREQ(reinterpret_cast<char*>(data) + 3 * kPageBytes, "Initialised");
  munmap(data, kPages * kPageBytes);
}

// File mappings hold the file's contents before anybody touches them.
TEST(Region, TakesOverUntouchedFilePages) {
  std::FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  const std::string text(2 * kPageBytes, 'f');
  ASSERT_EQ(std::fwrite(text.data(), 1, text.size(), file), text.size());
  std::fflush(file);
  void* got = mmap(nullptr, text.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE, fileno(file), 0);
  ASSERT_NE(got, MAP_FAILED);
  auto made = Region::create({{.name = "data",
                               .address = ProgramAddress::of(got),
                               .bytes = text.size(),
                               .contents = Contents::kTakeOver}});
  ASSERT_TRUE(made.ok()) << made.error();
  EXPECT_EQ(std::memcmp(got, text.data(), text.size()), 0);
  made.value().reset();
  munmap(got, text.size());
  std::fclose(file);
}

TEST(Region, DiscardedPagesReadZeroAndTakeNoMemory) {
  auto made = Region::create({{.name = "a", .address = {}, .bytes = 8 * kPageBytes}});
  ASSERT_TRUE(made.ok());
  Region& region = *made.value();
  ASSERT_TRUE(region.populate({PageIndex(0), 8}).ok());
  EXPECT_EQ(region.resident_bytes(), 8 * kPageBytes);
  *region.page_pointer(PageIndex(2)) = std::byte{1};
  ASSERT_TRUE(region.discard({PageIndex(1), 4}).ok());
  EXPECT_EQ(region.resident_bytes(), 4 * kPageBytes);
  EXPECT_EQ(*region.page_pointer(PageIndex(2)), std::byte{0});
}

// Of this process's own memory, what is there; not what it shares.
std::uint64_t private_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t size = 0, resident = 0, shared = 0;
  file >> size >> resident >> shared;
  return (resident - shared) * kPageBytes;
}

class SparseRegion : public testing::TestWithParam<NamedBackEnd> {};

TEST_P(SparseRegion, PagesNeverAccessedCostNothing) {
  constexpr std::uint64_t kPages = (64ULL << 30) / kPageBytes;
  const std::uint64_t before = private_bytes();
  TestNode node(GetParam().back_end, kPages);
  EXPECT_LT(private_bytes() - before, kPages / 8) << "not even a bit for each";
  node.write(PageIndex(kPages - 1), 4095, 1);
  node.write(PageIndex(kPages / 3), 0, 1);
  EXPECT_EQ(node.absent_faults, 2);
  const std::lock_guard guard(node.lock);
  PageSet written;
  node.memory().collect_written({PageIndex(kPages / 3), 1}, written);
  node.memory().collect_written({PageIndex(kPages - 1), 1}, written);
  EXPECT_EQ(written.page_count(), 2U);
  EXPECT_LE(node.memory().counters().resident_bytes, 4 * kPageBytes);
}

INSTANTIATE_TEST_SUITE_P(Memory, SparseRegion, testing::ValuesIn(testable_back_ends()),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace weft
