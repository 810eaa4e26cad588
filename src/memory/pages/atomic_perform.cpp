// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything is one compare-exchange loop around a function from old to new contents. A request has
// crossed the network or at least a lock to get here, so that a faster instruction for single
// operations would not be noticed.
#include "memory/pages/atomic_perform.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/assert.hpp"
#include "base/atomic_operation.hpp"

namespace weft {
namespace {

// What the memory is to hold after it held `old`.
template <typename Word>
Word next_contents(const AtomicRequest& request, Word old) {
  if (request.operation == AtomicOperation::kCompareExchange &&
      old != word_at<Word>(request.expected)) {
    return old;
  }
  const Word operand = word_at<Word>(request.operand);
  const bool done = change_word(request.operation, request.type, old, operand);
  WEFT_ASSERT(done, "there is no atomic operation {} on type {} of {} bytes",
              static_cast<int>(request.operation), static_cast<int>(request.type), sizeof(Word));
  return old;
}

// Compiled with cmpxchg16b allowed (see CMakeLists.txt), so that 16 bytes need no library call.
template <typename Word>
bool compare_exchange(Word* where, Word& expected, Word desired) {
  const Word found = __sync_val_compare_and_swap(where, expected, desired);
  if (found == expected) return true;
  expected = found;
  return false;
}

template <typename Word>
AtomicResult perform_sized(const AtomicRequest& request, std::byte* where) {
  auto* memory = reinterpret_cast<Word*>(where);
  Word old = 0;
  Word next = 0;
  // The first guess may be torn or wrong; then the exchange fails and tells.
  std::memcpy(&old, where, sizeof old);
  do {
    next = next_contents(request, old);
  } while (!compare_exchange(memory, old, next));
  AtomicResult result;
  std::memcpy(result.before, &old, sizeof old);
  std::memcpy(result.after, &next, sizeof next);
  return result;
}

}  // namespace

AtomicResult perform_atomic(const AtomicRequest& request, std::byte* where) {
  WEFT_ASSERT(reinterpret_cast<std::uintptr_t>(where) % std::max<std::size_t>(request.size, 1) == 0,
              "an atomic of {} bytes is not aligned", request.size);
  switch (request.size) {
    case 1:
      return perform_sized<std::uint8_t>(request, where);
    case 2:
      return perform_sized<std::uint16_t>(request, where);
    case 4:
      return perform_sized<std::uint32_t>(request, where);
    case 8:
      return perform_sized<std::uint64_t>(request, where);
    case 16:
      return perform_sized<Word128>(request, where);
    default:
      break;
  }
  WEFT_ASSERT(false, "no atomic operation has {} bytes", request.size);
  return {};
}

}  // namespace weft
