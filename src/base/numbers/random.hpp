// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers that a seed decides completely, on every machine: xoshiro256** seeded by
// splitmix64 (Blackman and Vigna, 2018). The standard library's distributions are not specified
// to the bit, so they are not used where a run must replay.
#pragma once

#include <bit>
#include <cstdint>

namespace weft {

class Random {
 public:
  explicit Random(std::uint64_t seed) {
    for (std::uint64_t& word : state_) word = split_mix(seed);
  }

  std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // Uniform in [0, bound); bound > 0. The bias of the modulus is below 2^-32 for the bounds used.
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }

  // True `percent` times in a hundred.
  bool chance(unsigned percent) { return below(100) < percent; }

 private:
  static std::uint64_t split_mix(std::uint64_t& seed) {
    std::uint64_t mixed = (seed += 0x9e3779b97f4a7c15U);
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
    return mixed ^ (mixed >> 31);
  }

  std::uint64_t state_[4];
};

}  // namespace weft
