// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// System calls on shared memory where the kernel does not wait for a missing page but answers
// EFAULT (mprotect; userfaultfd for user mode alone; faults as SIGBUS). Every C library function
// that hands the program's memory to the kernel is defined in io_*.cpp as one line that says what
// its arguments are; this file does the rest: it copies what lies in shared memory to private
// memory, calls the real function on the runtime stack (its local variables go to the kernel, too),
// and copies back.
//
// Rejected: touching the pages and calling again on EFAULT. A page can go again at once, and some
// calls must not be made twice: accept has taken the connection, waitpid the child, a datagram is
// read, when the kernel finds that it cannot store the rest.
//
// Not done for what the kernel never sees: functions that work on a FILE's private buffer (fgets,
// getline, getc, fscanf), on strings (snprintf), or in the vDSO.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstring>
#include <tuple>
#include <type_traits>

#include "base/threads/own_calls.hpp"
#include "libc/interposition/hooks.hpp"
#include "libc/interposition/interpose.hpp"
#include "libc/interposition/private_block.hpp"
#include "stacks/stacks.hpp"

namespace weft::libc {

inline constinit std::atomic<bool> io_is_wrapped = false;

// On for back ends whose missing pages system calls cannot wait for. The hooks are set before.
void set_wrap_io(bool on);

// The node, if calls have to be prepared. Null in the common case, and for Weft's own libraries:
// nothing of theirs is in shared memory, and each message is a call or two.
[[nodiscard]] inline const Hooks* io_node() {
  const bool is_wrapped = io_is_wrapped.load(std::memory_order_relaxed) && !OwnCalls::here();
  return is_wrapped ? hooks() : nullptr;
}

// --- what an argument is ---

// A string that is read.
struct Text {
  const char* pointer;
};
// Memory of a known size that is read, and written if `T` is not const.
template <typename T>
struct Memory {
  T* pointer;
  std::size_t bytes;
};
// An array of strings that ends with a null pointer.
struct Texts {
  char* const* pointer;
};

[[nodiscard]] inline Text text(const char* pointer) { return {pointer}; }
[[nodiscard]] inline Texts texts(char* const* pointer) { return {pointer}; }
template <typename T>
[[nodiscard]] Memory<T> memory(T* pointer, std::size_t count = 1) {
  if constexpr (std::is_void_v<T>) {
    return {pointer, count};
  } else {
    return {pointer, count * sizeof(T)};
  }
}

// --- what the real function gets in its place ---

template <typename Argument>
struct Given {
  const Hooks& node;
  const Argument& argument;
};

// Anything else: itself.
template <typename Argument>
class Bounced {
 public:
  explicit Bounced(const Given<Argument>& given) : value_(given.argument) {}
  static Argument plain(const Argument& argument) { return argument; }
  [[nodiscard]] Argument get() const { return value_; }
  void copy_back() const {}

 private:
  Argument value_;
};

template <>
class Bounced<Text> {
 public:
  explicit Bounced(const Given<Text>& given) : pointer_(given.argument.pointer) {
    if (!given.node.is_shared(pointer_)) return;
    const std::size_t bytes = std::strlen(pointer_) + 1;
    pointer_ = static_cast<const char*>(std::memcpy(copy_.resize(bytes), pointer_, bytes));
  }
  static const char* plain(const Text& argument) { return argument.pointer; }
  [[nodiscard]] const char* get() const { return pointer_; }
  void copy_back() const {}

 private:
  const char* pointer_;
  PrivateBlock copy_;
};

template <typename T>
class Bounced<Memory<T>> {
 public:
  explicit Bounced(const Given<Memory<T>>& given)
      : original_(given.argument), used_(given.argument.pointer) {
    if (!given.node.is_shared(original_.pointer)) return;
    used_ = static_cast<T*>(copy_.resize(original_.bytes));
    std::memcpy(const_cast<void*>(static_cast<const void*>(used_)), original_.pointer,
                original_.bytes);
  }
  static T* plain(const Memory<T>& argument) { return argument.pointer; }
  [[nodiscard]] T* get() const { return used_; }
  // Only if it has changed: a page that is only read stays unwritten.
  void copy_back() const {
    if constexpr (!std::is_const_v<T>) {
      if (used_ == original_.pointer) return;
      if (std::memcmp(original_.pointer, used_, original_.bytes) == 0) return;
      std::memcpy(original_.pointer, used_, original_.bytes);
    }
  }

 private:
  Memory<T> original_;
  T* used_;
  PrivateBlock copy_;
};

template <>
class Bounced<Texts> {
 public:
  explicit Bounced(const Given<Texts>& given);
  static char* const* plain(const Texts& argument) { return argument.pointer; }
  [[nodiscard]] char* const* get() const { return pointer_; }
  void copy_back() const {}

 private:
  char* const* pointer_;
  PrivateBlock copy_;
};

// --- the call ---

// Calls `real` with arguments that are plain values or one of the kinds above. errno is the call's.
template <typename Function, typename... Arguments>
auto call(Function* real, const Arguments&... arguments) {
  const Hooks* const node = io_node();
  if (node == nullptr) return real(Bounced<Arguments>::plain(arguments)...);
  return on_runtime_stack([&] {
    // Elements that own memory are built in place: they do not move.
    std::tuple<Bounced<Arguments>...> bounced(Given<Arguments>{*node, arguments}...);
    const auto result =
        std::apply([real](const auto&... each) { return real(each.get()...); }, bounced);
    const int call_errno = errno;
    std::apply([](const auto&... each) { (each.copy_back(), ...); }, bounced);
    errno = call_errno;
    return result;
  });
}

}  // namespace weft::libc
