// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A value, or a sentence that tells the user why there is none. For what the environment may refuse
// (a socket, a file, a peer); broken promises of Weft's own code are WEFT_ASSERT's business.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "base/assert.hpp"

namespace weft {

struct Failure {
  std::string sentence;
};

template <typename T>
class [[nodiscard]] Result {
 public:
  // What is returned becomes a result by itself.
  // NOLINTBEGIN(google-explicit-constructor)
  Result(T value) : value_(std::move(value)) {}
  Result(Failure failure) : sentence_(std::move(failure.sentence)) {}
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }

  [[nodiscard]] T& value() {
    WEFT_ASSERT(ok(), "{}", sentence_);
    return *value_;
  }
  [[nodiscard]] const T& value() const {
    WEFT_ASSERT(ok(), "{}", sentence_);
    return *value_;
  }
  // Empty when there is a value.
  [[nodiscard]] const std::string& error() const { return sentence_; }

 private:
  std::optional<T> value_;
  std::string sentence_;
};

// The same without a value: done, or a sentence that says why not.
class [[nodiscard]] Status {
 public:
  Status() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): a returned failure becomes a status by itself
  Status(Failure failure) : failure_(std::move(failure)) {}

  [[nodiscard]] bool ok() const { return !failure_.has_value(); }
  explicit operator bool() const { return ok(); }
  // Only when not ok().
  [[nodiscard]] const Failure& failure() const { return *failure_; }
  [[nodiscard]] const std::string& error() const { return failure_->sentence; }

 private:
  std::optional<Failure> failure_;
};

}  // namespace weft
