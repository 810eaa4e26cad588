// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/staging/stage.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "weft/staging/script_files.hpp"
#include "weft/staging/stage_script.hpp"

namespace weft {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;

// --- which files ---

TEST(FilesOfScript, AreTheScriptAndTheModulesBesideIt) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / fmt::format("script-{}", getpid());
  std::filesystem::create_directories(folder / "below");
  for (const char* const name : {"heat.py", "rows.py", "data.txt", "below/other.py"}) {
    std::ofstream(folder / name) << "1\n";
  }
  const std::string script = folder / "heat.py", module = folder / "rows.py";
  // An interpreter that knows of no package.
  const ScriptFiles found =
      files_of_script("/bin/false", {"python3", "-u", script, folder / "data.txt"});
  EXPECT_EQ(found.place, 2U);
  EXPECT_EQ(found.files.front(), script);
  EXPECT_THAT(std::set(found.files.begin(), found.files.end()), ElementsAre(script, module));
  EXPECT_EQ(found.package_parent, "");
  EXPECT_EQ(files_of_script("/bin/false", {"python3", "-c", script}).place, 0U);
  std::filesystem::remove_all(folder);
}

TEST(ParseLoaded, TellsNamesAndPathsAsTheDynamicLinkerFoundThem) {
  const auto loaded = parse_loaded(
      "\tlinux-vdso.so.1 (0x00007fccd12da000)\n"
      "\t/opt/weft/lib/libweft-node.so (0x00007fccd0a00000)\n"
      "\tlibweft.so => /opt/weft 2 => 3/lib/libweft.so (0x00007fccd12c0000)\n"
      "\t/lib64/ld-linux-x86-64.so.2 (0x00007fccd12dc000)\n",
      "heat");
  ASSERT_TRUE(loaded) << loaded.error();
  ASSERT_EQ(loaded.value().size(), 3U);
  EXPECT_EQ(loaded.value()[0].name, "");
  EXPECT_EQ(loaded.value()[0].path, "/opt/weft/lib/libweft-node.so");
  EXPECT_EQ(loaded.value()[1].name, "libweft.so");
  EXPECT_EQ(loaded.value()[1].path, "/opt/weft 2 => 3/lib/libweft.so");
}

TEST(ParseLoaded, FailsWhereALibraryIsMissing) {
  EXPECT_EQ(
      parse_loaded("\tlibc.so.6 => /lib/libc.so.6 (0x1)\n\tliba.so => not found\n", "heat").error(),
      "heat needs liba.so, which is not found on this host");
  EXPECT_EQ(parse_loaded("\tstatically linked\n", "heat").error(),
            "the dynamic linker does not say which libraries heat needs");
}

TEST(OfTheDistribution, AreItsOwnFoldersAlone) {
  EXPECT_TRUE(is_of_distribution("/lib/x86_64-linux-gnu/libc.so.6"));
  EXPECT_TRUE(is_of_distribution("/lib64/ld-linux-x86-64.so.2"));
  EXPECT_TRUE(is_of_distribution("/usr/lib/llvm-22/lib/libomp.so.5"));
  EXPECT_FALSE(is_of_distribution("/usr/local/lib/libmine.so"));
  EXPECT_FALSE(is_of_distribution("/usr/lib/../local/lib/libmine.so"));
  EXPECT_FALSE(is_of_distribution("/opt/lib/libmine.so"));
}

// --- the stream, and the shell that reads it ---

class StageTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/weft-stage-test-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder_ = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& contents) {
    const std::string file = folder_ + "/" + name;
    std::ofstream(file) << contents;
    return file;
  }
  [[nodiscard]] std::string target() const { return folder_ + "/there it's"; }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream file(folder_ + "/" + name);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  static std::string all_of(const StageStream& stream) {
    std::string all;
    while (all.size() < stream.bytes()) {
      const ByteView next = stream.from(all.size());
      all.append(reinterpret_cast<const char*>(next.data()), next.size());
    }
    return all;
  }

  // The files, with a stand-in for weft that is this script.
  std::string stage_of(const std::string& script, const std::string& other = "contents") {
    const auto stream = StageStream::open(
        {{.source = write("weft", "#!/bin/sh\n" + script + "\n"), .name = "/bin/weft"},
         {.source = write("other", other), .name = "/lib/other one"}});
    EXPECT_TRUE(stream) << stream.error();
    return all_of(*stream.value());
  }

  // What the shell does that gets this on its standard input; its status. What it and the stand-in
  // say is in the files "out" and "error".
  int run(const std::string& input) {
    const std::string in = write("in", input);
    const pid_t shell = fork();
    if (shell == 0) {
      become_shell(in);
      _exit(99);
    }
    int status = 0;
    waitpid(shell, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  std::string folder_;

 private:
  void become_shell(const std::string& in) const {
    // A pipe, as from ssh: what is left in it is the agent's.
    int ends[2];
    if (pipe(ends) != 0) return;
    if (fork() == 0) {
      dup2(ends[1], STDOUT_FILENO);
      close(ends[0]);
      execlp("cat", "cat", in.c_str(), nullptr);
      _exit(99);
    }
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    close(ends[1]);
    const int flags = O_WRONLY | O_CREAT | O_TRUNC;
    dup2(open((folder_ + "/out").c_str(), flags, 0600), STDOUT_FILENO);
    dup2(open((folder_ + "/error").c_str(), flags, 0600), STDERR_FILENO);
    std::vector<std::string> words = command_to_stage(target(), "/bin/weft", "/no/libraries");
    std::vector<char*> arguments;
    for (std::string& each : words) arguments.push_back(each.data());
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
  }
};

TEST_F(StageTest, TheStreamHasSizesNamesAndContents) {
  const auto stream = StageStream::open({{.source = write("a", "first\n"), .name = "/x/a"},
                                         {.source = write("b", ""), .name = "/x/b c"}});
  ASSERT_TRUE(stream) << stream.error();
  EXPECT_EQ(all_of(*stream.value()), "6 /x/a\nfirst\n0 /x/b c\nend\n");
  EXPECT_EQ(stream.value()->from(8).size(), 5U);
  EXPECT_TRUE(stream.value()->from(stream.value()->bytes()).empty());
}

TEST_F(StageTest, FilesThatCannotBeSentAreNamed) {
  EXPECT_EQ(StageStream::open({{.source = folder_ + "/none", .name = "/none"}}).error(),
            folder_ + "/none cannot be staged: No such file or directory");
  for (const char* name : {"/a\nb", "/a ", "a"}) {
    EXPECT_THAT(StageStream::open({{.source = write("a", ""), .name = name}}).error(),
                HasSubstr("its name has a line break or ends with a blank"));
  }
}

TEST_F(StageTest, FilesAreFoundBelowAFolder) {
  std::filesystem::create_directories(folder_ + "/one/two");
  write("one/two/file", "x");
  std::filesystem::create_symlink("nowhere", folder_ + "/one/link");
  const auto files = files_below(folder_ + "/one");
  ASSERT_TRUE(files) << files.error();
  ASSERT_EQ(files.value().size(), 1U);
  EXPECT_EQ(files.value()[0].name, "/two/file");
  EXPECT_FALSE(files_below(folder_ + "/none"));
}

TEST_F(StageTest, TheAgentGetsItsFilesAndTheRestOfTheInput) {
  const std::string rest("frames\0of all\n", 14);
  const std::string large(300'000, 'x');
  const std::string files = stage_of(
      "echo \"$*\"; stat -c %a \"$3\" \"$3/lib/other one\"; wc -c < \"$3/lib/other one\"; "
      "echo $LD_LIBRARY_PATH; cat; exit 7",
      large);
  EXPECT_EQ(run(files + rest), 7);
  EXPECT_EQ(read("error"), "");
  EXPECT_EQ(read("out"),
            "agent --stage " + target() + "\n700\n700\n300000\n/no/libraries\n" + rest);
  EXPECT_FALSE(std::filesystem::exists(target()));
}

TEST_F(StageTest, AnAgentThatIsKilledLeavesNothing) {
  EXPECT_EQ(run(stage_of("kill -KILL $$")), 128 + SIGKILL);
  EXPECT_FALSE(std::filesystem::exists(target()));
}

TEST_F(StageTest, SignalsDoNotEndTheShellBeforeItHasRemovedAll) {
  EXPECT_EQ(run(stage_of("kill -TERM $PPID; kill -HUP $PPID; kill -INT $PPID; exit 3")), 3);
  EXPECT_FALSE(std::filesystem::exists(target()));
}

TEST_F(StageTest, AStreamThatEndsEarlyLeavesNothing) {
  const std::string whole = stage_of("echo started");
  for (const std::size_t bytes :
       {std::size_t{0}, std::size_t{5}, whole.size() / 2, whole.size() - 2}) {
    EXPECT_EQ(run(whole.substr(0, bytes)), 1) << bytes;
    EXPECT_FALSE(std::filesystem::exists(target()));
    EXPECT_EQ(read("out"), "");
  }
}

TEST_F(StageTest, AFolderThatIsThereIsLeftAsItIs) {
  std::filesystem::create_directory(target());
  write("there it's/mine", "x");
  EXPECT_EQ(run(stage_of("echo started")), 1);
  EXPECT_THAT(read("error"), HasSubstr("there it's cannot be made: File exists; name another"));
  EXPECT_EQ(read("there it's/mine"), "x");
}

TEST_F(StageTest, NamesThatLeadOutOfTheFolderAreRefused) {
  EXPECT_EQ(run("1 /../outside\nxend\n"), 1);
  EXPECT_EQ(read("error"), "/../outside is no name for a file that is staged\n");
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/outside"));
  EXPECT_FALSE(std::filesystem::exists(target()));
}

TEST_F(StageTest, AFileThatCannotBeWrittenIsNamed) {
  EXPECT_EQ(run("1 /a\nx1 /a/b\nxend\n"), 1);
  EXPECT_THAT(read("error"), HasSubstr("there it's/a/b cannot be written: "));
  EXPECT_FALSE(std::filesystem::exists(target()));
}

TEST_F(StageTest, AProgramIsPlannedWithWeftAndItsLibraries) {
  const auto stage = plan_stage({.parent = "/scratch",
                                 .program = WEFT_JOB_PROGRAM,
                                 .node_library = WEFT_NODE_LIBRARY,
                                 .weft = WEFT_COMMAND});
  ASSERT_TRUE(stage) << stage.error();
  const Stage& all = stage.value();
  EXPECT_THAT(all.folder, MatchesRegex("/scratch/weft-[0-9a-f]{16}"));
  EXPECT_EQ(all.program, all.folder + WEFT_JOB_PROGRAM);
  EXPECT_EQ(all.node_library, all.folder + WEFT_NODE_LIBRARY);
  const std::string libraries = std::filesystem::path(WEFT_STAND_IN).parent_path();
  EXPECT_EQ(all.library_path, all.folder + libraries);
  EXPECT_EQ(all.file_count, 4U);
  EXPECT_THAT(all.libraries, testing::Each(testing::Truly(is_of_distribution)));
  EXPECT_THAT(all.libraries, testing::Contains(HasSubstr("/libc.so")));
}

}  // namespace
}  // namespace weft
