// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times, texts and formats that the C library returns in static variables, or in memory of the
// thread or of the locale that other nodes do not have (shared_results.hpp).
#include <arpa/inet.h>
#include <langinfo.h>
#include <libintl.h>
#include <locale.h>
#include <netinet/ether.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "libc/allocation/allocation.hpp"
#include "libc/interposition/io_bounce.hpp"
#include "process/requests/calls.hpp"
#include "process/requests/topics.hpp"
#include "process/results/shared_results.hpp"
#include "stacks/stacks.hpp"

namespace weft::process {
namespace {

using libc::text;

// The name of the time zone is the C library's. It is nearly always the last one.
const char* shared_zone(const char* zone) {
  thread_local const char* last = nullptr;
  if (zone == nullptr || (last != nullptr && std::strcmp(zone, last) == 0)) return last;
  return last = on_runtime_stack([zone] { return shared_text(zone); });
}

tm* with_shared_zone(tm* time) {
  if (time != nullptr) time->tm_zone = shared_zone(time->tm_zone);
  return time;
}

tm* share_time(Place place, const tm* time) {
  return share_record(place, time, [](tm& t, Attachments&) { t.tm_zone = shared_text(t.tm_zone); });
}

void attach_number_format(lconv& format, Attachments& to) {
  for (char** each :
       {&format.decimal_point, &format.thousands_sep, &format.grouping, &format.int_curr_symbol,
        &format.currency_symbol, &format.mon_decimal_point, &format.mon_thousands_sep,
        &format.mon_grouping, &format.positive_sign, &format.negative_sign}) {
    to.text(*each);
  }
}

// The C library has one for each thread.
char* thread_room(std::size_t bytes) {
  thread_local char* room = nullptr;
  if (room == nullptr) room = static_cast<char*>(libc::program_allocate(bytes));
  return room;
}

}  // namespace

#define WEFT_LIST(...) __VA_ARGS__
// `share` makes of the real function's result what is returned.
#define WEFT_RESULT(type, name, share, parameters, names)                            \
  WEFT_ENTRY(type, name, WEFT_LIST parameters) {                                     \
    if (WEFT_JOB_OF_CALLER() == nullptr) return WEFT_REAL(name) names;               \
    return on_runtime_stack([&]() -> type { return share(WEFT_REAL(name) names); }); \
  }
#define WEFT_IN_PLACE(name, place, parameters, names)                                         \
  WEFT_ENTRY(char*, name, WEFT_LIST parameters) {                                             \
    if (WEFT_JOB_OF_CALLER() == nullptr) return WEFT_REAL(name) names;                        \
    return on_runtime_stack([&] { return share_text(Place::place, WEFT_REAL(name) names); }); \
  }

#define WEFT_TIME(name, place, type)                                                       \
  WEFT_ENTRY(tm*, name, type argument) {                                                   \
    if (WEFT_JOB_OF_CALLER() == nullptr) return WEFT_REAL(name)(argument);                 \
    return on_runtime_stack([=] { return share_time(place, WEFT_REAL(name)(argument)); }); \
  }
WEFT_TIME(localtime, Place::kTime, const time_t*)
WEFT_TIME(gmtime, Place::kTime, const time_t*)
WEFT_TIME(getdate, Place::kParsedDate, const char*)
WEFT_IN_PLACE(asctime, kTimeText, (const tm* time), (time))
WEFT_IN_PLACE(ctime, kTimeText, (const time_t* time), (time))

WEFT_ENTRY(tm*, localtime_r, const time_t* seconds, tm* out) {
  tm* const result = WEFT_REAL(localtime_r)(seconds, out);
  return WEFT_JOB_OF_CALLER() == nullptr ? result : with_shared_zone(result);
}
#define WEFT_MAKE_TIME(name)                                     \
  WEFT_ENTRY(time_t, name, tm* time) {                           \
    const time_t result = WEFT_REAL(name)(time);                 \
    if (WEFT_JOB_OF_CALLER() != nullptr) with_shared_zone(time); \
    return result;                                               \
  }
WEFT_MAKE_TIME(mktime)
WEFT_MAKE_TIME(timelocal)

// Texts that never change.
WEFT_RESULT(char*, strerror, shared_text, (int number), (number))
WEFT_RESULT(char*, strsignal, shared_text, (int number), (number))
WEFT_RESULT(char*, nl_langinfo, shared_text, (nl_item item), (item))
WEFT_RESULT(char*, nl_langinfo_l, shared_text, (nl_item item, locale_t locale), (item, locale))
WEFT_RESULT(char*, ttyname, shared_text, (int file), (file))
WEFT_RESULT(char*, ptsname, shared_text, (int file), (file))
WEFT_RESULT(char*, getlogin, shared_text, (void), ())
WEFT_ENTRY(char*, strerror_l, int number, locale_t locale) {
  if (WEFT_JOB_OF_CALLER() == nullptr) return WEFT_REAL(strerror_l)(number, locale);
  return on_runtime_stack([=] { return shared_text(WEFT_REAL(strerror_l)(number, locale)); });
}

// Texts that the next call fills again. A buffer of the caller's is used as ever.
WEFT_IN_PLACE(l64a, kBase64, (long number), (number))
WEFT_IN_PLACE(ecvt, kDigits, (double x, int digits, int* point, int* sign),
              (x, digits, point, sign))
WEFT_IN_PLACE(fcvt, kFixedDigits, (double x, int digits, int* point, int* sign),
              (x, digits, point, sign))
WEFT_IN_PLACE(qecvt, kLongDigits, (long double x, int digits, int* point, int* sign),
              (x, digits, point, sign))
WEFT_IN_PLACE(qfcvt, kLongFixedDigits, (long double x, int digits, int* point, int* sign),
              (x, digits, point, sign))
WEFT_IN_PLACE(ether_ntoa, kEthernetText, (const ether_addr* address), (address))
WEFT_IN_PLACE(getpass, kPassword, (const char* prompt), (prompt))
WEFT_ENTRY(char*, tmpnam, char* buffer) {
  if (buffer != nullptr || WEFT_JOB_OF_CALLER() == nullptr) return WEFT_REAL(tmpnam)(buffer);
  return on_runtime_stack([] { return share_text(Place::kFileName, WEFT_REAL(tmpnam)(nullptr)); });
}
WEFT_ENTRY(char*, ctermid, char* buffer) {
  if (buffer != nullptr || WEFT_JOB_OF_CALLER() == nullptr) return WEFT_REAL(ctermid)(buffer);
  return on_runtime_stack([] { return share_text(Place::kTerminal, WEFT_REAL(ctermid)(nullptr)); });
}

WEFT_ENTRY(char*, inet_ntoa, in_addr address) {
  if (WEFT_JOB_OF_CALLER() == nullptr) return WEFT_REAL(inet_ntoa)(address);
  return on_runtime_stack([=]() -> char* {
    char* const room = thread_room(INET_ADDRSTRLEN);
    return room == nullptr ? nullptr : std::strcpy(room, WEFT_REAL(inet_ntoa)(address));
  });
}

WEFT_ENTRY(lconv*, localeconv, void) {
  if (WEFT_JOB_OF_CALLER() == nullptr) return WEFT_REAL(localeconv)();
  return on_runtime_stack([] {
    return share_record(Place::kNumberFormat, WEFT_REAL(localeconv)(), attach_number_format);
  });
}

}  // namespace weft::process
