// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of libraries that Weft takes over.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace weft {
namespace {

// Empty, as it is left by a process that was killed before it gave it a size.
TEST(Interposed, NoteOfLibompsFromAProcessThatWasKilledIsNotFound) {
  const std::string name = "/__KMP_REGISTERED_LIB_" + std::to_string(getpid()) + "_test";
  const std::string path = "/dev/shm" + name;
  const int left = open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  ASSERT_GE(left, 0);
  close(left);
  errno = 0;
  EXPECT_EQ(shm_open(name.c_str(), O_RDONLY, 0600), -1);
  EXPECT_EQ(errno, ENOENT);
  const int own = shm_open(name.c_str(), O_CREAT | O_EXCL | O_RDWR, 0600);
  EXPECT_GE(own, 0);
  close(own);
  unlink(path.c_str());
}

}  // namespace
}  // namespace weft
