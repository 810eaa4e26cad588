// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pthread/thread_ids.hpp"

#include <signal.h>
#include <threads.h>

#include <cerrno>
#include <cstdlib>

#include "libc/interpose.hpp"
#include "pthread/objects.hpp"
#include "runtime/stacks.hpp"

namespace weft::pthread {
namespace {

constexpr int kTagShift = 48;
constexpr pthread_t kAddressMask = (pthread_t{1} << kTagShift) - 1;

// From the environment and not from the node: ids are compared from the first on.
pthread_t tag_of_node = 0;
[[gnu::constructor(101)]] void find_tag() {
  const char* number = std::getenv("WEFT_NODE");
  if (number != nullptr) tag_of_node = std::strtoul(number, nullptr, 10) << kTagShift;
}

[[noreturn]] void fail_elsewhere(const char* what) {
  const std::string sentence = std::string(what) +
                               " of a thread that another node has made does not work yet; let a "
                               "thread be joined and told things on its own node";
  on_runtime_stack([&] { this_node()->fail(sentence); });
  __builtin_unreachable();
}

// Calls `real` for a thread of this node.
template <typename Function, typename... Arguments>
auto here(const char* what, Function* real, pthread_t id, Arguments... arguments) {
  if (!is_of_this_node(id)) fail_elsewhere(what);
  return real(untagged(id), arguments...);
}

}  // namespace

pthread_t tagged(pthread_t id) { return id | tag_of_node; }
pthread_t untagged(pthread_t id) { return id & kAddressMask; }
bool is_of_this_node(pthread_t id) { return (id & ~kAddressMask) == tag_of_node; }

WEFT_ENTRY(pthread_t, pthread_self, void) { return tagged(WEFT_REAL(pthread_self)()); }
WEFT_ENTRY(thrd_t, thrd_current, void) { return tagged(WEFT_REAL(thrd_current)()); }

#define WEFT_HERE(result, name, parameters, ...)                        \
  WEFT_ENTRY(result, name, WEFT_PARAMETERS parameters) {                \
    return here(#name, WEFT_REAL(name), id __VA_OPT__(, ) __VA_ARGS__); \
  }
#define WEFT_PARAMETERS(...) pthread_t id __VA_OPT__(, ) __VA_ARGS__

WEFT_HERE(int, pthread_join, (void** result), result)
WEFT_HERE(int, pthread_tryjoin_np, (void** result), result)
WEFT_HERE(int, pthread_timedjoin_np, (void** result, const timespec* time), result, time)
WEFT_HERE(int, pthread_clockjoin_np, (void** result, clockid_t clock, const timespec* time), result,
          clock, time)
WEFT_HERE(int, pthread_detach, ())
WEFT_HERE(int, pthread_cancel, ())
WEFT_HERE(int, pthread_kill, (int number), number)
WEFT_HERE(int, pthread_sigqueue, (int number, const sigval value), number, value)
WEFT_HERE(int, pthread_getattr_np, (pthread_attr_t * attributes), attributes)
WEFT_HERE(int, pthread_setaffinity_np, (size_t bytes, const cpu_set_t* set), bytes, set)
WEFT_HERE(int, pthread_getaffinity_np, (size_t bytes, cpu_set_t* set), bytes, set)
WEFT_HERE(int, pthread_setname_np, (const char* name), name)
WEFT_HERE(int, pthread_getname_np, (char* name, size_t bytes), name, bytes)
WEFT_HERE(int, pthread_setschedparam, (int policy, const sched_param* parameters), policy,
          parameters)
WEFT_HERE(int, pthread_getschedparam, (int* policy, sched_param* parameters), policy, parameters)
WEFT_HERE(int, pthread_setschedprio, (int priority), priority)
WEFT_HERE(int, pthread_getcpuclockid, (clockid_t * clock), clock)
WEFT_HERE(int, thrd_detach, ())

}  // namespace weft::pthread
