// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/arguments.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

namespace weft::driver {
namespace {

using ::testing::ElementsAre;

TEST(Arguments, ArePassedOnAsTheyAre) {
  const CommandLine line = read_arguments({"-O2", "a.c", "-o", "a", "-lm"});
  EXPECT_THAT(line.arguments, ElementsAre("-O2", "a.c", "-o", "a", "-lm"));
  EXPECT_FALSE(line.stops_early || line.shared || line.relocatable || line.internal);
  EXPECT_EQ(line.unsupported, "");
}

TEST(Arguments, TellWhatIsMade) {
  EXPECT_TRUE(read_arguments({"-c", "a.c"}).stops_early);
  EXPECT_TRUE(read_arguments({"-M", "a.c"}).stops_early);
  EXPECT_TRUE(read_arguments({"--version"}).stops_early);
  EXPECT_TRUE(read_arguments({"-print-file-name=libc.so"}).stops_early);
  EXPECT_TRUE(read_arguments({"a.hpp", "-o", "a.pch"}).stops_early);
  EXPECT_TRUE(read_arguments({"-x", "c++-header", "a"}).stops_early);
  EXPECT_FALSE(read_arguments({"-MD", "-include", "a.h", "a.c"}).stops_early);
  EXPECT_TRUE(read_arguments({"-shared", "a.o"}).shared);
  EXPECT_TRUE(read_arguments({"-r", "a.o"}).relocatable);
  EXPECT_TRUE(read_arguments({"-cc1", "-static"}).internal);
}

TEST(Arguments, LinkTimeOptimisationIsKnown) {
  const auto optimises = [](const std::vector<std::string>& arguments) {
    return read_arguments(arguments).optimises_at_link;
  };
  EXPECT_FALSE(optimises({"-O3", "a.o"}));
  EXPECT_TRUE(optimises({"-flto", "a.o"}));
  EXPECT_TRUE(optimises({"-fno-lto", "-flto=thin", "a.o"}));
  EXPECT_FALSE(optimises({"-flto", "-fno-lto", "a.o"}));
  EXPECT_TRUE(optimises({"-fuse-ld=lld", "-flto", "a.o"}));
  EXPECT_FALSE(optimises({"-flto", "-fuse-ld=bfd", "a.o"}));
  EXPECT_FALSE(optimises({"--ld-path=/usr/bin/ld", "-flto", "a.o"}));
}

TEST(Arguments, ThatContradictAWeftExecutableAreLeftOut) {
  EXPECT_THAT(read_arguments({"-pie", "a.c", "-fno-PIC", "-fPIC"}).arguments,
              ElementsAre("a.c", "-fPIC"));
}

TEST(Arguments, OfWeftAreNotPassedOn) {
  const CommandLine off = read_arguments({"-fno-weft-overwrites", "a.c"});
  EXPECT_THAT(off.arguments, ElementsAre("a.c"));
  EXPECT_FALSE(off.overwrites);
  EXPECT_TRUE(read_arguments({"a.c"}).overwrites);
  EXPECT_TRUE(read_arguments({"-fno-weft-overwrites", "-fweft-overwrites", "a.c"}).overwrites);
}

TEST(Arguments, OfSubscriptsAreNotPassedOn) {
  const CommandLine off = read_arguments({"-fno-weft-subscripts", "a.c"});
  EXPECT_THAT(off.arguments, ElementsAre("a.c"));
  EXPECT_FALSE(off.subscripts);
  EXPECT_TRUE(read_arguments({"a.c"}).subscripts);
  EXPECT_TRUE(read_arguments({"-fno-weft-subscripts", "-fweft-subscripts", "a.c"}).subscripts);
}

TEST(Arguments, OfPrefetchesAreNotPassedOn) {
  EXPECT_EQ(read_arguments({"a.c"}).prefetches, Prefetches::kOutermost);
  const CommandLine off = read_arguments({"a.c", "-fno-weft-prefetches"});
  EXPECT_THAT(off.arguments, ElementsAre("a.c"));
  EXPECT_EQ(off.prefetches, Prefetches::kNone);
  const CommandLine innermost =
      read_arguments({"-fno-weft-prefetches", "-fweft-prefetches=innermost", "a.c"});
  EXPECT_THAT(innermost.arguments, ElementsAre("a.c"));
  EXPECT_EQ(innermost.prefetches, Prefetches::kInnermost);
  const CommandLine outermost =
      read_arguments({"-fweft-prefetches=innermost", "a.c", "-fweft-prefetches"});
  EXPECT_THAT(outermost.arguments, ElementsAre("a.c"));
  EXPECT_EQ(outermost.prefetches, Prefetches::kOutermost);
}

TEST(Arguments, OfChecksAreNotPassedOn) {
  EXPECT_FALSE(read_arguments({"a.c"}).checks_ranges);
  const CommandLine on = read_arguments({"-fweft-check-ranges", "a.c"});
  EXPECT_THAT(on.arguments, ElementsAre("a.c"));
  EXPECT_TRUE(on.checks_ranges);
  const CommandLine off = read_arguments({"-fweft-check-ranges", "a.c", "-fno-weft-check-ranges"});
  EXPECT_THAT(off.arguments, ElementsAre("a.c"));
  EXPECT_FALSE(off.checks_ranges);
}

// The compiler says that it does not know it.
TEST(Arguments, OfPrefetchesElsewhereAreNotWefts) {
  EXPECT_THAT(read_arguments({"-fweft-prefetches=nowhere", "a.c"}).arguments,
              ElementsAre("-fweft-prefetches=nowhere", "a.c"));
}

TEST(Arguments, ThatCannotBeHadAreNamed) {
  EXPECT_EQ(read_arguments({"a.c", "-static"}).unsupported, "-static");
  EXPECT_EQ(read_arguments({"a.c", "-static-libgcc"}).unsupported, "");
}

TEST(Arguments, OfOtherOptionsAreNotOptions) {
  const CommandLine line = read_arguments({"-o", "-static", "-Xlinker", "-pie", "-D", "-c", "a.c"});
  EXPECT_EQ(line.unsupported, "");
  EXPECT_FALSE(line.stops_early);
  EXPECT_THAT(line.arguments, ElementsAre("-o", "-static", "-Xlinker", "-pie", "-D", "-c", "a.c"));
}

class ResponseFile : public ::testing::Test {
 protected:
  void SetUp() override {
    path_ = ::testing::TempDir() + "weft_arguments_test_" + std::to_string(getpid());
  }
  void TearDown() override { std::remove(path_.c_str()); }
  void write(const std::string& text) const { std::ofstream(path_) << text; }
  std::string path_;
};

TEST_F(ResponseFile, StaysAFileUnlessSomethingInItHasToGo) {
  write("-shared 'b c.o'\n");
  const CommandLine line = read_arguments({"@" + path_});
  EXPECT_TRUE(line.shared);
  EXPECT_THAT(line.arguments, ElementsAre("@" + path_));
}

TEST_F(ResponseFile, IsSplitAsTheCompilerDoes) {
  write("-pie \"b \\\"c\\\".o\" 'd e'f\\ g \"\"\n\t@" + path_ + ".absent");
  EXPECT_THAT(read_arguments({"a.o", "@" + path_}).arguments,
              ElementsAre("a.o", "b \"c\".o", "d ef g", "", "@" + path_ + ".absent"));
}

}  // namespace
}  // namespace weft::driver
