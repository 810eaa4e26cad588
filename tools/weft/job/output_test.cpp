// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of lines, read back through pipes in the place of this process's own streams.
#include "weft/job/output.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

namespace weft {
namespace {

class OutputTest : public testing::Test {
 protected:
  void SetUp() override {
    fflush(stdout);
    for (const int stream : {0, 1}) {
      int ends[2];
      ASSERT_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
      saved_[stream] = dup(stream + 1);
      dup2(ends[1], stream + 1);
      close(ends[1]);
      read_end_[stream] = ends[0];
    }
  }
  void TearDown() override {
    for (const int stream : {0, 1}) {
      dup2(saved_[stream], stream + 1);
      close(saved_[stream]);
      if (read_end_[stream] >= 0) close(read_end_[stream]);
    }
  }
  std::string written(int stream) {
    std::string result;
    char buffer[4096];
    ssize_t count = 0;
    while ((count = read(read_end_[stream], buffer, sizeof buffer)) > 0) {
      result.append(buffer, static_cast<std::size_t>(count));
    }
    return result;
  }

  int saved_[2] = {}, read_end_[2] = {};
};

TEST_F(OutputTest, PutsLinesTogether) {
  Output output({"ada", "bob"}, {});
  output.append(0, 0, "one ");
  output.append(1, 0, "two\nthree");
  output.append(0, 0, "and a half\n");
  EXPECT_TRUE(output.has_partial_line(1, 0));
  output.write_some();
  EXPECT_EQ(written(0), "two\none and a half\n");
  output.flush_line(1, 0);
  output.write_some();
  EXPECT_EQ(written(0), "three");
  EXPECT_EQ(output.waiting_for(), -1);
}

TEST_F(OutputTest, LetsOthersGoOnWithALineThatIsSettled) {
  Output output({"ada", "bob"}, {});
  output.append(0, 0, "one ");
  output.settle_line(0, 0);
  output.append(1, 0, "two ");
  output.settle_line(1, 0);
  output.append(0, 0, "three\n");
  output.append(1, 0, "four");
  output.flush_line(1, 0);
  output.append(0, 0, "five\n");
  output.write_some();
  EXPECT_EQ(written(0), "one two three\nfour\nfive\n");
}

TEST_F(OutputTest, KeepsLinesApartThatHaveLabels) {
  Output output({"ada", "bob"}, {.node = true});
  output.append(0, 0, "one ");
  output.settle_line(0, 0);
  output.append(1, 0, "two\n");
  output.append(0, 1, "three");
  output.settle_line(0, 1);
  output.announce("four");
  output.write_some();
  EXPECT_EQ(written(0), "[0] one \n[1] two\n");
  EXPECT_EQ(written(1), "[0] three\nweft: four\n");
}

TEST_F(OutputTest, LabelsSayNodeHostAndTime) {
  Output output({"ada", "bob"}, {.node = true, .host = true, .time = true});
  output.append(1, 0, "one\n");
  output.append(0, 0, "two\n");
  output.announce("three");
  output.write_some();
  EXPECT_THAT(written(0), testing::MatchesRegex("\\[1 bob [0-9]+:[0-9]+:[0-9]+\\.[0-9]+\\] one\n"
                                                "\\[0 ada [0-9]+:[0-9]+:[0-9]+\\.[0-9]+\\] two\n"));
  EXPECT_EQ(written(1), "weft: three\n");
}

TEST_F(OutputTest, ContinuesALineThatWasFlushed) {
  Output output({"ada", "bob"}, {.node = true});
  output.append(0, 0, "Name? ");
  output.flush_line(0, 0);
  output.append(0, 0, "none given\n");
  output.append(1, 0, "hello\n");
  output.write_some();
  EXPECT_EQ(written(0), "[0] Name? none given\n[1] hello\n");
}

TEST_F(OutputTest, AnnouncementsBeginOnALineOfTheirOwn) {
  Output output({"ada"}, {});
  output.append(0, 1, "half");
  output.flush_line(0, 1);
  output.announce("over");
  output.write_some();
  EXPECT_EQ(written(1), "half\nweft: over\n");
}

TEST_F(OutputTest, KeepsWhatDoesNotFit) {
  Output output({"ada"}, {});
  const std::string line(999, 'x');
  std::string all;
  while (!output.is_full()) {
    output.append(0, 0, line + "\n");
    all += line + "\n";
  }
  std::string read_back;
  while (output.waiting_for() >= 0) {
    output.write_some();
    read_back += written(0);
  }
  EXPECT_EQ(read_back, all);
  EXPECT_FALSE(output.is_full());
}

TEST_F(OutputTest, ABrokenStreamSwallows) {
  signal(SIGPIPE, SIG_IGN);
  close(read_end_[0]);
  read_end_[0] = -1;
  Output output({"ada"}, {});
  output.append(0, 0, "nobody hears this\n");
  output.append(0, 1, "but this\n");
  output.write_some();
  EXPECT_TRUE(output.is_broken(0));
  EXPECT_EQ(written(1), "but this\n");
  EXPECT_EQ(output.waiting_for(), -1);
}

}  // namespace
}  // namespace weft
