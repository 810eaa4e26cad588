// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tasks that capture objects: every copy is constructed and destroyed once, wherever the task runs;
// exceptions inside tasks; containers filled by tasks.

#include <omp.h>

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "../check.h"

static int alive = 0, copies = 0;

class Value {
 public:
  explicit Value(int v = 0) : self_(this), text_(std::to_string(v)) { count(1); }
  Value(const Value& other) : self_(this), text_(other.text()) {
    count(1);
#pragma omp atomic
    ++copies;
  }
  Value& operator=(const Value& other) {
    text_ = other.text_;
    return *this;
  }
  ~Value() {
    EXPECT(self_ == this, "An object was moved by its bytes.");
    count(-1);
  }
  const std::string& text() const {
    EXPECT(self_ == this, "An object was moved by its bytes.");
    return text_;
  }

 private:
  static void count(int change) {
#pragma omp atomic
    alive += change;
  }
  const Value* self_;
  std::string text_;
};

static void captured() {
  std::vector<std::string> seen(60);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 60; ++i) {
    Value value(i * 1000003);
#pragma omp task firstprivate(value, i) shared(seen)
    seen[i] = value.text() + " and then some more characters";
  }
  for (int i = 0; i < 60; ++i) {
    const std::string expected = std::to_string(i * 1000003) + " and then some more characters";
    EXPECT(seen[i] == expected, "Task %d saw %s.", i, seen[i].c_str());
  }
  EXPECT(alive == 0, "%d objects are left.", alive);
  EXPECT(copies >= 60, "Only %d copies were made.", copies);
}

static void in_loops() {
  std::vector<int> seen(200);
  Value last(-1);
#pragma omp parallel
#pragma omp single
  {
    Value value(42);
#pragma omp taskloop firstprivate(value) lastprivate(last) grainsize(6) shared(seen)
    for (int i = 0; i < 200; ++i) {
      seen[i] = std::stoi(value.text()) + i;
      last = Value(i);
    }
  }
  for (int i = 0; i < 200; ++i) EXPECT(seen[i] == 42 + i, "Iteration %d saw %d.", i, seen[i]);
  EXPECT(last.text() == "199", "lastprivate is %s.", last.text().c_str());
  EXPECT(alive == 1, "%d objects are left.", alive);
}

static int depth_of_throw(int depth) {
  if (depth == 0) throw std::runtime_error("bottom");
  return depth_of_throw(depth - 1) + 1;
}

static void throwing() {
  int caught = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 40; ++i) {
#pragma omp task firstprivate(i) shared(caught)
    {
      try {
        Value local(i);
#pragma omp task firstprivate(local)
        EXPECT(!local.text().empty(), "An inner task has nothing.");
#pragma omp taskwait
        depth_of_throw(i % 5);
      } catch (const std::runtime_error& error) {
        if (std::string(error.what()) == "bottom") {
#pragma omp atomic
          ++caught;
        }
      }
    }
  }
  EXPECT(caught == 40, "%d of 40 exceptions were caught.", caught);
  EXPECT(alive == 0, "%d objects are left.", alive);
}

static void containers() {
  std::map<int, std::vector<int>> lists;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 50; ++i) {
#pragma omp task firstprivate(i) shared(lists)
    {
      std::vector<int> mine;
      for (int k = 0; k < i; ++k) mine.push_back(k);
#pragma omp critical
      lists[i] = std::move(mine);
    }
  }
  for (int i = 0; i < 50; ++i) {
    EXPECT(lists[i].size() == static_cast<std::size_t>(i), "List %d has %zu.", i, lists[i].size());
    for (int k = 0; k < i; ++k) EXPECT(lists[i][k] == k, "List %d is broken.", i);
  }
}

int main() {
  captured();
  in_loops();
  throwing();
  containers();
  return ok();
}
