// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/scaling/page_access_model.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "protocol/pages/page_runs.hpp"
#include "sim/scaling/protocol_memory.hpp"

namespace weft::scaling {

// What this keeps is not the engine's memory, though the engine's calls make it.
PageAccessModel::Page& PageAccessModel::at(PageIndex page) {
  const Charge nobody(nullptr);
  return pages_[page];
}

void PageAccessModel::map_tracked(PageRange pages, Twin twin) {
  on_pages_(pages.count);
  for_each_page(pages, [&](PageIndex index) {
    Page& page = at(index);
    page.is_mapped = page.is_tracked = true;
    page.was_written = false;
    if (twin == Twin::kPresent) page.changed_bytes = 0;
  });
}

void PageAccessModel::map_written(PageRange pages, Twin twin) {
  map_tracked(pages, twin);
  for_each_page(pages, [&](PageIndex index) {
    Page& page = at(index);
    page.was_written = true;
    if (twin == Twin::kUnlike) page.changed_bytes = kPageBytes;
  });
}

void PageAccessModel::map_untracked(PageRange pages) {
  on_pages_(pages.count);
  for_each_page(pages, [&](PageIndex index) { at(index) = {.is_mapped = true}; });
}

void PageAccessModel::start_tracking(PageRange pages, Twin twin) { map_tracked(pages, twin); }

void PageAccessModel::unmap(PageRange pages) {
  on_pages_(pages.count);
  for_each_page(pages, [&](PageIndex index) { at(index).is_mapped = false; });
}

void PageAccessModel::drop(PageRange pages) {
  for_each_page(pages, [&](PageIndex index) { at(index) = {}; });
}

void PageAccessModel::collect_written(PageRange pages, PageSet& written) {
  for_each_page(pages, [&](PageIndex index) {
    Page& page = at(index);
    if (page.is_mapped && page.is_tracked && std::exchange(page.was_written, false)) {
      written.insert(index);
    }
  });
}

ByteView PageAccessModel::contents(PageIndex page) const {
  static constexpr std::array<std::byte, kPageBytes> kAnything{};
  return kAnything;
}

void PageAccessModel::install(PageIndex page, ByteView contents) { at(page).changed_bytes = 0; }

// As long as a real diff of bytes that lie together.
Bytes PageAccessModel::make_diff(PageIndex page) {
  on_pages_(1);
  const std::uint32_t bytes = std::exchange(at(page).changed_bytes, 0);
  constexpr std::size_t kPlaceAndLength = 4;
  return Bytes(bytes == 0 ? 0 : bytes + kPlaceAndLength);
}

void PageAccessModel::apply_diff(PageIndex page, ByteView diff) { on_pages_(1); }
void PageAccessModel::patch_diff(PageIndex page, ByteView diff) { on_pages_(1); }

AtomicResult PageAccessModel::perform(const AtomicRequest& request) { return {}; }

void PageAccessModel::merge(const AtomicRequest& request) {}
bool PageAccessModel::patch(GlobalOffset where, ByteView expected, ByteView bytes) { return true; }

bool PageAccessModel::is_absent(PageIndex page) const {
  const auto known = pages_.find(page);
  return known == pages_.end() || !known->second.is_mapped;
}

void PageAccessModel::write(PageIndex index, std::uint32_t bytes) {
  Page& page = at(index);
  page.was_written = true;
  page.changed_bytes = std::max(page.changed_bytes, bytes);
}

}  // namespace weft::scaling
