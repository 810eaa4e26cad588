// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads and writes that the program does not wait for. Threads of the C library would do them
// behind Weft's back: past the memory of mapped files, into pages that may be gone, and of
// descriptors that another node has. Those of files are done at once: which may be any time between
// the call and the moment when the program asks for the result. Those of pipes and sockets stay the
// C library's, as they may wait for the program itself.
//
// io_uring and libaio are answered as by kernels that do not have them (node/system_calls.cpp has
// the system calls).
#include <aio.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "libc/interposition/interpose.hpp"
#include "libc/ownership/owned_files.hpp"
#include "process/requests/calls.hpp"
#include "process/requests/queued_signals.hpp"

namespace weft::process {
namespace {

// Of what is not open there is an error at once.
bool waits_for_nobody(int descriptor) {
  if (libc::other_owner(descriptor)) return true;
  struct stat status = {};
  const int caller_errno = errno;
  const bool is_open = ::fstat(descriptor, &status) == 0;
  errno = caller_errno;
  return !is_open || S_ISREG(status.st_mode);
}

struct ThreadNotice {
  void (*function)(sigval);
  sigval value;
};

void notify_by_thread(const sigevent& event) {
  auto* const notice = new ThreadNotice{event.sigev_notify_function, event.sigev_value};
  const auto run = [](void* argument) -> void* {
    auto* const it = static_cast<ThreadNotice*>(argument);
    const ThreadNotice copy = *it;
    delete it;
    copy.function(copy.value);
    return nullptr;
  };
  pthread_t thread;
  if (::pthread_create(&thread, nullptr, run, notice) == 0) ::pthread_detach(thread);
}

void notify(const sigevent* event) {
  if (event == nullptr) return;
  const int caller_errno = errno;
  if (event->sigev_notify == SIGEV_SIGNAL) {
    Node* const node = this_node();
    const bool is_elsewhere = node != nullptr && node->self() != NodeId(0);
    queue_signal(is_elsewhere ? node : nullptr, ::getpid(), event->sigev_signo, event->sigev_value,
                 SI_ASYNCIO);
  } else if (event->sigev_notify == SIGEV_THREAD) {
    notify_by_thread(*event);
  }
  errno = caller_errno;
}

// What aio_error and aio_return tell.
void set_result(aiocb& request, ssize_t result) {
  request.__return_value = result;
  request.__error_code = result < 0 ? errno : 0;
}

// As the C library does before it queues a request.
bool is_good(aiocb& request) {
  constexpr int kHighestPriority = 20;  // AIO_PRIO_DELTA_MAX
  if (request.aio_reqprio >= 0 && request.aio_reqprio <= kHighestPriority) return true;
  errno = EINVAL;
  set_result(request, -1);
  return false;
}

void perform_now(aiocb& request, int operation) {
  auto* const contents = const_cast<void*>(request.aio_buf);
  const int caller_errno = errno;
  set_result(request,
             operation == LIO_READ
                 ? ::pread(request.aio_fildes, contents, request.aio_nbytes, request.aio_offset)
                 : ::pwrite(request.aio_fildes, contents, request.aio_nbytes, request.aio_offset));
  errno = caller_errno;
  notify(&request.aio_sigevent);
}

bool is_now(const void* caller, const aiocb* request) {
  return request != nullptr && job_of_caller(caller) != nullptr &&
         waits_for_nobody(request->aio_fildes);
}

// -1 if one is bad; where the caller waits, also if one fails.
int perform_list(int mode, aiocb* const* list, int count, const sigevent* event) {
  int result = 0;
  for (int i = 0; i < count; ++i) {
    aiocb* const request = list[i];
    if (request == nullptr || request->aio_lio_opcode == LIO_NOP) continue;
    if (!is_good(*request)) {
      result = -1;
      continue;
    }
    perform_now(*request, request->aio_lio_opcode);
    if (mode == LIO_WAIT && request->__error_code != 0) result = -1;
  }
  if (mode == LIO_NOWAIT) notify(event);
  if (result != 0) errno = EIO;
  return result;
}

int synchronise(int operation, aiocb& request) {
  if (operation != O_SYNC && operation != O_DSYNC) {
    errno = EINVAL;
    return -1;
  }
  set_result(request, ::fsync(request.aio_fildes));
  notify(&request.aio_sigevent);
  return 0;
}

bool is_list_of_files(aiocb* const* list, int count) {
  for (int i = 0; i < count; ++i) {
    const aiocb* const request = list[i];
    if (request == nullptr || request->aio_lio_opcode == LIO_NOP) continue;
    if (!waits_for_nobody(request->aio_fildes)) return false;
  }
  return true;
}

}  // namespace

#define WEFT_ASYNCHRONOUS(name, operation)                 \
  WEFT_ENTRY(int, name, aiocb* request) {                  \
    if (!is_now(__builtin_return_address(0), request))     \
      return WEFT_REAL_AS(int (*)(aiocb*), name)(request); \
    if (!is_good(*request)) return -1;                     \
    perform_now(*request, operation);                      \
    return 0;                                              \
  }
WEFT_ASYNCHRONOUS(aio_read, LIO_READ)
WEFT_ASYNCHRONOUS(aio_read64, LIO_READ)
WEFT_ASYNCHRONOUS(aio_write, LIO_WRITE)
WEFT_ASYNCHRONOUS(aio_write64, LIO_WRITE)

#define WEFT_ASYNCHRONOUS_SYNC(name)                                       \
  WEFT_ENTRY(int, name, int operation, aiocb* request) {                   \
    if (!is_now(__builtin_return_address(0), request))                     \
      return WEFT_REAL_AS(int (*)(int, aiocb*), name)(operation, request); \
    return synchronise(operation, *request);                               \
  }
WEFT_ASYNCHRONOUS_SYNC(aio_fsync)
WEFT_ASYNCHRONOUS_SYNC(aio_fsync64)

#define WEFT_ASYNCHRONOUS_LIST(name)                                                            \
  WEFT_ENTRY(int, name, int mode, aiocb* const* list, int count, sigevent* event) {             \
    const bool is_mode = mode == LIO_WAIT || mode == LIO_NOWAIT;                                \
    if (job_of_caller(__builtin_return_address(0)) == nullptr || !is_mode ||                    \
        !is_list_of_files(list, count))                                                         \
      return WEFT_REAL_AS(int (*)(int, aiocb* const*, int, sigevent*), name)(mode, list, count, \
                                                                             event);            \
    return perform_list(mode, list, count, event);                                              \
  }
WEFT_ASYNCHRONOUS_LIST(lio_listio)
WEFT_ASYNCHRONOUS_LIST(lio_listio64)

// liburing and libaio make their system calls themselves.
#define WEFT_NO_QUEUE(name)                                          \
  WEFT_ENTRY(int, name, unsigned count, void* a, void* b, void* c) { \
    if (WEFT_JOB_OF_CALLER() != nullptr) return -ENOSYS;             \
    using Real = int (*)(unsigned, void*, void*, void*);             \
    const auto real = WEFT_REAL_AS(Real, name);                      \
    return real == nullptr ? -ENOSYS : real(count, a, b, c);         \
  }
WEFT_NO_QUEUE(io_uring_queue_init)
WEFT_NO_QUEUE(io_uring_queue_init_params)
WEFT_NO_QUEUE(io_uring_queue_init_mem)
WEFT_NO_QUEUE(io_uring_setup)
WEFT_NO_QUEUE(io_setup)
WEFT_NO_QUEUE(io_queue_init)

}  // namespace weft::process
