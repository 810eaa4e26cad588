// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state is global because a signal handler has no argument of its own; a process has one node.
#include "memory/watching/fault_signal.hpp"

#include <pthread.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "memory/region/core_dumps.hpp"
#include "memory/region/system_failure.hpp"

namespace weft {
namespace {

std::atomic<const Region*> watched_region{nullptr};
std::atomic<SignalFault> fault_callback{nullptr};
std::atomic<LastWords> crash_callback{nullptr};
// Written under no lock: the program's sigaction and a crash at the same moment are its own race.
struct sigaction segv_action;
struct sigaction bus_action;

struct sigaction& action_of(int signal) { return signal == SIGBUS ? bus_action : segv_action; }

bool was_write(void* context) {
  const auto* user = static_cast<const ucontext_t*>(context);
#if defined(__x86_64__)
  // Bit 1 of the page fault's error code.
  return (user->uc_mcontext.gregs[REG_ERR] & 2) != 0;
#elif defined(__aarch64__)
  // The exception syndrome is one of the records behind the registers; its bit 6 is WnR.
  const auto* at = reinterpret_cast<const std::byte*>(user->uc_mcontext.__reserved);
  for (;;) {
    _aarch64_ctx head;
    std::memcpy(&head, at, sizeof head);
    if (head.magic == 0) return false;
    if (head.magic == ESR_MAGIC) break;
    at += head.size;
  }
  esr_context record;
  std::memcpy(&record, at, sizeof record);
  return (record.esr >> 6 & 1) != 0;
#else
#error "Say how this processor tells a write fault from a read fault."
#endif
}

const void* code_of(void* context) {
  const auto* user = static_cast<const ucontext_t*>(context);
#if defined(__x86_64__)
  return reinterpret_cast<const void*>(user->uc_mcontext.gregs[REG_RIP]);
#else
  return reinterpret_cast<const void*>(user->uc_mcontext.pc);
#endif
}

// Back to the default action: the instruction faults again on return, and the process dies of it
// with the right address. A signal that was sent has no instruction, and is sent again.
void crash(int signal, const siginfo_t* info, void* context) {
  const auto last_words = crash_callback.load();
  if (info->si_code > 0 && last_words != nullptr) last_words(info->si_addr, code_of(context));
  if (const Region* const region = watched_region.load()) show_in_dumps(*region);
  // The kernel's call, as the C library's name for it may be taken over; all zero is SIG_DFL.
  const unsigned long action[4] = {};
  syscall(SYS_rt_sigaction, signal, &action, nullptr, sizeof action[0]);
  if (info->si_code <= 0) raise(signal);  // delivered when the handler returns
}

// Calls the program's handler as the kernel would: with the signals blocked that it asked for.
void call_program(const struct sigaction& action, int signal, siginfo_t* info, void* context) {
  sigset_t blocked = action.sa_mask;
  if ((action.sa_flags & SA_NODEFER) == 0) sigaddset(&blocked, signal);
  sigset_t before;
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  if ((action.sa_flags & SA_SIGINFO) != 0) {
    action.sa_sigaction(signal, info, context);
  } else {
    action.sa_handler(signal);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void pass_on(int signal, siginfo_t* info, void* context) {
  const struct sigaction action = action_of(signal);
  const bool is_handler = (action.sa_flags & SA_SIGINFO) != 0 ||
                          (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
  if (!is_handler) {
    const bool was_sent = info->si_code <= 0;
    if (was_sent && action.sa_handler == SIG_IGN) return;  // a real fault cannot be ignored
    crash(signal, info, context);
    return;
  }
  if ((action.sa_flags & static_cast<int>(SA_RESETHAND)) != 0) {
    action_of(signal) = {};  // the default action
  }
  call_program(action, signal, info, context);
}

void on_signal(int signal, siginfo_t* info, void* context) {
  const int saved_errno = errno;
  const auto address = ProgramAddress::of(info->si_addr);
  const Region* region = watched_region.load(std::memory_order_acquire);
  const bool ours = info->si_code > 0 && region != nullptr && region->contains(address);
  if (!ours || !fault_callback.load()(address, was_write(context), context)) {
    pass_on(signal, info, context);
  }
  errno = saved_errno;
}

}  // namespace

Status install_fault_signals(const Region& region, SignalFault on_fault) {
  fault_callback.store(on_fault);
  watched_region.store(&region, std::memory_order_release);
  struct sigaction action = {};
  action.sa_sigaction = &on_signal;
  // NODEFER: the runtime waits in the handler, and a fault of its own there must not be blocked,
  // which would kill the process without a word.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGSEGV, SIGBUS}) {
    if (sigaction(signal, &action, &action_of(signal)) != 0) {
      return system_failure(errno, fmt::format("cannot handle signal {}", signal));
    }
  }
  return {};
}

void set_last_words(LastWords last_words) { crash_callback.store(last_words); }

void remove_fault_signals() {
  for (const int signal : {SIGSEGV, SIGBUS}) sigaction(signal, &action_of(signal), nullptr);
  watched_region.store(nullptr);
}

struct sigaction program_action(int signal) { return action_of(signal); }

void set_program_action(int signal, const struct sigaction& action) { action_of(signal) = action; }

}  // namespace weft
