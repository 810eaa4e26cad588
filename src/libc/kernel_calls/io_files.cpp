// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that name files, and that ask about them.
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>

#include <cstdarg>
#include <cstdio>

#include "libc/interposition/io_bounce.hpp"
#include "libc/interposition/process_elsewhere.hpp"
#include "libc/ownership/mapped_files.hpp"
#include "libc/ownership/owned_files.hpp"
#include "libc/ownership/private_results.hpp"
#include "libc/streams/forwarding.hpp"
#include "libc/streams/mapped_streams.hpp"
#include "stacks/stacks.hpp"

extern "C" {
int __open_2(const char*, int);
int __open64_2(const char*, int);
int __openat_2(int, const char*, int);
int __openat64_2(int, const char*, int);
ssize_t __readlink_chk(const char*, char*, std::size_t, std::size_t);
ssize_t __readlinkat_chk(int, const char*, char*, std::size_t, std::size_t);
char* __getcwd_chk(char*, std::size_t, std::size_t);
char* __realpath_chk(const char*, char*, std::size_t);
}

namespace weft::libc {
namespace {

// Of the arguments after `last`, the mode that comes with flags that create a file.
#define WEFT_MODE(mode, flags, last)                         \
  mode_t mode = 0;                                           \
  if (((flags) & (O_CREAT | __O_TMPFILE)) != 0) {            \
    std::va_list arguments;                                  \
    va_start(arguments, last);                               \
    mode = static_cast<mode_t>(va_arg(arguments, unsigned)); \
    va_end(arguments);                                       \
  }

Text path_text(const char* path) {
  refuse_path_of_process(path);
  return text(path);
}

// A call that leaves a string in the caller's buffer and returns the buffer.
template <typename Function, typename... Rest>
char* call_into(Function* real, char* buffer, std::size_t bytes, const Rest&... rest) {
  const auto fill = [real](char* p, const auto&... others) -> int {
    return real(p, others...) != nullptr;
  };
  using Fill = decltype(fill);
  const Hooks* const node = io_node();
  if (node == nullptr || !node->is_shared(buffer)) return call(real, buffer, rest...);
  struct Run {
    static int run(const Fill* f, char* p, Rest... others) { return (*f)(p, others...); }
  };
  return call(&Run::run, &fill, memory(buffer, bytes), rest...) != 0 ? buffer : nullptr;
}

}  // namespace

// --- opening ---

WEFT_ENTRY(int, open, const char* path, int flags, ...) {
  WEFT_MODE(mode, flags, flags)
  return note_opened(place_descriptor(call(WEFT_REAL(open), path_text(path), flags, mode)), flags);
}
WEFT_ENTRY(int, open64, const char* path, int flags, ...) {
  WEFT_MODE(mode, flags, flags)
  return note_opened(place_descriptor(call(WEFT_REAL(open64), path_text(path), flags, mode)),
                     flags);
}
WEFT_ENTRY(int, openat, int at, const char* path, int flags, ...) {
  WEFT_MODE(mode, flags, flags)
  return note_opened(place_descriptor(call(WEFT_REAL(openat), at, path_text(path), flags, mode)),
                     flags);
}
WEFT_ENTRY(int, openat64, int at, const char* path, int flags, ...) {
  WEFT_MODE(mode, flags, flags)
  return note_opened(place_descriptor(call(WEFT_REAL(openat64), at, path_text(path), flags, mode)),
                     flags);
}
WEFT_ENTRY(int, __open_2, const char* path, int flags) {
  return note_opened(place_descriptor(call(WEFT_REAL(__open_2), path_text(path), flags)), flags);
}
WEFT_ENTRY(int, __open64_2, const char* path, int flags) {
  return note_opened(place_descriptor(call(WEFT_REAL(__open64_2), path_text(path), flags)), flags);
}
WEFT_ENTRY(int, __openat_2, int at, const char* path, int flags) {
  return note_opened(place_descriptor(call(WEFT_REAL(__openat_2), at, path_text(path), flags)),
                     flags);
}
WEFT_ENTRY(int, __openat64_2, int at, const char* path, int flags) {
  return note_opened(place_descriptor(call(WEFT_REAL(__openat64_2), at, path_text(path), flags)),
                     flags);
}
WEFT_ENTRY(int, creat, const char* path, mode_t mode) {
  return note_opened(place_descriptor(call(WEFT_REAL(creat), path_text(path), mode)), O_TRUNC);
}
WEFT_ENTRY(int, creat64, const char* path, mode_t mode) {
  return note_opened(place_descriptor(call(WEFT_REAL(creat64), path_text(path), mode)), O_TRUNC);
}
WEFT_ENTRY(FILE*, fopen, const char* path, const char* mode) {
  const OpeningStream opening;
  return note_stream(place_descriptor_of(call(WEFT_REAL(fopen), path_text(path), text(mode))),
                     mode);
}
WEFT_ENTRY(FILE*, fopen64, const char* path, const char* mode) {
  const OpeningStream opening;
  return note_stream(place_descriptor_of(call(WEFT_REAL(fopen64), path_text(path), text(mode))),
                     mode);
}
WEFT_STANDBY_ENTRY(FILE*, freopen, const char* path, const char* mode, FILE* stream) {
  settle_stream(stream);
  return note_stream(call(WEFT_REAL(freopen), path_text(path), text(mode), stream), mode);
}
WEFT_STANDBY_ENTRY(FILE*, freopen64, const char* path, const char* mode, FILE* stream) {
  settle_stream(stream);
  return note_stream(call(WEFT_REAL(freopen64), path_text(path), text(mode), stream), mode);
}
WEFT_ENTRY(FILE*, fdopen, int fd, const char* mode) {
  const OpeningStream opening;
  return call(WEFT_REAL(fdopen), fd, text(mode));
}
WEFT_ENTRY(FILE*, tmpfile, void) {
  const OpeningStream opening;
  return place_descriptor_of(call(WEFT_REAL(tmpfile)));
}
WEFT_ENTRY(FILE*, tmpfile64, void) {
  const OpeningStream opening;
  return place_descriptor_of(call(WEFT_REAL(tmpfile64)));
}
WEFT_ENTRY(FILE*, fopencookie, void* cookie, const char* mode, cookie_io_functions_t functions) {
  const OpeningStream opening;
  return call(WEFT_REAL(fopencookie), cookie, text(mode), functions);
}
WEFT_ENTRY(DIR*, opendir, const char* path) {
  has_private_results = true;
  return call(WEFT_REAL(opendir), path_text(path));
}
WEFT_ENTRY(int, memfd_create, const char* name, unsigned flags) {
  return call(WEFT_REAL(memfd_create), text(name), flags);
}

// The template is changed to the name that was found.
#define WEFT_TEMPLATE_SIZE(path) (std::strlen(path) + 1)
WEFT_ENTRY(int, mkstemp, char* path) {
  return place_descriptor(call(WEFT_REAL(mkstemp), memory(path, WEFT_TEMPLATE_SIZE(path))));
}
WEFT_ENTRY(int, mkstemp64, char* path) {
  return place_descriptor(call(WEFT_REAL(mkstemp64), memory(path, WEFT_TEMPLATE_SIZE(path))));
}
WEFT_ENTRY(int, mkostemp, char* path, int flags) {
  return place_descriptor(call(WEFT_REAL(mkostemp), memory(path, WEFT_TEMPLATE_SIZE(path)), flags));
}
WEFT_ENTRY(int, mkstemps, char* path, int suffix) {
  return place_descriptor(
      call(WEFT_REAL(mkstemps), memory(path, WEFT_TEMPLATE_SIZE(path)), suffix));
}
WEFT_ENTRY(char*, mkdtemp, char* path) {
  return call_into(WEFT_REAL(mkdtemp), path, WEFT_TEMPLATE_SIZE(path));
}

// --- asking ---

#define WEFT_STAT(suffix, type)                                                       \
  WEFT_ENTRY(int, stat##suffix, const char* path, type* out) {                        \
    return call(WEFT_REAL(stat##suffix), path_text(path), memory(out));               \
  }                                                                                   \
  WEFT_ENTRY(int, lstat##suffix, const char* path, type* out) {                       \
    return call(WEFT_REAL(lstat##suffix), path_text(path), memory(out));              \
  }                                                                                   \
  WEFT_ENTRY(int, fstat##suffix, int fd, type* out) {                                 \
    if (const auto owner = other_owner(fd))                                           \
      return ask_for_object(*owner, FileOperation::kStatus, number_of(fd), out);      \
    return call(WEFT_REAL(fstat##suffix), fd, memory(out));                           \
  }                                                                                   \
  WEFT_ENTRY(int, fstatat##suffix, int at, const char* path, type* out, int flags) {  \
    return call(WEFT_REAL(fstatat##suffix), at, path_text(path), memory(out), flags); \
  }
static_assert(sizeof(struct stat64) == sizeof(struct stat));
WEFT_STAT(, struct stat)
WEFT_STAT(64, struct stat64)

WEFT_ENTRY(int, statx, int at, const char* path, int flags, unsigned mask, struct statx* out) {
  return call(WEFT_REAL(statx), at, path_text(path), flags, mask, memory(out));
}
WEFT_ENTRY(int, statfs, const char* path, struct statfs* out) {
  return call(WEFT_REAL(statfs), path_text(path), memory(out));
}
WEFT_ENTRY(int, fstatfs, int fd, struct statfs* out) {
  if (const auto owner = other_owner(fd))
    return ask_for_object(*owner, FileOperation::kFileSystem, number_of(fd), out);
  return call(WEFT_REAL(fstatfs), fd, memory(out));
}
WEFT_ENTRY(int, statvfs, const char* path, struct statvfs* out) {
  return call(WEFT_REAL(statvfs), path_text(path), memory(out));
}
WEFT_ENTRY(int, fstatvfs, int fd, struct statvfs* out) {
  if (const auto owner = other_owner(fd))
    return ask_for_object(*owner, FileOperation::kFileSystemLimits, number_of(fd), out);
  return call(WEFT_REAL(fstatvfs), fd, memory(out));
}
WEFT_ENTRY(int, access, const char* path, int mode) {
  return call(WEFT_REAL(access), path_text(path), mode);
}
WEFT_ENTRY(int, euidaccess, const char* path, int mode) {
  return call(WEFT_REAL(euidaccess), path_text(path), mode);
}
WEFT_ENTRY(int, faccessat, int at, const char* path, int mode, int flags) {
  return call(WEFT_REAL(faccessat), at, path_text(path), mode, flags);
}
WEFT_ENTRY(ssize_t, readlink, const char* path, char* out, std::size_t n) {
  return call(WEFT_REAL(readlink), path_text(path), memory(out, n), n);
}
WEFT_ENTRY(ssize_t, readlinkat, int at, const char* path, char* out, std::size_t n) {
  return call(WEFT_REAL(readlinkat), at, path_text(path), memory(out, n), n);
}
WEFT_ENTRY(ssize_t, __readlink_chk, const char* path, char* out, std::size_t n,
           std::size_t capacity) {
  return call(WEFT_REAL(__readlink_chk), path_text(path), memory(out, n), n, capacity);
}
WEFT_ENTRY(ssize_t, __readlinkat_chk, int at, const char* path, char* out, std::size_t n,
           std::size_t capacity) {
  return call(WEFT_REAL(__readlinkat_chk), at, path_text(path), memory(out, n), n, capacity);
}
WEFT_ENTRY(ssize_t, getdents64, int descriptor, void* entries, std::size_t n) {
  return call(WEFT_REAL(getdents64), descriptor, memory(entries, n), n);
}
WEFT_ENTRY(char*, getcwd, char* out, std::size_t n) {
  return call_into(WEFT_REAL(getcwd), out, n, n);
}
WEFT_ENTRY(char*, __getcwd_chk, char* out, std::size_t n, std::size_t capacity) {
  return call_into(WEFT_REAL(__getcwd_chk), out, n, n, capacity);
}
// The result is written by code in user mode, so only the path needs care.
WEFT_ENTRY(char*, realpath, const char* path, char* out) {
  return call(WEFT_REAL(realpath), path_text(path), out);
}
WEFT_ENTRY(char*, __realpath_chk, const char* path, char* out, std::size_t capacity) {
  return call(WEFT_REAL(__realpath_chk), path_text(path), out, capacity);
}
WEFT_ENTRY(long, pathconf, const char* path, int name) {
  return call(WEFT_REAL(pathconf), path_text(path), name);
}

// --- changing ---

#define WEFT_ONE_PATH(name) \
  WEFT_ENTRY(int, name, const char* path) { return call(WEFT_REAL(name), path_text(path)); }
WEFT_ONE_PATH(unlink)
WEFT_ONE_PATH(rmdir)
WEFT_ONE_PATH(remove)

WEFT_STANDBY_ENTRY(int, chdir, const char* path) { return call(WEFT_REAL(chdir), path_text(path)); }
WEFT_STANDBY_ENTRY(int, chroot, const char* path) {
  return call(WEFT_REAL(chroot), path_text(path));
}

#define WEFT_TWO_PATHS(name)                                \
  WEFT_ENTRY(int, name, const char* from, const char* to) { \
    return call(WEFT_REAL(name), text(from), text(to));     \
  }
WEFT_TWO_PATHS(rename)
WEFT_TWO_PATHS(link)
WEFT_TWO_PATHS(symlink)

#define WEFT_PATH_AND_MODE(name)                         \
  WEFT_ENTRY(int, name, const char* path, mode_t mode) { \
    return call(WEFT_REAL(name), path_text(path), mode); \
  }
WEFT_PATH_AND_MODE(mkdir)
WEFT_PATH_AND_MODE(mkfifo)
WEFT_PATH_AND_MODE(chmod)

WEFT_ENTRY(int, unlinkat, int at, const char* path, int flags) {
  return call(WEFT_REAL(unlinkat), at, path_text(path), flags);
}
WEFT_ENTRY(int, mkdirat, int at, const char* path, mode_t mode) {
  return call(WEFT_REAL(mkdirat), at, path_text(path), mode);
}
WEFT_ENTRY(int, fchmodat, int at, const char* path, mode_t mode, int flags) {
  return call(WEFT_REAL(fchmodat), at, path_text(path), mode, flags);
}
WEFT_ENTRY(int, symlinkat, const char* from, int at, const char* to) {
  return call(WEFT_REAL(symlinkat), text(from), at, text(to));
}
WEFT_ENTRY(int, renameat, int from_at, const char* from, int to_at, const char* to) {
  return call(WEFT_REAL(renameat), from_at, text(from), to_at, text(to));
}
WEFT_ENTRY(int, renameat2, int from_at, const char* from, int to_at, const char* to,
           unsigned flags) {
  return call(WEFT_REAL(renameat2), from_at, text(from), to_at, text(to), flags);
}
WEFT_ENTRY(int, linkat, int from_at, const char* from, int to_at, const char* to, int flags) {
  return call(WEFT_REAL(linkat), from_at, text(from), to_at, text(to), flags);
}
WEFT_ENTRY(int, chown, const char* path, uid_t user, gid_t group) {
  return call(WEFT_REAL(chown), path_text(path), user, group);
}
WEFT_ENTRY(int, lchown, const char* path, uid_t user, gid_t group) {
  return call(WEFT_REAL(lchown), path_text(path), user, group);
}
WEFT_ENTRY(int, truncate, const char* path, off_t length) {
  const MappedFiles* const mapped = mapped_files();
  if (mapped == nullptr) return call(WEFT_REAL(truncate), path_text(path), length);
  const int file = call(WEFT_REAL(open), path_text(path), O_PATH | O_CLOEXEC, mode_t{0});
  const off_t before = file < 0 ? -1 : mapped->length(file);
  const int result = call(WEFT_REAL(truncate), path_text(path), length);
  if (result == 0) mapped->after_resize(file, before, length);
  const int call_errno = errno;
  if (file >= 0) WEFT_REAL(close)(file);
  errno = call_errno;
  return result;
}
WEFT_ENTRY(int, truncate64, const char* path, off64_t length) {
  return weft_entry_truncate(path, length);
}
WEFT_ENTRY(int, utime, const char* path, const struct utimbuf* times) {
  return call(WEFT_REAL(utime), path_text(path), memory(times));
}
WEFT_ENTRY(int, utimes, const char* path, const struct timeval* times) {
  return call(WEFT_REAL(utimes), path_text(path), memory(times, 2));
}
WEFT_ENTRY(int, utimensat, int at, const char* path, const struct timespec* times, int flags) {
  return call(WEFT_REAL(utimensat), at, path_text(path), memory(times, 2), flags);
}

}  // namespace weft::libc
