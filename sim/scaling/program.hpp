// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a simulated thread does, written down as a coroutine: it reads, writes, computes and
// synchronises, and each of these takes the time that the simulated node needs for it. A program
// may wait for another one as for an operation.
#pragma once

#include <array>
#include <coroutine>
#include <cstdint>
#include <exception>
#include <source_location>
#include <utility>

#include "base/ids.hpp"
#include "base/page_range.hpp"

namespace weft::scaling {

class Program {
 public:
  struct promise_type {
    std::coroutine_handle<> caller = std::noop_coroutine();

    Program get_return_object() { return Program(Handle::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      struct BackToCaller {
        std::coroutine_handle<> caller;
        bool await_ready() noexcept { return false; }
        std::coroutine_handle<> await_suspend(std::coroutine_handle<>) noexcept { return caller; }
        void await_resume() noexcept {}
      };
      return BackToCaller{caller};
    }
    void return_void() {}
    void unhandled_exception() { std::terminate(); }
  };
  using Handle = std::coroutine_handle<promise_type>;

  explicit Program(Handle handle) : handle_(handle) {}
  Program(Program&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() {
    if (handle_) handle_.destroy();
  }

  [[nodiscard]] Handle handle() const { return handle_; }

  // As a part of another program.
  bool await_ready() const { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> caller) {
    handle_.promise().caller = caller;
    return handle_;
  }
  void await_resume() const {}

 private:
  Handle handle_;
};

// What a thread's time went to.
enum class Activity : std::uint8_t { kCompute, kFetch, kBarrier, kLock };
inline constexpr std::size_t kActivities = 4;
using TimeByActivity = std::array<std::uint64_t, kActivities>;

// The simulated thread, as its program sees it; `co_await` what these return.
class Thread {
 public:
  struct Operation {
    Thread& thread;
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> handle) { thread.resume_ = handle; }
    void await_resume() const {}
  };

  [[nodiscard]] std::uint16_t number() const { return number_; }
  [[nodiscard]] std::uint16_t count() const { return count_; }

  virtual Operation compute(std::uint64_t nanoseconds) = 0;
  virtual Operation read(PageRange pages) = 0;
  // Changes so many bytes of each page.
  virtual Operation write(PageRange pages, std::uint32_t bytes = kPageBytes) = 0;
  // With so many bytes for the parent in the tree; `gather` comes first then, at all nodes. The
  // place in the program names the phase that begins there.
  Operation barrier(std::size_t contribution = 0,
                    std::source_location place = std::source_location::current()) {
    return meet(contribution, PhaseKey(place.line()));
  }
  virtual Operation meet(std::size_t contribution, PhaseKey next) = 0;
  virtual Operation gather() = 0;
  virtual Operation acquire(LockId lock) = 0;
  virtual Operation release(LockId lock) = 0;

 protected:
  Thread(std::uint16_t number, std::uint16_t count) : number_(number), count_(count) {}
  ~Thread() = default;
  std::coroutine_handle<> resume_;

 private:
  std::uint16_t number_, count_;
};

}  // namespace weft::scaling
