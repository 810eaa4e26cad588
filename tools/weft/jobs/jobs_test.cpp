// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole jobs, listed, shown and ended by the commands that do this.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "weft/jobs/jobs_commands.hpp"
#include "weft/testing/launched_job.hpp"
#include "weft/testing/login.hpp"

namespace weft::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

class JobsTest : public LoginTest {
 protected:
  static std::string name_of(const LaunchedJob& job) { return std::to_string(job.pid()); }
  static std::vector<std::string> waiting(const std::string& nodes) {
    return {"-n", nodes, job_program(), "wait"};
  }
  static std::string contents(const fs::path& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
};

TEST_F(JobsTest, AreListed) {
  EXPECT_EQ(run_command({"ps", "--json"}).output, "[]\n");
  LaunchedJob job(waiting("3"));
  ASSERT_TRUE(job.wait_for_output("\n", 3));
  const Outcome list = run_command({"ps"});
  EXPECT_EQ(list.status, 0) << list.errors;
  ASSERT_EQ(list.lines().size(), 2U) << list.output;
  EXPECT_THAT(list.lines()[0],
              MatchesRegex("JOB +TIME +STATE +NODES +HOSTS +MEMORY +TRAFFIC +PROGRAM"));
  EXPECT_THAT(list.lines()[1], MatchesRegex(fmt::format("{} +[0-9]+:[0-9]+ +running +3 +[^ ]+:3 +.*"
                                                        "/job_program wait",
                                                        name_of(job))));
  const std::string json = run_command({"ps", "--json"}).output;
  EXPECT_THAT(json, HasSubstr(fmt::format(R"("job": "{}", "state": "running")", name_of(job))));
  EXPECT_THAT(json, HasSubstr(R"("node_count": 3)"));
}

TEST_F(JobsTest, AreShown) {
  LaunchedJob job(waiting("2"));
  ASSERT_TRUE(job.wait_for_output("\n", 2));
  const Outcome shown = run_command({"status", name_of(job)});
  EXPECT_EQ(shown.status, 0) << shown.errors;
  EXPECT_THAT(shown.output, StartsWith("job       " + name_of(job)));
  for (const pid_t each : pids_in(job.output())) {
    EXPECT_THAT(shown.output, HasSubstr(fmt::format(" {} ", each)));
  }
  // The only one needs no name.
  const Outcome json = run_command({"status", "--json"});
  EXPECT_THAT(json.output, HasSubstr(R"("nodes": [{"node": 0, )"));
  const Outcome unknown = run_command({"status", "1"});
  EXPECT_EQ(unknown.status, 1);
  EXPECT_EQ(unknown.errors, "weft: there is no job 1; `weft ps` lists those that there are\n");
}

TEST_F(JobsTest, OfSeveralOneIsToBeNamed) {
  LaunchedJob one(waiting("2")), two(waiting("2"));
  ASSERT_TRUE(one.wait_for_output("\n", 2) && two.wait_for_output("\n", 2));
  EXPECT_THAT(run_command({"status"}).errors, HasSubstr("there are several jobs: say which"));
  EXPECT_EQ(run_command({"ps"}).lines().size(), 3U);
  EXPECT_EQ(run_command({"kill", name_of(one), name_of(two)}).status, 0);
  EXPECT_EQ(one.finish().status, 128 + SIGTERM);
  EXPECT_EQ(two.finish().status, 128 + SIGTERM);
}

TEST_F(JobsTest, AreEndedInOrder) {
  LaunchedJob job(waiting("3"));
  ASSERT_TRUE(job.wait_for_output("\n", 3));
  const Outcome ended = run_command({"kill", name_of(job)});
  EXPECT_EQ(ended.status, 0) << ended.errors;
  EXPECT_TRUE(is_gone(job.pid()) || !fs::exists(folder())) << "`weft kill` waits for the end";
  const Outcome outcome = job.finish();
  EXPECT_EQ(outcome.status, 128 + SIGTERM);
  EXPECT_EQ(outcome.errors, "weft: signal 15 (Terminated) comes by `weft kill`\n");
  for (const pid_t each : pids_in(outcome.output)) EXPECT_TRUE(is_gone(each));
  EXPECT_FALSE(fs::exists(folder()));
}

TEST_F(JobsTest, ThatIgnoreTheirEndAreKilledAfterTheGracePeriod) {
  LaunchedJob job({"-n", "2", "--grace", "1", job_program(), "ignore"});
  ASSERT_TRUE(job.wait_for_output("ready\n", 2));
  EXPECT_EQ(run_command({"kill", name_of(job)}).status, 0);
  const Outcome outcome = job.finish();
  EXPECT_EQ(outcome.status, 128 + SIGTERM);
  EXPECT_THAT(outcome.errors, HasSubstr("did not end within 1 s of signal 15 (Terminated)"));
}

TEST_F(JobsTest, GetOtherSignals) {
  LaunchedJob job({"-n", "2", job_program(), "handle", std::to_string(SIGUSR1), "6"});
  ASSERT_TRUE(job.wait_for_output("ready\n"));
  EXPECT_EQ(run_command({"kill", "--signal", "usr1", name_of(job)}).status, 0);
  EXPECT_EQ(job.finish().status, 6);
  EXPECT_EQ(run_command({"kill", "--signal", "PIGEON", "1"}).status, 2);
}

TEST_F(JobsTest, StopAndGoOn) {
  LaunchedJob job(waiting("2"));
  ASSERT_TRUE(job.wait_for_output("\n", 2));
  EXPECT_EQ(run_command({"kill", "-s", "STOP", name_of(job)}).status, 0);
  EXPECT_THAT(run_command({"ps"}).output, HasSubstr("  stopped  "));
  EXPECT_EQ(run_command({"kill", "-s", "CONT", name_of(job)}).status, 0);
  EXPECT_THAT(run_command({"ps"}).output, HasSubstr("  running  "));
  EXPECT_EQ(run_command({"kill", "-s", "STOP", name_of(job)}).status, 0);
  EXPECT_EQ(run_command({"kill", name_of(job)}).status, 0);
  EXPECT_EQ(job.finish().status, 128 + SIGTERM);
}

TEST_F(JobsTest, AreKilledThoughNobodyReadsTheirOutput) {
  LaunchedJob job({"-n", "2", job_program(), "fill"});
  job.wait_until_output_is_full();
  EXPECT_THAT(run_command({"ps"}).output, HasSubstr("  running  "));
  EXPECT_EQ(run_command({"kill", "-s", "KILL", name_of(job)}).status, 0);
  EXPECT_TRUE(soon([&] { return is_gone(job.pid()); }));
  EXPECT_EQ(job.finish().status, 128 + SIGKILL);
}

TEST_F(JobsTest, WhoseLauncherIsStoppedAreSaidToBe) {
  LaunchedJob job(waiting("2"));
  ASSERT_TRUE(job.wait_for_output("\n", 2));
  job.signal(SIGSTOP);
  EXPECT_TRUE(
      soon([&] { return run_command({"ps"}).output.find("  stopped") != std::string::npos; }));
  EXPECT_THAT(run_command({"ps", "--json"}).output, HasSubstr(R"("state": "stopped")"));
  job.signal(SIGCONT);
  EXPECT_EQ(run_command({"kill", name_of(job)}).status, 0);
}

TEST_F(JobsTest, OfDeadLaunchersAreSwept) {
  LaunchedJob job(waiting("2"));
  ASSERT_TRUE(job.wait_for_output("\n", 2));
  job.signal(SIGKILL);
  job.finish();
  EXPECT_TRUE(fs::exists(folder() + "/" + std::to_string(job.pid())) || fs::exists(folder()));
  EXPECT_EQ(run_command({"ps"}).lines().size(), 1U);
  EXPECT_FALSE(fs::exists(folder()));
}

TEST_F(JobsTest, RunAlsoWhereTheyCannotBeListed) {
  fs::create_directory(folder());
  chmod(folder().c_str(), 0755);
  const Outcome outcome = run({"-n", "2", job_program(), "exchange", "10"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.errors, MatchesRegex("weft: `weft ps` cannot show this job: .*is open to "
                                           "others.*\n"));
  const Outcome list = run_command({"ps"});
  EXPECT_EQ(list.status, 1);
  EXPECT_THAT(list.errors, HasSubstr("is open to others"));
}

// --- options of `weft run` by which a job is watched over ---

TEST_F(JobsTest, EndWhenTheirTimeIsOver) {
  const Outcome outcome = run({"-n", "3", "--timeout", "200ms", job_program(), "wait"});
  EXPECT_EQ(outcome.status, 124);
  EXPECT_EQ(outcome.errors,
            "weft: the job has run for 200ms, its limit (--timeout); it is ended\n");
  for (const pid_t each : pids_in(outcome.output)) EXPECT_TRUE(is_gone(each));
}

TEST_F(JobsTest, OfOneNodeEndWhenTheirTimeIsOver) {
  const Outcome outcome = run({"-n", "1", "--timeout", "200ms", job_program(), "wait"});
  EXPECT_EQ(outcome.status, 124);
  EXPECT_THAT(outcome.output, StartsWith("alone with "));
}

TEST_F(JobsTest, ThatHandleTheEndOfTheirTimeHaveItsStatus) {
  const Outcome outcome =
      run({"-n", "2", "--timeout", "1s", job_program(), "handle", std::to_string(SIGTERM), "0"});
  EXPECT_EQ(outcome.status, 124);
  EXPECT_THAT(outcome.output, HasSubstr("handled"));
}

TEST_F(JobsTest, ThatEndInTimeHaveTheirOwnStatus) {
  EXPECT_EQ(run({"-n", "2", "--timeout", "1h", job_program(), "exit", "0", "5"}).status, 5);
  EXPECT_EQ(run({"-n", "1", "--timeout", "30d", job_program()}).status, 42);
  const Outcome refused = run({"-n", "2", "--timeout", "soon", job_program()});
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.errors, HasSubstr("soon is no time, such as 90 (seconds), 15m or 1h30m"));
}

TEST_F(JobsTest, KeepTheirOutputInFilesToo) {
  const std::string out = (login_ / "out").string();
  const Outcome outcome =
      run({"-n", "2", "--output", out, "--label=node", job_program(), "environment"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.output, HasSubstr("[1] 1 threads="));
  EXPECT_THAT(contents(out + "/node-1.out"), StartsWith("1 threads="));
  EXPECT_THAT(contents(out + "/node-0.out"), StartsWith("0 threads="));
  EXPECT_EQ(contents(out + "/node-0.err"), "");
  EXPECT_EQ(run({"-n", "1", "--output", out, job_program()}).status, 42);
  EXPECT_THAT(contents(out + "/node-0.out"), StartsWith("alone with"));
}

TEST_F(JobsTest, WhoseOutputCannotBeKeptDoNotStart) {
  const std::string file = (login_ / "file").string();
  std::ofstream(file) << "no folder";
  const Outcome outcome = run({"-n", "2", "--output", file, job_program(), "environment"});
  EXPECT_EQ(outcome.status, 126);
  EXPECT_EQ(outcome.output, "");
  EXPECT_THAT(outcome.errors, MatchesRegex("weft: --output .*/file: .*\n"));
}

TEST_F(JobsTest, GoOnWhenTheDiskIsFull) {
  const fs::path out = login_ / "out";
  fs::create_directory(out);
  fs::create_symlink("/dev/full", out / "node-1.out");
  const Outcome outcome = run({"-n", "2", "--output", out.string(), job_program(), "environment"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.output, HasSubstr("1 threads="));
  EXPECT_THAT(outcome.errors, MatchesRegex("weft: .*/node-1.out: No space left on device; .*\n"));
}

TEST(Signals, HaveNamesAndNumbers) {
  EXPECT_EQ(parse_signal("TERM"), SIGTERM);
  EXPECT_EQ(parse_signal("SIGUSR1"), SIGUSR1);
  EXPECT_EQ(parse_signal("kill"), SIGKILL);
  EXPECT_EQ(parse_signal("15"), SIGTERM);
  for (const char* text : {"", "SIG", "0", "65", "-1", "9x", "PIGEON"}) {
    EXPECT_EQ(parse_signal(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace weft::testing
