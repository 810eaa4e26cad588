// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the words of a text in a hash table that all threads fill, with a lock on each part of it.
//
//   words [TEXT [TIMES]]
//
// The text is counted TIMES over. Words are allocated by whichever thread meets them first and
// freed by the main thread. Without a text, it reads the GPL, which every Debian system has.

#include <omp.h>

#include <array>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace {

constexpr int kStripes = 64;

[[noreturn]] void die(const std::string& sentence) {
  std::fprintf(stderr, "words: %s\n", sentence.c_str());
  std::exit(1);
}

struct Entry {
  std::string word;
  long count;
  Entry* next;
};

// A hash table cut into stripes, each a list under its own lock.
class WordTable {
 public:
  WordTable() {
    for (omp_lock_t& lock : locks_) omp_init_lock(&lock);
  }
  ~WordTable() {
    for (omp_lock_t& lock : locks_) omp_destroy_lock(&lock);
    for (Entry* entry : heads_)
      while (entry) {
        Entry* next = entry->next;
        delete entry;
        entry = next;
      }
  }
  WordTable(const WordTable&) = delete;
  WordTable& operator=(const WordTable&) = delete;

  void add(const std::string& word, long count) {
    std::uint32_t hash = 2166136261u;
    for (const char c : word) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
    const int stripe = hash % kStripes;
    omp_set_lock(&locks_[stripe]);
    Entry* entry = heads_[stripe];
    while (entry && entry->word != word) entry = entry->next;
    if (entry)
      entry->count += count;
    else
      heads_[stripe] = new Entry{word, count, heads_[stripe]};
    omp_unset_lock(&locks_[stripe]);
  }

  std::map<std::string, long> sorted() const {
    std::map<std::string, long> result;
    for (const Entry* entry : heads_)
      for (; entry; entry = entry->next) result[entry->word] += entry->count;
    return result;
  }

 private:
  std::array<omp_lock_t, kStripes> locks_;
  std::array<Entry*, kStripes> heads_{};
};

long words_seen = 0;  // by this thread
#pragma omp threadprivate(words_seen)

template <typename Use>
void for_each_word(const std::string& line, Use use) {
  std::string word;
  for (const char c : line + ' ') {
    if (std::isalpha(static_cast<unsigned char>(c))) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!word.empty()) {
      use(word);
      word.clear();
    }
  }
}

std::vector<std::string> read_lines(const std::string& path) {
  std::ifstream file(path);
  if (!file) die("The text " + path + " cannot be opened.");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

// Counts all lines into the table. Returns how many words there were, summed over the threads.
long count_words(const std::vector<std::string>& lines, int times, WordTable& table) {
  long seen = 0;
#pragma omp parallel
  {
    words_seen = 0;
#pragma omp for collapse(2) schedule(dynamic, 32)
    for (int pass = 0; pass < times; ++pass)
      for (std::size_t i = 0; i < lines.size(); ++i)
        for_each_word(lines[i], [&](const std::string& word) {
          table.add(word, 1);
          words_seen += 1;
        });
#pragma omp atomic
    seen += words_seen;
  }
  return seen;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = argc > 1 ? argv[1] : "/usr/share/common-licenses/GPL-3";
  const int times = argc > 2 ? std::atoi(argv[2]) : 1500;
  if (argc > 3 || times < 1) die("Usage: words [TEXT [TIMES]]");
  const std::vector<std::string> lines = read_lines(path);
  WordTable table;
  const long seen = count_words(lines, times, table);
  const std::map<std::string, long> counted = table.sorted();

  std::map<std::string, long> expected;
  long total = 0;
  for (const std::string& line : lines)
    for_each_word(line, [&](const std::string& word) {
      expected[word] += times;
      total += times;
    });
  std::uint64_t hash = 14695981039346656037u;
  for (const auto& [word, count] : counted) {
    for (const char c : word) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
    hash = (hash ^ static_cast<std::uint64_t>(count)) * 1099511628211u;
  }
  std::printf("words: %ld words, %zu different\n", seen, counted.size());
  std::printf("checksum: %016llx\n", static_cast<unsigned long long>(hash));
  if (seen != total) die("The threads saw another number of words than the text has.");
  if (counted != expected) die("The counts differ from those of one thread.");
  std::printf("words: verified\n");
  return 0;
}
