// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A node's memory without contents: which pages the program may touch, which it wrote, and how many
// bytes of them. That is all that traffic depends on; whether the bytes are right is the other
// simulation's question.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>

#include "protocol/interface/page_memory.hpp"

namespace weft::scaling {

class PageAccessModel : public PageMemory {
 public:
  // Called with the number of pages that a call is about, since that takes time.
  explicit PageAccessModel(std::function<void(std::uint64_t)> on_pages)
      : on_pages_(std::move(on_pages)) {}

  void map_tracked(PageRange pages, Twin twin) override;
  void map_written(PageRange pages, Twin twin) override;
  void map_untracked(PageRange pages) override;
  void start_tracking(PageRange pages, Twin twin) override;
  void unmap(PageRange pages) override;
  void drop(PageRange pages) override;
  void begin_pause() override {}
  void end_pause() override {}
  void collect_written(PageRange pages, PageSet& written) override;
  [[nodiscard]] ByteView contents(PageIndex page) const override;
  [[nodiscard]] ByteView twin(PageIndex page) const override { return contents(page); }
  void install(PageIndex page, ByteView contents) override;
  [[nodiscard]] Bytes make_diff(PageIndex page) override;
  void apply_diff(PageIndex page, ByteView diff) override;
  void patch_diff(PageIndex page, ByteView diff) override;
  AtomicResult perform(const AtomicRequest& request) override;
  void merge(const AtomicRequest& request) override;
  bool patch(GlobalOffset where, ByteView expected, ByteView bytes) override;

  // --- for the program ---
  [[nodiscard]] bool is_absent(PageIndex page) const;
  // Changes so many bytes of a page that is not absent, the same ones each time.
  void write(PageIndex page, std::uint32_t bytes);

 private:
  struct Page {
    bool is_mapped = false, is_tracked = false, was_written = false;
    std::uint32_t changed_bytes = 0;  // since the twin was taken
  };

  Page& at(PageIndex page);

  std::function<void(std::uint64_t)> on_pages_;
  std::unordered_map<PageIndex, Page> pages_;  // never iterated
};

}  // namespace weft::scaling
