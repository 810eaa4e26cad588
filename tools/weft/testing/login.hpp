// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tests: jobs of the test have their sockets to themselves.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>

namespace weft::testing {

// A variable of the environment, as long as this lives. Empty: it is not set.
class Variable {
 public:
  Variable(std::string name, const std::string& value) : name_(std::move(name)) {
    if (const char* const before = std::getenv(name_.c_str())) kept_ = before;
    set(value);
  }
  ~Variable() { set(kept_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const std::string& value) const {
    value.empty() ? unsetenv(name_.c_str()) : setenv(name_.c_str(), value.c_str(), 1);
  }

  std::string name_, kept_;
};

// WEFT_RUNTIME_DIR is that folder; its path is longer than the address of a socket can be.
class LoginTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "weft-login-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    login_ = std::filesystem::path(name) / std::string(120, 'x');
    std::filesystem::create_directory(login_);
    runtime_folder_.emplace("WEFT_RUNTIME_DIR", login_);
  }
  void TearDown() override {
    runtime_folder_.reset();
    std::filesystem::remove_all(login_.parent_path());
  }

  [[nodiscard]] std::string folder() const { return (login_ / "weft").string(); }

  std::filesystem::path login_;

 private:
  std::optional<Variable> runtime_folder_;
};

}  // namespace weft::testing
