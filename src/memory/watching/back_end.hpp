// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which page watcher this host allows, found by trying: kernels have features backported,
// containers forbid system calls, and version numbers tell neither.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "memory/region/region.hpp"
#include "memory/watching/page_watcher.hpp"
#include "memory/watching/uffd_watcher.hpp"

namespace weft {

struct BackEnd {
  enum class Kind : std::uint8_t { kUffd, kMprotect };
  Kind kind = Kind::kMprotect;
  UffdMode uffd;  // kUffd alone

  [[nodiscard]] std::string name() const;  // "uffd-async", "uffd-sync", "mprotect"
  [[nodiscard]] std::string description() const;
};

struct BackEndWish {
  // "auto", or one of the names above, which then must be possible.
  std::string name = "auto";
  // The faulting thread is to get a signal and help itself, rather than the descriptor's reader.
  bool by_signal = false;
  // Do without privileges even if there are some.
  bool user_mode_only = false;
};

// The best that works here, tried on a small region of its own; or why the wish cannot be granted.
[[nodiscard]] Result<BackEnd> choose_back_end(const BackEndWish& wish);

// Starts watching: every page of the region becomes absent.
[[nodiscard]] Result<std::unique_ptr<PageWatcher>> make_watcher(const BackEnd& back_end,
                                                                Region& region);

// One way to watch pages, and whether this host allows it.
struct BackEndReport {
  std::string name;
  bool works = false;
  std::string remark;  // how, or why not
};
[[nodiscard]] std::vector<BackEndReport> report_back_ends();
// The same and what else matters to shared memory here, in lines for people.
[[nodiscard]] std::string describe_host();

}  // namespace weft
