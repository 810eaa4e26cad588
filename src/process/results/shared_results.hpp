// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results that functions of the C library return by address. The library has them in static
// variables, of which each node has its own at the same address. Here they are copied to shared
// memory, where each node reads the same:
//   share_record   in one place for the job, which the next call fills again, as in one process
//   shared_text    for texts that never change: the same address for the same text, for ever
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace weft::process {

// What has a place of its own. Functions that share a variable in the C library share one here.
enum class Place : std::uint8_t {
  kTime,
  kTimeText,
  kParsedDate,
  kNumberFormat,
  kBase64,
  kDigits,
  kFixedDigits,
  kLongDigits,
  kLongFixedDigits,
  kFileName,
  kTerminal,
  kPassword,
  kEthernetText,
  kUserByName,
  kUserByNumber,
  kUserEntry,
  kUserFromFile,
  kGroupByName,
  kGroupByNumber,
  kGroupEntry,
  kGroupFromFile,
  kShadowByName,
  kShadowEntry,
  kHostByName,
  kHostByNameAndFamily,
  kHostByAddress,
  kHostEntry,
  kServiceByName,
  kServiceByPort,
  kServiceEntry,
  kProtocolByName,
  kProtocolByNumber,
  kProtocolEntry,
  kNetworkByName,
  kNetworkByAddress,
  kNetworkEntry,
  kMount,
  kFileSystem,
  kLoginEntry,
  kLoginById,
  kLoginByLine,
  kLoginWritten,
  kEthernet,
  kCount,
};

void prepare_places();

// `bytes` of shared memory for a result, 16-byte aligned; null if there is none.
[[nodiscard]] std::byte* room_of(Place place, std::size_t bytes);

// Null for null, and if there is no memory. errno stays as it is.
[[nodiscard]] char* shared_text(const char* text);

// Puts what a record points to behind it. Goes over the record twice: first it counts.
class Attachments {
 public:
  // Null: counts only.
  explicit Attachments(std::byte* room) : room_(room) {}

  void text(char*& text) {
    if (text != nullptr) copy(text, std::strlen(text) + 1);
  }
  // An array that a null pointer ends.
  void texts(char**& array) {
    list(array, [this](char*& each) { text(each); });
  }
  void blocks(char**& array, std::size_t bytes) {
    list(array, [this, bytes](char*& each) { copy(each, bytes); });
  }
  [[nodiscard]] std::size_t used() const { return used_; }

 private:
  void copy(char*& from, std::size_t bytes) {
    if (room_ != nullptr) {
      auto* const to = reinterpret_cast<char*>(room_ + used_);
      std::memcpy(to, from, bytes);
      from = to;
    }
    used_ += bytes;
  }

  template <typename Each>
  void list(char**& array, Each each) {
    if (array == nullptr) return;
    used_ = (used_ + alignof(char*) - 1) / alignof(char*) * alignof(char*);
    char** const original = array;
    std::size_t count = 0;
    while (original[count] != nullptr) ++count;
    char** const to = room_ == nullptr ? nullptr : reinterpret_cast<char**>(room_ + used_);
    used_ += (count + 1) * sizeof(char*);
    for (std::size_t i = 0; i <= count; ++i) {
      char* one = original[i];
      if (one != nullptr) each(one);
      if (to != nullptr) to[i] = one;
    }
    if (to != nullptr) array = to;
  }

  std::byte* room_;
  std::size_t used_ = 0;
};

// `attach(record, attachments)` names what the record points to.
template <typename Record, typename Attach>
Record* share_record(Place place, const Record* result, Attach attach) {
  if (result == nullptr) return nullptr;
  const int call_errno = errno;
  Attachments count(nullptr);
  Record record = *result;
  attach(record, count);
  constexpr std::size_t kHead = (sizeof(Record) + 15) / 16 * 16;
  std::byte* const room = room_of(place, kHead + count.used());
  if (room != nullptr) {
    Attachments attachments(room + kHead);
    attach(record, attachments);
    std::memcpy(room, &record, sizeof record);
  }
  errno = call_errno;
  return reinterpret_cast<Record*>(room);
}

// A text that is filled again.
[[nodiscard]] char* share_text(Place place, const char* text);

}  // namespace weft::process
