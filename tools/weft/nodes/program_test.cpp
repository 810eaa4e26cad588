// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/nodes/program.hpp"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/compiler_abi.h"

namespace weft {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class ProgramTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/weft-program-test-XXXXXX";
    folder_ = mkdtemp(name);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path file(const std::string& name, const std::string& contents, mode_t mode = 0755) {
    const fs::path path = folder_ / name;
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << contents;
    chmod(path.c_str(), mode);
    return path;
  }

  fs::path folder_;
};

std::string contents_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::stringstream contents;
  contents << stream.rdbuf();
  return contents.str();
}

TEST_F(ProgramTest, IsFoundAsAShellFindsIt) {
  file("a/tool", "x", 0644);  // not executable: the next one is taken
  file("b/tool", "x");
  file("c/tool", "x");
  const std::string path =
      (folder_ / "a").string() + ":" + (folder_ / "b").string() + ":" + (folder_ / "c").string();
  const auto found = find_program("tool", path);
  ASSERT_TRUE(found.ok()) << found.error();
  EXPECT_EQ(found.value(), (folder_ / "b" / "tool").string());
  EXPECT_EQ(find_program((folder_ / "c/tool").string(), path).value(),
            (folder_ / "c" / "tool").string());
}

TEST_F(ProgramTest, SaysWhyThereIsNone) {
  EXPECT_THAT(find_program("nothing", folder_).error(), HasSubstr("not found in PATH"));
  EXPECT_THAT(find_program((folder_ / "nothing").string(), "").error(),
              HasSubstr("No such file or directory"));
  EXPECT_THAT(find_program(folder_.string() + "/", "").error(), HasSubstr("is a directory"));
  EXPECT_FALSE(find_program("", "/bin").ok());
  if (geteuid() == 0) {
    // root may execute what anybody may execute, and nothing else
    file("quiet", "x", 0644);
    EXPECT_THAT(find_program("quiet", folder_).error(), HasSubstr("Permission denied"));
  }
}

TEST_F(ProgramTest, OnlyWhatWeftccBuiltCanBeANode) {
  EXPECT_EQ(why_not_a_node(WEFT_JOB_PROGRAM), "");
  EXPECT_THAT(why_not_a_node(WEFT_PLAIN_PROGRAM), HasSubstr("was not built by weftcc"));
  EXPECT_THAT(why_not_a_node(file("script", "#!/bin/sh\n")), HasSubstr("is a script"));
  EXPECT_THAT(why_not_a_node(file("text", "hello")), HasSubstr("is not a program"));
  EXPECT_THAT(why_not_a_node(file("empty", "")), HasSubstr("is not a program"));
  EXPECT_THAT(why_not_a_node(folder_ / "missing"), HasSubstr("No such file"));
}

TEST_F(ProgramTest, OneThatWasOnlyLinkedByWeftccIsNone) {
  std::string program = contents_of(WEFT_JOB_PROGRAM);
  const unsigned note[] = {sizeof(WEFT_NOTE_OWNER), sizeof(unsigned), WEFT_NOTE_TYPE};
  const std::size_t at =
      program.find(std::string(reinterpret_cast<const char*>(note), sizeof note) + WEFT_NOTE_OWNER);
  ASSERT_NE(at, std::string::npos);
  program[at + sizeof note] = 'w';
  EXPECT_THAT(why_not_a_node(file("unmarked", program)), HasSubstr("but not compiled by weftcc"));
}

TEST_F(ProgramTest, ForeignProgramsAreNamedAsSuch) {
  std::string foreign = contents_of(WEFT_JOB_PROGRAM);
  Elf64_Half machine = EM_PPC64;
  std::memcpy(foreign.data() + offsetof(Elf64_Ehdr, e_machine), &machine, sizeof machine);
  EXPECT_THAT(why_not_a_node(file("foreign", foreign)), HasSubstr("another kind of processor"));
}

// A damaged file may be judged either way, but must not be believed beyond its end.
TEST_F(ProgramTest, DamagedFilesAreSurvived) {
  const std::string whole = contents_of(WEFT_JOB_PROGRAM);
  for (std::size_t length = 0; length < 4096; length += 397) {
    EXPECT_NE(why_not_a_node(file("cut", whole.substr(0, length))), "") << length;
  }
  for (std::size_t at = 0; at < 1024; at += 7) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(~damaged[at]);
    (void)why_not_a_node(file("damaged", damaged));
  }
}

}  // namespace
}  // namespace weft
