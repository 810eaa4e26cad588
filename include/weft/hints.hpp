// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// weft/hints.h for C++20: ranges of objects in place of addresses and bytes. See there, or
// docs/reference/hints.md, for what each call does. Nothing here throws.
#ifndef WEFT_HINTS_HPP_
#define WEFT_HINTS_HPP_

#include "hints.h"
#include "weft.hpp"

namespace weft {

// How the objects of a range are divided among nodes: `length` of them in a unit.
class Distribution {
 public:
  [[nodiscard]] static constexpr Distribution block() { return {WEFT_BLOCK, 1}; }
  [[nodiscard]] static constexpr Distribution cyclic(std::size_t length = 1) {
    return {WEFT_CYCLIC, length};
  }
  [[nodiscard]] static constexpr Distribution node(int number) { return {number, 1}; }

  [[nodiscard]] constexpr weft_distribution kind() const { return kind_; }
  [[nodiscard]] constexpr std::size_t length() const { return length_; }

 private:
  constexpr Distribution(weft_distribution kind, std::size_t length)
      : kind_(kind), length_(length) {}

  weft_distribution kind_;
  std::size_t length_;
};

template <Objects R>
Result broadcast(const R& objects) {
  const auto bytes = std::as_bytes(std::span(objects));
  return weft_broadcast(bytes.data(), bytes.size());
}
template <Objects R>
Result scatter(const R& objects, Distribution how = Distribution::block()) {
  const auto all = std::span(objects);
  return weft_scatter(all.data(), all.size_bytes(), sizeof(all[0]) * how.length(), how.kind());
}
template <Objects R>
Result gather(const R& objects) {
  const auto bytes = std::as_bytes(std::span(objects));
  return weft_gather(bytes.data(), bytes.size());
}
template <Objects R>
Result alltoall(const R& objects) {
  const auto bytes = std::as_bytes(std::span(objects));
  return weft_alltoall(bytes.data(), bytes.size());
}
template <Objects R>
Result read_mostly(const R& objects) {
  const auto bytes = std::as_bytes(std::span(objects));
  return weft_read_mostly(bytes.data(), bytes.size());
}
template <Objects R>
Result home(const R& objects, Distribution how = Distribution::block()) {
  const auto all = std::span(objects);
  return weft_home(all.data(), all.size_bytes(), sizeof(all[0]) * how.length(), how.kind());
}
template <Objects R>
Result private_after_init(const R& objects) {
  const auto bytes = std::as_bytes(std::span(objects));
  return weft_private_after_init(bytes.data(), bytes.size());
}
// A std::mutex, or a lock of OpenMP or of POSIX threads.
template <Objects R, typename Lock>
Result migrate_with(const R& objects, const Lock& lock) {
  const auto bytes = std::as_bytes(std::span(objects));
  return weft_migrate_with(bytes.data(), bytes.size(), std::addressof(lock));
}
// A critical region, by its name; "" is the one without.
template <Objects R>
Result migrate_with_critical(const R& objects, const char* name) {
  const auto bytes = std::as_bytes(std::span(objects));
  return weft_migrate_with_critical(bytes.data(), bytes.size(), name);
}
template <Objects R>
Result forget_hints(const R& objects) {
  const auto bytes = std::as_bytes(std::span(objects));
  return weft_forget_hints(bytes.data(), bytes.size());
}

}  // namespace weft

#endif
