// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Wide characters of streams. Those of standard input come from node 0, which knows how far it has
// read and in which encoding; FILEs of other nodes besides are not known by these functions.
#include <wchar.h>

#include <cstdarg>
#include <cstdio>
#include <optional>

#include "base/printed.hpp"
#include "libc/interposition/hooks.hpp"
#include "libc/interposition/interpose.hpp"
#include "libc/interposition/refusal.hpp"
#include "libc/ownership/owned_files.hpp"
#include "libc/streams/forwarding.hpp"
#include "libc/streams/mapped_streams.hpp"
#include "stacks/stacks.hpp"

// The header may make macros of these.
#undef getwc
#undef getwchar
#undef putwc
#undef putwchar

extern "C" {
int __isoc99_vfwscanf(FILE*, const wchar_t*, std::va_list);
[[noreturn]] void __chk_fail();
}

namespace weft::libc {
namespace {

// The node that has the standard input, if the stream is it, and is another node's.
std::optional<NodeId> owner_if_input(const FILE* stream) {
  return stream == stdin ? owner_of_input() : std::nullopt;
}

wint_t get_elsewhere(NodeId owner) {
  return static_cast<wint_t>(ask_for_number(owner, FileOperation::kGetWide, number_of(stdin)));
}

wint_t unget_elsewhere(NodeId owner, wint_t character) {
  return static_cast<wint_t>(ask_for_number(owner, FileOperation::kUngetWide, number_of(stdin),
                                            static_cast<std::int64_t>(character)));
}

wint_t get(wint_t (*real)(FILE*), FILE* stream) {
  const StreamReads reads(stream, kAnyBytes);
  const auto owner = owner_if_input(stream);
  return owner ? get_elsewhere(*owner) : real(stream);
}

wchar_t* get_line_elsewhere(NodeId owner, wchar_t* to, int size) {
  int count = 0;
  while (count + 1 < size) {
    const wint_t got = get_elsewhere(owner);
    if (got == WEOF) break;
    to[count++] = static_cast<wchar_t>(got);
    if (got == L'\n') break;
  }
  if (size <= 0 || (count == 0 && size > 1)) return nullptr;
  to[count] = L'\0';
  return to;
}

// The C library's scanner takes its characters from a FILE, and FILEs that Weft can make have none
// that are wide.
void refuse_scan() {
  on_runtime_stack([] {
    fail_job.load()(
        "the program called wscanf or fwscanf on standard input on another node "
        "than 0, which cannot be done in a job of several nodes; read with fgetws, or on main's "
        "thread (docs/reference/process.md lists such calls)");
  });
}

int scan(FILE* stream, const wchar_t* format, std::va_list arguments) {
  const StreamReads reads(stream, kAnyBytes);
  if (owner_if_input(stream)) refuse_scan();
  return WEFT_REAL(__isoc99_vfwscanf)(stream, format, arguments);
}

}  // namespace

WEFT_ENTRY(wint_t, fgetwc, FILE* stream) { return get(WEFT_REAL(fgetwc), stream); }
WEFT_ENTRY(wint_t, getwc, FILE* stream) { return get(WEFT_REAL(getwc), stream); }
WEFT_ENTRY(wint_t, fgetwc_unlocked, FILE* stream) {
  return get(WEFT_REAL(fgetwc_unlocked), stream);
}
WEFT_ENTRY(wint_t, getwc_unlocked, FILE* stream) { return get(WEFT_REAL(getwc_unlocked), stream); }
WEFT_ENTRY(wint_t, getwchar, void) { return get(WEFT_REAL(getwc), stdin); }
WEFT_ENTRY(wint_t, getwchar_unlocked, void) { return get(WEFT_REAL(getwc_unlocked), stdin); }
WEFT_ENTRY(wint_t, ungetwc, wint_t character, FILE* stream) {
  const auto owner = owner_if_input(stream);
  return owner ? unget_elsewhere(*owner, character) : WEFT_REAL(ungetwc)(character, stream);
}

#define WEFT_GET_WIDE_LINE(name)                                    \
  WEFT_ENTRY(wchar_t*, name, wchar_t* to, int size, FILE* stream) { \
    const StreamReads reads(stream, kAnyBytes);                     \
    const auto owner = owner_if_input(stream);                      \
    if (owner) return get_line_elsewhere(*owner, to, size);         \
    return WEFT_REAL(name)(to, size, stream);                       \
  }
WEFT_GET_WIDE_LINE(fgetws)
WEFT_GET_WIDE_LINE(fgetws_unlocked)

WEFT_ENTRY(wchar_t*, __fgetws_chk, wchar_t* to, std::size_t capacity, int size, FILE* stream) {
  if (size > 0 && static_cast<std::size_t>(size) > capacity) __chk_fail();
  return weft_entry_fgetws(to, size, stream);
}

#define WEFT_VSCAN_WIDE(name)                                                          \
  WEFT_ENTRY(int, name, FILE* stream, const wchar_t* format, std::va_list arguments) { \
    return scan(stream, format, arguments);                                            \
  }
WEFT_VSCAN_WIDE(vfwscanf)
WEFT_VSCAN_WIDE(__isoc99_vfwscanf)
#define WEFT_SCAN_WIDE(name, stream, ...)               \
  WEFT_ENTRY(int, name, __VA_ARGS__, ...) {             \
    std::va_list arguments;                             \
    va_start(arguments, format);                        \
    const int result = scan(stream, format, arguments); \
    va_end(arguments);                                  \
    return result;                                      \
  }
WEFT_SCAN_WIDE(fwscanf, stream, FILE* stream, const wchar_t* format)
WEFT_SCAN_WIDE(__isoc99_fwscanf, stream, FILE* stream, const wchar_t* format)
WEFT_SCAN_WIDE(wscanf, stdin, const wchar_t* format)
WEFT_SCAN_WIDE(__isoc99_wscanf, stdin, const wchar_t* format)

// --- output, whose order counts, and which may be to a mapped file ---

#define WEFT_PUT_WIDE(name)                                   \
  WEFT_ENTRY(wint_t, name, wchar_t character, FILE* stream) { \
    const Printed printed(stream);                            \
    const StreamWrites writes(stream, kAnyBytes);             \
    return WEFT_REAL(name)(character, stream);                \
  }
WEFT_PUT_WIDE(fputwc)
WEFT_PUT_WIDE(putwc)
WEFT_ENTRY(int, fputws, const wchar_t* text, FILE* stream) {
  const Printed printed(stream);
  const StreamWrites writes(stream, kAnyBytes);
  return WEFT_REAL(fputws)(text, stream);
}
WEFT_ENTRY(wint_t, putwchar, wchar_t character) { return weft_entry_putwc(character, stdout); }
WEFT_ENTRY(int, vfwprintf, FILE* stream, const wchar_t* format, std::va_list arguments) {
  const Printed printed(stream);
  const StreamWrites writes(stream, kAnyBytes);
  return WEFT_REAL(vfwprintf)(stream, format, arguments);
}
WEFT_ENTRY(int, vwprintf, const wchar_t* format, std::va_list arguments) {
  return weft_entry_vfwprintf(stdout, format, arguments);
}
#define WEFT_PRINT_WIDE(name, stream, ...)                              \
  WEFT_ENTRY(int, name, __VA_ARGS__, ...) {                             \
    std::va_list arguments;                                             \
    va_start(arguments, format);                                        \
    const int result = weft_entry_vfwprintf(stream, format, arguments); \
    va_end(arguments);                                                  \
    return result;                                                      \
  }
WEFT_PRINT_WIDE(fwprintf, stream, FILE* stream, const wchar_t* format)
WEFT_PRINT_WIDE(wprintf, stdout, const wchar_t* format)

}  // namespace weft::libc
