// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory/diffs/diff.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/numbers/random.hpp"
#include "memory/diffs/diff_fuzz.hpp"
#include "memory/diffs/diff_masks.hpp"

namespace weft {
namespace {

Bytes random_page(Random& random) {
  Bytes page(kPageBytes);
  for (std::byte& byte : page) byte = static_cast<std::byte>(random.next());
  return page;
}

// Changes `runs` runs of up to `longest` bytes, so that every byte in them differs.
Bytes changed(const Bytes& page, Random& random, int runs, std::size_t longest) {
  Bytes result = page;
  for (int i = 0; i < runs; ++i) {
    const std::size_t begin = random.below(kPageBytes);
    const std::size_t end = std::min(kPageBytes, begin + 1 + random.below(longest));
    for (std::size_t at = begin; at < end; ++at) {
      result[at] = page[at] ^ static_cast<std::byte>(1 + random.below(255));
    }
  }
  return result;
}

std::size_t count_differences(const Bytes& left, const Bytes& right) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < kPageBytes; ++at) count += left[at] != right[at] ? 1 : 0;
  return count;
}

// Applies the diff to pages of both all zeros and all ones: bytes that are not in the diff must
// stay what they were in either.
void expect_exact(const Bytes& twin, const Bytes& contents) {
  const Bytes diff = encode_diff(twin.data(), contents.data());
  EXPECT_EQ(changed_bytes(diff), count_differences(twin, contents));
  for (const std::byte filler : {std::byte{0}, std::byte{0xff}}) {
    Bytes page(kPageBytes, filler);
    ASSERT_TRUE(apply_diff(diff, page.data()));
    for (std::size_t at = 0; at < kPageBytes; ++at) {
      ASSERT_EQ(page[at], twin[at] != contents[at] ? contents[at] : filler) << "byte " << at;
    }
  }
}

TEST(Diff, OfAWholePageHasEachByte) {
  Random random(3);
  const Bytes contents = random_page(random);
  Bytes diff;
  append_whole(contents.data(), diff);
  EXPECT_EQ(changed_bytes(diff), kPageBytes);
  Bytes page = contents;
  for (std::byte& byte : page) byte = ~byte;
  // As if each byte had differed.
  EXPECT_EQ(diff, encode_diff(page.data(), contents.data()));
  ASSERT_TRUE(apply_diff(diff, page.data()));
  EXPECT_EQ(page, contents);
}

TEST(Diff, EqualPagesHaveNone) {
  Random random(1);
  const Bytes page = random_page(random);
  EXPECT_TRUE(encode_diff(page.data(), page.data()).empty());
  Bytes untouched = page;
  EXPECT_TRUE(apply_diff({}, untouched.data()));
  EXPECT_EQ(untouched, page);
}

TEST(Diff, HasExactlyTheChangedBytes) {
  Random random(2);
  for (int round = 0; round < 300; ++round) {
    const Bytes twin = random_page(random);
    const auto runs = static_cast<int>(1 + random.below(round % 3 == 0 ? 2000 : 20));
    const std::size_t longest = round % 2 == 0 ? 3 : 500;
    expect_exact(twin, changed(twin, random, runs, longest));
  }
}

TEST(Diff, EdgesOfPageWordAndBlock) {
  const Bytes twin(kPageBytes);
  for (const std::size_t begin : {0, 1, 7, 8, 63, 64, 65, 127, 128, 4032, 4088, 4095}) {
    for (const std::size_t length : {1, 2, 8, 63, 64, 65, 128, 4096}) {
      Bytes contents = twin;
      const std::size_t end = std::min(kPageBytes, begin + length);
      std::fill(contents.begin() + static_cast<long>(begin),
                contents.begin() + static_cast<long>(end), std::byte{1});
      expect_exact(twin, contents);
    }
  }
}

TEST(Diff, TakesTheShorterForm) {
  const Bytes twin(kPageBytes);
  Bytes one = twin;
  one[2000] = std::byte{1};
  EXPECT_LE(encode_diff(twin.data(), one.data()).size(), 5U);
  EXPECT_LE(encode_diff(twin.data(), Bytes(kPageBytes, std::byte{1}).data()).size(),
            kPageBytes + 4);
  Bytes every_other = twin;
  for (std::size_t at = 0; at < kPageBytes; at += 2) every_other[at] = std::byte{1};
  EXPECT_LE(encode_diff(twin.data(), every_other.data()).size(), 1 + 8 + 512 + 2048U);
}

TEST(Diff, EveryWayToFindDifferencesAgrees) {
  Random random(3);
  for (int round = 0; round < 100; ++round) {
    const Bytes twin = random_page(random);
    const Bytes contents = changed(twin, random, static_cast<int>(random.below(200)), 100);
    DifferenceMasks expected;
    find_differences_plain(twin.data(), contents.data(), expected);
    for (std::size_t at = 0; at < kPageBytes; ++at) {
      ASSERT_EQ(expected[at / kMaskBytes] >> at % kMaskBytes & 1, twin[at] != contents[at]);
    }
    for (const NamedFindDifferences& each : available_find_differences()) {
      if (each.function == nullptr) continue;
      DifferenceMasks masks;
      each.function(twin.data(), contents.data(), masks);
      EXPECT_EQ(masks, expected) << each.name;
    }
  }
}

TEST(Diff, EveryWayToCopyDifferencesAgrees) {
  Random random(6);
  for (int round = 0; round < 300; ++round) {
    const Bytes twin = random_page(random);
    const Bytes contents = changed(twin, random, round, 1 + random.below(80));
    check_masked_copies(twin.data(), contents.data());
  }
}

TEST(Diff, CorruptInputWritesNothing) {
  Random random(4);
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    const Bytes twin = random_page(random);
    Bytes diff =
        encode_diff(twin.data(), changed(twin, random, round % 2 == 0 ? 5 : 900, 9).data());
    for (std::uint64_t i = random.below(4); i > 0; --i) {
      diff[random.below(std::min<std::size_t>(diff.size(), 40))] =
          static_cast<std::byte>(random.next());
    }
    diff.resize(diff.size() - random.below(diff.size()));
    refused += check_diff_input(diff) ? 0 : 1;
  }
  EXPECT_GT(refused, 1000);
}

TEST(Diff, FuzzCorpus) {
  int inputs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(WEFT_DIFF_CORPUS)) {
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    (void)check_diff_input(std::as_bytes(std::span(text)));
    ++inputs;
  }
  EXPECT_GT(inputs, 5);
}

}  // namespace
}  // namespace weft
