// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cases of io_test: names of files, and what is asked about them.
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <climits>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "libc/testing/io_test_cases.hpp"

namespace {

// A directory with a file of five bytes and a link to it, gone at the end.
struct Directory {
  Directory() {
    char name[] = "/tmp/weft-files-XXXXXX";
    path = mkdtemp(name);
    FILE* const stream = fopen((path + "/file").c_str(), "w");
    fputs("12345", stream);
    fclose(stream);
    if (symlink("file", (path + "/link").c_str()) != 0) abort();
  }
  ~Directory() {
    const std::string command = "rm -r " + path;
    if (system(command.c_str()) != 0) abort();
  }
  std::string path;
};

char* name_in(TestRegion& r, const Directory& d, const char* name) {
  return r.put_text(d.path + "/" + name);
}

bool closed(int descriptor) { return descriptor >= 0 && close(descriptor) == 0; }

// A call with one path that gives 0, and then the file called `name` is there or not.
template <typename Call>
bool changes(TestRegion& r, const char* name, Call call_with, bool there) {
  const Directory d;
  char* const path = name_in(r, d, name);
  const std::string copy = path;
  r.hide();
  if (call_with(path) != 0) return false;
  struct stat status;
  return (lstat(copy.c_str(), &status) == 0) == there;
}

template <typename Status, typename Call>
bool sees_five_bytes(TestRegion& r, Call ask) {
  const Directory d;
  char* const path = name_in(r, d, "file");
  auto* const status = r.put(Status{});
  r.hide();
  return ask(path, status) == 0 && status->st_size == 5;
}

constexpr IoCase kCases[] = {
    {"open",
     [](TestRegion& r) {
       const Directory d;
       char* const path = name_in(r, d, "new");
       r.hide();
       return closed(open(path, O_CREAT | O_WRONLY, 0600)) && (r.hide(), true) &&
              closed(open64(path, O_RDONLY)) && (r.hide(), true) &&
              closed(openat(AT_FDCWD, path, O_RDONLY)) && access(path, W_OK) == 0;
     }},
    {"creat",
     [](TestRegion& r) {
       return changes(r, "new", [](char* p) { return closed(creat(p, 0600)) ? 0 : -1; }, true);
     }},
    {"fopen",
     [](TestRegion& r) {
       const Directory d;
       char* const path = name_in(r, d, "file");
       char* const mode = r.put_text("r");
       r.hide();
       FILE* stream = fopen(path, mode);
       if (stream == nullptr) return false;
       r.hide();
       stream = freopen(path, mode, stream);
       return stream != nullptr && fgetc(stream) == '1' && fclose(stream) == 0;
     }},
    {"opendir",
     [](TestRegion& r) {
       const Directory d;
       char* const path = r.put_text(d.path);
       r.hide();
       DIR* const directory = opendir(path);
       if (directory == nullptr) return false;
       int entries = 0;
       while (readdir(directory) != nullptr) ++entries;
       return closedir(directory) == 0 && entries == 4;
     }},
    {"stat",
     [](TestRegion& r) {
       return sees_five_bytes<struct stat>(r, [](char* p, struct stat* s) { return stat(p, s); });
     }},
    {"stat64",
     [](TestRegion& r) {
       return sees_five_bytes<struct stat64>(
           r, [](char* p, struct stat64* s) { return stat64(p, s); });
     }},
    {"lstat",
     [](TestRegion& r) {
       return sees_five_bytes<struct stat>(r, [](char* p, struct stat* s) { return lstat(p, s); });
     }},
    {"fstatat",
     [](TestRegion& r) {
       return sees_five_bytes<struct stat>(
           r, [](char* p, struct stat* s) { return fstatat(AT_FDCWD, p, s, 0); });
     }},
    {"fstat",
     [](TestRegion& r) {
       const Directory d;
       auto* const out = static_cast<struct stat*>(r.room(sizeof(struct stat)));
       const int fd = open((d.path + "/file").c_str(), O_RDONLY);
       r.hide();
       const bool good = fstat(fd, out) == 0 && out->st_size == 5;
       close(fd);
       return good;
     }},
    {"statx",
     [](TestRegion& r) {
       const Directory d;
       char* const path = name_in(r, d, "file");
       auto* const out = static_cast<struct statx*>(r.room(sizeof(struct statx)));
       r.hide();
       return statx(AT_FDCWD, path, 0, STATX_SIZE, out) == 0 && out->stx_size == 5;
     }},
    {"statfs",
     [](TestRegion& r) {
       char* const path = r.put_text("/");
       auto* const out = static_cast<struct statfs*>(r.room(sizeof(struct statfs)));
       r.hide();
       return statfs(path, out) == 0 && out->f_bsize > 0;
     }},
    {"statvfs",
     [](TestRegion& r) {
       char* const path = r.put_text("/");
       auto* const out = static_cast<struct statvfs*>(r.room(sizeof(struct statvfs)));
       r.hide();
       return statvfs(path, out) == 0 && out->f_bsize > 0;
     }},
    {"access",
     [](TestRegion& r) {
       return changes(r, "file", [](char* p) { return access(p, R_OK); }, true);
     }},
    {"faccessat",
     [](TestRegion& r) {
       return changes(r, "file", [](char* p) { return faccessat(AT_FDCWD, p, R_OK, 0); }, true);
     }},
    {"unlink",
     [](TestRegion& r) { return changes(r, "file", [](char* p) { return unlink(p); }, false); }},
    {"remove",
     [](TestRegion& r) { return changes(r, "file", [](char* p) { return remove(p); }, false); }},
    {"mkdir",
     [](TestRegion& r) { return changes(r, "new", [](char* p) { return mkdir(p, 0700); }, true); }},
    {"mkdir_and_rmdir",
     [](TestRegion& r) {
       return changes(
           r, "new", [&r](char* p) { return mkdir(p, 0700) + (r.hide(), rmdir(p)); }, false);
     }},
    {"mkfifo",
     [](TestRegion& r) {
       return changes(r, "new", [](char* p) { return mkfifo(p, 0700); }, true);
     }},
    {"chmod",
     [](TestRegion& r) {
       return changes(r, "file", [](char* p) { return chmod(p, 0700); }, true);
     }},
    {"truncate",
     [](TestRegion& r) {
       return changes(r, "file", [](char* p) { return truncate(p, 2); }, true);
     }},
    {"utimensat",
     [](TestRegion& r) {
       timespec* const times = static_cast<timespec*>(r.room(2 * sizeof(timespec)));
       times[0] = times[1] = timespec{1000, 0};
       return changes(r, "file", [=](char* p) { return utimensat(AT_FDCWD, p, times, 0); }, true);
     }},
    {"rename",
     [](TestRegion& r) {
       const Directory d;
       char* const from = name_in(r, d, "file");
       char* const to = name_in(r, d, "moved");
       r.hide();
       return rename(from, to) == 0 && access(from, F_OK) == -1 && access(to, F_OK) == 0;
     }},
    {"link_and_symlink",
     [](TestRegion& r) {
       const Directory d;
       char* const from = name_in(r, d, "file");
       char* const hard = name_in(r, d, "hard");
       char* const soft = name_in(r, d, "soft");
       r.hide();
       if (link(from, hard) != 0) return false;
       r.hide();
       return symlink(from, soft) == 0 && access(hard, F_OK) == 0 && access(soft, F_OK) == 0;
     }},
    {"readlink",
     [](TestRegion& r) {
       const Directory d;
       char* const path = name_in(r, d, "link");
       char* const out = static_cast<char*>(r.room(100));
       r.hide();
       return readlink(path, out, 100) == 4 && memcmp(out, "file", 4) == 0;
     }},
    {"getcwd_and_chdir",
     [](TestRegion& r) {
       char old[PATH_MAX];
       if (getcwd(old, sizeof old) == nullptr) return false;
       const Directory d;
       char* const path = r.put_text(d.path);
       char* const out = static_cast<char*>(r.room(PATH_MAX));
       r.hide();
       if (chdir(path) != 0) return false;
       const bool good = getcwd(out, PATH_MAX) == out && d.path == out;
       r.hide();
       const bool small = getcwd(out, 2) == nullptr && errno == ERANGE;
       return chdir(old) == 0 && good && small;
     }},
    {"realpath",
     [](TestRegion& r) {
       const Directory d;
       char* const path = name_in(r, d, "link");
       char* const out = static_cast<char*>(r.room(PATH_MAX));
       r.hide();
       return realpath(path, out) == out && d.path + "/file" == out;
     },
     IoCase::kWorks},
    {"mkstemp",
     [](TestRegion& r) {
       const Directory d;
       char* const path = name_in(r, d, "nameXXXXXX");
       r.hide();
       return closed(mkstemp(path)) && strstr(path, "XXXXXX") == nullptr && access(path, F_OK) == 0;
     },
     IoCase::kWorks},
    {"mkdtemp",
     [](TestRegion& r) {
       const Directory d;
       char* const path = name_in(r, d, "nameXXXXXX");
       r.hide();
       return mkdtemp(path) == path && strstr(path, "XXXXXX") == nullptr && access(path, F_OK) == 0;
     },
     IoCase::kWorks},
};

}  // namespace

std::span<const IoCase> file_cases() { return kCases; }
