// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole jobs: how they start, what they print and how they end. The nodes are small programs
// (testing/job_program.cpp), so that nothing but the launcher is tested.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "weft/processors/sharing.hpp"
#include "weft/testing/launched_job.hpp"

namespace weft::testing {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

constexpr const char* kMark = "mark-of-this-test";  // in every command line of a job

std::vector<std::string> job(const std::string& nodes, std::vector<std::string> words) {
  words.insert(words.begin(), {"-n", nodes, job_program()});
  words.push_back(std::string(kMark) + std::to_string(getpid()));
  return words;
}

bool nothing_is_left() {
  return soon([] { return processes_with(kMark + std::to_string(getpid())).empty(); });
}

TEST(RunTest, ExchangesBytesBetweenAllNodes) {
  const Outcome outcome = run(job("5", {"exchange", "100000"}));
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_EQ(outcome.errors, "");
  EXPECT_EQ(run(job("64", {"exchange", "10"})).status, 0);
}

TEST(RunTest, TellsNodesTheirPlaceAndOptions) {
  const Outcome outcome = run({"-n",
                               "2",
                               "--threads",
                               "3",
                               "--back-end",
                               "mprotect",
                               "--latency-us",
                               "50",
                               "--memory",
                               "2M",
                               "--stats",
                               job_program(),
                               "environment",
                               "WEFT_NODE",
                               "WEFT_NODES",
                               "WEFT_BACK_END",
                               "WEFT_LATENCY_US",
                               "WEFT_NODE_MEMORY",
                               "WEFT_STATS",
                               "WEFT_VERBOSE"});
  EXPECT_EQ(outcome.status, 0);
  const std::vector<std::string> lines = outcome.lines();
  for (const char* expected :
       {"0 WEFT_NODE=0", "1 WEFT_NODE=1", "1 WEFT_NODES=2", "1 WEFT_BACK_END=mprotect",
        "1 WEFT_LATENCY_US=50", "1 WEFT_NODE_MEMORY=2097152", "0 WEFT_STATS=text",
        "0 WEFT_VERBOSE=(unset)", "1 threads=3 randomized=false"}) {
    EXPECT_THAT(lines, ::testing::Contains(expected));
  }
}

TEST(RunTest, BindsNodesToProcessorsOfTheirOwn) {
  const std::vector<Processor> all = processors_of_this_process();
  if (all.size() < 2) GTEST_SKIP() << "there is one processor alone";
  const std::vector<ProcessorSet> sets = share_processors(all, 0, 2, Binding::kAuto).sets;
  const auto line = [&](unsigned node) {
    return fmt::format("{} processors {}; crowded false", node, fmt::join(sets[node], " "));
  };
  const Outcome outcome = run({"-n", "2", "-t", "1", job_program(), "processors"});
  EXPECT_THAT(outcome.lines(), ::testing::UnorderedElementsAre(line(0), line(1)));
}

TEST(RunTest, LeavesNodesUnboundThatHaveTooManyThreads) {
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  const std::string threads = std::to_string(CPU_COUNT(&allowed));
  for (const char* const binding : {"auto", "core", "none"}) {
    const Outcome outcome =
        run({"-n", "2", "-t", threads, "--bind", binding, job_program(), "processors"});
    ASSERT_EQ(outcome.lines().size(), 2U) << outcome.errors;
    EXPECT_EQ(outcome.lines()[0].substr(1), outcome.lines()[1].substr(1));
    EXPECT_THAT(outcome.output, HasSubstr("crowded true"));
    const bool is_said = outcome.errors.find("no node is bound") != std::string::npos;
    EXPECT_EQ(is_said, std::string(binding) == "core") << outcome.errors;
  }
}

TEST(RunTest, TakesOptionsFromTheEnvironmentToo) {
  const Outcome outcome =
      run({"-n", "2", "--latency-us", "7", job_program(), "environment", "WEFT_LATENCY_US",
           "WEFT_TRANSPORT", "WEFT_STATS"},
          {{"WEFT_TRANSPORT", "tcp"}, {"WEFT_STATS", "json"}, {"WEFT_LATENCY_US", "3"}});
  for (const char* expected :
       {"1 WEFT_LATENCY_US=7", "1 WEFT_TRANSPORT=tcp", "1 WEFT_STATS=json"}) {
    EXPECT_THAT(outcome.lines(), ::testing::Contains(expected));
  }
  EXPECT_EQ(run({"-n", "2", job_program()}, {{"WEFT_TRANSPORT", "pigeon"}}).status, 2);
  EXPECT_EQ(run({"-n", "2", "--stats=prose", job_program()}).status, 2);
}

TEST(RunTest, PreloadsTheNodeLibraryBeforeTheUsersOwn) {
  const Outcome outcome = run(job("2", {"environment", "LD_PRELOAD", "WEFT_USER_LD_PRELOAD"}),
                              {{"LD_PRELOAD", WEFT_STAND_IN}});
  EXPECT_THAT(outcome.lines(), ::testing::Contains(std::string("0 LD_PRELOAD=") +
                                                   WEFT_NODE_LIBRARY + ":" + WEFT_STAND_IN));
  EXPECT_THAT(outcome.lines(),
              ::testing::Contains(std::string("1 WEFT_USER_LD_PRELOAD=") + WEFT_STAND_IN));
}

TEST(RunTest, OmpNumThreadsCountsTheWholeJob) {
  const auto threads = [](const std::string& count) {
    return run(job("2", {"environment"}), {{"OMP_NUM_THREADS", count}});
  };
  EXPECT_THAT(threads("6").output, HasSubstr("threads=3"));
  EXPECT_THAT(threads("7,2").output, HasSubstr("threads=4"));
  EXPECT_THAT(threads("1").output, HasSubstr("threads=1"));
  EXPECT_EQ(threads("many").status, 2);
}

TEST(RunTest, OneNodeIsTheProgramAlone) {
  const Outcome outcome = run({"-n", "1", "--threads", "7", job_program()});
  EXPECT_EQ(outcome.output, "alone with OMP_NUM_THREADS=7\n");
  EXPECT_EQ(outcome.status, 42);
  EXPECT_EQ(run({"-n", "1", job_program()}, {{"OMP_NUM_THREADS", "3,2"}}).output,
            "alone with OMP_NUM_THREADS=3,2\n");
}

TEST(RunTest, StandardInputGoesToNodeZero) {
  const Outcome outcome = run(job("3", {"input"}), {}, "a\nb\nc\n");
  EXPECT_THAT(outcome.lines(), ::testing::UnorderedElementsAre("0 read 3 lines", "1 read 0 lines",
                                                               "2 read 0 lines"));
}

TEST(RunTest, LinesStayWholeAndBarriersOrderThem) {
  constexpr int kNodes = 8, kRounds = 5, kLines = 40;
  const Outcome outcome =
      run(job(std::to_string(kNodes), {"noise", std::to_string(kRounds), std::to_string(kLines)}));
  EXPECT_EQ(outcome.status, 0);
  const std::vector<std::string> lines = outcome.lines();
  ASSERT_EQ(lines.size(), static_cast<std::size_t>(kNodes * kRounds * kLines));
  int round = 0;
  std::vector<int> next_line(kNodes, 0);
  for (std::size_t at = 0; at < lines.size(); ++at) {
    int its_round = -1, node = -1, line = -1;
    ASSERT_EQ(std::sscanf(lines[at].c_str(), "round %d node %d line %d", &its_round, &node, &line),
              3)
        << lines[at];
    ASSERT_THAT(lines[at], EndsWith(" " + std::string(200, 'x')));
    ASSERT_GE(its_round, round) << "line " << at << " was printed before a barrier";
    round = its_round;
    ASSERT_EQ(line, next_line.at(static_cast<std::size_t>(node))++ % kLines);
    ASSERT_EQ(at / (kNodes * kLines), static_cast<std::size_t>(its_round));
  }
}

TEST(RunTest, LabelsLinesWhenAsked) {
  const Outcome outcome = run({"-n", "2", "--label=node", job_program(), "environment"});
  EXPECT_EQ(outcome.status, 0) << outcome.errors;
  EXPECT_THAT(outcome.lines(), ::testing::UnorderedElementsAre(StartsWith("[0] 0 threads="),
                                                               StartsWith("[1] 1 threads=")));
  const std::string label = "\\[[01] [^ ]+ [0-9]+:[0-9]+:[0-9]+\\.[0-9]+\\] [01] threads=.*";
  EXPECT_THAT(run({"-n", "2", "--label", job_program(), "environment"}).lines(),
              ::testing::ElementsAre(MatchesRegex(label), MatchesRegex(label)));
  EXPECT_EQ(run({"-n", "2", "--label=colour", job_program()}).status, 2);
}

TEST(RunTest, OfOneNodeLinesHaveLabelsToo) {
  const Outcome outcome = run({"-n", "1", "--threads", "7", "--label=node", job_program()});
  EXPECT_EQ(outcome.output, "[0] alone with OMP_NUM_THREADS=7\n");
  EXPECT_EQ(outcome.status, 42);
}

TEST(RunTest, UnfinishedLinesOfTwoNodesAreNotJoined) {
  const Outcome outcome = run(job("3", {"partial"}));
  EXPECT_THAT(outcome.lines(), ::testing::UnorderedElementsAre(
                                   "no newline from 0", "no newline from 1", "no newline from 2"));
  EXPECT_NE(outcome.output.back(), '\n');
}

TEST(RunTest, TheStatusIsThatOfNodeZero) {
  const Outcome outcome = run(job("3", {"exit", "0", "5"}));
  EXPECT_EQ(outcome.status, 5);
  EXPECT_EQ(outcome.errors, "");
  EXPECT_TRUE(nothing_is_left());
}

TEST(RunTest, ExitOnAnotherNodeEndsTheJobWithItsStatus) {
  const Outcome outcome = run(job("3", {"call-exit", "2", "7"}));
  EXPECT_EQ(outcome.status, 7);
  EXPECT_EQ(outcome.output, "leaving\n");
  EXPECT_EQ(outcome.errors, "");
}

TEST(RunTest, AnEarlyExitIsNamed) {
  const Outcome outcome = run(job("3", {"exit", "1", "5"}));
  EXPECT_EQ(outcome.status, 5);
  EXPECT_THAT(outcome.errors, MatchesRegex("weft: node 1 \\(pid [0-9]+, .*\\) exited with status 5 "
                                           "before the program had finished; the job is ended\n"));
  const Outcome silent = run(job("3", {"exit", "1", "0"}));
  EXPECT_EQ(silent.status, 1);
  EXPECT_THAT(silent.errors, HasSubstr("node 1"));
}

TEST(RunTest, AKilledNodeIsNamedAndEndsTheJob) {
  for (const char* node : {"0", "2"}) {
    const Outcome outcome = run(job("4", {"kill", node, "9"}));
    EXPECT_EQ(outcome.status, 128 + 9);
    EXPECT_THAT(outcome.errors, MatchesRegex(fmt::format(
                                    "weft: node {} \\(pid [0-9]+, .*\\) was killed by signal 9 "
                                    "\\(Killed\\); the job is ended\n",
                                    node)));
    EXPECT_TRUE(nothing_is_left());
  }
}

TEST(RunTest, ANodeReportsWhyItFailed) {
  const Outcome outcome = run(job("4", {"fail", "3"}));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.errors, MatchesRegex("weft: node 3 .*: the loom is broken\n"));
  EXPECT_TRUE(nothing_is_left());
}

TEST(RunTest, ANodeWhoseMessageCannotBeReadIsNamed) {
  const Outcome outcome = run(job("3", {"unreadable", "2"}));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.errors,
              MatchesRegex("weft: node 0 \\(pid [0-9]+, .*\\) cannot read what node 2 \\(pid "
                           "[0-9]+, .*\\) has sent: LockGrant of 25 bytes; the job is ended\n"));
  // Nor is a number that no node has.
  EXPECT_THAT(run(job("3", {"unreadable", "77"})).errors, HasSubstr("what node 77 has sent"));
  EXPECT_TRUE(nothing_is_left());
}

TEST(RunTest, ALostConnectionIsExplainedByTheDeathBehindIt) {
  const Outcome dead = run(job("3", {"lose", "1"}));
  EXPECT_THAT(dead.errors, MatchesRegex("weft: node 1 .*signal 11.*\n"));
  EXPECT_EQ(dead.status, 128 + SIGSEGV);
  const Outcome alive = run(job("3", {"lose", "1", "alive"}));
  EXPECT_THAT(alive.errors,
              HasSubstr("lost its connection to node 1: connection reset; the job is ended"));
  EXPECT_EQ(alive.status, 1);
}

TEST(RunTest, NothingSurvivesTheLauncher) {
  LaunchedJob launched(job("4", {"wait"}));
  ASSERT_TRUE(launched.wait_for_output("\n", 4));
  launched.signal(SIGKILL);
  EXPECT_EQ(launched.finish().status, 128 + SIGKILL);
  const std::vector<pid_t> nodes = pids_in(launched.output());
  ASSERT_EQ(nodes.size(), 4U);
  for (const pid_t each : nodes) EXPECT_TRUE(soon([&] { return is_gone(each); })) << each;
  EXPECT_TRUE(nothing_is_left());
}

TEST(RunTest, OrphansOfTheProgramEndWithTheJob) {
  const Outcome outcome = run(job("2", {"orphan"}));
  EXPECT_EQ(outcome.status, 0);
  const std::vector<pid_t> orphans = pids_in(outcome.output);
  ASSERT_EQ(orphans.size(), 2U);
  for (const pid_t each : orphans) EXPECT_TRUE(is_gone(each)) << each;
}

TEST(RunTest, SignalsEndTheJobQuietly) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    LaunchedJob launched(job("3", {"wait"}));
    ASSERT_TRUE(launched.wait_for_output("\n", 3));
    launched.signal(signal);
    const Outcome outcome = launched.finish();
    EXPECT_EQ(outcome.status, 128 + signal);
    EXPECT_EQ(outcome.errors, "");
    EXPECT_TRUE(nothing_is_left());
  }
}

TEST(RunTest, TheProgramMayHandleSignals) {
  for (const int signal : {SIGTERM, SIGUSR1}) {
    LaunchedJob launched(job("2", {"handle", std::to_string(signal), "6"}));
    ASSERT_TRUE(launched.wait_for_output("ready\n"));
    launched.signal(signal);
    const Outcome outcome = launched.finish();
    EXPECT_EQ(outcome.status, 6);
    EXPECT_THAT(outcome.output, HasSubstr("handled"));
  }
}

TEST(RunTest, WhoIgnoresATerminationIsKilledAfterTheGracePeriod) {
  std::vector<std::string> words = job("2", {"ignore"});
  words.insert(words.begin(), {"--grace", "1"});
  LaunchedJob launched(words);
  ASSERT_TRUE(launched.wait_for_output("ready\n", 2));
  launched.signal(SIGTERM);
  const Outcome outcome = launched.finish();
  EXPECT_EQ(outcome.status, 128 + SIGTERM);
  EXPECT_THAT(outcome.errors, HasSubstr("did not end within 1 s of signal 15 (Terminated)"));
  EXPECT_TRUE(nothing_is_left());
}

TEST(RunTest, StopsAndContinuesAllNodes) {
  LaunchedJob launched(job("2", {"wait"}));
  ASSERT_TRUE(launched.wait_for_output("\n", 2));
  const auto state = [](pid_t pid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
    std::string number, name, letter;
    file >> number >> name >> letter;
    return letter;
  };
  std::vector<pid_t> all = pids_in(launched.output());
  all.push_back(launched.pid());
  launched.signal(SIGTSTP);
  for (const pid_t each : all) EXPECT_TRUE(soon([&] { return state(each) == "T"; })) << each;
  launched.signal(SIGCONT);
  for (const pid_t each : all) EXPECT_TRUE(soon([&] { return state(each) == "S"; })) << each;
  launched.signal(SIGTERM);
  EXPECT_EQ(launched.finish().status, 128 + SIGTERM);
}

TEST(RunTest, EndsWhenNobodyReadsTheOutput) {
  LaunchedJob launched(job("2", {"fill"}));
  ASSERT_TRUE(launched.wait_for_output("xxx"));
  launched.close_output();
  EXPECT_EQ(launched.finish().status, 128 + SIGPIPE);
  EXPECT_TRUE(nothing_is_left());
}

TEST(RunTest, ASlowReaderGetsEverything) {
  LaunchedJob launched(job("2", {"noise", "1", "20000"}));
  launched.wait_until_output_is_full();
  const Outcome outcome = launched.finish();
  EXPECT_EQ(outcome.status, 0);
  EXPECT_EQ(outcome.lines().size(), 40000U);
}

TEST(RunTest, ClosedStandardStreamsAreNoTrap) {
  const std::string command =
      fmt::format("exec {} run --node-library {} -n 2 {} environment <&- >&-", WEFT_COMMAND,
                  WEFT_NODE_LIBRARY, job_program());
  EXPECT_EQ(std::system(command.c_str()), 0);
}

TEST(RunTest, ProgramsThatCannotBeNodesAreRefused) {
  const Outcome plain = run({"-n", "2", plain_program(), "wait"});
  EXPECT_EQ(plain.status, 126);
  EXPECT_THAT(plain.errors, HasSubstr("was not built by weftcc; compile it with weftcc"));
  const Outcome missing = run({"-n", "2", "./no-such-program"});
  EXPECT_EQ(missing.status, 127);
  EXPECT_THAT(missing.errors, HasSubstr("./no-such-program: No such file or directory"));
  const Outcome unknown = run({"-n", "2", "no-such-program"});
  EXPECT_EQ(unknown.status, 127);
  EXPECT_THAT(unknown.errors, HasSubstr("not found in PATH"));
}

TEST(RunTest, UsageErrorsExitWithTwo) {
  EXPECT_EQ(run({}).status, 2);
  EXPECT_EQ(run({"-n", "0", job_program()}).status, 2);
  EXPECT_EQ(run({"-n", "2", "--transport", "pigeon", job_program()}).status, 2);
  EXPECT_EQ(run({"--help"}).status, 0);
  EXPECT_THAT(run({"--help"}).output, HasSubstr("--threads"));
}

TEST(RunTest, OptionsAfterTheProgramAreTheProgramsOwn) {
  const Outcome outcome =
      run({"-n", "2", job_program(), "environment", "-n", "--threads", "--help"});
  EXPECT_THAT(outcome.lines(), ::testing::Contains("0 --threads=(unset)"));
  EXPECT_THAT(outcome.lines(), ::testing::Contains("0 --help=(unset)"));
}

}  // namespace
}  // namespace weft::testing
