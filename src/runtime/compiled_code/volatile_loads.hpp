// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads of volatile variables. A thread that waits for one must see it change, and then what was
// written before; but most volatile loads wait for nothing, and a message for each would be absurd.
// So a thread that has loaded a variable and finds the same value in its own copy believes it for a
// while: longer the longer it has not changed, at most a millisecond. A new value is not believed
// but acquired, as it may have come here by chance, ahead of what it stands for.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft {

// One thread's. Times are cycles of the processor's time-stamp counter, sizes 1, 2, 4 or 8 bytes.
class VolatileLoads {
 public:
  // Some 10 us and 1 ms. What a thread waits for may come late by an eighth of the time that it has
  // waited.
  static constexpr std::uint64_t kShortest = 20'000, kLongest = 2'000'000, kShare = 8;

  // Whether the variable's copy here may be believed; if so, it is in `out`.
  [[nodiscard]] bool believe(const void* p, void* out, std::uint32_t size, std::uint64_t now) const;
  // What an acquiring load of the variable has given.
  void note(const void* p, const void* value, std::uint32_t size, std::uint64_t now);

 private:
  struct Known {
    const void* p = nullptr;
    std::uint64_t value = 0;
    std::uint64_t since = 0;  // it has had this value
    std::uint64_t until = 0;  // it is believed
  };
  static constexpr unsigned kBits = 4;

  [[nodiscard]] static std::size_t place_of(const void* p);

  Known known_[1 << kBits];
};

// Those of the calling thread, which has been on another node meanwhile.
void forget_volatile_loads();

}  // namespace weft
