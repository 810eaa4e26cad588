// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// File streams of C++ that the main thread opened and all threads use, one at a time.

#include <omp.h>
#include <unistd.h>

#include <fstream>
#include <iomanip>
#include <iostream>
#include <set>
#include <sstream>
#include <string>

#include "../check.h"

static std::string path;

static void write_lines(std::ofstream& out) {
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < 60; ++i) {
#pragma omp critical
    {
      out << "line " << std::setw(3) << std::setfill('0') << i << ' ' << i * 0.5 << '\n';
      if (i % 7 == 0) out.flush();
    }
  }
}

static void read_lines(std::ifstream& in, std::set<int>& seen) {
  bool good = true;
#pragma omp parallel for ordered schedule(static, 1)
  for (int i = 0; i < 60; ++i) {
#pragma omp ordered
    {
      std::string word;
      int number = -1;
      double half = -1;
      in >> word >> number >> half;
      good = good && in && word == "line" && half == number * 0.5;
      seen.insert(number);
    }
  }
  EXPECT(good && seen.size() == 60, "%d different lines were read.", (int)seen.size());
}

// Large enough to go past the stream's buffer.
static void write_much(std::fstream& file) {
  const std::string much(100000, 'm');
#pragma omp parallel
  {
#pragma omp critical
    {
      file.seekp(0, std::ios::end);
      file << much << omp_get_thread_num() % 10;
    }
  }
  file.seekg(0);
  const std::string all{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  EXPECT(all.size() == 100001u * omp_get_max_threads(), "There are %zu characters.", all.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    EXPECT(i % 100001 == 100000 || all[i] == 'm', "Character %zu is %c.", i, all[i]);
}

// The standard streams work on every node.
static void print_all() {
#pragma omp parallel
  {
    std::ostringstream line;
    line << "thread " << std::hex << omp_get_thread_num() << '\n';
#pragma omp critical
    std::cout << line.str() << std::flush;
  }
}

int main() {
  print_all();
  path = "/tmp/openmp_stream_" + std::to_string(getpid());
  std::ofstream out(path);
  write_lines(out);
  out.close();
  std::ifstream in(path);
  std::set<int> seen;
  read_lines(in, seen);
  in.close();
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::trunc);
  write_much(file);
  // Closed by another thread.
#pragma omp parallel
  if (omp_get_thread_num() == omp_get_num_threads() - 1) file.close();
  EXPECT(!file.is_open(), "The file is still open.");
  unlink(path.c_str());
  return ok();
}
