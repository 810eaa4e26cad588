// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A simulated memory that says what is asked of it.
#pragma once

#include <fmt/format.h>

#include <functional>
#include <optional>
#include <string>

#include "sim/checkers/memory.hpp"

namespace weft::sim {

class LoggingMemory : public Memory {
 public:
  using Log = std::function<void(const std::string&)>;
  LoggingMemory(const InitialContents& initial, Log log, std::optional<std::uint64_t> seed = 1)
      : Memory(initial, seed), log_(std::move(log)) {}

  void map_tracked(PageRange pages, Twin twin) override {
    note("map_tracked", pages, name_of(twin));
    Memory::map_tracked(pages, twin);
  }
  void map_written(PageRange pages, Twin twin) override {
    note("map_written", pages, name_of(twin));
    Memory::map_written(pages, twin);
  }
  void map_untracked(PageRange pages) override {
    note("map_untracked", pages);
    Memory::map_untracked(pages);
  }
  void start_tracking(PageRange pages, Twin twin) override {
    note("start_tracking", pages);
    Memory::start_tracking(pages, twin);
  }
  void unmap(PageRange pages) override {
    note("unmap", pages);
    Memory::unmap(pages);
  }
  void drop(PageRange pages) override {
    note("drop", pages);
    Memory::drop(pages);
  }
  void install(PageIndex page, ByteView contents) override {
    note("install", PageRange{page, 1});
    Memory::install(page, contents);
  }
  [[nodiscard]] std::span<std::byte> room(PageRange absent) override {
    note("install", PageRange{absent.first, 1});
    return Memory::room(absent);
  }
  [[nodiscard]] Bytes make_diff(PageIndex page) override {
    Bytes diff = Memory::make_diff(page);
    note("make_diff", PageRange{page, 1}, diff.empty() ? "empty" : "");
    return diff;
  }
  void apply_diff(PageIndex page, ByteView diff) override {
    note("apply_diff", PageRange{page, 1});
    Memory::apply_diff(page, diff);
  }
  void patch_diff(PageIndex page, ByteView diff) override {
    note("patch_diff", PageRange{page, 1});
    Memory::patch_diff(page, diff);
  }
  void merge(const AtomicRequest& request) override {
    note("merge", PageRange{request.where.page(), 1});
    Memory::merge(request);
  }
  bool patch(GlobalOffset where, ByteView expected, ByteView bytes) override {
    const bool is_done = Memory::patch(where, expected, bytes);
    note("patch", PageRange{where.page(), 1}, is_done ? "" : "written meanwhile");
    return is_done;
  }

 private:
  static const char* name_of(Twin twin) {
    static constexpr const char* kNames[] = {"no twin", "twin present", "twin initial",
                                             "twin unlike"};
    return kNames[static_cast<int>(twin)];
  }
  void note(const char* call, PageRange pages, const char* detail = "") {
    std::string line = fmt::format("{} {}", call, pages.first.value());
    if (pages.count != 1) line += fmt::format("..{}", pages.end().value() - 1);
    if (*detail != 0) line += fmt::format(" ({})", detail);
    log_(line);
  }

  Log log_;
};

}  // namespace weft::sim
