// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A node's account of the memory that it has registered for remote operations, and of the keys to
// it: what each key grants, and how many operations are under way by it. Threads of all nodes that
// map the table look there; the owner alone gives out keys and takes them back.
//
//   operation                                owner that ends a key
//   users + 1, then compare the secret       secret = 0
//   use the memory                           wait until users is 0
//   users - 1                                give back the memory
//
// So nobody uses memory that has been given back. The two writes and the two looks are sequentially
// consistent. Users are counted in several places, or all nodes would write one cache line.
//
// All zero to begin with: there is no key. A header alone, for libweft.so.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/remote/bell.hpp"
#include "include/weft/remote.h"

namespace weft::remote {

inline constexpr std::uint32_t kMostKeys = 4096, kMostPieces = 4096;

// A piece of memory that was registered.
struct Piece {
  std::uint64_t generation = 0;  // of those that had this place
  std::uint64_t offset = 0;      // in the node's file, if it has one
  std::uint64_t bytes = 0;       // 0: this place is free
  // At its owner; null while it is being given back.
  std::atomic<std::byte*> memory{nullptr};
  std::atomic<std::uint32_t> fillers{0};  // the owner's, who fill it without a key
  alignas(64) Bell bell;                  // for those who wait for a change

  // Where these bytes are in it; nothing if they are not.
  [[nodiscard]] std::optional<std::uint64_t> find(const void* where, std::size_t size) const {
    const auto at = reinterpret_cast<std::uintptr_t>(where);
    const auto begin = reinterpret_cast<std::uintptr_t>(memory.load(std::memory_order_acquire));
    if (begin == 0 || at < begin || at - begin > bytes || size > bytes - (at - begin)) return {};
    return at - begin;
  }
};

// What a key grants.
struct alignas(64) Grant {
  std::atomic<std::uint64_t> secret{0};  // 0: nothing
  std::uint64_t begin = 0, bytes = 0;    // in the piece
  std::uint32_t piece = 0;
  weft_rights rights = 0;
  std::uint32_t fifo_messages = 0, fifo_bytes = 0;  // 0: it is plain memory

  static constexpr unsigned kPlaces = 32;
  struct alignas(64) Users {
    std::atomic<std::uint32_t> count{0};
  };
  Users users[kPlaces];

  void leave(unsigned node) { users[node % kPlaces].count.fetch_sub(1); }
  void wait_for_users() const {
    for (const Users& place : users) {
      while (place.count.load() != 0) sched_yield();
    }
  }
};

struct Table {
  Grant grants[kMostKeys];
  Piece pieces[kMostPieces];
  std::atomic<std::uint32_t> pieces_used{0};  // the first ones; those behind them are all zero

  // The owner's piece with these bytes, or null.
  [[nodiscard]] Piece* piece_with(const void* where, std::size_t size) {
    const std::uint32_t used = pieces_used.load(std::memory_order_acquire);
    for (std::uint32_t piece = 0; piece < used; ++piece) {
      if (pieces[piece].find(where, size)) return &pieces[piece];
    }
    return nullptr;
  }

  // Null, and an error, if the key does not grant that. Else the caller, of that node, uses the
  // memory, and calls leave() in the end.
  Grant* enter(unsigned node, std::uint32_t number, std::uint64_t secret, weft_rights right,
               std::uint64_t offset, std::uint64_t bytes, int& error) {
    error = WEFT_ERROR_KEY;
    if (number >= kMostKeys || secret == 0) return nullptr;
    Grant& grant = grants[number];
    grant.users[node % Grant::kPlaces].count.fetch_add(1);
    if (grant.secret.load() == secret) {
      error = WEFT_OK;
      if ((grant.rights & right) != right)
        error = WEFT_ERROR_RIGHT;
      else if (offset > grant.bytes || bytes > grant.bytes - offset)
        error = WEFT_ERROR_RANGE;
    }
    if (error == WEFT_OK) return &grant;
    grant.leave(node);
    return nullptr;
  }
};

}  // namespace weft::remote
