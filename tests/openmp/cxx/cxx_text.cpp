// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The library's streams, regular expressions and locales, with objects that one thread made and
// others use.

#include <omp.h>

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <iterator>
#include <locale>
#include <map>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "../check.h"

namespace {

constexpr int kLines = 48;

// Each stream is written by one thread, and read by another.
void streams() {
  std::vector<std::unique_ptr<std::stringstream>> texts(kLines);
#pragma omp parallel
  {
#pragma omp for schedule(static, 1)
    for (int i = 0; i < kLines; ++i) {
      texts[i] = std::make_unique<std::stringstream>();
      *texts[i] << std::hex << std::setw(6) << std::setfill('.') << i * 17 << ' ' << std::dec
                << i / 4.0 << ' ' << std::boolalpha << (i % 2 == 0) << ' '
                << std::quoted("a \"word\"") << '\n';
    }
#pragma omp for schedule(static, 5)
    for (int i = 0; i < kLines; ++i) {
      std::string digits, word;
      double quarter = -1;
      bool even = false;
      *texts[i] >> digits >> quarter >> even >> std::quoted(word);
      EXPECT(!texts[i]->fail(), "Line %d cannot be read.", i);
      digits.erase(0, digits.find_first_not_of('.'));
      EXPECT(std::stoi("0" + digits, nullptr, 16) == i * 17, "Line %d begins with %s.", i,
             digits.c_str());
      EXPECT(quarter == i / 4.0 && even == (i % 2 == 0) && word == "a \"word\"",
             "Line %d has %g and %s.", i, quarter, word.c_str());
    }
  }
}

// One expression for all, compiled by the main thread, and one of each thread's own.
void expressions() {
  const std::regex date(R"((\d{4})-(\d\d)-(\d\d))");
  std::vector<std::string> found(kLines);
#pragma omp parallel
  {
    const std::regex word("([a-z]+)" + std::to_string(omp_get_thread_num() % 10),
                          std::regex::icase);
#pragma omp for schedule(dynamic, 2)
    for (int i = 0; i < kLines; ++i) {
      std::ostringstream text;
      text << "on " << 2000 + i << "-0" << 1 + i % 9 << "-" << 10 + i % 20 << " it was Abc"
           << omp_get_thread_num() % 10;
      const std::string line = text.str();
      std::smatch match;
      EXPECT(std::regex_search(line, match, date), "There is no date in '%s'.", line.c_str());
      found[i] = match[3].str() + "." + match[2].str() + "." + match[1].str();
      EXPECT(std::regex_search(line, match, word) && match[1] == "Abc", "There is no word in '%s'.",
             line.c_str());
      EXPECT(std::regex_replace(line, date, "$2/$1").find('/') != std::string::npos,
             "Nothing was replaced.");
    }
  }
  for (int i = 0; i < kLines; ++i) {
    const std::string expected = std::to_string(10 + i % 20) + ".0" + std::to_string(1 + i % 9) +
                                 "." + std::to_string(2000 + i);
    EXPECT(found[i] == expected, "Date %d is %s.", i, found[i].c_str());
  }
}

using Counts = std::map<std::string, int>;

Counts count_words(const std::string& text, int part, int parts) {
  std::istringstream stream(text);
  const std::vector<std::string> words(std::istream_iterator<std::string>(stream), {});
  Counts counts;
  for (std::size_t i = static_cast<std::size_t>(part); i < words.size();
       i += static_cast<std::size_t>(parts)) {
    ++counts[words[i]];
  }
  return counts;
}

// The words of a text that one thread has made, counted by all.
void words() {
  std::string text;
  for (int i = 0; i < 400; ++i) {
    text += std::string(static_cast<std::size_t>(1 + i % 5), static_cast<char>('a' + i % 3)) +
            (i % 11 != 0 ? " " : "\n");
  }
  Counts counts;
#pragma omp parallel for schedule(static, 1)
  for (int part = 0; part < 40; ++part) {
    const Counts own = count_words(text, part, 40);
#pragma omp critical
    for (const auto& [word, count] : own) counts[word] += count;
  }
  EXPECT(counts == count_words(text, 0, 1), "%zu different words were counted.", counts.size());
}

// Lines of all threads by std::cout come out whole if each is one insertion; here under a lock,
// counted by who reads the output: this one only that the stream is good everywhere.
void output() {
#pragma omp parallel
  for (int turn = 0; turn < omp_get_num_threads(); ++turn) {
    if (turn == omp_get_thread_num()) {
      std::cout << "thread " << std::setw(3) << turn << " has " << std::fixed
                << std::setprecision(2) << turn * 1.5 << std::endl;
      EXPECT(std::cout.good(), "Thread %d cannot print.", turn);
    }
#pragma omp barrier
  }
}

}  // namespace

int main() {
  streams();
  expressions();
  words();
  output();
  return ok();
}
