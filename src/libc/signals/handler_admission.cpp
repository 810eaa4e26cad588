// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "libc/signals/handler_admission.hpp"

#include <signal.h>

#include <atomic>

namespace weft::libc {
namespace {

constinit std::atomic<bool> is_counted[NSIG] = {};
constinit std::atomic<int> counted = 0;
constinit std::atomic<bool> is_admitted = false;

}  // namespace

bool is_own_doing(int number) {
  return number == SIGFPE || number == SIGILL || number == SIGTRAP || number == SIGABRT;
}

void count_handler(const Hooks& node, int number, bool is_there) {
  if (is_own_doing(number) || node.count_handlers == nullptr) return;
  if (is_counted[number].exchange(is_there) == is_there) return;
  if (!is_there) counted.fetch_sub(1);
  node.count_handlers(is_there ? 1 : -1);
  if (is_there) counted.fetch_add(1);
}

bool may_handle(const Hooks& node, int number) {
  if (is_own_doing(number) || node.admit_handlers == nullptr) return true;
  if (counted.load() > 0 || is_admitted.load()) return true;
  if (!node.admit_handlers()) return false;
  if (is_admitted.exchange(true)) node.count_handlers(-1);  // another thread was faster
  return true;
}

}  // namespace weft::libc
