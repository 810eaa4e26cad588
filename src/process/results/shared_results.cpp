// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process/results/shared_results.hpp"

#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "base/signal_safe_mutex.hpp"
#include "libc/allocation/allocation.hpp"
#include "runtime/interface/shared_memory.hpp"

namespace weft::process {
namespace {

constexpr std::size_t kPlaces = static_cast<std::size_t>(Place::kCount);
constexpr std::size_t kPlaceBytes = 2048;

std::byte* places = nullptr;

// Results that are too large for their place: of the node that has asked, as large as any so far.
struct LargeRoom {
  std::byte* begin = nullptr;
  std::size_t bytes = 0;
};
LargeRoom large_rooms[kPlaces];
constinit SignalSafeMutex large_rooms_lock;

std::byte* large_room(std::size_t place, std::size_t bytes) {
  const std::lock_guard guard(large_rooms_lock);
  LargeRoom& room = large_rooms[place];
  if (room.bytes >= bytes) return room.begin;
  auto* const larger = static_cast<std::byte*>(libc::program_allocate(bytes * 2));
  if (larger != nullptr) room = {larger, bytes * 2};
  return larger;
}

}  // namespace

void prepare_places() { places = static_cast<std::byte*>(control_block(kPlaces * kPlaceBytes)); }

std::byte* room_of(Place place, std::size_t bytes) {
  const auto number = static_cast<std::size_t>(place);
  return bytes <= kPlaceBytes ? places + number * kPlaceBytes : large_room(number, bytes);
}

char* shared_text(const char* text) {
  static constinit SignalSafeMutex lock;
  static auto* const texts = new std::map<std::string, char*, std::less<>>;
  if (text == nullptr) return nullptr;
  const int call_errno = errno;
  {
    const std::lock_guard guard(lock);
    if (const auto known = texts->find(text); known != texts->end()) return known->second;
  }
  auto* const made = static_cast<char*>(libc::program_allocate(std::strlen(text) + 1));
  errno = call_errno;
  if (made == nullptr) return nullptr;
  std::strcpy(made, text);
  const std::lock_guard guard(lock);
  return texts->emplace(text, made).first->second;
}

char* share_text(Place place, const char* text) {
  if (text == nullptr) return nullptr;
  const std::size_t bytes = std::strlen(text) + 1;
  std::byte* const room = room_of(place, bytes);
  if (room != nullptr) std::memcpy(room, text, bytes);
  return reinterpret_cast<char*>(room);
}

}  // namespace weft::process
