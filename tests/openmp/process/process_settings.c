// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -D_GNU_SOURCE
//
// What a process has once, set by any thread, holds for the threads of all nodes: environment,
// working directory, mask of new files, locale, time zone, priority, users, log mask.

#include <fcntl.h>
#include <grp.h>
#include <langinfo.h>
#include <libintl.h>
#include <locale.h>
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>
#include <weft/process.h>

#include "../check.h"

static int me(void) { return omp_get_thread_num(); }
static int team(void) { return omp_get_max_threads(); }

static void expect_variable(const char* name, const char* value) {
  const char* found = getenv(name);
  if (value == NULL) {
    EXPECT(found == NULL, "thread %d: %s is %s", me(), name, found);
  } else {
    EXPECT(found != NULL && strcmp(found, value) == 0, "thread %d: %s is %s", me(), name,
           found ? found : "not set");
  }
}

static void environment(void) {
  const char* path = getenv("PATH");
  EXPECT(path != NULL, "PATH is not set");
#pragma omp parallel
  EXPECT(getenv("PATH") == path && strlen(path) > 0, "thread %d has another PATH", me());
  static char mine[] = "WEFT_MINE=abc";
  setenv("WEFT_ONE", "first", 1);
  putenv(mine);
#pragma omp parallel
  {
    expect_variable("WEFT_ONE", "first");
    expect_variable("WEFT_MINE", "abc");
  }
  setenv("WEFT_ONE", "not taken", 0);
  strcpy(mine, "WEFT_MINE=xyz");
#pragma omp parallel
  {
    expect_variable("WEFT_ONE", "first");
    expect_variable("WEFT_MINE", "xyz");
#pragma omp barrier
    char name[40];
    snprintf(name, sizeof name, "WEFT_OF_%d", me());
    EXPECT(setenv(name, name, 1) == 0, "setenv");
#pragma omp barrier
    for (int t = 0; t < team(); ++t) {
      snprintf(name, sizeof name, "WEFT_OF_%d", t);
      expect_variable(name, name);
    }
#pragma omp barrier
    if (me() == team() - 1) unsetenv("WEFT_ONE");
#pragma omp barrier
    expect_variable("WEFT_ONE", NULL);
  }
  EXPECT(setenv("A=B", "", 1) == -1 && setenv("", "", 1) == -1, "a bad name was taken");
#pragma omp parallel num_threads(team())
  if (me() == team() - 1)
    EXPECT(system("test \"$WEFT_MINE\" = xyz") == 0, "a child has another environment");
}

static void directory(void) {
  char folder[] = "/tmp/weft-settings-XXXXXX", old[1000];
  EXPECT(mkdtemp(folder) != NULL && getcwd(old, sizeof old) != NULL, "mkdtemp");
  EXPECT(chdir(folder) == 0, "chdir");
#pragma omp parallel
  {
    char here[1000], name[40];
    EXPECT(getcwd(here, sizeof here) != NULL && strcmp(here, folder) == 0, "thread %d is in %s",
           me(), here);
    snprintf(name, sizeof name, "file-%d", me());
    FILE* file = fopen(name, "w");
    EXPECT(file != NULL && fclose(file) == 0, "thread %d cannot make a file", me());
  }
  for (int t = 0; t < team(); ++t) {
    char name[100];
    snprintf(name, sizeof name, "%s/file-%d", folder, t);
    EXPECT(unlink(name) == 0, "there is no %s", name);
  }
#pragma omp parallel
  if (me() == team() - 1) EXPECT(chdir("/usr") == 0, "chdir");
  char here[1000];
  EXPECT(strcmp(getcwd(here, sizeof here), "/usr") == 0, "main is in %s", here);
  const int descriptor = open(folder, O_RDONLY | O_DIRECTORY);
#pragma omp parallel
  if (me() == team() - 1) EXPECT(fchdir(descriptor) == 0, "fchdir");
  EXPECT(strcmp(getcwd(here, sizeof here), folder) == 0, "main is in %s", here);
  close(descriptor);
  EXPECT(chdir("/does/not/exist") == -1, "chdir to nowhere went well");
  EXPECT(chdir(old) == 0 && rmdir(folder) == 0, "rmdir");
}

static void mask_of_files(void) {
  const mode_t before = umask(027);
#pragma omp parallel
  {
    char name[80];
    struct stat status;
    snprintf(name, sizeof name, "/tmp/weft-mask-%d-%d", (int)getpid(), me());
    const int file = open(name, O_CREAT | O_WRONLY | O_EXCL, 0666);
    EXPECT(file >= 0 && fstat(file, &status) == 0, "open");
    EXPECT((status.st_mode & 0777) == 0640, "thread %d made a file of mode %o", me(),
           status.st_mode & 0777);
    close(file);
    unlink(name);
#pragma omp barrier
    if (me() == team() - 1) EXPECT(umask(077) == 027, "the mask was another");
  }
  EXPECT(umask(before) == 077, "the mask is another");
}

static void locales(void) {
  EXPECT(strcmp(setlocale(LC_ALL, NULL), "C") == 0, "not the C locale");
  EXPECT(setlocale(LC_ALL, "no such locale") == NULL, "there is no such locale");
  const char* name = setlocale(LC_CTYPE, "C.UTF-8");
  EXPECT(name != NULL, "there is no C.UTF-8");
  locale_t made = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0), copy = duplocale(made);
  locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
#pragma omp parallel
  {
    EXPECT(strcmp(name, "C.UTF-8") == 0, "thread %d reads another name", me());
    EXPECT(strcmp(setlocale(LC_CTYPE, NULL), "C.UTF-8") == 0, "thread %d: %s", me(),
           setlocale(LC_CTYPE, NULL));
    wchar_t wide = 0;
    EXPECT(mbtowc(&wide, "\xc3\xa9", 2) == 2 && wide == 0xe9, "thread %d does not read UTF-8",
           me());
    const locale_t before = uselocale(plain);
    EXPECT(before == LC_GLOBAL_LOCALE, "a thread begins with the process's locale");
    EXPECT(strcmp(nl_langinfo(CODESET), "ANSI_X3.4-1968") == 0, "thread %d: %s", me(),
           nl_langinfo(CODESET));
    uselocale(copy);
    EXPECT(strcmp(nl_langinfo(CODESET), "UTF-8") == 0, "thread %d: %s", me(), nl_langinfo(CODESET));
    EXPECT(strcmp(nl_langinfo_l(CODESET, made), "UTF-8") == 0, "thread %d: made elsewhere", me());
    uselocale(LC_GLOBAL_LOCALE);
    const locale_t own = newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0);
    EXPECT(own != (locale_t)0 && own != made && own != copy, "a locale has the place of another");
    freelocale(own);
#pragma omp barrier
    if (me() == team() - 1) setlocale(LC_ALL, "C");
#pragma omp barrier
    EXPECT(strcmp(nl_langinfo(CODESET), "ANSI_X3.4-1968") == 0, "thread %d: %s", me(),
           nl_langinfo(CODESET));
  }
  freelocale(made);
  freelocale(copy);
  freelocale(plain);
}

static void time_zone(void) {
  setenv("TZ", "XYZ-5:30", 1);
  tzset();
  const time_t midnight = 86400;
#pragma omp parallel
  {
    struct tm local;
    EXPECT(timezone == -19800 && strcmp(tzname[0], "XYZ") == 0, "thread %d: %ld %s", me(), timezone,
           tzname[0]);
    EXPECT(localtime_r(&midnight, &local)->tm_hour == 5 && local.tm_min == 30,
           "thread %d: it is %d", me(), local.tm_hour);
  }
}

static bool is_first_of_node(void) {
  static pid_t processes[512];
  processes[me()] = weft_node_pid();
#pragma omp barrier
  return me() == 0 || processes[me() - 1] != processes[me()];
}

static void others(void) {
  static char identity[] = "weft-test";
  openlog(identity, LOG_NDELAY, LOG_USER);
  setlogmask(LOG_UPTO(LOG_ERR));
  textdomain("weft-test");
  bindtextdomain("weft-test", "/usr/nowhere");
  bind_textdomain_codeset("weft-test", "UTF-8");
  prctl(PR_SET_DUMPABLE, 0);
  const int before = getpriority(PRIO_PROCESS, 0);
  const int priority = before + 3 < 19 ? before + 3 : 19;
  EXPECT(nice(3) == priority, "nice");
#pragma omp parallel
  {
    EXPECT(setlogmask(0) == LOG_UPTO(LOG_ERR), "thread %d logs by another mask", me());
    EXPECT(strcmp(bindtextdomain("weft-test", NULL), "/usr/nowhere") == 0 &&
               strcmp(bind_textdomain_codeset("weft-test", NULL), "UTF-8") == 0,
           "thread %d has other translations", me());
    EXPECT(strcmp(textdomain(NULL), "weft-test") == 0, "thread %d: %s", me(), textdomain(NULL));
    // The first of each node's threads is its main thread.
    const bool is_first = is_first_of_node();
    if (is_first)
      EXPECT(getpriority(PRIO_PROCESS, 0) == priority, "thread %d: nice %d", me(),
             getpriority(PRIO_PROCESS, 0));
    // Nor does it have that of threads of Weft's own, which may have started it.
    if (me() == team() - 1) {
      EXPECT(getpriority(PRIO_PROCESS, 0) >= before, "thread %d: nice %d", me(),
             getpriority(PRIO_PROCESS, 0));
      char command[80];
      snprintf(command, sizeof command, "test \"$(nice)\" -ge %d", before);
      EXPECT(system(command) == 0, "a child of thread %d goes before others", me());
    }
    EXPECT(prctl(PR_GET_DUMPABLE) == 0, "thread %d can be dumped", me());
  }
  prctl(PR_SET_DUMPABLE, 1);
  closelog();
}

// Last: there is no way back.
static void users(void) {
  if (geteuid() != 0) return;
  const gid_t group = 12345;
  EXPECT(setgroups(1, &group) == 0 && setegid(2345) == 0 && seteuid(3456) == 0, "seteuid");
#pragma omp parallel
  {
    gid_t found = 0;
    EXPECT(getgroups(1, &found) == 1 && found == group, "thread %d is in group %d", me(),
           (int)found);
    EXPECT(geteuid() == 3456 && getegid() == 2345, "thread %d is user %d", me(), (int)geteuid());
#pragma omp barrier
    if (me() == team() - 1) EXPECT(seteuid(0) == 0 && setegid(0) == 0, "back");
  }
  EXPECT(geteuid() == 0 && getegid() == 0, "main is user %d", (int)geteuid());
}

int main(void) {
  environment();
  directory();
  mask_of_files();
  locales();
  time_zone();
  others();
  users();
  return ok();
}
