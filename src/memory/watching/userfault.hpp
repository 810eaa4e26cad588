// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A userfaultfd descriptor and its ioctls, with the kernel's partial progress, retries and races
// handled. Knows addresses alone; what they mean is the watchers' business.
#pragma once

#include <linux/userfaultfd.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "base/addresses.hpp"
#include "base/result.hpp"

namespace weft {

struct ProgramRange {
  ProgramAddress begin;
  std::uint64_t bytes = 0;
};

class Userfault {
 public:
  struct Options {
    std::uint64_t features = 0;   // UFFD_FEATURE_*, all of which are required
    bool user_mode_only = false;  // what a user without privileges may have
  };
  [[nodiscard]] static Result<std::unique_ptr<Userfault>> create(const Options& options);
  ~Userfault();
  Userfault(const Userfault&) = delete;
  Userfault& operator=(const Userfault&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }

  // Watches a mapping of a memfd for touches of unmapped pages and for writes.
  Status watch(ProgramRange range);
  // Maps what the file holds there. `missing(rest)` is called when the file has no page at the
  // start of `rest`, and must give it one. Pages that are mapped already are left as they are.
  using OnMissing = std::function<Status(ProgramRange rest)>;
  Status map(ProgramRange range, bool write_protected, const OnMissing& missing);
  // Maps copies of `range.bytes` at `from`, write-protected, where the file has no pages.
  Status copy(ProgramRange range, const std::byte* from);
  // Takes the permission to write away or gives it back (and wakes threads that wait for it).
  Status protect(ProgramRange range);
  Status unprotect(ProgramRange range);
  void wake(ProgramRange range);
  // Reads waiting fault messages, at most `room`; 0 if there are none.
  [[nodiscard]] std::size_t read(std::span<uffd_msg> room);

 private:
  explicit Userfault(int descriptor) : descriptor_(descriptor) {}
  Status change_protection(ProgramRange range, std::uint64_t mode);

  int descriptor_;
};

}  // namespace weft
