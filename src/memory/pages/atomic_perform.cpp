// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The commonest operations are one instruction of the processor, as a node that is alone does all
// of its operations here. The others are one compare-exchange loop around a function from old to
// new contents.
#include "memory/pages/atomic_perform.hpp"

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
struct Contents {
  Word before, after;
};

template <typename Word>
Contents<Word> change_by_loop(const AtomicRequest& request, Word* memory) {
  Contents<Word> contents = {};
  // The first guess may be torn or wrong; then the exchange fails and tells.
  std::memcpy(&contents.before, memory, sizeof(Word));
  do {
    contents.after = next_contents(request, contents.before);
  } while (!compare_exchange(memory, contents.before, contents.after));
  return contents;
}

template <typename Word>
Contents<Word> change(const AtomicRequest& request, Word* memory) {
  if constexpr (sizeof(Word) <= sizeof(std::uint64_t)) {
    const Word operand = word_at<Word>(request.operand);
    Word old = 0;
    switch (request.operation) {
      case AtomicOperation::kLoad:
        // A locked instruction would take the line from threads that look at it, too, and would
        // write to a page that is only read.
        old = __atomic_load_n(memory, __ATOMIC_SEQ_CST);
        return {old, old};
      case AtomicOperation::kStore:
      case AtomicOperation::kExchange:
        return {__atomic_exchange_n(memory, operand, __ATOMIC_SEQ_CST), operand};
      case AtomicOperation::kAdd:
        old = __atomic_fetch_add(memory, operand, __ATOMIC_SEQ_CST);
        return {old, static_cast<Word>(old + operand)};
      default:
        break;
    }
  }
  return change_by_loop(request, memory);
}

template <typename Word>
void perform_sized(const AtomicRequest& request, std::byte* where, AtomicResult& result) {
  WEFT_ASSERT(reinterpret_cast<std::uintptr_t>(where) % sizeof(Word) == 0,
              "an atomic of {} bytes is not aligned", sizeof(Word));
  const Contents<Word> contents = change(request, reinterpret_cast<Word*>(where));
  std::memcpy(result.before, &contents.before, sizeof(Word));
  std::memcpy(result.after, &contents.after, sizeof(Word));
}

}  // namespace

void perform_atomic(const AtomicRequest& request, std::byte* where, AtomicResult& result) {
  switch (request.size) {
    case 1:
      return perform_sized<std::uint8_t>(request, where, result);
    case 2:
      return perform_sized<std::uint16_t>(request, where, result);
    case 4:
      return perform_sized<std::uint32_t>(request, where, result);
    case 8:
      return perform_sized<std::uint64_t>(request, where, result);
    case 16:
      return perform_sized<Word128>(request, where, result);
    default:
      break;
  }
  WEFT_ASSERT(false, "no atomic operation has {} bytes", request.size);
}

}  // namespace weft
