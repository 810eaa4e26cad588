// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can be done with a descriptor beside transfers: fcntl, ioctl, locks, and a file's
// attributes. Of a file that another node has opened, that node does it.
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstring>

#include "libc/interposition/io_bounce.hpp"
#include "libc/interposition/process_elsewhere.hpp"
#include "libc/interposition/refusal.hpp"
#include "libc/ownership/kept_descriptors.hpp"
#include "libc/ownership/mapped_files.hpp"
#include "libc/ownership/owned_files.hpp"
#include "libc/streams/control_arguments.hpp"
#include "libc/streams/forwarding.hpp"
#include "stacks/stacks.hpp"

namespace weft::libc {
namespace {

// Its pages are brought here after the kernel has missed them: before, nobody knows whether it is a
// pointer at all. Both reads and writes, without changing anything.
template <typename Call>
int touching(void* argument, Call request) {
  constexpr int kAttempts = 100;
  const Hooks* const node = io_node();
  const bool may_miss = node != nullptr && node->is_shared(argument);
  int result = request();
  for (int attempt = 0; may_miss && result == -1 && errno == EFAULT && attempt < kAttempts;
       ++attempt) {
    auto* const byte = static_cast<unsigned char*>(argument);
    unsigned char value = __atomic_load_n(byte, __ATOMIC_RELAXED);
    __atomic_compare_exchange_n(byte, &value, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    result = request();
  }
  return result;
}

// --- on another node ---

// `argument` has so many bytes, or is a number.
int control_elsewhere(NodeId owner, FileOperation operation, int fd, std::int64_t what,
                      void* argument, std::size_t bytes) {
  return on_runtime_stack([=] {
    const auto* const begin = static_cast<const std::byte*>(argument);
    const std::int64_t number = bytes == 0 ? reinterpret_cast<std::intptr_t>(argument) : 0;
    const FileAnswer answer = ask(owner, operation, number_of(fd), what, number, {begin, bytes});
    const int error = errno;
    const bool has_changed = answer.bytes.size() == bytes && bytes > 0 &&
                             std::memcmp(argument, answer.bytes.data(), bytes) != 0;
    if (has_changed) std::memcpy(argument, answer.bytes.data(), bytes);
    errno = error;
    return static_cast<int>(answer.result);
  });
}

// --- fcntl and ioctl ---

long owner_of(const f_owner_ex& owner) {
  return owner.type == F_OWNER_PGRP ? -long{owner.pid} : owner.pid;
}

int control(int (*real)(int, int, ...), int fd, int command, void* argument) {
  if (is_kept_from_program(fd)) {
    errno = EBADF;
    return -1;
  }
  if (command == F_SETOWN)
    refuse_owner(static_cast<int>(reinterpret_cast<std::intptr_t>(argument)));
  if (command == F_SETOWN_EX) refuse_owner(owner_of(*static_cast<const f_owner_ex*>(argument)));
  const std::size_t bytes = bytes_of_command(command);
  if (const auto owner = other_owner(fd))
    return control_elsewhere(*owner, FileOperation::kControl, fd, command, argument, bytes);
  return bytes == 0 ? real(fd, command, argument)
                    : call(real, fd, command, memory(argument, bytes));
}

// One file becomes what is in another: what is mapped of the one is in it before, and what is
// mapped of the other follows.
int clone(int to, unsigned long request, void* argument) {
  file_clone_range range = {};
  if (request == FICLONE) {
    range.src_fd = static_cast<std::int32_t>(reinterpret_cast<std::intptr_t>(argument));
  } else {
    range = *static_cast<const file_clone_range*>(argument);
  }
  const MappedFiles* const mapped = mapped_files();
  if (mapped != nullptr) mapped->before_read(static_cast<int>(range.src_fd), 0, SIZE_MAX);
  const off_t before = mapped == nullptr ? -1 : mapped->length(to);
  const int result = request == FICLONE ? WEFT_REAL(ioctl)(to, request, argument)
                                        : call(WEFT_REAL(ioctl), to, request, memory(&range));
  if (result != 0 || mapped == nullptr) return result;
  mapped->after_write(to, 0, SIZE_MAX / 4);
  if (before >= 0) mapped->after_resize(to, before, mapped->length(to));
  return result;
}

int control_device(int fd, unsigned long request, void* argument) {
  const std::size_t bytes = bytes_of_request(request);
  const auto owner = other_owner(fd);
  if (owner && bytes == 0 && hooks()->is_shared(argument)) {
    fail_job.load()(
        "ioctl of a file that another node has opened, with a request whose argument has no known "
        "size: call it on the node that opened the file");
  }
  if (owner) {
    return control_elsewhere(*owner, FileOperation::kControlDevice, fd,
                             static_cast<std::int64_t>(request), argument, bytes);
  }
  if (bytes > 0) return call(WEFT_REAL(ioctl), fd, request, memory(argument, bytes));
  return touching(argument, [=] { return WEFT_REAL(ioctl)(fd, request, argument); });
}

}  // namespace

WEFT_ENTRY(int, ioctl, int fd, unsigned long request, ...) {
  std::va_list arguments;
  va_start(arguments, request);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  if (request == FICLONE || request == FICLONERANGE) return clone(fd, request, argument);
  if (request == FIOSETOWN || request == SIOCSPGRP)
    refuse_owner(*static_cast<const int*>(argument));
  return control_device(fd, request, argument);
}
WEFT_ENTRY(int, fcntl, int fd, int command, ...) {
  std::va_list arguments;
  va_start(arguments, command);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  return control(WEFT_REAL(fcntl), fd, command, argument);
}
WEFT_ENTRY(int, fcntl64, int fd, int command, ...) {
  std::va_list arguments;
  va_start(arguments, command);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  return control(WEFT_REAL(fcntl64), fd, command, argument);
}
WEFT_ENTRY(int, tcgetattr, int fd, termios* out) {
  return call(WEFT_REAL(tcgetattr), fd, memory(out));
}
WEFT_ENTRY(int, tcsetattr, int fd, int when, const termios* in) {
  return call(WEFT_REAL(tcsetattr), fd, when, memory(in));
}

// --- locks, attributes, advice ---

// The job is one process, so its locks are its owner's.
WEFT_ENTRY(int, flock, int fd, int operation) {
  return of_descriptor(FileOperation::kLock, WEFT_REAL(flock), fd, operation);
}
WEFT_ENTRY(int, lockf, int fd, int command, off_t length) {
  return of_descriptor(FileOperation::kLockRegion, WEFT_REAL(lockf), fd, command, length);
}
WEFT_ENTRY(int, lockf64, int fd, int command, off64_t length) {
  return weft_entry_lockf(fd, command, length);
}
WEFT_ENTRY(int, fchmod, int fd, mode_t mode) {
  return of_descriptor(FileOperation::kSetMode, WEFT_REAL(fchmod), fd, mode);
}
WEFT_ENTRY(int, fchown, int fd, uid_t user, gid_t group) {
  return of_descriptor(FileOperation::kSetOwner, WEFT_REAL(fchown), fd, user, group);
}
WEFT_ENTRY(int, futimens, int fd, const struct timespec* times) {
  const std::size_t bytes = times == nullptr ? 0 : 2 * sizeof *times;
  if (const auto owner = other_owner(fd)) {
    auto* const given = const_cast<struct timespec*>(times);
    return control_elsewhere(*owner, FileOperation::kSetTimes, fd, 0, given, bytes);
  }
  return call(WEFT_REAL(futimens), fd, memory(times, 2));
}
// Advice alone.
WEFT_ENTRY(int, posix_fadvise, int fd, off_t place, off_t length, int advice) {
  return other_owner(fd) ? 0 : WEFT_REAL(posix_fadvise)(fd, place, length, advice);
}
WEFT_ENTRY(int, posix_fadvise64, int fd, off64_t place, off64_t length, int advice) {
  return weft_entry_posix_fadvise(fd, place, length, advice);
}

}  // namespace weft::libc
