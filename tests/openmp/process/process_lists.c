// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -D_GNU_SOURCE
//
// Lists that are read one by one (getpwent and its kin): threads of all nodes read in turn, and
// each goes on where another was.

#include <grp.h>
#include <netdb.h>
#include <omp.h>
#include <pwd.h>
#include <stdbool.h>
#include <string.h>

#include "../check.h"

enum { kMost = 64, kTurns = 2 * kMost, kNameBytes = 64 };

static char known[kMost][kNameBytes];
static int count;

static const char* next_user(void) {
  const struct passwd* const user = getpwent();
  return user == NULL ? NULL : user->pw_name;
}
static const char* next_group(void) {
  const struct group* const group = getgrent();
  return group == NULL ? NULL : group->gr_name;
}
static const char* next_protocol(void) {
  const struct protoent* const protocol = getprotoent();
  return protocol == NULL ? NULL : protocol->p_name;
}
static void keep_protocols(void) { setprotoent(1); }

static void learn(const char* (*next)(void), void (*end)(void)) {
  const char* name;
  for (count = 0; count < kMost && (name = next()) != NULL; ++count) {
    strncpy(known[count], name, kNameBytes - 1);
  }
  end();
}

// `at` is how far the list has been read.
static void expect_next(const char* (*next)(void), int at, const char* list) {
  const char* const name = next();
  if (at >= count) {
    EXPECT(name == NULL || count == kMost, "thread %d: %s has %s at its end", omp_get_thread_num(),
           list, name);
  } else {
    EXPECT(name != NULL && strncmp(name, known[at], kNameBytes - 1) == 0,
           "thread %d: %d of %s is %s, not %s", omp_get_thread_num(), at, list,
           name == NULL ? "nobody" : name, known[at]);
  }
}

// The list is begun anew in the midst of it, by any thread.
static void read_in_turn(const char* (*next)(void), void (*begin)(void), const char* list) {
  int at = 0;
  begin();
#pragma omp parallel for ordered schedule(static, 1) shared(at)
  for (int turn = 0; turn < kTurns; ++turn) {
#pragma omp ordered
    {
      if (turn == 5 || turn == 8 || turn == kMost) {
        begin();
        at = 0;
      }
      if (at <= count) expect_next(next, at++, list);
    }
  }
}

int main(void) {
  learn(next_user, endpwent);
  EXPECT(count > 0, "there are no users");
  read_in_turn(next_user, setpwent, "users");
  read_in_turn(next_user, endpwent, "users");
  learn(next_group, endgrent);
  EXPECT(count > 0, "there are no groups");
  read_in_turn(next_group, setgrent, "groups");
  learn(next_protocol, endprotoent);
  read_in_turn(next_protocol, keep_protocols, "protocols");
  return ok();
}
