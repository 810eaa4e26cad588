// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "registry.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace {

std::mutex lock;
std::map<std::string, int> numbers;
int starts = 0;

struct Filler {
  Filler(const char* name, int number) { numbers[name] = number; }
};
Filler one("a name that is too long for its string's own room", 1);
Filler two("two", 2);
std::unique_ptr<int[]> counter(new int[100]{});

[[gnu::constructor]] void count_starts() { ++starts; }

}  // namespace

int registry_size() { return static_cast<int>(numbers.size()); }
int registry_starts() { return starts; }
int registry_find(const char* name) {
  const std::lock_guard guard(lock);
  const auto found = numbers.find(name);
  return found == numbers.end() ? -1 : found->second;
}
void registry_add(const char* name, int number) {
  const std::lock_guard guard(lock);
  numbers[name] = number;
}
int* registry_counter() { return counter.get(); }
int registry_append(const char* text) {
  static std::vector<std::string> texts{"the first"};
  const std::lock_guard guard(lock);
  texts.push_back(text);
  return static_cast<int>(texts.size());
}
