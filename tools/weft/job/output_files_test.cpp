// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/job/output_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace weft {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class OutputFilesTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "weft-output-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }
  [[nodiscard]] std::string contents(const std::string& name) const {
    std::ifstream file(folder_ / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  fs::path folder_;
};

TEST_F(OutputFilesTest, KeepEachStreamOfEachNode) {
  const std::string inner = (folder_ / "a" / "b").string();
  {
    const auto files = OutputFiles::create(inner, 2);
    ASSERT_TRUE(files) << files.error();
    EXPECT_EQ(files.value()->append(1, 0, "one "), "");
    EXPECT_EQ(files.value()->append(0, 1, "three"), "");
    EXPECT_EQ(files.value()->append(1, 0, "two\n"), "");
  }
  EXPECT_EQ(contents("a/b/node-1.out"), "one two\n");
  EXPECT_EQ(contents("a/b/node-0.err"), "three");
  EXPECT_EQ(contents("a/b/node-0.out"), "");
  EXPECT_TRUE(fs::exists(folder_ / "a/b/node-1.err"));
}

TEST_F(OutputFilesTest, AreMadeAnew) {
  std::ofstream(folder_ / "node-0.out") << "of an earlier job";
  const auto files = OutputFiles::create(folder_.string(), 1);
  ASSERT_TRUE(files) << files.error();
  EXPECT_EQ(contents("node-0.out"), "");
}

TEST_F(OutputFilesTest, SayWhatCannotBeWritten) {
  std::ofstream(folder_ / "file") << "no folder";
  EXPECT_THAT(OutputFiles::create((folder_ / "file").string(), 1).error(), HasSubstr("/file: "));
  fs::create_directory(folder_ / "node-0.err");
  EXPECT_THAT(OutputFiles::create(folder_.string(), 1).error(),
              HasSubstr("node-0.err: Is a directory"));
}

TEST_F(OutputFilesTest, SayOnceThatTheDiskIsFull) {
  fs::create_symlink("/dev/full", folder_ / "node-0.out");
  const auto files = OutputFiles::create(folder_.string(), 1);
  ASSERT_TRUE(files) << files.error();
  EXPECT_THAT(files.value()->append(0, 0, "lost"), HasSubstr("node-0.out: No space left"));
  EXPECT_EQ(files.value()->append(0, 0, "lost, too"), "");
  EXPECT_EQ(files.value()->append(0, 1, "kept"), "");
  EXPECT_EQ(contents("node-0.err"), "kept");
}

}  // namespace
}  // namespace weft
