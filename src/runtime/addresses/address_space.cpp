// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/addresses/address_space.hpp"

#include <sys/mman.h>

#include "base/ids.hpp"

namespace weft {
namespace {

constexpr std::size_t kLargest = std::size_t{1} << 46;

std::byte* reserve(std::size_t bytes) {
  void* got = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return got == MAP_FAILED ? nullptr : static_cast<std::byte*>(got);
}

template <typename ComesBefore>
void fill_gaps(std::vector<Filler>& fillers, ComesBefore comes_before) {
  for (std::size_t bytes = kLargest; bytes >= kPageBytes; bytes /= 2) {
    while (std::byte* const got = reserve(bytes)) {
      if (!comes_before(reinterpret_cast<std::uintptr_t>(got), bytes)) {
        munmap(got, bytes);
        break;
      }
      fillers.push_back({got, bytes});
    }
  }
}

}  // namespace

// Such large pieces fit into no hole between mappings.
bool kernel_maps_downwards() {
  constexpr std::size_t kProbeBytes = std::size_t{1} << 32;
  std::byte* const first = reserve(kProbeBytes);
  std::byte* const second = reserve(kProbeBytes);
  if (first != nullptr) munmap(first, kProbeBytes);
  if (second != nullptr) munmap(second, kProbeBytes);
  return second < first;
}

void fill_gaps_down_to(std::uintptr_t end, std::vector<Filler>& fillers) {
  fill_gaps(fillers, [end](std::uintptr_t got, std::size_t) { return got >= end; });
}

void fill_gaps_up_to(std::uintptr_t begin, std::vector<Filler>& fillers) {
  fill_gaps(fillers,
            [begin](std::uintptr_t got, std::size_t bytes) { return got + bytes <= begin; });
}

}  // namespace weft
