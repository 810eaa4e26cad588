// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/comparisons/write_vectors.hpp"

#include <algorithm>
#include <cstring>

#include "protocol/interface/bugs.hpp"

namespace weft {
namespace {

constexpr std::size_t kBlockBytes = kPageBytes / kPageBlocks;
// Of so many pages contents are kept.
constexpr std::size_t kMostKept = 4096;

}  // namespace

void WriteVectors::compare(Vector& vector, ByteView contents, std::uint64_t version) {
  for (std::size_t block = 0; block < kPageBlocks; ++block) {
    const std::byte* const is = contents.data() + block * kBlockBytes;
    std::byte* const was = vector.contents.data() + block * kBlockBytes;
    if (std::memcmp(is, was, kBlockBytes) == 0) continue;
    std::memcpy(was, is, kBlockBytes);
    vector.changed[block] = version;
  }
}

void WriteVectors::look(PageIndex page) {
  if (!is_on() || WEFT_BUG(kPartOfOldVersion)) return;
  const auto known = vectors_.find(page);
  if (known == vectors_.end()) return;
  compare(known->second, context_.memory.contents(page), version_ + 1);
}

PageBlocks WriteVectors::blocks_since(PageIndex page, std::uint64_t version) {
  const Epoch home_since = table_.at(page).home_since;
  const ByteView contents = context_.memory.contents(page);
  ++version_;
  const auto [place, is_new] = vectors_.try_emplace(page);
  Vector& vector = place->second;
  if (is_new || vector.home_since != home_since) {
    vector.home_since = home_since;
    vector.contents.assign(contents.begin(), contents.end());
    vector.changed.fill(version_);
  }
  compare(vector, contents, version_);
  PageBlocks part{.page = page, .version = version_, .blocks = 0, .bytes = {}};
  for (std::size_t block = 0; block < kPageBlocks; ++block) {
    if (vector.changed[block] <= version) continue;
    part.blocks |= std::uint64_t{1} << block;
    // What is sent is what was compared: the program may write meanwhile.
    const auto first = vector.contents.begin() + static_cast<std::ptrdiff_t>(block * kBlockBytes);
    part.bytes.insert(part.bytes.end(), first, first + kBlockBytes);
  }
  if (~part.blocks != 0) ++context_.counters.pages_in_part;
  WEFT_PROBE_IF(~part.blocks != 0, context_, kPartOfPage);
  return part;
}

void WriteVectors::note_version(PageIndex page, std::uint64_t version) {
  if (kept_.size() >= kMostKept) kept_.clear();
  kept_[page] = {table_.at(page).home, version, {}};
}

void WriteVectors::keep(PageIndex page) {
  if (!is_on()) return;
  const auto known = kept_.find(page);
  if (known == kept_.end()) return;
  const ByteView contents = context_.memory.contents(page);
  known->second.contents.assign(contents.begin(), contents.end());
}

std::vector<PageVersion> WriteVectors::versions_of(const PageSet& pages) const {
  std::vector<PageVersion> versions;
  if (!is_on()) return versions;
  for (const PageRange& range : pages.ranges()) {
    for (auto kept = kept_.lower_bound(range.first);
         kept != kept_.end() && range.contains(kept->first); ++kept) {
      if (kept->second.contents.empty() || kept->second.home != table_.home_of(kept->first))
        continue;
      versions.push_back({kept->first, kept->second.version});
    }
  }
  return versions;
}

ByteView WriteVectors::complete(const PageBlocks& part) {
  const auto kept = kept_.find(part.page);
  completed_.resize(kPageBytes);
  if (~part.blocks != 0) {
    WEFT_ASSERT(kept != kept_.end() && kept->second.contents.size() == kPageBytes,
                "page {} came in part, and the rest is not here", part.page.value());
    completed_ = kept->second.contents;
  }
  std::size_t from = 0;
  for (std::size_t block = 0; block < kPageBlocks; ++block) {
    if ((part.blocks >> block & 1U) == 0) continue;
    WEFT_ASSERT(from + kBlockBytes <= part.bytes.size(), "page {} lacks blocks", part.page.value());
    std::memcpy(completed_.data() + block * kBlockBytes, part.bytes.data() + from, kBlockBytes);
    from += kBlockBytes;
  }
  return completed_;
}

}  // namespace weft
