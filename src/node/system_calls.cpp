// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// System calls that the program makes by syscall(): those that would see this node alone where the
// C library's functions see the job are what the functions are, and numbers of processes and
// threads are those that the functions tell. The rest is the kernel's, and so is all that Weft
// itself asks for.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "libc/interposition/interpose.hpp"
#include "process/attributes/main_thread.hpp"
#include "process/requests/system_code.hpp"
#include "pthread/synchronisation/futexes.hpp"
#include "runtime/job/job.hpp"
#include "stacks/stacks.hpp"

extern "C" {
void* __wrap_mmap(void*, std::size_t, int, int, int, off_t);
int __wrap_munmap(void*, std::size_t);
void* __wrap_mremap(void*, std::size_t, std::size_t, int, void*);
int __wrap_mprotect(void*, std::size_t, int);
int __wrap_madvise(void*, std::size_t, int);
int __wrap_msync(void*, std::size_t, int);
}

namespace weft {
namespace {

struct SystemCall {
  long number, a, b, c, d, e, f;
};

void* pointer(long argument) { return reinterpret_cast<void*>(argument); }
int number(long argument) { return static_cast<int>(argument); }
std::size_t bytes(long argument) { return static_cast<std::size_t>(argument); }
long result_of(void* address) { return reinterpret_cast<long>(address); }

// The kernel's number of a thread in place of the program's.
void name_thread(SystemCall& call) {
  const auto meant = [](long& thread) { thread = process::thread_meant(number(thread)); };
  switch (call.number) {
    case SYS_tkill:
    case SYS_sched_setaffinity:
    case SYS_sched_getaffinity:
    case SYS_sched_setscheduler:
    case SYS_sched_getscheduler:
    case SYS_sched_setparam:
    case SYS_sched_getparam:
    case SYS_sched_setattr:
    case SYS_sched_getattr:
      return meant(call.a);
    case SYS_tgkill:
      return meant(call.b);
    case SYS_setpriority:
    case SYS_getpriority:
    case SYS_ioprio_set:
    case SYS_ioprio_get:
      return meant(call.b);
    default:
      return;
  }
}

// False: the kernel's.
bool perform(const SystemCall& call, long& result) {
  const auto& [which, a, b, c, d, e, f] = call;
  switch (which) {
    case SYS_futex:
      return pthread::futex_of_job(pointer(a), number(b), static_cast<std::uint32_t>(c),
                                   static_cast<const timespec*>(pointer(d)), result);
    case SYS_mmap:
      return result =
                 result_of(__wrap_mmap(pointer(a), bytes(b), number(c), number(d), number(e), f)),
             true;
    case SYS_munmap:
      return result = __wrap_munmap(pointer(a), bytes(b)), true;
    case SYS_mremap:
      return result =
                 result_of(__wrap_mremap(pointer(a), bytes(b), bytes(c), number(d), pointer(e))),
             true;
    case SYS_mprotect:
      return result = __wrap_mprotect(pointer(a), bytes(b), number(c)), true;
    case SYS_madvise:
      return result = __wrap_madvise(pointer(a), bytes(b), number(c)), true;
    case SYS_msync:
      return result = __wrap_msync(pointer(a), bytes(b), number(c)), true;
    // The kernel would read and write behind the program's back: go past the memory of mapped
    // files, and find pages of its buffers gone. Programs have another way for kernels without it.
    case SYS_io_uring_setup:
    case SYS_io_setup:
      errno = ENOSYS;
      return result = -1, true;
    case SYS_close:
      return result = ::close(number(a)), true;
    case SYS_close_range:
      return result = ::close_range(static_cast<unsigned>(a), static_cast<unsigned>(b), number(c)),
             true;
    case SYS_dup:
      return result = ::dup(number(a)), true;
    case SYS_dup2:
      return result = ::dup2(number(a), number(b)), true;
    case SYS_dup3:
      return result = ::dup3(number(a), number(b), number(c)), true;
    case SYS_fcntl:
      return result = ::fcntl(number(a), number(b), pointer(c)), true;
    case SYS_getpid:
      return result = ::getpid(), true;
    case SYS_getppid:
      return result = ::getppid(), true;
    case SYS_gettid:
      return result = ::gettid(), true;
    default:
      return false;
  }
}

}  // namespace

// All arguments are taken, whatever the call has; the C library's does the same.
WEFT_ENTRY(long, syscall, long which, long a, long b, long c, long d, long e, long f) {
  using Syscall = long (*)(long, long, long, long, long, long, long);
  long result = 0;
  const bool is_program = this_node() != nullptr && is_on_program_stack() &&
                          !process::is_system_code(__builtin_return_address(0));
  if (!is_program) return WEFT_REAL_AS(Syscall, syscall)(which, a, b, c, d, e, f);
  SystemCall call{which, a, b, c, d, e, f};
  if (perform(call, result)) return result;
  name_thread(call);
  return WEFT_REAL_AS(Syscall, syscall)(which, call.a, call.b, c, d, e, f);
}

}  // namespace weft
