// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions of classes that hold memory: vectors, strings, maps, objects with virtual functions;
// with constructors, destructors, and initialisers that look at the original.
// On one node libomp combines threads in any order; here their order is looked at.
// least_nodes: 2

#include <omp.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "../check.h"

using Numbers = std::vector<int>;
using Counts = std::map<std::string, int>;

struct Shape {
  virtual ~Shape() = default;
  virtual int sides() const { return 0; }
};
struct Square final : Shape {
  int sides() const override { return 4; }
};

struct Collection {
  Numbers numbers;
  std::string text;
  std::unique_ptr<Shape> shape;
  long total = 0;

  Collection() = default;
  Collection(const Collection&) = delete;
  void merge(const Collection& other) {
    numbers.insert(numbers.end(), other.numbers.begin(), other.numbers.end());
    text += other.text;
    total += other.total;
    if (shape == nullptr && other.shape != nullptr) shape = std::make_unique<Square>();
  }
};

static void add(Counts& into, const Counts& from) {
  for (const auto& [word, times] : from) into[word] += times;
}

#pragma omp declare reduction( \
        join:Numbers : omp_out.insert(omp_out.end(), omp_in.begin(), omp_in.end()))
#pragma omp declare reduction(join : std::string : omp_out += omp_in)
#pragma omp declare reduction(count:Counts : add(omp_out, omp_in))
#pragma omp declare reduction(merge:Collection : omp_out.merge(omp_in))
#pragma omp declare reduction(add:Numbers : std::transform(                                \
        omp_in.begin(), omp_in.end(), omp_out.begin(), omp_out.begin(), std::plus<int>())) \
    initializer(omp_priv = Numbers(omp_orig.size()))

static void of_vectors() {
  Numbers all;
#pragma omp parallel for reduction(join : all) schedule(static)
  for (int i = 0; i < 5000; ++i) all.push_back(i);
  // Threads are combined in their order, and with them the parts of the loop.
  EXPECT(all.size() == 5000 && std::is_sorted(all.begin(), all.end()), "%zu numbers.", all.size());

  Numbers sums(300, 1);
#pragma omp parallel for reduction(add : sums)
  for (int i = 0; i < 3000; ++i) sums[i % 300] += i / 300;
  for (int i = 0; i < 300; ++i) EXPECT(sums[i] == 46, "Sum %d is %d.", i, sums[i]);
}

static void of_maps_and_strings() {
  Counts counts;
  std::string text = "|";
  long total = 0;
#pragma omp parallel
  {
#pragma omp for reduction(count : counts) reduction(join : text) reduction(+ : total)
    for (int i = 0; i < 400; ++i) {
      ++counts["word number " + std::to_string(i % 7)];
      text += static_cast<char>('a' + i * 26 / 400);
      total += i;
    }
    EXPECT(counts.size() == 7 && counts.at("word number 3") == 57 && total == 79800,
           "Thread %d sees %zu words and the total %ld.", omp_get_thread_num(), counts.size(),
           total);
    EXPECT(text.size() == 401, "The text has %zu letters.", text.size());
  }
  EXPECT(std::is_sorted(text.begin() + 1, text.end()), "The text is %s.", text.c_str());
}

static void of_objects() {
  Collection all;
#pragma omp parallel reduction(merge : all)
  {
    all.numbers.push_back(omp_get_thread_num());
    all.text += "thread " + std::to_string(omp_get_thread_num()) + ", and some more to fill it; ";
    all.shape = std::make_unique<Square>();
    all.total += 1;
  }
  const auto threads = static_cast<std::size_t>(omp_get_max_threads());
  EXPECT(all.numbers.size() == threads && std::is_sorted(all.numbers.begin(), all.numbers.end()),
         "%zu threads are in it.", all.numbers.size());
  EXPECT(all.total == omp_get_max_threads() && all.shape->sides() == 4, "The total is %ld.",
         all.total);
  EXPECT(all.text.find("thread 0,") == 0, "The text is '%s'.", all.text.c_str());
}

int main() {
  for (int round = 0; round < 3; ++round) {
    of_vectors();
    of_maps_and_strings();
    of_objects();
  }
  return ok();
}
