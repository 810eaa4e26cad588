// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// weft/remote.h for C++20: memory and keys with the type of their objects. See there, or
// docs/reference/remote.md, for what each call does. Offsets and counts are of objects. Only
// RemoteMemory and the readers of FIFOs throw, where they are made.
#ifndef WEFT_REMOTE_HPP_
#define WEFT_REMOTE_HPP_

#include "remote.h"
#include "weft.hpp"

#include <cerrno>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <system_error>
#include <type_traits>
#include <utility>

namespace weft {

// Objects that may be copied byte by byte.
template <typename T>
concept Plain = std::is_trivially_copyable_v<T>;
// Numbers that have atomic operations.
template <typename T>
concept Number = (std::integral<T> && sizeof(T) <= 8 && !std::same_as<T, bool>) ||
                 std::same_as<T, float> || std::same_as<T, double>;

template <Number T>
[[nodiscard]] constexpr weft_type remote_type() {
  if constexpr (std::same_as<T, float>) return WEFT_FLOAT;
  if constexpr (std::same_as<T, double>) return WEFT_DOUBLE;
  constexpr int kSize = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
  return (std::is_signed_v<T> ? WEFT_INT8 : int{WEFT_UINT8}) + kSize;
}

// An operation that may be under way. It is waited for at the end of its life, at the latest, and
// by the thread that began it.
class Transfer {
 public:
  Transfer() = default;
  ~Transfer() { (void)wait(); }
  Transfer(Transfer&& other) noexcept : request_(std::exchange(other.request_, {})) {}
  Transfer& operator=(Transfer&& other) noexcept {
    if (this == &other) return *this;
    (void)wait();
    request_ = std::exchange(other.request_, {});
    return *this;
  }

  Result wait() { return weft_wait(&request_); }
  // Whether it is over.
  [[nodiscard]] bool test() { return weft_test(&request_) != WEFT_PENDING; }
  // For the calls of weft/remote.h.
  [[nodiscard]] weft_request* request() { return &request_; }

 private:
  weft_request request_{};
};

// The value before an atomic operation, when that is over.
template <Number T>
struct Fetched {
  T before{};
  Result result = WEFT_OK;
  [[nodiscard]] explicit operator bool() const { return static_cast<bool>(result); }
  [[nodiscard]] T value() const { return before; }
};

inline Result fence(std::size_t at_most = 0) { return weft_fence(at_most); }

// A right to use objects of a node. Plain data, to be handed to other nodes.
template <Plain T>
class RemoteKey {
 public:
  RemoteKey() = default;
  explicit RemoteKey(const weft_key& key) : key_(key) {}

  [[nodiscard]] int node() const { return key_.node; }
  [[nodiscard]] std::size_t size() const { return key_.bytes / sizeof(T); }
  [[nodiscard]] const weft_key& raw() const { return key_; }

  // The objects may change as soon as this returns.
  template <Objects R>
    requires std::same_as<std::ranges::range_value_t<R>, T>
  [[nodiscard]] Transfer put(std::size_t first, const R& objects,
                             const weft_notice* notice = nullptr) const {
    const auto bytes = std::as_bytes(std::span(objects));
    Transfer transfer;
    (void)weft_put(&key_, first * sizeof(T), bytes.data(), bytes.size(), notice,
                   transfer.request());
    return transfer;
  }
  // The objects are filled when the transfer is over, and must stay where they are until then.
  template <Objects R>
    requires std::same_as<std::ranges::range_value_t<R>, T>
  [[nodiscard]] Transfer get(std::size_t first, R& objects,
                             const weft_notice* notice = nullptr) const {
    const auto bytes = std::as_writable_bytes(std::span(objects));
    Transfer transfer;
    (void)weft_get(bytes.data(), &key_, first * sizeof(T), bytes.size(), notice,
                   transfer.request());
    return transfer;
  }

  // Without the value before: begun, and over at the next fence. Errors come from there.
  Result change(std::size_t index, weft_atomic_op operation, T operand) const
    requires Number<T>
  {
    return weft_atomic(&key_, index * sizeof(T), operation, remote_type<T>(), &operand, nullptr,
                       nullptr, nullptr, nullptr);
  }
  Result add(std::size_t index, T operand) const
    requires Number<T>
  {
    return change(index, WEFT_OP_ADD, operand);
  }
  // With it: these wait.
  [[nodiscard]] Fetched<T> fetch(std::size_t index, weft_atomic_op operation, T operand,
                                 T expected = {}) const
    requires Number<T>
  {
    Fetched<T> fetched;
    Transfer transfer;
    (void)weft_atomic(&key_, index * sizeof(T), operation, remote_type<T>(), &operand, &expected,
                      &fetched.before, nullptr, transfer.request());
    fetched.result = transfer.wait();
    return fetched;
  }
  [[nodiscard]] Fetched<T> load(std::size_t index) const
    requires Number<T>
  {
    return fetch(index, WEFT_OP_LOAD, {});
  }
  [[nodiscard]] Fetched<T> fetch_add(std::size_t index, T operand) const
    requires Number<T>
  {
    return fetch(index, WEFT_OP_ADD, operand);
  }
  [[nodiscard]] Fetched<T> compare_exchange(std::size_t index, T expected, T desired) const
    requires Number<T>
  {
    return fetch(index, WEFT_OP_COMPARE_SWAP, desired, expected);
  }

 private:
  weft_key key_{};
};

// Objects of this node, all zero, that other nodes use by keys.
template <Plain T>
class RemoteMemory {
 public:
  // Throws std::system_error.
  explicit RemoteMemory(std::size_t count, weft_rights rights = WEFT_RIGHT_MEMORY)
      : objects_(static_cast<T*>(weft_register(count * sizeof(T), rights, &key_)), count) {
    if (objects_.data() == nullptr) {
      throw std::system_error(errno, std::generic_category(), "weft::RemoteMemory");
    }
  }
  ~RemoteMemory() { (void)weft_unregister(objects_.data()); }
  RemoteMemory(const RemoteMemory&) = delete;
  RemoteMemory& operator=(const RemoteMemory&) = delete;

  // For threads of this node.
  [[nodiscard]] std::span<T> objects() const { return objects_; }
  [[nodiscard]] RemoteKey<T> key() const { return RemoteKey<T>(key_); }
  // A key to some of them.
  [[nodiscard]] std::optional<RemoteKey<T>> grant(std::size_t first, std::size_t count,
                                                  weft_rights rights) const {
    weft_key key;
    if (first > objects_.size() || count > objects_.size() - first) return std::nullopt;
    const int error = weft_grant(objects_.data() + first, count * sizeof(T), rights, &key);
    return error == WEFT_OK ? std::optional(RemoteKey<T>(key)) : std::nullopt;
  }

 private:
  weft_key key_{};
  std::span<T> objects_;
};

// The writers' end of a FIFO of objects. Plain data.
template <Plain T>
class FifoWriter {
 public:
  FifoWriter() = default;
  explicit FifoWriter(const weft_key& key) : key_(key) {}
  // Waits while it is full, in this call or until the next fence.
  Result put(const T& object) const {
    return weft_fifo_put(&key_, &object, sizeof object, nullptr);
  }

 private:
  weft_key key_{};
};

// The reader's end, on the node that made it.
template <Plain T>
class FifoReader {
 public:
  // Throws std::system_error.
  explicit FifoReader(std::size_t objects) : fifo_(weft_fifo_open(objects, sizeof(T), &key_)) {
    if (fifo_ == nullptr) {
      throw std::system_error(errno, std::generic_category(), "weft::FifoReader");
    }
  }
  ~FifoReader() { (void)weft_fifo_close(fifo_); }
  FifoReader(const FifoReader&) = delete;
  FifoReader& operator=(const FifoReader&) = delete;

  [[nodiscard]] FifoWriter<T> writer() const { return FifoWriter<T>(key_); }
  // Waits while it is empty.
  [[nodiscard]] T get() const {
    T object{};
    std::size_t bytes = 0;
    (void)weft_fifo_get(fifo_, &object, sizeof object, &bytes);
    return object;
  }
  [[nodiscard]] std::optional<T> try_get() const {
    T object{};
    std::size_t bytes = 0;
    const int error = weft_fifo_try_get(fifo_, &object, sizeof object, &bytes);
    return error == WEFT_OK ? std::optional(object) : std::nullopt;
  }

 private:
  weft_key key_{};
  weft_fifo* fifo_;
};

}  // namespace weft

#endif
