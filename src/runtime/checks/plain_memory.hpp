// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A PageMemory for tests: arrays, and nobody who writes them but the test. Twins are what pages
// held when they were mapped.
#pragma once

#include <array>
#include <map>

#include "protocol/interface/page_memory.hpp"

namespace weft {

class PlainMemory final : public PageMemory {
 public:
  using Contents = std::array<std::byte, kPageBytes>;

  Contents& at(PageIndex page) { return contents_[page]; }

  void map_tracked(PageRange pages, Twin) override {
    for (PageIndex page = pages.first; page < pages.end(); ++page) twins_[page] = contents_[page];
  }
  void map_written(PageRange, Twin) override {}
  void map_untracked(PageRange) override {}
  void start_tracking(PageRange, Twin) override {}
  void unmap(PageRange) override {}
  void drop(PageRange) override {}
  void begin_pause() override {}
  void end_pause() override {}
  void collect_written(PageRange, PageSet&) override {}
  [[nodiscard]] ByteView contents(PageIndex page) const override { return contents_[page]; }
  [[nodiscard]] ByteView twin(PageIndex page) const override { return twins_.at(page); }
  void install(PageIndex page, ByteView contents) override {
    std::copy(contents.begin(), contents.end(), contents_[page].begin());
  }
  [[nodiscard]] Bytes make_diff(PageIndex) override { return {}; }
  void apply_diff(PageIndex, ByteView) override {}
  void patch_diff(PageIndex, ByteView) override {}
  AtomicResult perform(const AtomicRequest&) override { return {}; }
  void merge(const AtomicRequest&) override {}
  [[nodiscard]] bool patch(GlobalOffset, ByteView, ByteView) override { return false; }

 private:
  mutable std::map<PageIndex, Contents> contents_;
  std::map<PageIndex, Contents> twins_;
};

}  // namespace weft
