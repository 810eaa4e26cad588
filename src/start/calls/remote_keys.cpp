// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registered memory and its keys: the owner's part of the table (base/remote/table.hpp). It changes
// under one lock, which nobody holds while it waits for anything.
#include <sched.h>
#include <sys/random.h>

#include <atomic>
#include <cerrno>

#include "base/accesses/blocks.hpp"
#include "base/ids.hpp"
#include "base/remote/remote_abi.hpp"
#include "start/calls/remote_owner.hpp"
#include "start/visibility.hpp"

namespace weft::remote {
namespace {

std::atomic<bool> is_locked{false};
struct Locked {
  Locked() {
    while (is_locked.exchange(true, std::memory_order_acquire)) sched_yield();
  }
  ~Locked() { is_locked.store(false, std::memory_order_release); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
};

// Under the lock. A grant that has ended is given again when nobody uses it any more.
bool is_given[kMostKeys];
bool is_closing[kMostPieces];

constexpr std::uint32_t kNone = UINT32_MAX;

std::uint64_t new_secret() {
  std::uint64_t secret = 0;
  while (secret == 0) {
    if (getrandom(&secret, sizeof secret, 0) != sizeof secret) secret = 0;
  }
  return secret;
}

std::uint32_t free_grant() {
  for (std::uint32_t number = 0; number < kMostKeys; ++number) {
    if (!is_given[number]) return number;
  }
  return kNone;
}

std::uint32_t free_piece(const Table& table) {
  for (std::uint32_t piece = 0; piece < kMostPieces; ++piece) {
    if (table.pieces[piece].bytes == 0) return piece;
  }
  return kNone;
}

[[nodiscard]] weft_key give(Table& table, std::uint32_t number, std::uint32_t piece,
                            std::uint64_t begin, std::size_t bytes, weft_rights rights) {
  is_given[number] = true;
  Grant& grant = table.grants[number];
  grant.begin = begin;
  grant.bytes = bytes;
  grant.piece = piece;
  grant.rights = rights;
  grant.fifo_messages = grant.fifo_bytes = 0;
  return {.secret = new_secret(),
          .address = 0,
          .bytes = bytes,
          .node = weft_node(),
          .number = number,
          .rights = rights};
}

void* refuse(int error) {
  errno = error;
  return nullptr;
}

bool are_rights_of_memory(weft_rights rights) {
  return rights > 0 && (rights & ~WEFT_RIGHT_MEMORY) == 0;
}

// After the secret of each of them is gone: until no operation is under way.
void end_grants(Table& table, const std::uint32_t* numbers, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    table.wait_for_users(numbers[i]);
    __weft_remote_made_room(numbers[i]);
  }
}

int grant_part(Table& table, const void* part, std::size_t bytes, weft_rights rights,
               weft_key& key) {
  const Locked locked;
  const Piece* const piece = table.piece_with(part, bytes);
  if (piece == nullptr) return WEFT_ERROR_RANGE;
  const auto place = static_cast<std::uint32_t>(piece - table.pieces);
  if (is_closing[place]) return WEFT_ERROR_RANGE;
  const std::uint32_t number = free_grant();
  if (number == kNone) return WEFT_ERROR_MEMORY;
  key = give(table, number, place, *piece->find(part, bytes), bytes, rights);
  table.grants[number].secret.store(key.secret);
  return WEFT_OK;
}

}  // namespace

// The caller's key may be in shared memory, which is not to be waited for under the lock.
void* add_memory(std::size_t bytes, std::uint32_t messages, std::uint32_t message_bytes,
                 weft_rights rights, weft_key& key) {
  Table* const table = __weft_remote_own_table(1);
  if (table == nullptr || bytes > SIZE_MAX - kPageBytes) return refuse(ENOMEM);
  const Locked locked;
  const std::uint32_t number = free_grant(), place = free_piece(*table);
  if (number == kNone || place == kNone) return refuse(ENOMEM);
  Piece& piece = table->pieces[place];
  std::byte* const memory = __weft_remote_map(&piece, bytes);
  if (memory == nullptr) return refuse(ENOMEM);
  ++piece.generation;
  piece.bytes = bytes;
  if (place >= table->pieces_used.load()) table->pieces_used.store(place + 1);
  key = give(*table, number, place, 0, bytes, rights);
  Grant& grant = table->grants[number];
  grant.fifo_messages = messages;
  grant.fifo_bytes = message_bytes;
  if (messages > 0) Fifo(memory, messages, message_bytes).begin();
  piece.memory.store(memory);
  grant.secret.store(key.secret);
  return memory;
}

int remove_memory(const void* memory) {
  if (__weft_remote_is_in_handler() != 0) return WEFT_ERROR_HANDLER;
  Table* const table = __weft_remote_own_table(0);
  if (table == nullptr) return WEFT_ERROR_RANGE;
  std::uint32_t numbers[kMostKeys], count = 0, place = kNone;
  bool ends_here[kMostKeys];  // else another thread is revoking it
  {
    const Locked locked;
    const Piece* const piece = table->piece_with(memory, 0);
    if (piece == nullptr || piece->memory.load() != memory) return WEFT_ERROR_RANGE;
    place = static_cast<std::uint32_t>(piece - table->pieces);
    if (is_closing[place]) return WEFT_ERROR_RANGE;
    is_closing[place] = true;
    for (std::uint32_t number = 0; number < kMostKeys; ++number) {
      Grant& grant = table->grants[number];
      if (!is_given[number] || grant.piece != place) continue;
      ends_here[count] = grant.secret.exchange(0) != 0;
      numbers[count++] = number;
    }
  }
  end_grants(*table, numbers, count);
  Piece& piece = table->pieces[place];
  std::byte* const begin = piece.memory.exchange(nullptr);
  while (piece.fillers.load() != 0) sched_yield();
  piece.bell.ring();
  const Locked locked;
  __weft_remote_unmap(&piece, begin);
  piece.bytes = 0;
  is_closing[place] = false;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (ends_here[i]) is_given[numbers[i]] = false;
  }
  return WEFT_OK;
}

}  // namespace weft::remote

using namespace weft::remote;

extern "C" {

WEFT_EXPORT void* weft_register(size_t bytes, weft_rights rights, weft_key* key) {
  if (bytes == 0 || !are_rights_of_memory(rights)) return refuse(EINVAL);
  weft_key made = {};
  void* const memory = add_memory(bytes, 0, 0, rights, made);
  if (memory != nullptr) *key = made;
  return memory;
}

WEFT_EXPORT int weft_unregister(void* memory) { return remove_memory(memory); }

WEFT_EXPORT int weft_grant(const void* part, size_t bytes, weft_rights rights, weft_key* key) {
  if (!are_rights_of_memory(rights)) return WEFT_ERROR_ACCESS;
  Table* const table = __weft_remote_own_table(0);
  if (table == nullptr) return WEFT_ERROR_RANGE;
  weft_key made = {};
  if (const int error = grant_part(*table, part, bytes, rights, made); error != WEFT_OK)
    return error;
  *key = made;
  return WEFT_OK;
}

WEFT_EXPORT int weft_revoke(const weft_key* key) {
  if (__weft_remote_is_in_handler() != 0) return WEFT_ERROR_HANDLER;
  if (key->node != weft_node()) return WEFT_ERROR_NODE;
  Table* const table = __weft_remote_own_table(0);
  if (table == nullptr || key->number >= kMostKeys || key->secret == 0) return WEFT_ERROR_KEY;
  std::uint64_t expected = key->secret;
  if (!table->grants[key->number].secret.compare_exchange_strong(expected, 0))
    return WEFT_ERROR_KEY;
  end_grants(*table, &key->number, 1);
  const Locked locked;
  is_given[key->number] = false;
  return WEFT_OK;
}

WEFT_EXPORT int weft_shared_key(void* address, size_t bytes, weft_key* key) {
  const int error = __weft_remote_check_shared(address, bytes);
  if (error != WEFT_OK) return error;
  *key = {.secret = 0,
          .address = reinterpret_cast<uintptr_t>(address),
          .bytes = bytes,
          .node = WEFT_SHARED,
          .number = 0,
          .rights = WEFT_RIGHT_MEMORY};
  return WEFT_OK;
}

}  // extern "C"
