// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -D_GNU_SOURCE -Wno-deprecated-declarations
//
// Results that functions of the C library return by address: what one thread has asked for, the
// threads of all nodes read.

#include <arpa/inet.h>
#include <errno.h>
#include <grp.h>
#include <langinfo.h>
#include <locale.h>
#include <netdb.h>
#include <netinet/ether.h>
#include <omp.h>
#include <pwd.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../check.h"

static bool is_last(void) { return omp_get_thread_num() == omp_get_num_threads() - 1; }

// Asks on the last thread, and once more, for something else, on main's: then looks on all.
static const time_t kLate = 86400 * 365, kEarly = 0;

static void times(void) {
  static struct tm* broken;
  static char* text;
  setenv("TZ", "XYZ-3", 1);
#pragma omp parallel
  if (is_last()) broken = localtime(&kLate), text = ctime(&kLate);
#pragma omp parallel
  {
    EXPECT(broken->tm_year == 71 && broken->tm_hour == 3, "the year %d", broken->tm_year);
    EXPECT(strcmp(broken->tm_zone, "XYZ") == 0, "the zone %s", broken->tm_zone);
    EXPECT(strcmp(text, "Fri Jan  1 03:00:00 1971\n") == 0, "it is %s", text);
  }
  EXPECT(gmtime(&kEarly) == broken, "gmtime has another place than localtime");
#pragma omp parallel
  EXPECT(broken->tm_year == 70 && broken->tm_hour == 0, "the year %d", broken->tm_year);
  EXPECT(asctime(broken) == text, "asctime has another place than ctime");
  text[3] = '\0';
#pragma omp parallel
  EXPECT(strcmp(text, "Thu") == 0, "it is %s", text);
  static struct tm own;
  localtime_r(&kLate, &own);
#pragma omp parallel
  EXPECT(strcmp(own.tm_zone, "XYZ") == 0, "the zone %s", own.tm_zone);
}

static void records(void) {
  static struct passwd* user;
  static struct group* group;
  static struct hostent* host;
  static struct protoent* protocol;
#pragma omp parallel
  if (is_last()) {
    user = getpwuid(0);
    group = getgrgid(0);
    host = gethostbyname("127.0.0.1");
    protocol = getprotobyname("tcp");
  }
  EXPECT(user != NULL && group != NULL && host != NULL, "there is no root, or no host");
#pragma omp parallel
  {
    EXPECT(user->pw_uid == 0 && strcmp(user->pw_name, "root") == 0, "user %s", user->pw_name);
    EXPECT(user->pw_dir[0] == '/', "home %s", user->pw_dir);
    EXPECT(group->gr_gid == 0 && strcmp(group->gr_name, "root") == 0, "group %s", group->gr_name);
    EXPECT(group->gr_mem != NULL, "no list of members");
    in_addr_t address;
    memcpy(&address, host->h_addr_list[0], sizeof address);
    EXPECT(address == htonl(INADDR_LOOPBACK) && host->h_addr_list[1] == NULL, "address %x",
           address);
    EXPECT(protocol == NULL || strcmp(protocol->p_name, "tcp") == 0, "protocol %s",
           protocol->p_name);
  }
  struct passwd* const other = getpwnam("root");
  EXPECT(other != user && strcmp(user->pw_name, "root") == 0, "getpwnam has the place of getpwuid");
}

static void texts(void) {
  enum { kTexts = 7 };
  static const char* text[kTexts];
  static const char* const wanted[kTexts] = {
      "Invalid argument", "Unknown error 12345", "Terminated", "January", "ANSI_X3.4-1968",
      "10.1.2.3",         "1:2:3:4:5:6"};
  static struct lconv* format;
  const struct ether_addr ethernet = {{1, 2, 3, 4, 5, 6}};
  const struct in_addr address = {htonl(0x0a010203)};
#pragma omp parallel
  if (is_last()) {
    errno = ERANGE;
    const char* const made[kTexts] = {
        strerror(EINVAL),     strerror(12345),    strsignal(SIGTERM),   nl_langinfo(MON_1),
        nl_langinfo(CODESET), inet_ntoa(address), ether_ntoa(&ethernet)};
    EXPECT(errno == ERANGE || errno == EINVAL, "errno has become %d", errno);
    memcpy(text, made, sizeof text);
    format = localeconv();
  }
#pragma omp parallel
  {
    for (int i = 0; i < kTexts; ++i)
      EXPECT(strcmp(text[i], wanted[i]) == 0, "%s instead of %s", text[i], wanted[i]);
    EXPECT(strcmp(format->decimal_point, ".") == 0, "the point is %s", format->decimal_point);
  }
}

// A place of the thread's own, as in the C library.
static void threads_keep_theirs(void) {
#pragma omp parallel
  {
    const unsigned me = (unsigned)omp_get_thread_num();
    const struct in_addr address = {htonl(0x01000000 + me)};
    const char* const made = inet_ntoa(address);
#pragma omp barrier
    EXPECT(inet_addr(made) == address.s_addr, "thread %u has %s", me, made);
  }
}

int main(void) {
  times();
  records();
  texts();
  threads_keep_theirs();
  return ok();
}
