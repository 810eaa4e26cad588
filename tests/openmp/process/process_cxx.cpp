// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the C++ library has once: the standard streams' formats, states and buffers, the global
// locale, the handlers. Set by main or by the last thread, they hold on all nodes.

#include <omp.h>

#include <iomanip>
#include <iostream>
#include <locale>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include "../check.h"

namespace {

int me() { return omp_get_thread_num(); }
bool is_last() { return me() == omp_get_num_threads() - 1; }

void expect_format(int precision, char fill) {
  EXPECT(std::cout.precision() == precision, "thread %d: precision %d", me(),
         static_cast<int>(std::cout.precision()));
  EXPECT(std::cout.fill() == fill, "thread %d: fill %c", me(), std::cout.fill());
}

void formats() {
  std::cout << std::fixed << std::setprecision(3) << std::setfill('*') << std::boolalpha;
#pragma omp parallel
  expect_format(3, '*');
#pragma omp parallel
  if (is_last()) std::cout << std::setprecision(9) << std::setfill('.');
#pragma omp parallel
  expect_format(9, '.');
}

// Each thread writes one line, in turn, into a buffer of the program's.
void buffers() {
  std::ostringstream text;
  std::streambuf* const former = std::cout.rdbuf(text.rdbuf());
  std::cout << std::setprecision(2);
#pragma omp parallel
  for (int turn = 0; turn < omp_get_num_threads(); ++turn) {
    if (turn == me()) std::cout << turn << ' ' << 0.125 << ' ' << true << '\n';
#pragma omp barrier
  }
  std::cout.rdbuf(former);
  std::ostringstream wanted;
  for (int turn = 0; turn < omp_get_max_threads(); ++turn) wanted << turn << " 0.12 true\n";
  EXPECT(text.str() == wanted.str(), "it is %s", text.str().c_str());
}

void states() {
#pragma omp parallel
  if (is_last()) std::clog.setstate(std::ios::badbit);
#pragma omp parallel
  EXPECT(std::clog.bad(), "thread %d: clog is good", me());
  std::clog.clear();
  std::cin.tie(nullptr);
#pragma omp parallel
  EXPECT(std::clog.good() && std::cin.tie() == nullptr, "thread %d: clog is bad", me());
  EXPECT(std::ios::sync_with_stdio(false), "it was not in step at first");
#pragma omp parallel
  if (is_last()) EXPECT(!std::ios::sync_with_stdio(true), "it is in step");
}

[[noreturn]] void end() { std::exit(3); }
void no_memory() { throw std::bad_alloc(); }

void handlers() {
  std::set_terminate(end);
#pragma omp parallel
  {
    EXPECT(std::get_terminate() == end, "thread %d: another terminate handler", me());
#pragma omp barrier
    if (is_last()) EXPECT(std::set_new_handler(no_memory) == nullptr, "there was a handler");
#pragma omp barrier
    EXPECT(std::get_new_handler() == no_memory, "thread %d: another new handler", me());
  }
}

struct Grouping : std::numpunct<char> {
  char do_thousands_sep() const override { return '\''; }
  std::string do_grouping() const override { return "\3"; }
};

std::string printed(int number) {
  std::ostringstream text;
  text << number;
  return text.str();
}

void locales() {
  const std::locale former = std::locale::global(std::locale(std::locale(), new Grouping));
  EXPECT(former == std::locale::classic(), "the locale was %s", former.name().c_str());
#pragma omp parallel
  for (int i = 0; i < 100; ++i) {
    const std::string text = printed(1234567 + i);
    EXPECT(text == "1'234'" + std::to_string(567 + i), "thread %d: %s", me(), text.c_str());
  }
#pragma omp parallel
  if (is_last()) std::locale::global(std::locale::classic());
#pragma omp parallel
  EXPECT(printed(1234) == "1234", "thread %d: %s", me(), printed(1234).c_str());
}

// An index is nobody else's, on whatever node it is asked for.
void indices() {
  static int index[512];
#pragma omp parallel
  index[me()] = std::ios_base::xalloc();
  for (int t = 0; t < omp_get_max_threads(); ++t) {
    for (int u = 0; u < t; ++u) EXPECT(index[t] != index[u], "threads %d and %d", t, u);
  }
#pragma omp parallel
  for (int turn = 0; turn < omp_get_num_threads(); ++turn) {
    if (turn == me()) std::cout.iword(index[me()]) = 1000 + me();
#pragma omp barrier
  }
  for (int t = 0; t < omp_get_max_threads(); ++t) {
    EXPECT(std::cout.iword(index[t]) == 1000 + t, "of thread %d: %ld", t,
           std::cout.iword(index[t]));
  }
}

}  // namespace

int main() {
  formats();
  buffers();
  states();
  handlers();
  locales();
  indices();
  return ok();
}
