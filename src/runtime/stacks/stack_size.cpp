// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/stacks/stack_size.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace weft {
namespace {

// OMP_STACKSIZE: a number with B, K, M, G or T behind it, or of kibibytes. 0 if there is none.
std::size_t wanted_stack_bytes() {
  const char* text = std::getenv("OMP_STACKSIZE");
  if (text == nullptr) return 0;
  char* end = nullptr;
  const unsigned long long number = std::strtoull(text, &end, 10);
  while (*end == ' ') ++end;
  constexpr std::string_view kUnits = "BKMGT";
  const std::size_t unit =
      *end == '\0' ? 1
                   : kUnits.find(static_cast<char>(std::toupper(static_cast<unsigned char>(*end))));
  if (unit == std::string_view::npos) return 0;  // libomp says so
  return number << (10 * unit);
}

}  // namespace

std::size_t stack_bytes() {
  constexpr std::size_t kDefault = std::size_t{8} << 20;
  rlimit limit = {};
  if (getrlimit(RLIMIT_STACK, &limit) != 0) return std::max(kDefault, wanted_stack_bytes());
  if (limit.rlim_cur == RLIM_INFINITY) return SIZE_MAX / 2;
  return std::max<std::size_t>({limit.rlim_cur, kDefault, wanted_stack_bytes()});
}

}  // namespace weft
