// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/checkers/memory.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "protocol/pages/page_runs.hpp"
#include "sim/checkers/atomic_model.hpp"
#include "sim/checkers/failure.hpp"

namespace weft::sim {

InitialContents::InitialContents(Random& random)
    : plain_(kPageBytes), image_(kPageBytes), image_every_(random.below(4)) {
  for (std::byte& byte : image_) byte = static_cast<std::byte>(random.next());
}

ByteView InitialContents::of(PageIndex page) const {
  return image_every_ != 0 && page.value() % image_every_ == 0 ? image_ : plain_;
}

Memory::Memory(const InitialContents& initial, std::optional<std::uint64_t> seed)
    : initial_(initial) {
  if (seed) random_.emplace(*seed);
}

std::byte Memory::rubbish() {
  constexpr std::byte kRubbish{0xdb};
  return random_ ? static_cast<std::byte>(random_->next()) : kRubbish;
}

Memory::Page& Memory::at(PageIndex index) {
  const auto [place, is_new] = pages_.try_emplace(index);
  if (is_new) {
    const ByteView initial = initial_.of(index);
    place->second.contents.assign(initial.begin(), initial.end());
  }
  return place->second;
}

void Memory::set_twin(PageIndex index, Page& page, Twin twin) {
  page.has_twin = twin != Twin::kNone;
  page.is_unlike = twin == Twin::kUnlike;
  if (twin == Twin::kPresent) page.twin = page.contents;
  if (twin == Twin::kInitial) {
    const ByteView initial = initial_.of(index);
    page.twin.assign(initial.begin(), initial.end());
  }
}

void Memory::map_tracked(PageRange pages, Twin twin) {
  for_each_page(pages, [&](PageIndex index) {
    Page& page = at(index);
    SIM_CHECK(page.access == Access::kAbsent, "map_tracked of page {}, mapped", index.value());
    page.access = Access::kTracked;
    page.written = std::exchange(page.is_expected, false);
    set_twin(index, page, twin);
  });
  interleave();
}

std::uint64_t Memory::expect_writes(PageRange pages) {
  std::uint64_t count = 0;
  for_each_page(pages, [&](PageIndex index) {
    Page& page = at(index);
    page.is_expected = page.access != Access::kTracked;
    if (page.access != Access::kTracked) return;
    count += page.written ? 0 : 1;
    page.written = true;
  });
  return count;
}

void Memory::map_written(PageRange pages, Twin twin) {
  interleave();
  for_each_page(pages, [&](PageIndex index) {
    SIM_CHECK(twin != Twin::kPresent, "page {} counts as written, with a twin", index.value());
    Page& page = at(index);
    page.access = Access::kTracked;
    page.written = true;
    set_twin(index, page, twin);
    if (twin == Twin::kUnlike) std::ranges::fill(page.contents, rubbish());
  });
  interleave();
}

void Memory::map_untracked(PageRange pages) {
  interleave();
  for_each_page(pages, [&](PageIndex index) {
    Page& page = at(index);
    SIM_CHECK(page.access != Access::kUntracked, "map_untracked of page {} twice", index.value());
    page.access = Access::kUntracked;
    page.written = page.has_twin = false;
  });
  interleave();
}

void Memory::start_tracking(PageRange pages, Twin twin) {
  interleave();
  for_each_page(pages, [&](PageIndex index) {
    Page& page = at(index);
    SIM_CHECK(page.access == Access::kUntracked, "start_tracking of page {}", index.value());
    page.access = Access::kTracked;
    page.written = twin == Twin::kNone && std::exchange(page.is_expected, false);
    set_twin(index, page, twin);
  });
  interleave();
}

void Memory::unmap(PageRange pages) {
  ++unmap_calls_;
  interleave();
  for_each_page(pages, [&](PageIndex index) {
    Page& page = at(index);
    SIM_CHECK(page.access != Access::kAbsent, "unmap of absent page {}", index.value());
    page.access = Access::kAbsent;
  });
  interleave();
}

void Memory::drop(PageRange pages) {
  for_each_page(pages, [&](PageIndex index) {
    Page& page = at(index);
    SIM_CHECK(page.access == Access::kAbsent, "drop of mapped page {}", index.value());
    page.written = page.has_twin = false;
    std::ranges::fill(page.contents, rubbish());
  });
}

void Memory::begin_pause() {
  for (const auto& [index, page] : pages_) {
    SIM_CHECK(page.access != Access::kTracked || !page.written,
              "a pause begins, and page {} was written", index.value());
  }
  paused_ = true;
}

void Memory::collect_written(PageRange pages, PageSet& written) {
  interleave();
  for_each_page(pages, [&](PageIndex index) {
    Page& page = at(index);
    if (page.access == Access::kTracked && std::exchange(page.written, false)) {
      written.insert(index);
    }
  });
  interleave();
}

void Memory::collect_at_rest(std::span<const PageRange> stretches, PhaseKey phase,
                             PageSet& written) {
  for (auto& [index, page] : pages_) page.is_expected = false;
  PageMemory::collect_at_rest(stretches, phase, written);
}

ByteView Memory::contents(PageIndex page) const {
  const auto known = pages_.find(page);
  return known == pages_.end() ? initial_.of(page) : ByteView(known->second.contents);
}

ByteView Memory::twin(PageIndex index) const {
  const auto known = pages_.find(index);
  SIM_CHECK(known != pages_.end() && known->second.has_twin, "page {} has no twin", index.value());
  return known->second.is_unlike ? known->second.contents : known->second.twin;
}

void Memory::install(PageIndex index, ByteView contents) {
  Page& page = at(index);
  SIM_CHECK(page.access == Access::kAbsent, "install of mapped page {}", index.value());
  page.contents.assign(contents.begin(), contents.end());
}

std::span<std::byte> Memory::room(PageRange absent) {
  Page& page = at(absent.first);
  SIM_CHECK(page.access == Access::kAbsent, "room of mapped page {}", absent.first.value());
  std::ranges::fill(page.contents, rubbish());
  return page.contents;
}

// A diff is a list of (offset, length, bytes).
Bytes Memory::make_diff(PageIndex index) {
  interleave();
  Page& page = at(index);
  SIM_CHECK(page.has_twin, "diff of page {}, which has no twin", index.value());
  // Whether the record of written pages outlives a diff is not promised.
  if (page.access == Access::kAbsent || (random_ && random_->chance(50))) page.written = false;
  Bytes diff;
  if (std::exchange(page.is_unlike, false)) {
    ByteWriter writer(diff);
    writer.varint(0);
    writer.string(page.contents);
    page.twin = page.contents;
    return diff;
  }
  if (page.contents == page.twin) return diff;
  ByteWriter writer(diff);
  for (std::size_t at = 0; at < kPageBytes; ++at) {
    if (page.contents[at] == page.twin[at]) continue;
    std::size_t end = at + 1;
    while (end < kPageBytes && page.contents[end] != page.twin[end]) ++end;
    writer.varint(at);
    writer.string(ByteView(page.contents).subspan(at, end - at));
    at = end;
  }
  page.twin = page.contents;
  return diff;
}

void Memory::apply_diff(PageIndex index, ByteView diff) {
  interleave();
  apply_to(index, diff, at(index).contents);
}

void Memory::patch_diff(PageIndex index, ByteView diff) {
  interleave();
  Page& page = at(index);
  SIM_CHECK(page.access == Access::kTracked && page.has_twin, "patch of page {}", index.value());
  apply_to(index, diff, page.contents);
  if (!page.is_unlike) apply_to(index, diff, page.twin);
}

void Memory::apply_to(PageIndex index, ByteView diff, Bytes& page) {
  ByteReader reader(diff);
  while (reader.good() && reader.remaining() > 0) {
    const std::size_t offset = reader.varint();
    const ByteView bytes = reader.string();
    SIM_CHECK(offset + bytes.size() <= kPageBytes, "diff beyond page {}", index.value());
    std::ranges::copy(bytes, page.begin() + static_cast<std::ptrdiff_t>(offset));
  }
  SIM_CHECK(reader.finished(), "malformed diff of page {}", index.value());
}

AtomicResult Memory::perform(const AtomicRequest& request) {
  Page& page = at(request.where.page());
  const auto memory = std::span(page.contents).subspan(request.where.within_page(), request.size);
  return perform_model(request, memory);
}

void Memory::merge(const AtomicRequest& request) {
  Page& page = at(request.where.page());
  SIM_CHECK(page.access == Access::kTracked && page.has_twin, "merge into page {}",
            request.where.page().value());
  const std::size_t first = request.where.within_page();
  perform_model(request, std::span(page.contents).subspan(first, request.size));
  if (page.is_unlike) return;
  perform_model(request, std::span(page.twin).subspan(first, request.size));
}

bool Memory::patch(GlobalOffset where, ByteView expected, ByteView bytes) {
  Page& page = at(where.page());
  SIM_CHECK(page.access == Access::kTracked && page.has_twin, "patch of page {}",
            where.page().value());
  const auto place = static_cast<std::ptrdiff_t>(where.within_page());
  const auto held = ByteView(page.contents).subspan(where.within_page(), expected.size());
  if (!std::ranges::equal(expected, held)) return false;
  std::ranges::copy(bytes, page.contents.begin() + place);
  if (!page.is_unlike) std::ranges::copy(bytes, page.twin.begin() + place);
  return true;
}

Memory::Access Memory::access(PageIndex page) const {
  const auto known = pages_.find(page);
  return known == pages_.end() ? Access::kAbsent : known->second.access;
}

ByteView Memory::read(GlobalOffset where, std::size_t size) const {
  SIM_CHECK(!paused_, "read of page {} in a pause", where.page().value());
  SIM_CHECK(access(where.page()) != Access::kAbsent, "read of absent page {}",
            where.page().value());
  return contents(where.page()).subspan(where.within_page(), size);
}

void Memory::write(GlobalOffset where, ByteView bytes) {
  Page& page = at(where.page());
  SIM_CHECK(!paused_, "write of page {} in a pause", where.page().value());
  SIM_CHECK(page.access != Access::kAbsent, "write of absent page {}", where.page().value());
  if (page.access == Access::kTracked) page.written = true;
  std::ranges::copy(bytes,
                    page.contents.begin() + static_cast<std::ptrdiff_t>(where.within_page()));
}

std::vector<PageIndex> Memory::pages_with(Access access) const {
  std::vector<PageIndex> pages;
  for (const auto& [index, page] : pages_) {
    if (page.access == access) pages.push_back(index);
  }
  return pages;
}

}  // namespace weft::sim
