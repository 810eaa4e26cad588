// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program that replaces operator new and operator delete, and not their other forms: these call
// the program's, as the standard has it. Its blocks begin 64 bytes behind those of malloc.

#include <omp.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "../check.h"

namespace {

constexpr std::size_t kHeader = 64;
long made, ended;

void* make(std::size_t bytes, std::size_t alignment) {
  auto* const block = static_cast<char*>(std::aligned_alloc(
      alignment, (bytes + kHeader + alignment - 1) / alignment * alignment + alignment));
  if (block == nullptr) throw std::bad_alloc();
  const std::size_t header = alignment > kHeader ? alignment : kHeader;
  std::memcpy(block + header - sizeof block, &block, sizeof block);
#pragma omp atomic
  ++made;
  return block + header;
}

void end(void* pointer) {
  if (pointer == nullptr) return;
  char* block = nullptr;
  std::memcpy(&block, static_cast<char*>(pointer) - sizeof block, sizeof block);
  EXPECT(block < pointer && static_cast<char*>(pointer) - block <= 256, "%p is not of this program",
         pointer);
  std::free(block);
#pragma omp atomic
  ++ended;
}

struct Plain {
  long number = 5;
  ~Plain() { number = 0; }
};
struct alignas(128) Aligned {
  long number = 7;
  ~Aligned() { number = 0; }
};

template <typename Object>
void every_form(long number) {
  Object* const one = new Object;
  Object* const some = new Object[5];
  Object* const maybe = new (std::nothrow) Object;
  Object* const some_maybe = new (std::nothrow) Object[3];
  EXPECT(one->number == number && some[4].number == number, "%ld", one->number);
  EXPECT(maybe->number == number && some_maybe[2].number == number, "%ld", maybe->number);
  delete one;
  delete[] some;
  delete maybe;
  delete[] some_maybe;
}

void all() {
  every_form<Plain>(5);
  every_form<Aligned>(7);
  // Of the C++ library.
  const std::string text(1000, 'x');
  std::vector<std::string> texts(20, text);
  const auto shared = std::make_shared<Plain>();
  EXPECT(texts.back() == text && shared->number == 5, "text");
}

}  // namespace

void* operator new(std::size_t bytes) { return make(bytes, 16); }
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  return make(bytes, static_cast<std::size_t>(alignment));
}
void operator delete(void* pointer) noexcept { end(pointer); }
void operator delete(void* pointer, std::align_val_t) noexcept { end(pointer); }

int main() {
#pragma omp parallel
  all();
  const long made_before = made, ended_before = ended;
  all();
  EXPECT(made - made_before == ended - ended_before && made > made_before, "%ld made, %ld ended",
         made - made_before, ended - ended_before);
  return ok();
}
