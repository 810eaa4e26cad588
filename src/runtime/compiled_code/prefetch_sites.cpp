// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/compiled_code/prefetch_sites.hpp"

#include <array>

#include "base/numbers/mixed.hpp"

namespace weft {
namespace {

constinit std::array<PrefetchSite, 512> sites{};

}  // namespace

PrefetchSite& PrefetchSite::at(std::uintptr_t place) { return sites[mixed(place) >> 55U]; }

}  // namespace weft
