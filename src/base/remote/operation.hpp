// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One remote memory operation, and how it is done by whoever has the memory: the thread that asks
// for it, where it maps the memory, or else the target. A header alone, for libweft.so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/accesses/blocks.hpp"
#include "base/atomic_operation.hpp"
#include "base/remote/fifo.hpp"
#include "base/remote/table.hpp"
#include "include/weft/remote.h"

namespace weft::remote {

enum class Kind : std::uint8_t { kPut, kGet, kAtomic, kAppend, kTryAppend };

// What a notice asks for, in memory that its key names.
struct Notice {
  std::uint32_t number = 0;
  std::uint64_t secret = 0, offset = 0, value = 0;
  bool stores = false;  // else adds
};

struct Operation {
  Kind kind = Kind::kPut;
  // There: `count` blocks of `bytes`, `stride` apart.
  std::uint32_t number = 0;
  std::uint64_t secret = 0, offset = 0, stride = 0, bytes = 0, count = 1;
  // Here: what is read, or filled.
  std::byte* near = nullptr;
  std::uint64_t near_stride = 0;
  // Of atomic operations. `near` is for the value before, or null.
  AtomicOperation change = AtomicOperation::kLoad;
  AtomicType type = AtomicType::kInteger;
  std::byte operand[8] = {}, expected[8] = {};
  std::uint32_t from = 0;  // who appends
  // Nobody here waits for its end: it tells somebody there.
  bool is_message = false;

  // Without overlaps and overflow (Blocks); 0 if there is nothing to do.
  [[nodiscard]] std::uint64_t span() const {
    return bytes == 0 || count == 0 ? 0 : stride * (count - 1) + bytes;
  }
};

// Small copies between aligned places are one load and one store.
inline void copy_block(std::byte* to, const std::byte* from, std::size_t bytes) {
  const auto at_once = [&](auto word) {
    if ((reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from)) %
            sizeof word !=
        0) {
      return false;
    }
    word = __atomic_load_n(reinterpret_cast<const decltype(word)*>(from), __ATOMIC_RELAXED);
    __atomic_store_n(reinterpret_cast<decltype(word)*>(to), word, __ATOMIC_RELEASE);
    return true;
  };
  if (bytes == 8 && at_once(std::uint64_t{})) return;
  if (bytes == 4 && at_once(std::uint32_t{})) return;
  if (bytes == 2 && at_once(std::uint16_t{})) return;
  std::memcpy(to, from, bytes);
}

inline void copy_blocks(std::byte* to, std::uint64_t to_stride, const std::byte* from,
                        std::uint64_t from_stride, std::uint64_t bytes, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    copy_block(to + i * to_stride, from + i * from_stride, bytes);
  }
}

// False: there is no such operation. `old` may be null.
template <typename Word>
bool change_atomically(std::byte* where, const Operation& operation, std::byte* old) {
  auto* const memory = reinterpret_cast<Word*>(where);
  const Word operand = word_at<Word>(operation.operand);
  if (operation.change == AtomicOperation::kAdd) {  // what counters are made of
    const Word before = __atomic_fetch_add(memory, operand, __ATOMIC_SEQ_CST);
    if (old != nullptr) std::memcpy(old, &before, sizeof before);
    return true;
  }
  Word found = __atomic_load_n(memory, __ATOMIC_SEQ_CST);
  for (;;) {
    Word next = found;
    const bool keeps = operation.change == AtomicOperation::kCompareExchange &&
                       found != word_at<Word>(operation.expected);
    if (!keeps && !change_word(operation.change, operation.type, next, operand)) return false;
    if (operation.change == AtomicOperation::kLoad) break;
    if (__atomic_compare_exchange_n(memory, &found, next, false, __ATOMIC_SEQ_CST,
                                    __ATOMIC_SEQ_CST)) {
      break;
    }
  }
  if (old != nullptr) std::memcpy(old, &found, sizeof found);
  return true;
}

inline int change_there(std::byte* where, const Operation& operation) {
  if (operation.bytes == 0 || reinterpret_cast<std::uintptr_t>(where) % operation.bytes != 0)
    return WEFT_ERROR_OPERATION;
  const auto done = [&](auto word) {
    return change_atomically<decltype(word)>(where, operation, operation.near);
  };
  const bool is_one = operation.bytes == 1   ? done(std::uint8_t{})
                      : operation.bytes == 2 ? done(std::uint16_t{})
                      : operation.bytes == 4 ? done(std::uint32_t{})
                                             : operation.bytes == 8 && done(std::uint64_t{});
  if (!is_one) return WEFT_ERROR_OPERATION;
  return WEFT_OK;
}

[[nodiscard]] constexpr weft_rights right_for(Kind kind) {
  switch (kind) {
    case Kind::kPut:
      return WEFT_RIGHT_WRITE;
    case Kind::kGet:
      return WEFT_RIGHT_READ;
    case Kind::kAtomic:
      return WEFT_RIGHT_ATOMIC;
    default:
      return WEFT_RIGHT_SEND;
  }
}

// A node's registered memory, as the calling thread reaches it. `memory(piece)` is where a piece is
// mapped here, or null: it cannot be.
template <typename Memory>
class Reached {
 public:
  // As of Use.
  Reached(Table& table, Place* place, bool is_light, Memory memory)
      : table_(table), place_(place), is_light_(is_light), memory_(memory) {}

  // Does it, and wakes who waits for that. WEFT_ERROR_FULL: also of kAppend, which is to be tried
  // again.
  int perform(const Operation& operation) const {
    const bool appends = operation.kind == Kind::kAppend || operation.kind == Kind::kTryAppend;
    Use use(table_, place_, is_light_, operation.number, operation.secret,
            right_for(operation.kind), appends ? 0 : operation.offset,
            appends ? 0 : operation.span());
    if (use.error() != WEFT_OK) return use.error();
    std::byte* const piece = memory_(use.grant().piece);
    if (piece == nullptr) return WEFT_ERROR_MEMORY;
    const int error = perform_in(piece + use.grant().begin, use.grant(), operation);
    Bell& bell = table_.pieces[use.grant().piece].bell;
    use.end();
    if (error == WEFT_OK && operation.kind != Kind::kGet) bell.ring();
    return error;
  }

  int notify(const Notice& notice) const {
    Operation add{.kind = Kind::kAtomic,
                  .number = notice.number,
                  .secret = notice.secret,
                  .offset = notice.offset,
                  .bytes = sizeof notice.value};
    add.change = notice.stores ? AtomicOperation::kStore : AtomicOperation::kAdd;
    std::memcpy(add.operand, &notice.value, sizeof notice.value);
    return perform(add);
  }

 private:
  static int perform_in(std::byte* begin, const Grant& grant, const Operation& operation) {
    std::byte* const there = begin + operation.offset;
    switch (operation.kind) {
      case Kind::kPut:
        copy_blocks(there, operation.stride, operation.near, operation.near_stride, operation.bytes,
                    operation.count);
        return WEFT_OK;
      case Kind::kGet:
        copy_blocks(operation.near, operation.near_stride, there, operation.stride, operation.bytes,
                    operation.count);
        return WEFT_OK;
      case Kind::kAtomic:
        return change_there(there, operation);
      default:
        break;
    }
    if (operation.bytes > grant.fifo_bytes) return WEFT_ERROR_SIZE;
    Fifo fifo(begin, grant.fifo_messages, grant.fifo_bytes);
    const auto bytes = static_cast<std::uint32_t>(operation.bytes);
    if (!fifo.append(operation.near, bytes, operation.from)) return WEFT_ERROR_FULL;
    return WEFT_OK;
  }

  Table& table_;
  Place* place_;
  bool is_light_;
  Memory memory_;
};

}  // namespace weft::remote
