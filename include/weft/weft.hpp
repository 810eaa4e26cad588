// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// weft/weft.h for C++20: ranges of objects in place of addresses and bytes. See there, or
// docs/reference/api.md, for what each call does. Nothing here throws but NodeAllocator.
#ifndef WEFT_WEFT_HPP_
#define WEFT_WEFT_HPP_

#include "weft.h"

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <ranges>
#include <span>
#include <system_error>

namespace weft {

enum class Access : weft_access {
  kRead = WEFT_READ,
  kWrite = WEFT_WRITE,
  kOverwrite = WEFT_OVERWRITE,
};

// A call's end; it may be ignored, as a call that was refused has done nothing.
class Result {
 public:
  constexpr Result(int code) : code_(code) {}
  [[nodiscard]] constexpr explicit operator bool() const { return code_ == WEFT_OK; }
  [[nodiscard]] constexpr int code() const { return code_; }
  [[nodiscard]] const char* text() const { return weft_error_text(code_); }

 private:
  int code_;
};

[[nodiscard]] inline int node() { return weft_node(); }
[[nodiscard]] inline int nodes() { return weft_nodes(); }
// Nothing: this node does not know, or the object is not in shared memory.
[[nodiscard]] inline std::optional<int> home_of(const void* object) {
  const int home = weft_home_of(object);
  return home < 0 ? std::nullopt : std::optional(home);
}

// Where the threads start that the calling thread makes from now on; WEFT_ANY_NODE: Weft chooses.
inline Result thread_on(int node) { return weft_thread_on(node); }

// The calling thread goes on at that node.
inline Result migrate(int node) { return weft_migrate(node); }

// Objects in memory: a vector, an array, a span, a string.
template <typename R>
concept Objects = std::ranges::contiguous_range<R> && std::ranges::sized_range<R>;

template <Objects R>
Result check_out(const R& objects, Access access) {
  const auto bytes = std::as_bytes(std::span(objects));
  return weft_check_out(bytes.data(), bytes.size(), static_cast<weft_access>(access));
}
template <Objects R>
Result check_out_begin(const R& objects, Access access) {
  const auto bytes = std::as_bytes(std::span(objects));
  return weft_check_out_begin(bytes.data(), bytes.size(), static_cast<weft_access>(access));
}
template <Objects R>
Result commit(const R& objects) {
  const auto bytes = std::as_bytes(std::span(objects));
  return weft_commit(bytes.data(), bytes.size());
}

// Part of a matrix that lies row after row: `rows` times `columns` objects from `first`, where
// `row_length` objects lie from one row to the next.
template <typename T>
struct Block {
  const T* first = nullptr;
  std::size_t rows = 0, columns = 0, row_length = 0;
};

template <typename T>
Result check_out(const Block<T>& block, Access access) {
  return weft_check_out_strided(block.first, block.columns * sizeof(T),
                                block.row_length * sizeof(T), block.rows,
                                static_cast<weft_access>(access));
}
template <typename T>
Result check_out_begin(const Block<T>& block, Access access) {
  return weft_check_out_strided_begin(block.first, block.columns * sizeof(T),
                                      block.row_length * sizeof(T), block.rows,
                                      static_cast<weft_access>(access));
}
template <typename T>
Result commit(const Block<T>& block) {
  return weft_commit_strided(block.first, block.columns * sizeof(T), block.row_length * sizeof(T),
                             block.rows);
}

// For containers whose memory has its first home on a node of choice, in whole pages:
// std::vector<double, weft::NodeAllocator<double>> on_1(1000, weft::NodeAllocator<double>(1)).
template <typename T>
class NodeAllocator {
 public:
  using value_type = T;
  static_assert(alignof(T) <= 4096, "a page is 4096 bytes");

  explicit NodeAllocator(int node) : node_(node) {}
  template <typename U>
  NodeAllocator(const NodeAllocator<U>& other) : node_(other.node()) {}

  // Throws std::bad_alloc if there is no room, std::system_error if there is no such node.
  [[nodiscard]] T* allocate(std::size_t count) {
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_alloc();
    void* const memory = weft_alloc_on(node_, count * sizeof(T));
    if (memory != nullptr) return static_cast<T*>(memory);
    if (errno == ENOMEM) throw std::bad_alloc();
    throw std::system_error(errno, std::generic_category(), "weft::NodeAllocator");
  }
  void deallocate(T* memory, std::size_t) { std::free(memory); }

  [[nodiscard]] int node() const { return node_; }
  // Any of them can free any memory.
  template <typename U>
  bool operator==(const NodeAllocator<U>&) const {
    return true;
  }

 private:
  int node_;
};

}  // namespace weft

#endif
