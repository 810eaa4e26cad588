// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A node's account of the memory that it has registered for remote operations, and of the keys to
// it: what each key grants, and which operations are under way by it. Threads of all nodes that map
// the table look there; the owner alone gives out keys and takes them back.
//
//   operation                                owner that ends a key
//   says which key it uses                   secret = 0
//   compares the secret, uses the memory     waits until nobody uses the key
//   uses it no more                          gives back the memory
//
// So nobody uses memory that has been given back. Between the first two steps of either is a fence:
// a light one in operations, where the system has those (light_fence.hpp). A thread has a place of
// its own to say what it uses (M. Michael, "Hazard Pointers", 2004), so that threads do not write
// each other's cache lines. Where there is none left, and in a handler that has interrupted an
// operation, it is counted with the key.
//
// All zero to begin with: there is no key. A header alone, for libweft.so.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/remote/bell.hpp"
#include "base/remote/light_fence.hpp"
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
};

// Where a thread says which key it uses.
struct alignas(64) Place {
  std::atomic<bool> is_taken{false};
  std::atomic<std::uint32_t> key{0};  // its number and 1; 0: none
};

struct Table {
  static constexpr std::uint32_t kMostPlaces = 1024;

  Grant grants[kMostKeys];
  Piece pieces[kMostPieces];
  Place places[kMostPlaces];
  std::atomic<std::uint32_t> pieces_used{0};  // the first ones; those behind them are all zero
  std::atomic<std::uint32_t> places_used{0};  // likewise
  bool has_light_fences = false;              // at its owner; set before it is shown

  // Null: all are taken.
  [[nodiscard]] Place* take_place() {
    for (std::uint32_t place = 0; place < kMostPlaces; ++place) {
      if (places[place].is_taken.load(std::memory_order_relaxed)) continue;
      if (places[place].is_taken.exchange(true)) continue;
      std::uint32_t used = places_used.load();
      while (used <= place && !places_used.compare_exchange_weak(used, place + 1)) {
      }
      return &places[place];
    }
    return nullptr;
  }

  // The owner's piece with these bytes, or null.
  [[nodiscard]] Piece* piece_with(const void* where, std::size_t size) {
    const std::uint32_t used = pieces_used.load(std::memory_order_acquire);
    for (std::uint32_t piece = 0; piece < used; ++piece) {
      if (pieces[piece].find(where, size)) return &pieces[piece];
    }
    return nullptr;
  }

  // Once the key's secret is gone.
  void wait_for_users(std::uint32_t number) {
    if (has_light_fences) heavy_fence();
    for (const Grant::Users& users : grants[number].users) {
      while (users.count.load() != 0) sched_yield();
    }
    const std::uint32_t used = places_used.load();
    for (std::uint32_t place = 0; place < used; ++place) {
      while (places[place].key.load() == number + 1) sched_yield();
    }
  }
};

// A thread's use of a key, if that grants the right on these bytes.
class Use {
 public:
  // `place`: the thread's, or null; `is_light`: owner and caller have light fences.
  Use(Table& table, Place* place, bool is_light, std::uint32_t number, std::uint64_t secret,
      weft_rights right, std::uint64_t offset, std::uint64_t bytes) {
    if (number >= kMostKeys || secret == 0) return;
    Grant& grant = table.grants[number];
    if (place != nullptr && place->key.load(std::memory_order_relaxed) == 0) [[likely]] {
      place_ = place;
      if (is_light) {
        place->key.store(number + 1, std::memory_order_relaxed);
        light_fence();
      } else {
        place->key.exchange(number + 1);
      }
    } else {
      users_ = &grant.users[number_of_processor() % Grant::kPlaces];
      users_->count.fetch_add(1);
    }
    grant_ = &grant;
    if (grant.secret.load() != secret) return;
    if ((grant.rights & right) != right)
      error_ = WEFT_ERROR_RIGHT;
    else if (offset > grant.bytes || bytes > grant.bytes - offset)
      error_ = WEFT_ERROR_RANGE;
    else
      error_ = WEFT_OK;
  }
  ~Use() { end(); }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

  // WEFT_OK: the memory may be used until the end.
  [[nodiscard]] int error() const { return error_; }
  [[nodiscard]] const Grant& grant() const { return *grant_; }
  void end() {
    if (place_ != nullptr) place_->key.store(0, std::memory_order_release);
    if (users_ != nullptr) users_->count.fetch_sub(1);
    place_ = nullptr;
    users_ = nullptr;
  }

 private:
  // Any number does: those who share one write the same cache line.
  static unsigned number_of_processor() {
    const int processor = sched_getcpu();
    return processor < 0 ? 0 : static_cast<unsigned>(processor);
  }

  int error_ = WEFT_ERROR_KEY;
  Grant* grant_ = nullptr;
  Place* place_ = nullptr;
  Grant::Users* users_ = nullptr;
};

// A piece of another node's as it is mapped here. Who uses the piece of this generation keeps its
// owner from giving the number to another; so nobody uses the memory of an earlier generation.
struct MappedPiece {
  std::atomic<std::uint64_t> generation{0};
  std::byte* memory = nullptr;
  std::uint64_t bytes = 0;
};

// How the threads of this node reach a node's registered memory.
struct View {
  Table* table = nullptr;
  const MappedPiece* pieces = nullptr;  // null: it is this node's own
  bool is_light = false;                // both nodes have light fences

  // Null: it is not mapped yet. By a thread that uses it.
  [[nodiscard]] std::byte* memory(std::uint32_t piece) const {
    const Piece& at_owner = table->pieces[piece];
    if (pieces == nullptr) return at_owner.memory.load(std::memory_order_acquire);
    const MappedPiece& mapped = pieces[piece];
    const bool is_mapped = mapped.generation.load(std::memory_order_acquire) == at_owner.generation;
    return is_mapped ? mapped.memory : nullptr;
  }
};

}  // namespace weft::remote
