// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/top/top.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include "weft/jobs/job_link.hpp"
#include "weft/text/durations.hpp"
#include "weft/top/screen.hpp"
#include "weft/top/top_table.hpp"

namespace weft {
namespace {

using Clock = JobLink::Clock;
using std::chrono::milliseconds;

constexpr int kFailed = 1;
constexpr std::uint64_t kShortestMs = 100;
constexpr milliseconds kPatience{3000};  // after which the page says that there is no answer

constexpr const char* kKeys = "q quits, t shows threads, arrows scroll";

int complain(const std::string& sentence) {
  fmt::print(stderr, "weft: {}\n", sentence);
  return kFailed;
}

int open_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int each : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH})
    sigaddset(&set, each);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

// The page in a terminal, until somebody or the job ends it.
class Page {
 public:
  Page(JobLink& job, const TopOptions& options, const char* version)
      : job_(job),
        options_(options),
        version_(version),
        threads_(options.threads),
        signals_(open_signals()) {}
  ~Page() { close(signals_); }
  Page(const Page&) = delete;
  Page& operator=(const Page&) = delete;

  int run() {
    while (!status_) {
      if (Clock::now() >= next_) on_tick();
      wait();
    }
    screen_.leave();
    if (!last_words_.empty()) complain(last_words_);
    return *status_;
  }

 private:
  void on_tick() {
    next_ = Clock::now() + milliseconds(options_.interval_ms);
    if (!asked_) {
      asked_ = Clock::now();
      job_.ask(JobMessage::kAskState, {.version = version_});
    } else if (Clock::now() - *asked_ > kPatience) {
      draw();
    }
  }

  void wait() {
    pollfd all[] = {{job_.descriptor(), POLLIN, 0},
                    {signals_, POLLIN, 0},
                    {keys_ ? STDIN_FILENO : -1, POLLIN, 0}};
    const auto left = std::chrono::ceil<milliseconds>(next_ - Clock::now()).count();
    poll(all, std::size(all), static_cast<int>(std::max<std::int64_t>(left, 0)));
    if (all[0].revents != 0) on_answer();
    if (all[1].revents != 0) on_signal();
    if (all[2].revents != 0) on_keys();
  }

  void on_answer() {
    auto state = job_.state(Clock::now() + kAnswerLimit);
    if (!state) return end(job_.has_ended() ? 0 : kFailed, state.error());
    asked_.reset();
    before_ = std::exchange(now_, std::make_unique<JobState>(std::move(state.value())));
    draw();
  }

  void on_signal() {
    signalfd_siginfo info;
    if (read(signals_, &info, sizeof info) != sizeof info) return;
    const int signal = static_cast<int>(info.ssi_signo);
    if (signal == SIGWINCH) return draw();
    if (signal != SIGTSTP) return end(signal == SIGINT ? 0 : 128 + signal, "");
    screen_.leave();
    raise(SIGSTOP);
    screen_.enter();
    draw();
  }

  void on_keys() {
    char keys[64];
    const ssize_t count = read(STDIN_FILENO, keys, sizeof keys);
    if (count <= 0) keys_ = false;
    for (ssize_t at = 0; at < count; ++at) on_key(keys[at]);
    draw();
  }

  // An arrow is the sequence ESC [ A or ESC [ B, of which the last letter tells.
  void on_key(char key) {
    if (key == 'q' || key == 'Q') end(0, "");
    if (key == 't') threads_ = !threads_;
    if (key == 'B' || key == 'j') ++first_;
    if ((key == 'A' || key == 'k') && first_ > 0) --first_;
  }

  void draw() {
    if (!now_) return;
    std::vector<std::string> lines =
        top_lines(job_.name(), {.before = before_ ? *before_ : *now_, .now = *now_}, threads_);
    std::string& head = lines[1];
    const auto silent = asked_ ? Clock::now() - *asked_ : Clock::duration::zero();
    if (silent > kPatience) {
      head += fmt::format("; no answer for {}",
                          running_time(std::chrono::duration_cast<milliseconds>(silent)));
    }
    head += fmt::format("    ({})", kKeys);
    first_ = std::min(first_, lines.size() - 1);
    screen_.draw(lines, first_);
  }

  void end(int status, std::string last_words) {
    status_ = status;
    last_words_ = std::move(last_words);
  }

  JobLink& job_;
  const TopOptions& options_;
  const char* version_;
  bool threads_;
  int signals_;
  bool keys_ = isatty(STDIN_FILENO) != 0;
  Screen screen_;
  Clock::time_point next_ = Clock::now();
  std::optional<Clock::time_point> asked_;  // since when there is no answer
  std::unique_ptr<JobState> before_, now_;
  std::size_t first_ = 0;  // line that is shown
  std::optional<int> status_;
  std::string last_words_;
};

Result<JobState> look(JobLink& job, const char* version) {
  job.ask(JobMessage::kAskState, {.version = version});
  return job.state(Clock::now() + kAnswerLimit);
}

// Rates need two looks.
int show_once(JobLink& job, const TopOptions& options, const char* version) {
  const auto before = look(job, version);
  if (!before) return complain(before.error());
  pollfd ended = {job.descriptor(), POLLIN, 0};
  poll(&ended, 1, static_cast<int>(options.interval_ms));
  const auto now = look(job, version);
  if (!now) return complain(now.error());
  for (const std::string& each :
       top_lines(job.name(), {.before = before.value(), .now = now.value()}, options.threads)) {
    fmt::print("{}\n", each);
  }
  return 0;
}

}  // namespace

CLI::App* add_top_command(CLI::App& app, TopOptions& options) {
  const auto as_milliseconds = [](std::string& text) {
    const auto duration = parse_duration(text);
    if (!duration || duration->count() < static_cast<std::int64_t>(kShortestMs) ||
        *duration > std::chrono::hours(24)) {
      return text + " is no time from 100ms to 1d";
    }
    text = std::to_string(duration->count());
    return std::string();
  };
  CLI::App* const top = app.add_subcommand("top", "Watch a job, its nodes and threads");
  top->add_option("--interval", options.interval_ms, "Time between two looks, such as 2s; 1s")
      ->transform(CLI::Validator(as_milliseconds, "TIME"))
      ->type_name("");
  top->add_flag("--threads", options.threads, "A line for each thread, too");
  top->add_flag("--once", options.once, "Print one table, after one interval");
  top->add_option("job", options.job, "The job, if there are several; see `weft ps`")
      ->type_name("JOB");
  return top;
}

int watch_job(const TopOptions& options, const char* version) {
  auto job = find_job(options.job);
  if (!job) return complain(job.error());
  if (options.once || isatty(STDOUT_FILENO) == 0) return show_once(*job.value(), options, version);
  return Page(*job.value(), options, version).run();
}

}  // namespace weft
