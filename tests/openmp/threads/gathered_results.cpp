// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread
// least_nodes: 2
// environment: WEFT_SPREAD=random
// counted: threads_gathered
//
// Threads go to and fro, at random. Those that get something that the C library keeps in memory of
// its own go on using it: open directories, compiled expressions, converters, lists of paths.

#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <iconv.h>
#include <netdb.h>
#include <pwd.h>
#include <regex.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "../check.h"

namespace {

constexpr int kRounds = 60, kSteps = 40, kWanderers = 3, kFolders = 3;

std::mutex lock;
long locked = 0;
std::atomic<int> working{0};
char folder[] = "/tmp/weft_results_XXXXXX";  // of kFolders folders

// A point at which a thread may be moved, and a reason for it.
void work_a_little() {
  for (int step = 0; step < kSteps; ++step) {
    const std::lock_guard guard(lock);
    ++locked;
  }
}

void read_directory(DIR* directory) {
  EXPECT(directory != nullptr, "No directory.");
  int entries = 0;
  while (const dirent* entry = readdir(directory)) {
    entries += entry->d_name[0] != '\0';
    work_a_little();
  }
  closedir(directory);
  EXPECT(entries == kFolders + 2, "%d entries.", entries);
}

void open_directory() { read_directory(opendir(folder)); }
void open_directory_by_number() { read_directory(fdopendir(open(folder, O_RDONLY | O_DIRECTORY))); }

void match() {
  regex_t expression;
  EXPECT(regcomp(&expression, "^a+b$", REG_EXTENDED | REG_NOSUB) == 0, "It does not compile.");
  work_a_little();
  EXPECT(regexec(&expression, "aaab", 0, nullptr, 0) == 0, "It does not match.");
  work_a_little();
  EXPECT(regexec(&expression, "aaac", 0, nullptr, 0) == REG_NOMATCH, "It matches.");
  regfree(&expression);
}

void convert() {
  const iconv_t converter = iconv_open("UTF-16LE", "UTF-8");
  EXPECT(converter != reinterpret_cast<iconv_t>(-1), "No converter.");
  work_a_little();
  char text[] = "weft", wide[16];
  char *from = text, *to = wide;
  std::size_t left = 4, room = sizeof wide;
  EXPECT(iconv(converter, &from, &left, &to, &room) == 0 && room == sizeof wide - 8,
         "%zu bytes of room.", room);
  EXPECT(std::memcmp(wide, "w\0e\0f\0t", 8) == 0, "Other text.");
  work_a_little();
  iconv_close(converter);
}

void find_paths() {
  glob_t found = {};
  EXPECT(glob("/etc/pass*d", 0, nullptr, &found) == 0, "No path.");
  work_a_little();
  EXPECT(std::string(found.gl_pathv[0]) == "/etc/passwd", "Path %s.", found.gl_pathv[0]);
  globfree(&found);
}

void find_address() {
  addrinfo hints = {}, *found = nullptr;
  hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  EXPECT(getaddrinfo("127.0.0.1", "80", &hints, &found) == 0, "No address.");
  work_a_little();
  EXPECT(found->ai_family == AF_INET, "Family %d.", found->ai_family);
  freeaddrinfo(found);
}

void find_user() {
  const passwd* const user = getpwuid(0);
  EXPECT(user != nullptr, "No user.");
  work_a_little();
  EXPECT(user->pw_uid == 0, "User %d.", static_cast<int>(user->pw_uid));
}

void iterate() {
  int entries = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    entries += entry.is_directory();
    work_a_little();
  }
  EXPECT(entries == kFolders, "%d entries.", entries);
}

void wander() {
  while (working > 0) work_a_little();
}

}  // namespace

int main() {
  void (*const ways[])() = {
      open_directory, open_directory_by_number, match, convert, find_paths, find_address, find_user,
      iterate};
  EXPECT(mkdtemp(folder) == folder, "No folder.");
  for (int number = 0; number < kFolders; ++number) {
    std::filesystem::create_directory(std::string(folder) + "/" + std::to_string(number));
  }
  std::vector<std::thread> threads;
  working = static_cast<int>(std::size(ways));
  for (auto* const way : ways) {
    threads.emplace_back([way] {
      for (int round = 0; round < kRounds; ++round) {
        std::thread([way] {
          work_a_little();
          way();
        }).join();
      }
      --working;
    });
  }
  for (int number = 0; number < kWanderers; ++number) threads.emplace_back(wander);
  for (std::thread& thread : threads) thread.join();
  std::filesystem::remove_all(folder);
  return ok();
}
