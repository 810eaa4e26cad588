// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tests: a folder in the place of the one that a login makes, so that jobs of the test have
// their sockets to themselves.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

namespace weft::testing {

// XDG_RUNTIME_DIR is that folder; its path is longer than the address of a socket can be.
class LoginTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "weft-login-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    login_ = std::filesystem::path(name) / std::string(120, 'x');
    std::filesystem::create_directory(login_);
    if (const char* const before = std::getenv("XDG_RUNTIME_DIR")) kept_ = before;
    setenv("XDG_RUNTIME_DIR", login_.c_str(), 1);
  }
  void TearDown() override {
    if (kept_.empty()) {
      unsetenv("XDG_RUNTIME_DIR");
    } else {
      setenv("XDG_RUNTIME_DIR", kept_.c_str(), 1);
    }
    std::filesystem::remove_all(login_.parent_path());
  }

  [[nodiscard]] std::string folder() const { return (login_ / "weft").string(); }

  std::filesystem::path login_;

 private:
  std::string kept_;
};

}  // namespace weft::testing
