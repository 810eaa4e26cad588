// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/loading/loading_failure.hpp"

#include <utility>

namespace weft {
namespace {

// Made by a thread's first failure and kept for good: few threads ever have one.
struct Failure {
  std::string why;
  bool is_told = true;
};
constinit thread_local Failure* failure = nullptr;

}  // namespace

void set_load_failure(std::string why) {
  if (failure == nullptr && why.empty()) return;
  if (failure == nullptr) failure = new Failure;
  failure->is_told = why.empty();
  if (!why.empty()) failure->why = std::move(why);
}

char* take_load_failure() {
  if (failure == nullptr || std::exchange(failure->is_told, true)) return nullptr;
  return failure->why.data();
}

}  // namespace weft
