// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "libc/ownership/private_results.hpp"

#include <dirent.h>
#include <glob.h>
#include <grp.h>
#include <iconv.h>
#include <netdb.h>
#include <pwd.h>
#include <regex.h>

#include "base/threads/guard_words.hpp"
#include "libc/interposition/io_bounce.hpp"

namespace weft::libc {
namespace {

// The calling thread gets something that stays in this process. Modules of the C library's that
// are loaded for it (character sets, name services) are called by addresses that it has hidden.
template <typename Function, typename... Arguments>
auto get(Function* real, const Arguments&... arguments) {
  has_private_results = true;
  const WithProcessPointerGuard guard;
  return call(real, arguments...);
}

// What the program wants called about errors runs on its own stack.
template <typename Glob>
int find_paths(int (*real)(const char*, int, int (*)(const char*, int), Glob*), const char* pattern,
               int flags, int (*on_error)(const char*, int), Glob* out) {
  if (on_error == nullptr) return get(real, text(pattern), flags, on_error, out);
  has_private_results = true;
  return real(pattern, flags, on_error, out);
}

}  // namespace

WEFT_ENTRY(DIR*, fdopendir, int fd) { return get(WEFT_REAL(fdopendir), fd); }

WEFT_ENTRY(int, regcomp, regex_t* out, const char* expression, int flags) {
  has_private_results = true;
  return WEFT_REAL(regcomp)(out, expression, flags);
}

WEFT_ENTRY(int, glob, const char* pattern, int flags, int (*on_error)(const char*, int),
           glob_t* out) {
  return find_paths(WEFT_REAL(glob), pattern, flags, on_error, out);
}
WEFT_ENTRY(int, glob64, const char* pattern, int flags, int (*on_error)(const char*, int),
           glob64_t* out) {
  return find_paths(WEFT_REAL(glob64), pattern, flags, on_error, out);
}

// --- character sets ---

WEFT_ENTRY(iconv_t, iconv_open, const char* to, const char* from) {
  return get(WEFT_REAL(iconv_open), text(to), text(from));
}
WEFT_ENTRY(std::size_t, iconv, iconv_t converter, char** from, std::size_t* left, char** to,
           std::size_t* room) {
  const WithProcessPointerGuard guard;
  return WEFT_REAL(iconv)(converter, from, left, to, room);
}
WEFT_ENTRY(int, iconv_close, iconv_t converter) {
  const WithProcessPointerGuard guard;
  return WEFT_REAL(iconv_close)(converter);
}

// --- names of hosts, users and groups (others: process/results/system_records.cpp) ---

WEFT_ENTRY(int, getaddrinfo, const char* host, const char* service, const addrinfo* hints,
           addrinfo** out) {
  return get(WEFT_REAL(getaddrinfo), text(host), text(service), hints, out);
}

// What these find is put into the program's memory. `given` is the key as call() takes it.
#define WEFT_FIND(name, record, type, given)                                                      \
  WEFT_ENTRY(int, name, type key, record* out, char* buffer, std::size_t bytes, record** found) { \
    const WithProcessPointerGuard guard;                                                          \
    return call(WEFT_REAL(name), given, out, buffer, bytes, found);                               \
  }
WEFT_FIND(getpwnam_r, passwd, const char*, text(key))
WEFT_FIND(getpwuid_r, passwd, uid_t, key)
WEFT_FIND(getgrnam_r, group, const char*, text(key))
WEFT_FIND(getgrgid_r, group, gid_t, key)

}  // namespace weft::libc
