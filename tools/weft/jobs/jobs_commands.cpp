// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/jobs/jobs_commands.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <utility>

#include "base/text/json.hpp"
#include "weft/jobs/job_figures.hpp"
#include "weft/jobs/job_link.hpp"
#include "weft/text/durations.hpp"
#include "weft/text/table.hpp"
#include "weft/watch/process_view.hpp"

namespace weft {
namespace {

using std::chrono::milliseconds;
using Side = Table::Side;

constexpr int kFailed = 1;
constexpr int kUsage = 2;

int complain(int status, const std::string& sentence) {
  fmt::print(stderr, "weft: {}\n", sentence);
  return status;
}

void print(const std::vector<std::string>& lines) {
  for (const std::string& each : lines) fmt::print("{}\n", each);
}

// Why a job's launcher does not answer.
std::string word_for_silence(pid_t launcher) { return is_stopped(launcher) ? "stopped" : "silent"; }

// A job with its state, or a sentence why that is not known.
struct Row {
  std::string name;
  pid_t launcher = 0;
  Result<JobState> state;
};

// All are asked before the first is waited for.
std::vector<Row> ask_all(const std::vector<std::unique_ptr<JobLink>>& jobs, const char* version) {
  for (const auto& each : jobs) each->ask(JobMessage::kAskState, {.version = version});
  const auto limit = JobLink::Clock::now() + kAnswerLimit;
  std::vector<Row> rows;
  for (const auto& each : jobs) {
    const bool is_stopped = word_for_silence(each->pid()) == "stopped";
    Row row{each->name(), each->pid(), each->state(is_stopped ? JobLink::Clock::now() : limit)};
    // One that has ended in the meantime is none.
    if (row.state || !each->has_ended()) rows.push_back(std::move(row));
  }
  return rows;
}

void print_json(const std::vector<Row>& rows) {
  std::vector<std::string> all;
  for (const Row& each : rows) {
    all.push_back(each.state ? as_json(each.name, each.state.value(), false)
                             : JsonObject()
                                   .add("job", each.name)
                                   .add("state", word_for_silence(each.launcher))
                                   .add("launcher_pid", each.launcher)
                                   .text());
  }
  fmt::print("{}\n", json_list(all));
}

void print_table(const std::vector<Row>& rows) {
  Table table({{"JOB"},
               {"TIME", Side::kRight},
               {"STATE"},
               {"NODES", Side::kRight},
               {"HOSTS"},
               {"MEMORY", Side::kRight},
               {"TRAFFIC", Side::kRight},
               {"PROGRAM"}});
  for (const Row& each : rows) {
    if (!each.state) {
      table.add({each.name, "", word_for_silence(each.launcher)});
      continue;
    }
    const JobState& state = each.state.value();
    const Figures sum = figures_of(state);
    table.add({each.name, running_time(milliseconds(state.age_ms)), word_for(state),
               nodes_text(state), printable(hosts_text(state)), bytes_text(sum.memory_bytes),
               bytes_text(sum.bytes), printable(command_text(state.command))});
  }
  print(table.lines());
}

std::vector<std::string> nodes_table(const JobState& state) {
  Table table({{"NODE", Side::kRight},
               {"HOST"},
               {"PID", Side::kRight},
               {"STATE"},
               {"CPU TIME", Side::kRight},
               {"MEMORY", Side::kRight},
               {"FAULTS", Side::kRight},
               {"MESSAGES", Side::kRight},
               {"SENT", Side::kRight},
               {"THREADS", Side::kRight},
               {"WAITING FOR"}});
  for (const ObservedHost& host : state.hosts) {
    for (const NodeView& node : host.nodes) {
      const std::string number = std::to_string(node.node), name = printable(host.name);
      if (!host.answered) {
        table.add({number, name, "", "unknown"});
        continue;
      }
      const Figures figures = figures_of(node);
      table.add({number, name, std::to_string(process_of(node).pid), word_for(node),
                 running_time(milliseconds(figures.processor_ms)), bytes_text(figures.memory_bytes),
                 std::to_string(figures.faults), std::to_string(figures.messages),
                 bytes_text(figures.bytes), std::to_string(figures.threads), waits_of(node)});
    }
  }
  return table.lines();
}

void print_state(const std::string& name, const JobState& state) {
  const auto started = std::chrono::system_clock::time_point(milliseconds(state.started_ms));
  const Figures sum = figures_of(state);
  fmt::print("job       {}, launcher pid {}\n", name, state.pid);
  fmt::print("program   {}\n", printable(command_text(state.command)));
  fmt::print("state     {}\n", word_for(state));
  fmt::print("started   {}, {} ago\n", date_and_time(started),
             running_time(milliseconds(state.age_ms)));
  fmt::print("nodes     {} on {}\n", nodes_text(state), printable(hosts_text(state)));
  fmt::print("memory    {}\n", bytes_text(sum.memory_bytes));
  fmt::print("traffic   {} in {} messages\n\n", bytes_text(sum.bytes), sum.messages);
  print(nodes_table(state));
  const std::vector<std::string> waits = wait_lines(state);
  if (!waits.empty()) fmt::print("\n");
  for (const std::string& each : waits) fmt::print("{}\n", printable(each));
}

// The signals after which `weft kill` waits for the end of the job: others may only be of interest
// to the program. SIGHUP, say, makes many read their settings anew.
bool ends_jobs(int signal) {
  return signal == SIGTERM || signal == SIGKILL || signal == SIGINT || signal == SIGQUIT;
}

// Until it has ended, if the signal asks for that.
Status kill_job(const std::string& name, int signal, const char* version) {
  auto job = find_job(name);
  if (!job) return Failure{job.error()};
  job.value()->ask(JobMessage::kAskSignal, {.version = version, .signal = signal});
  const Status done = job.value()->done(JobLink::Clock::now() + kAnswerLimit);
  if (!done) {
    const bool is_stopped = word_for_silence(job.value()->pid()) == "stopped";
    if (!is_stopped) return done;
    return Failure{fmt::format("{}: its launcher is stopped; `kill -CONT {}` continues it",
                               done.error(), job.value()->pid())};
  }
  if (ends_jobs(signal)) job.value()->wait_for_end();
  return {};
}

}  // namespace

std::optional<int> parse_signal(const std::string& text) {
  std::string name = text;
  std::ranges::transform(name, name.begin(),
                         [](unsigned char each) { return static_cast<char>(std::toupper(each)); });
  if (name.starts_with("SIG")) name.erase(0, 3);
  int number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  const bool is_number = error == std::errc() && end == name.data() + name.size();
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    const char* const known = sigabbrev_np(signal);
    if (is_number ? signal == number : known != nullptr && name == known) return signal;
  }
  return std::nullopt;
}

JobsCommands add_jobs_commands(CLI::App& app, JobsOptions& options) {
  const auto is_signal = [](const std::string& text) {
    return parse_signal(text) ? std::string() : "there is no signal " + text;
  };
  CLI::App* const list = app.add_subcommand("ps", "List your jobs of this host");
  CLI::App* const show = app.add_subcommand("status", "Show a job and its nodes");
  CLI::App* const end = app.add_subcommand("kill", "End jobs, in order");
  for (CLI::App* each : {list, show}) each->add_flag("--json", options.json, "For scripts");
  show->add_option("job", options.job, "The job, if there are several; see `weft ps`")
      ->type_name("JOB");
  end->add_option("-s,--signal", options.signal, "The signal that is sent")
      ->type_name("SIGNAL")
      ->check(CLI::Validator(is_signal, ""))
      ->capture_default_str();
  end->add_option("jobs", options.jobs, "The jobs; see `weft ps`")->type_name("JOB")->required();
  return {.list = list, .show = show, .end = end};
}

int list_jobs(const JobsOptions& options, const char* version) {
  auto jobs = find_jobs();
  if (!jobs) return complain(kFailed, jobs.error());
  const std::vector<Row> rows = ask_all(jobs.value(), version);
  options.json ? print_json(rows) : print_table(rows);
  return 0;
}

int show_job(const JobsOptions& options, const char* version) {
  auto job = find_job(options.job);
  if (!job) return complain(kFailed, job.error());
  job.value()->ask(JobMessage::kAskState, {.version = version, .texts = true});
  const auto state = job.value()->state(JobLink::Clock::now() + kAnswerLimit);
  if (!state) return complain(kFailed, state.error());
  if (options.json) {
    fmt::print("{}\n", as_json(job.value()->name(), state.value(), true));
  } else {
    print_state(job.value()->name(), state.value());
  }
  return 0;
}

int kill_jobs(const JobsOptions& options, const char* version) {
  const std::optional<int> signal = parse_signal(options.signal);
  if (!signal) return complain(kUsage, "there is no signal " + options.signal);
  int status = 0;
  for (const std::string& each : options.jobs) {
    const Status done = kill_job(each, *signal, version);
    if (!done) status = complain(kFailed, done.error());
  }
  return status;
}

}  // namespace weft
