// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// new and delete in every form, by one thread and another: plain, array, nothrow, aligned, sized,
// placement, and of a class with operators of its own.

#include <omp.h>

#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "../check.h"

namespace {

constexpr int kMost = 1024;

struct Plain {
  int value = 41;
  std::string text = "a text that has to be allocated apart";
};

struct alignas(128) Aligned {
  double values[3] = {1, 2, 3};
};

struct Base {
  virtual ~Base() = default;
  virtual int answer() const = 0;
};

struct Derived : Base {
  explicit Derived(int n) : number(n), data(n + 1, n) {}
  int answer() const override { return number + data.back(); }
  int number;
  std::vector<int> data;
};

struct Pooled {
  static int alive;
  long content[4] = {};
  static void* operator new(std::size_t size) {
#pragma omp atomic
    alive += 1;
    return ::operator new(size);
  }
  static void operator delete(void* memory, std::size_t) {
#pragma omp atomic
    alive -= 1;
    ::operator delete(memory);
  }
};
int Pooled::alive = 0;

struct Set {
  Plain* plain;
  Plain* array;
  Plain* nothrow;
  Aligned* aligned;
  Aligned* aligned_array;
  Base* derived;
  Pooled* pooled;
  void* raw;
  std::shared_ptr<Derived> shared;
};

Set sets[kMost];

void make(int me) {
  sets[me] = {new Plain,   new Plain[7],        new (std::nothrow) Plain{me, "nothrow"},
              new Aligned, new Aligned[3],      new Derived(me),
              new Pooled,  ::operator new(100), std::make_shared<Derived>(me)};
  EXPECT(reinterpret_cast<std::uintptr_t>(sets[me].aligned) % 128 == 0, "new is not aligned.");
  EXPECT(reinterpret_cast<std::uintptr_t>(sets[me].aligned_array) % 128 == 0,
         "new[] is not aligned.");
}

void check(int owner) {
  const Set& set = sets[owner];
  EXPECT(set.plain->value == 41 && set.array[6].text.size() == 37, "The plain objects are wrong.");
  EXPECT(set.nothrow->value == owner && set.nothrow->text == "nothrow", "nothrow is wrong.");
  EXPECT(set.aligned->values[2] == 3 && set.aligned_array[2].values[1] == 2, "Aligned is wrong.");
  EXPECT(set.derived->answer() == 2 * owner, "The virtual call gave %d.", set.derived->answer());
  EXPECT(set.shared->answer() == 2 * owner, "The shared object gave %d.", set.shared->answer());
}

void destroy(int owner) {
  Set& set = sets[owner];
  delete set.plain;
  delete[] set.array;
  delete set.nothrow;
  delete set.aligned;
  delete[] set.aligned_array;
  delete set.derived;
  delete set.pooled;
  ::operator delete(set.raw);
  set.shared.reset();
}

void too_much() {
  volatile std::size_t huge = std::size_t{1} << 62;
  bool thrown = false;
  try {
    ::operator delete(::operator new(huge));
  } catch (const std::bad_alloc&) {
    thrown = true;
  }
  EXPECT(thrown, "new of 2^62 bytes did not throw.");
  EXPECT(::operator new(huge, std::nothrow) == nullptr, "nothrow new of 2^62 bytes succeeded.");
}

}  // namespace

int main() {
#pragma omp parallel
  {
    const int me = omp_get_thread_num(), next = (me + 1) % omp_get_num_threads();
    for (int round = 0; round < 4; ++round) {
      make(me);
#pragma omp barrier
      check(next);
      destroy(next);
#pragma omp barrier
    }
    alignas(Plain) char place[sizeof(Plain)];
    Plain* placed = new (place) Plain;
    EXPECT(placed->value == 41, "The placed object is wrong.");
    placed->~Plain();
    too_much();
  }
  EXPECT(Pooled::alive == 0, "%d pooled objects are alive.", Pooled::alive);
  return ok();
}
