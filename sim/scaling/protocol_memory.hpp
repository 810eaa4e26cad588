// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much memory each simulated node's engine has: every allocation that is made while an account
// is open is counted there until it is freed, wherever that happens. (A message that is under way
// counts at its sender.) counted_allocation.cpp does the counting.
#pragma once

#include <cstdint>

namespace weft::scaling {

struct MemoryAccount {
  std::int64_t bytes = 0, most_bytes = 0;
};

// What this thread allocates belongs to an account, or to none, as long as this lives. The account
// must outlive all that is allocated meanwhile.
class Charge {
 public:
  explicit Charge(MemoryAccount* account);
  ~Charge();
  Charge(const Charge&) = delete;
  Charge& operator=(const Charge&) = delete;

 private:
  MemoryAccount* before_;
};

// None: what this thread allocates now is not counted.
[[nodiscard]] MemoryAccount* account_charged();

}  // namespace weft::scaling
