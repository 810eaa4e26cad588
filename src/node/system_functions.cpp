// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "node/system_call.hpp"

namespace weft {
namespace {

const char* text(long argument) { return pointer<const char>(argument); }
mode_t mode(long argument) { return static_cast<mode_t>(argument); }

bool transfer(const SystemCall& call, long& result) {
  const auto& [which, a, b, c, d, e, f] = call;
  const int file = number(a);
  switch (which) {
    case SYS_read:
      return result = ::read(file, pointer(b), bytes(c)), true;
    case SYS_write:
      return result = ::write(file, pointer(b), bytes(c)), true;
    case SYS_pread64:
      return result = ::pread(file, pointer(b), bytes(c), d), true;
    case SYS_pwrite64:
      return result = ::pwrite(file, pointer(b), bytes(c), d), true;
    case SYS_readv:
      return result = ::readv(file, pointer<iovec>(b), number(c)), true;
    case SYS_writev:
      return result = ::writev(file, pointer<iovec>(b), number(c)), true;
    case SYS_preadv:  // the offset is in two parts
      return result = ::preadv(file, pointer<iovec>(b), number(c), d), true;
    case SYS_pwritev:
      return result = ::pwritev(file, pointer<iovec>(b), number(c), d), true;
    case SYS_getrandom:
      return result = ::getrandom(pointer(a), bytes(b), static_cast<unsigned>(c)), true;
    case SYS_sendfile:
      return result = ::sendfile(file, number(b), pointer<off_t>(c), bytes(d)), true;
    case SYS_copy_file_range:
      return result = ::copy_file_range(file, pointer<off64_t>(b), number(c), pointer<off64_t>(d),
                                        bytes(e), static_cast<unsigned>(f)),
             true;
    case SYS_getdents64:
      return result = ::getdents64(file, pointer(b), bytes(c)), true;
    case SYS_lseek:
      return result = ::lseek(file, b, number(c)), true;
    default:
      return false;
  }
}

bool name_file(const SystemCall& call, long& result) {
  const auto& [which, a, b, c, d, e, f] = call;
  switch (which) {
    case SYS_open:
      return result = ::open(text(a), number(b), mode(c)), true;
    case SYS_openat:
      return result = ::openat(number(a), text(b), number(c), mode(d)), true;
    case SYS_stat:
      return result = ::stat(text(a), pointer<struct stat>(b)), true;
    case SYS_lstat:
      return result = ::lstat(text(a), pointer<struct stat>(b)), true;
    case SYS_fstat:
      return result = ::fstat(number(a), pointer<struct stat>(b)), true;
    case SYS_newfstatat:
      return result = ::fstatat(number(a), text(b), pointer<struct stat>(c), number(d)), true;
    case SYS_statx:
      return result = ::statx(number(a), text(b), number(c), static_cast<unsigned>(d),
                              pointer<struct statx>(e)),
             true;
    case SYS_statfs:
      return result = ::statfs(text(a), pointer<struct statfs>(b)), true;
    case SYS_fstatfs:
      return result = ::fstatfs(number(a), pointer<struct statfs>(b)), true;
    case SYS_readlink:
      return result = ::readlink(text(a), pointer<char>(b), bytes(c)), true;
    case SYS_readlinkat:
      return result = ::readlinkat(number(a), text(b), pointer<char>(c), bytes(d)), true;
    case SYS_access:
      return result = ::access(text(a), number(b)), true;
    case SYS_faccessat:
      return result = ::faccessat(number(a), text(b), number(c), 0), true;
    case SYS_unlink:
      return result = ::unlink(text(a)), true;
    case SYS_unlinkat:
      return result = ::unlinkat(number(a), text(b), number(c)), true;
    case SYS_rename:
      return result = ::rename(text(a), text(b)), true;
    case SYS_renameat:
      return result = ::renameat(number(a), text(b), number(c), text(d)), true;
    case SYS_mkdir:
      return result = ::mkdir(text(a), mode(b)), true;
    case SYS_mkdirat:
      return result = ::mkdirat(number(a), text(b), mode(c)), true;
    case SYS_rmdir:
      return result = ::rmdir(text(a)), true;
    case SYS_chdir:
      return result = ::chdir(text(a)), true;
    case SYS_pipe:
      return result = ::pipe(pointer<int>(a)), true;
    case SYS_pipe2:
      return result = ::pipe2(pointer<int>(a), number(b)), true;
    default:
      return false;
  }
}

bool communicate(const SystemCall& call, long& result) {
  const auto& [which, a, b, c, d, e, f] = call;
  const int file = number(a);
  switch (which) {
    case SYS_sendto:
      return result = ::sendto(file, pointer(b), bytes(c), number(d), pointer<sockaddr>(e),
                               static_cast<socklen_t>(f)),
             true;
    case SYS_recvfrom:
      return result = ::recvfrom(file, pointer(b), bytes(c), number(d), pointer<sockaddr>(e),
                                 pointer<socklen_t>(f)),
             true;
    case SYS_sendmsg:
      return result = ::sendmsg(file, pointer<msghdr>(b), number(c)), true;
    case SYS_recvmsg:
      return result = ::recvmsg(file, pointer<msghdr>(b), number(c)), true;
    case SYS_bind:
      return result = ::bind(file, pointer<sockaddr>(b), static_cast<socklen_t>(c)), true;
    case SYS_connect:
      return result = ::connect(file, pointer<sockaddr>(b), static_cast<socklen_t>(c)), true;
    case SYS_accept:
      return result = ::accept(file, pointer<sockaddr>(b), pointer<socklen_t>(c)), true;
    case SYS_accept4:
      return result = ::accept4(file, pointer<sockaddr>(b), pointer<socklen_t>(c), number(d)), true;
    case SYS_getsockname:
      return result = ::getsockname(file, pointer<sockaddr>(b), pointer<socklen_t>(c)), true;
    case SYS_getpeername:
      return result = ::getpeername(file, pointer<sockaddr>(b), pointer<socklen_t>(c)), true;
    case SYS_setsockopt:
      return result =
                 ::setsockopt(file, number(b), number(c), pointer(d), static_cast<socklen_t>(e)),
             true;
    case SYS_getsockopt:
      return result = ::getsockopt(file, number(b), number(c), pointer(d), pointer<socklen_t>(e)),
             true;
    case SYS_socketpair:
      return result = ::socketpair(file, number(b), number(c), pointer<int>(d)), true;
    case SYS_ioctl:
      return result = ::ioctl(file, static_cast<unsigned long>(b), pointer(c)), true;
    case SYS_poll:
      return result = ::poll(pointer<pollfd>(a), static_cast<nfds_t>(b), number(c)), true;
    case SYS_select:
      return result = ::select(file, pointer<fd_set>(b), pointer<fd_set>(c), pointer<fd_set>(d),
                               pointer<timeval>(e)),
             true;
    case SYS_epoll_ctl:
      return result = ::epoll_ctl(file, number(b), number(c), pointer<epoll_event>(d)), true;
    case SYS_epoll_wait:
      return result = ::epoll_wait(file, pointer<epoll_event>(b), number(c), number(d)), true;
    default:
      return false;
  }
}

// The kernel tells how long the path is, with its end.
long current_directory(char* path, std::size_t room) {
  if (path == nullptr) return errno = EFAULT, -1;
  if (room == 0) return errno = ERANGE, -1;
  if (::getcwd(path, room) == nullptr) return -1;
  return static_cast<long>(std::strlen(path)) + 1;
}

long of_error(int error) {
  if (error == 0) return 0;
  errno = error;
  return -1;
}

bool ask(const SystemCall& call, long& result) {
  const auto& [which, a, b, c, d, e, f] = call;
  const auto clock = static_cast<clockid_t>(a);
  switch (which) {
    case SYS_getcwd:
      return result = current_directory(pointer<char>(a), bytes(b)), true;
    case SYS_uname:
      return result = ::uname(pointer<utsname>(a)), true;
    case SYS_sysinfo:
      return result = ::sysinfo(pointer<struct sysinfo>(a)), true;
    case SYS_getrusage:
      return result = ::getrusage(static_cast<__rusage_who>(a), pointer<rusage>(b)), true;
    case SYS_times:
      return result = ::times(pointer<tms>(a)), true;
    case SYS_getcpu:
      return result = ::getcpu(pointer<unsigned>(a), pointer<unsigned>(b)), true;
    case SYS_clock_gettime:
      return result = ::clock_gettime(clock, pointer<timespec>(b)), true;
    case SYS_clock_getres:
      return result = ::clock_getres(clock, pointer<timespec>(b)), true;
    case SYS_nanosleep:
      return result = ::nanosleep(pointer<timespec>(a), pointer<timespec>(b)), true;
    case SYS_clock_nanosleep:
      return result = of_error(
                 ::clock_nanosleep(clock, number(b), pointer<timespec>(c), pointer<timespec>(d))),
             true;
    case SYS_timerfd_settime:
      return result = ::timerfd_settime(number(a), number(b), pointer<itimerspec>(c),
                                        pointer<itimerspec>(d)),
             true;
    case SYS_timerfd_gettime:
      return result = ::timerfd_gettime(number(a), pointer<itimerspec>(b)), true;
    case SYS_wait4:
      return result = ::wait4(number(a), pointer<int>(b), number(c), pointer<struct rusage>(d)),
             true;
    default:
      return false;
  }
}

}  // namespace

bool call_function(const SystemCall& call, long& result) {
  return transfer(call, result) || name_file(call, result) || communicate(call, result) ||
         ask(call, result);
}

}  // namespace weft
