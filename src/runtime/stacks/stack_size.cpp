// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/stacks/stack_size.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/page_range.hpp"
#include "base/text/sizes.hpp"

namespace weft {
namespace {

// OMP_STACKSIZE: a size, of kibibytes if it has no unit. 0 if there is none; libomp complains then.
std::size_t wanted_stack_bytes() {
  const char* const variable = std::getenv("OMP_STACKSIZE");
  if (variable == nullptr) return 0;
  std::string text = variable;
  if (text.find_first_not_of("0123456789 ") == std::string::npos) text += 'K';
  return parse_size(text).value_or(0);
}

}  // namespace

std::size_t stack_bytes() {
  constexpr std::size_t kDefault = std::size_t{8} << 20;
  rlimit limit = {};
  if (getrlimit(RLIMIT_STACK, &limit) != 0) return std::max(kDefault, wanted_stack_bytes());
  if (limit.rlim_cur == RLIM_INFINITY) return SIZE_MAX / 2;
  return std::max<std::size_t>({limit.rlim_cur, kDefault, wanted_stack_bytes()});
}

std::string explain_overflow(std::size_t given) {
  if (given == 0 || stack_bytes() <= given + kPageBytes) return {};
  return fmt::format(
      "a thread's stack has overflowed: on several nodes it has {} MiB, and not all that ulimit -s "
      "or OMP_STACKSIZE allows; put large arrays on the heap",
      given >> 20);
}

}  // namespace weft
