// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// prctl: what it sets for the process is set on all nodes; what it sets for the thread is the
// thread's; what would take away from Weft what it needs is refused.
#include <sys/prctl.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstring>

#include "libc/interposition/io_bounce.hpp"
#include "process/requests/refusal.hpp"
#include "process/requests/topics.hpp"

namespace weft::process {
namespace {

struct Arguments {
  unsigned long each[4];
};

constexpr int kOfProcess[] = {PR_SET_DUMPABLE,     PR_SET_KEEPCAPS,    PR_SET_CHILD_SUBREAPER,
                              PR_SET_NO_NEW_PRIVS, PR_SET_THP_DISABLE, PR_CAPBSET_DROP};
constexpr int kRefused[] = {PR_SET_SECCOMP, PR_SET_MM, PR_SET_PDEATHSIG, PR_SET_TSC,
                            PR_SET_SYSCALL_USER_DISPATCH};

template <std::size_t n>
bool is_among(const int (&options)[n], int option) {
  return std::find(std::begin(options), std::end(options), option) != std::end(options);
}

int control_here(int option, const Arguments& with) {
  const auto& [a, b, c, d] = with.each;
  return WEFT_REAL(prctl)(option, a, b, c, d);
}

// The same for the program, whose memory some options name.
int control_for_program(int option, const Arguments& with) {
  const unsigned long first = with.each[0];
  const auto call = [&](const auto& given) {
    return libc::call(WEFT_REAL(prctl), option, given, with.each[1], with.each[2], with.each[3]);
  };
  constexpr std::size_t kNameBytes = 16;  // the kernel's
  switch (option) {
    case PR_SET_NAME:
      return call(libc::text(reinterpret_cast<const char*>(first)));
    case PR_GET_NAME:
      return call(libc::memory(reinterpret_cast<char*>(first), kNameBytes));
    case PR_GET_CHILD_SUBREAPER:
    case PR_GET_PDEATHSIG:
    case PR_GET_TSC:
      return call(libc::memory(reinterpret_cast<int*>(first)));
    default:
      return call(first);
  }
}

Answer control(const Request& request) {
  Arguments with = {};
  std::memcpy(&with, request.bytes.data(), sizeof with);
  return answer_of(control_here(static_cast<int>(request.a), with));
}

}  // namespace

void perform_prctl() { perform(Call::kControl, control); }

WEFT_ENTRY(int, prctl, int option, ...) {
  Arguments with;
  std::va_list list;
  va_start(list, option);
  for (unsigned long& each : with.each) each = va_arg(list, unsigned long);
  va_end(list);
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr) return control_here(option, with);
  if (is_among(kRefused, option)) refuse(*node, "this kind of prctl");
  if (!is_among(kOfProcess, option)) return control_for_program(option, with);
  return static_cast<int>(result_of(everywhere(
      *node, {.call = Call::kControl, .a = option, .bytes = bytes_of(&with, sizeof with)})));
}

}  // namespace weft::process
