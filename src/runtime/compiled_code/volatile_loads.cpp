// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/compiled_code/volatile_loads.hpp"

#include <algorithm>
#include <cstring>

#include "base/numbers/mixed.hpp"

namespace weft {
namespace {

// At once, as the program's own load is.
std::uint64_t present_value(const void* p, std::uint32_t size) {
  switch (size) {
    case 1:
      return *static_cast<const volatile std::uint8_t*>(p);
    case 2:
      return *static_cast<const volatile std::uint16_t*>(p);
    case 4:
      return *static_cast<const volatile std::uint32_t*>(p);
    default:
      return *static_cast<const volatile std::uint64_t*>(p);
  }
}

}  // namespace

std::size_t VolatileLoads::place_of(const void* p) {
  return mixed(reinterpret_cast<std::uintptr_t>(p)) >> (64 - kBits);
}

bool VolatileLoads::believe(const void* p, void* out, std::uint32_t size, std::uint64_t now) const {
  const Known& known = known_[place_of(p)];
  if (known.p != p || now >= known.until) return false;
  const std::uint64_t value = present_value(p, size);
  if (value != known.value) return false;
  std::memcpy(out, &value, size);
  return true;
}

void VolatileLoads::note(const void* p, const void* value, std::uint32_t size, std::uint64_t now) {
  Known& known = known_[place_of(p)];
  std::uint64_t loaded = 0;
  std::memcpy(&loaded, value, size);
  if (known.p != p || known.value != loaded) {
    known = {.p = p, .value = loaded, .since = now, .until = 0};
  }
  known.until = now + std::clamp((now - known.since) / kShare, kShortest, kLongest);
}

}  // namespace weft
