// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/task/task_node.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>

#include "base/codec.hpp"
#include "weft/job/endings.hpp"
#include "weft/job/job.hpp"
#include "weft/nodes/descendants.hpp"

namespace weft {
namespace {

constexpr unsigned kFailureGraceMs = 1000;  // for a node that has said why the job ends
// A launcher that kills all that it has started kills nodes and tasks one after another.
constexpr unsigned kKilledGraceMs = 200;

bool is_unread_pipe(int descriptor) {
  struct stat status = {};
  int bytes = 0;
  return fstat(descriptor, &status) == 0 && S_ISFIFO(status.st_mode) &&
         ioctl(descriptor, FIONREAD, &bytes) == 0 && bytes > 0;
}

}  // namespace

// What the launcher has not read when it ends the tasks may be lost.
void TaskNode::say(const std::string& sentence) {
  constexpr int kMostPauses = 200;
  fmt::print(stderr, "weft: {}\n", sentence);
  for (int pauses = 0; pauses < kMostPauses && is_unread_pipe(STDERR_FILENO); ++pauses) {
    constexpr timespec kPause = {0, 1'000'000};
    nanosleep(&kPause, nullptr);
  }
}

TaskNode::TaskNode(LauncherLink& launcher, LocalNodes& node, TaskPlace place)
    : launcher_(launcher),
      node_(node),
      place_(std::move(place)),
      signals_(open_signals()),
      exchanged_(eventfd(0, EFD_CLOEXEC)),
      result_(Failure{}) {
  start_watch();
}

TaskNode::~TaskNode() {
  if (exchanging_.joinable()) exchanging_.join();
  close(exchanged_);
  close(signals_);
}

int TaskNode::run() {
  while (stage_ != Stage::kLeft) {
    pollfd waiting[] = {{signals_, POLLIN, 0},
                        {node_.descriptor(), POLLIN, 0},
                        {exchanged_, POLLIN, 0},
                        {launcher_.descriptor(), POLLRDHUP, 0},
                        {watch_ ? watch_->descriptor() : -1, POLLIN, 0},
                        {link_ ? link_->descriptor() : -1, link_ ? link_->events() : short{0}, 0}};
    poll(waiting, std::size(waiting), timeout_ms());
    if (waiting[0].revents != 0) on_signal();
    if (waiting[1].revents != 0) node_.handle(*this);
    if (waiting[2].revents != 0) on_exchanged();
    // Without the launcher nobody ends the others but each for itself.
    if (waiting[3].revents != 0) {
      hide_job();
      _exit(1);
    }
    if (waiting[4].revents != 0) watch_->handle(*this);
    if (waiting[5].revents != 0) link_->handle(node_);
    if (watch_) watch_->handle_time();
    if (deadline_ && *deadline_ <= Clock::now()) on_deadline();
  }
  launcher_.leave();
  return is_first() ? status_ : 0;
}

void TaskNode::on_message(unsigned node, BootstrapMessage kind, const Bytes& body) {
  switch (kind) {
    case BootstrapMessage::kExchange:
      has_joined_ = true;
      return exchange(to_bytes(
          TaskExchange{.node = body, .socket = socket() == nullptr ? "" : socket()->path()}));
    case BootstrapMessage::kFinished:
      return on_finished(from_bytes<int>(body).value_or(1));
    case BootstrapMessage::kFailure:
      return on_failure(sentence_in(body));
    case BootstrapMessage::kLostPeer:
      return on_lost_peer(body);
    case BootstrapMessage::kUnreadable:
      return on_unreadable(from_bytes<UnreadablePeer>(body).value_or(UnreadablePeer()));
    case BootstrapMessage::kSettled:  // how lines are put together is the launcher's business
      return node_.send(node, BootstrapMessage::kSettleTaken, {});
    case BootstrapMessage::kExchanged:
    case BootstrapMessage::kSettleTaken:
    case BootstrapMessage::kCallPlaces:  // answered
    case BootstrapMessage::kCallTexts:
      return;
  }
}

void TaskNode::on_finished(int status) {
  if (!is_first() || (status & kEndAtOnce) != 0) end_job(status & 0xff, "");
  finished_ = true;
  status_ = status & 0xff;
}

void TaskNode::on_failure(const std::string& sentence) {
  fail(fmt::format("{}: {}", name(), sentence));
}

void TaskNode::on_unreadable(const UnreadablePeer& found) {
  fail(cannot_read(name(), fmt::format("node {}", found.peer.value()), found.what));
}

void TaskNode::fail(const std::string& sentence) {
  failed_ = true;
  say(sentence);
  set_deadline(kFailureGraceMs, "");
}

void TaskNode::on_lost_peer(const Bytes& body) {
  if (failed_ || deadline_) return;
  set_deadline(kLostPeerGraceMs,
               lost_connection(name(), from_bytes<LostPeer>(body).value_or(LostPeer())));
}

void TaskNode::on_death(unsigned /*node*/, NodeDeath death) {
  // The launcher would end the dump with all else.
  if (death.goes_on) return;
  on_signal();  // which may explain it
  if (failed_) end_job(1, "");
  if (death.code == CLD_EXITED) return on_exit(death.value);
  const int number = death.value;
  const bool asked_for = number == last_signal_ || (is_first() && number == SIGPIPE);
  const std::string sentence = asked_for ? "" : killed_by(name(), number);
  if (number != SIGKILL) end_job(128 + number, sentence);
  set_deadline(kKilledGraceMs, sentence, 128 + number);
}

void TaskNode::on_exit(int status) {
  // Such a program says before it exits that it does (JobSupervisor::on_early_exit).
  if (place_.joins_itself && !finished_ && (is_first() || !has_joined_)) {
    if (!has_joined_ && status == 0) end_job(1, never_joined(name()));
    end_job(status == 0 ? 1 : status, exited_early(name(), status));
  }
  if (is_first() && !finished_) end_job(status, "");
  if (!is_first() && status != 0) {
    end_job(status, exited_early(name(), status));
  }
  leave(status);
}

// All have left their nodes behind before the first task exits: launchers end the others as soon as
// one has a status that is not 0.
void TaskNode::leave(int status) {
  kill_descendants();
  status_ = status;
  stage_ = Stage::kLeaving;
  deadline_.reset();
  if (is_first()) {
    set_deadline(kFinishGraceMs, kNotAllHaveEnded);
  } else {
    set_deadline(kEarlyExitGraceMs, exited_early(name(), 0));
  }
  exchange({});
}

void TaskNode::exchange(Bytes mine) {
  if (exchanging_.joinable()) {
    end_job(1, fmt::format("{} speaks another version of the protocol", name()));
  }
  exchanging_ = std::thread([this, mine = std::move(mine)] {
    result_ = launcher_.exchange(mine);
    (void)eventfd_write(exchanged_, 1);
  });
}

void TaskNode::on_exchanged() {
  eventfd_t count = 0;
  (void)eventfd_read(exchanged_, &count);
  exchanging_.join();
  exchanging_ = std::thread();
  const bool is_leaving = stage_ == Stage::kLeaving;
  if (!result_ && is_leaving) end_job(status_, "");  // another task has said why
  if (!result_) end_job(1, fmt::format("{}: {}", name(), result_.error()));
  if (is_leaving) {
    stage_ = Stage::kLeft;
  } else {
    hand_over(result_.value());
  }
}

void TaskNode::hand_over(const std::vector<Bytes>& all) {
  std::vector<Bytes> of_nodes;
  for (unsigned rank = 0; rank < all.size(); ++rank) {
    auto each = from_bytes<TaskExchange>(all[rank]);
    if (!each) end_job(1, fmt::format("task {} says what no task of this Weft says", rank));
    of_nodes.push_back(std::move(each->node));
    // By now the host's first task has its socket.
    if (rank == place_.nodes_here.front() && !watch_ && !link_ && !each->socket.empty()) {
      link_ = TaskLink::connect(each->socket, place_.version.c_str(), launcher_.rank());
    }
  }
  node_.send(launcher_.rank(), BootstrapMessage::kExchanged, to_bytes(of_nodes));
}

// Node 0 runs main() and has the handlers that the program installed; the others follow it.
void TaskNode::on_signal() {
  signalfd_siginfo info;
  if (read(signals_, &info, sizeof info) != sizeof info) return;
  const int number = static_cast<int>(info.ssi_signo);
  if (number == SIGTSTP) {
    node_.signal(launcher_.rank(), SIGSTOP);
    raise(SIGSTOP);
    node_.signal(launcher_.rank(), SIGCONT);
    return;
  }
  if (number == SIGCONT) return node_.signal(launcher_.rank(), SIGCONT);
  pass_on(number);
}

void TaskNode::pass_on(int signal) {
  last_signal_ = signal;
  if (is_first()) node_.signal(launcher_.rank(), signal);
  // A process that is stopped takes no signal.
  if (asks_to_end(signal) && std::exchange(stopped_, false)) signal_all_here(SIGCONT);
}

void TaskNode::set_deadline(unsigned milliseconds, std::string sentence, int status) {
  deadline_ = Clock::now() + std::chrono::milliseconds(milliseconds);
  deadline_sentence_ = std::move(sentence);
  deadline_status_ = status;
}

int TaskNode::timeout_ms() const {
  auto until = watch_ ? watch_->due() : std::nullopt;
  if (deadline_) until = until ? std::min(*until, *deadline_) : *deadline_;
  if (!until) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*until - Clock::now()).count();
  return static_cast<int>(std::max<std::int64_t>(left, 0));
}

void TaskNode::on_deadline() {
  const bool is_end = stage_ == Stage::kLeaving && status_ != 0;
  end_job(is_end ? status_ : deadline_status_, deadline_sentence_);
}

void TaskNode::end_job(int status, const std::string& sentence) {
  if (!sentence.empty()) say(sentence);
  node_.signal(launcher_.rank(), SIGKILL);
  kill_descendants();
  hide_job();
  launcher_.abort(status, sentence);
  _exit(status);  // the other thread may be waiting for the launcher
}

}  // namespace weft
