// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Take-over: this library is preloaded into each node of a job, and its __libc_start_main runs
// after the libraries' constructors and before anything of the program. It joins the job (job.hpp),
// which puts the shared region under the program, and then
//   node 0        goes on into the C library's start, constructors and main, on a program stack
//   other nodes   wait for work (openmp: run_worker_node), and never run main
//
// The program's end: exit handlers run in reverse order, so the one that is registered here, first
// of all, runs when the program's destructors and the libraries' are done.
#include <dlfcn.h>
#include <malloc.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "api/start.hpp"
#include "base/futex.hpp"
#include "maps/start.hpp"
#include "node/exit_handlers.hpp"
#include "openmp/regions/worker.hpp"
#include "openmp/tools/tool.hpp"
#include "process/lifetime/endings.hpp"
#include "process/lifetime/start.hpp"
#include "pthread/balance/balance.hpp"
#include "pthread/gathering/gathering.hpp"
#include "pthread/threads/threads.hpp"
#include "runtime/addresses/thread_places.hpp"
#include "runtime/adoption/starting_libraries.hpp"
#include "runtime/interface/main_thread.hpp"
#include "runtime/job/job.hpp"
#include "runtime/loading/loading.hpp"
#include "runtime/stacks/program_stacks.hpp"
#include "stacks/stacks.hpp"

namespace weft {
namespace {

using Main = int (*)(int, char**, char**);
using StartMain = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);

struct Start {
  StartMain real;
  Main main;
  int argc;
  char** argv;
  void (*init)();
  void (*fini)();
  void (*rtld_fini)();
  void* stack_end;
};

// Nobody can wait for other threads of the program: they are in a region, or nobody knows where.
bool must_end_at_once() { return this_node()->self() != NodeId(0) || in_parallel_region(); }

// Runs last of all exit handlers, on whichever stack. Does not return: the rest of exit() would run
// on a program stack that nobody serves any more.
void end_of_program(int status, void*) {
  if (this_node() == nullptr) return;  // a forked process ends as any other
  on_runtime_stack([&] {
    const bool follows = follows_node_0();
    const bool at_once = !follows && must_end_at_once();
    if (!follows) maps::finish_maps(*this_node(), at_once);
    process::flush_all_streams();  // after what is older in memory: both may be of one file
    if (at_once) process::flush_streams_elsewhere(*this_node());
    leave_job(status, at_once);
    _exit(status);
  });
}

// The runtime's memory for messages with many pages is allocated and freed at each barrier. As it
// comes, the C library gives so much of it back that each page of the next one is a fault.
void keep_freed_memory() {
  constexpr int kMebibyte = 1 << 20;
  (void)mallopt(M_TRIM_THRESHOLD, 128 * kMebibyte);
  (void)mallopt(M_MMAP_THRESHOLD, 32 * kMebibyte);
}

// main's arguments on the main program stack, where every node can read them. Returns where the
// stack goes on below them.
std::byte* copy_arguments(std::byte* top, int argc, char**& argv) {
  std::byte* next = top;
  std::vector<char*> copies;
  for (int i = 0; i < argc; ++i) {
    const std::size_t bytes = std::strlen(argv[i]) + 1;
    next -= bytes;
    std::memcpy(next, argv[i], bytes);
    copies.push_back(reinterpret_cast<char*>(next));
  }
  copies.push_back(nullptr);
  next -= copies.size() * sizeof(char*);
  next = reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(next) & ~std::uintptr_t{63});
  std::memcpy(next, copies.data(), copies.size() * sizeof(char*));
  argv = reinterpret_cast<char**>(next);
  return next;
}

[[noreturn]] void run_program(Start start) {
  const StackSlot slot = main_stack_slot();
  std::byte* top = process::share_process(*this_node(), slot.top);
  top = copy_arguments(top, start.argc, start.argv);
  set_program_stack(slot.bottom, top);
  set_program_arguments(start.argc, start.argv);
  call_on_program_stack(
      [](void* argument) {
        const auto* s = static_cast<Start*>(argument);
        errno = 0;  // the start's own
        run_constructors(libraries_at_start());
        std::exit(s->real(s->main, s->argc, s->argv, s->init, s->fini, s->rtld_fini, s->stack_end));
      },
      &start);
  __builtin_unreachable();
}

[[noreturn]] void run_node(const Start& start) {
  main_thread_of_node = static_cast<pid_t>(syscall(SYS_gettid));
  start_standard_streams();
  join_job();
  keep_freed_memory();
  on_exit(end_of_program, nullptr);
  prepare_exit_handlers();
  prepare_quick_exit();
  api::start_api();
  maps::start_maps(*this_node());
  pthread::start_pthread(*this_node());
  pthread::start_balance(*this_node());
  pthread::start_gathering(*this_node());
  process::start_process(*this_node());
  start_openmp(*this_node());
  if (this_node()->self() == NodeId(0)) run_program(start);
  run_worker_node(*this_node());
  finish_tools();
  std::exit(0);
}

// What the initial thread was to do, with the signals that it takes.
struct FirstThread {
  Start start;
  sigset_t signals;
  std::atomic<std::uint32_t> has_ended = 0;
};
FirstThread first;

// Main's thread is the program's to join, as any other. So its end is seen by what it does last: in
// the last round of the destructors of its values.
void tell_of_end_of_main() {
  static pthread_key_t key;
  static int rounds = 0;
  static const char some_value = 0;
  pthread_key_create(&key, [](void*) {
    if (++rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
      pthread_setspecific(key, &some_value);
      return;
    }
    first.has_ended.store(1);
    futex_wake_all(first.has_ended);
  });
  pthread_setspecific(key, &some_value);
}

// main called pthread_exit: the process ends with its last thread, and as if main had returned 0.
[[noreturn]] void end_after_threads() {
  pthread::wait_for_threads();
  pthread_sigmask(SIG_SETMASK, &first.signals, nullptr);
  take_own_program_stack();
  call_on_program_stack([](void*) { std::exit(0); }, nullptr);
  __builtin_unreachable();
}

// The initial thread's thread-local variables and its stack are where the kernel and the dynamic
// linker put them, at the same addresses on all nodes. So another thread runs the program, in
// memory of the node's own (runtime/addresses/private_memory.hpp), and the initial one only waits.
[[noreturn]] void run_on_thread_of_its_own(const Start& start) {
  constexpr std::size_t kStackBytes = std::size_t{16} << 20;
  first.start = start;
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &first.signals);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_t thread;
  const int error = create_at_place(
      &thread, &attributes,
      [](void*) -> void* {
        pthread_sigmask(SIG_SETMASK, &first.signals, nullptr);
        tell_of_end_of_main();
        run_node(first.start);
      },
      nullptr);
  if (error != 0) {
    std::fprintf(stderr, "weft: cannot make the program's first thread: %s\n",
                 std::strerror(error));
    _exit(1);
  }
  while (first.has_ended.load() == 0) futex_wait_for_ever(first.has_ended, 0);
  end_after_threads();
}

}  // namespace
}  // namespace weft

extern "C" [[gnu::visibility("default")]] int __libc_start_main(weft::Main main, int argc,
                                                                char** argv, void (*init)(),
                                                                void (*fini)(), void (*rtld_fini)(),
                                                                void* stack_end) {
  const auto real = reinterpret_cast<weft::StartMain>(dlsym(RTLD_NEXT, "__libc_start_main"));
  if (!weft::begin_job()) {
    weft::set_program_arguments(argc, argv);
    weft::run_constructors(weft::libraries_at_start());
    return real(main, argc, argv, init, fini, rtld_fini, stack_end);
  }
  weft::run_on_thread_of_its_own({.real = real,
                                  .main = main,
                                  .argc = argc,
                                  .argv = argv,
                                  .init = init,
                                  .fini = fini,
                                  .rtld_fini = rtld_fini,
                                  .stack_end = stack_end});
}
