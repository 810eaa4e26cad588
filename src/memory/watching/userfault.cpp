// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory/watching/userfault.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "memory/region/system_failure.hpp"
#include "memory/watching/kernel_abi.hpp"

namespace weft {
namespace {

// The system call needs a privilege (or vm.unprivileged_userfaultfd) unless it is for faults in
// user mode alone; the device needs its file permission.
int open_descriptor(bool user_mode_only) {
  const int flags = O_CLOEXEC | O_NONBLOCK | (user_mode_only ? UFFD_USER_MODE_ONLY : 0);
  const auto descriptor = static_cast<int>(syscall(SYS_userfaultfd, flags));
  if (descriptor >= 0 || user_mode_only) return descriptor;
  const int why = errno;
  const int device = open("/dev/userfaultfd", O_RDWR | O_CLOEXEC);
  if (device < 0) {
    errno = why;
    return -1;
  }
  const int made = ioctl(device, kernel::kNewDescriptor, flags);
  close(device);
  if (made < 0) errno = why;
  return made;
}

uffdio_range to_kernel(ProgramRange range) { return {range.begin.value(), range.bytes}; }

ProgramRange without_front(ProgramRange range, std::uint64_t bytes) {
  return {ProgramAddress(range.begin.value() + bytes), range.bytes - bytes};
}

}  // namespace

Result<std::unique_ptr<Userfault>> Userfault::create(const Options& options) {
  const int descriptor = open_descriptor(options.user_mode_only);
  if (descriptor < 0) {
    return system_failure(errno, options.user_mode_only
                                     ? "userfaultfd for faults in user mode is refused"
                                     : "userfaultfd is refused");
  }
  std::unique_ptr<Userfault> made(new Userfault(descriptor));
  uffdio_api api = {};
  api.api = UFFD_API;
  api.features = options.features;
  if (ioctl(descriptor, UFFDIO_API, &api) != 0) {
    return system_failure(
        errno, fmt::format("this kernel's userfaultfd lacks features ({:#x})", options.features));
  }
  return made;
}

Userfault::~Userfault() { close(descriptor_); }

Status Userfault::watch(ProgramRange range) {
  uffdio_register request = {};
  request.range = to_kernel(range);
  request.mode =
      UFFDIO_REGISTER_MODE_MISSING | UFFDIO_REGISTER_MODE_MINOR | UFFDIO_REGISTER_MODE_WP;
  if (ioctl(descriptor_, UFFDIO_REGISTER, &request) != 0) {
    return system_failure(errno, fmt::format("userfaultfd cannot watch {} bytes at {:#x}",
                                             range.bytes, range.begin.value()));
  }
  return {};
}

Status Userfault::map(ProgramRange range, bool write_protected, const OnMissing& missing) {
  std::uint64_t missing_at = 0;
  while (range.bytes > 0) {
    uffdio_continue request = {};
    request.range = to_kernel(range);
    request.mode = write_protected ? kernel::kContinueModeWp : 0;
    if (ioctl(descriptor_, UFFDIO_CONTINUE, &request) == 0) return {};
    const int why = errno;
    if (request.mapped > 0) {  // stopped on the way: the next round says why
      range = without_front(range, static_cast<std::uint64_t>(request.mapped));
      continue;
    }
    if (why == EAGAIN || why == EINTR) {  // another thread is changing mappings
      sched_yield();
    } else if (why == EEXIST) {  // mapped already; its waiters may not know
      wake({range.begin, kPageBytes});
      range = without_front(range, kPageBytes);
    } else if (why == ENOENT && range.bytes > kPageBytes) {  // it spans mappings: sealed or not
      const std::uint64_t half = range.bytes / kPageBytes / 2 * kPageBytes;
      if (Status status = map({range.begin, half}, write_protected, missing); !status)
        return status;
      range = without_front(range, half);
    } else if (why == EFAULT && missing_at != range.begin.value()) {
      missing_at = range.begin.value();
      if (Status status = missing(range); !status) return status;
    } else {
      return system_failure(why, fmt::format("userfaultfd cannot map {} bytes at {:#x}",
                                             range.bytes, range.begin.value()));
    }
  }
  return {};
}

Status Userfault::copy(ProgramRange range, const std::byte* from) {
  while (range.bytes > 0) {
    uffdio_copy request = {};
    request.dst = range.begin.value();
    request.src = reinterpret_cast<std::uint64_t>(from);
    request.len = range.bytes;
    request.mode = UFFDIO_COPY_MODE_WP;
    if (ioctl(descriptor_, UFFDIO_COPY, &request) == 0) return {};
    if (request.copy > 0) {
      range = without_front(range, static_cast<std::uint64_t>(request.copy));
      from += request.copy;
    } else if (errno == EAGAIN || errno == EINTR) {
      sched_yield();
    } else {
      return system_failure(errno, fmt::format("userfaultfd cannot copy {} bytes to {:#x}",
                                               range.bytes, range.begin.value()));
    }
  }
  return {};
}

Status Userfault::change_protection(ProgramRange range, std::uint64_t mode) {
  uffdio_writeprotect request = {};
  request.range = to_kernel(range);
  request.mode = mode;
  while (ioctl(descriptor_, UFFDIO_WRITEPROTECT, &request) != 0) {
    if (errno == EAGAIN || errno == EINTR) {
      sched_yield();
      continue;
    }
    return system_failure(errno, fmt::format("userfaultfd cannot protect {} bytes at {:#x}",
                                             range.bytes, range.begin.value()));
  }
  return {};
}

Status Userfault::protect(ProgramRange range) {
  return change_protection(range, UFFDIO_WRITEPROTECT_MODE_WP);
}

Status Userfault::unprotect(ProgramRange range) { return change_protection(range, 0); }

void Userfault::wake(ProgramRange range) {
  uffdio_range request = to_kernel(range);
  ioctl(descriptor_, UFFDIO_WAKE, &request);
}

std::size_t Userfault::read(std::span<uffd_msg> room) {
  const ssize_t got = ::read(descriptor_, room.data(), room.size_bytes());
  return got <= 0 ? 0 : static_cast<std::size_t>(got) / sizeof(uffd_msg);
}

}  // namespace weft
