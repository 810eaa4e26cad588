// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program for the launcher's tests: each of its nodes speaks to the launcher as a real node does,
// and then does what the first argument names.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "base/compiler_abi.h"
#include "runtime/bootstrap/bootstrap.hpp"

namespace {

// What the compiler pass leaves in objects.
struct Note {
  unsigned name_bytes = sizeof(WEFT_NOTE_OWNER), description_bytes = sizeof(unsigned);
  unsigned type = WEFT_NOTE_TYPE;
  char owner[8] = WEFT_NOTE_OWNER;
  unsigned version = WEFT_ABI_VERSION;
};
[[gnu::section(".note.weft"), gnu::used]] constexpr Note kNote;

using weft::Bootstrap;
using weft::Bytes;
using Arguments = std::vector<std::string>;

void write_all(int descriptor, const std::string& text) {
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t count = write(descriptor, text.data() + written, text.size() - written);
    if (count < 0) _exit(99);
    written += static_cast<std::size_t>(count);
  }
}

void say(const std::string& line) { write_all(STDOUT_FILENO, line + "\n"); }

void wait_until_read() {
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    int unread = 1;
    while (ioctl(stream, FIONREAD, &unread) == 0 && unread > 0) usleep(100);
  }
}

// A barrier as a node does it: what was printed must have been consumed before.
void barrier(Bootstrap& link) {
  wait_until_read();
  if (!link.exchange({}).ok()) _exit(98);
}

// Until the launcher ends it; it must not have to.
[[noreturn]] void wait_for_the_end(Bootstrap& link) {
  while (!link.job_ended()) {
    pollfd descriptor = {link.descriptor(), POLLIN, 0};
    poll(&descriptor, 1, 30000);
  }
  _exit(97);
}

int do_exchange(Bootstrap& link, const Arguments& arguments) {
  const auto step = static_cast<std::size_t>(std::stoi(arguments.at(0)));
  for (int round = 0; round < 3; ++round) {
    const std::string mine(step * link.self().value(), static_cast<char>('a' + round));
    const auto bytes = std::as_bytes(std::span(mine));
    const auto all = link.exchange(Bytes(bytes.begin(), bytes.end()));
    if (!all.ok() || all.value().size() != link.node_count()) return 1;
    for (std::size_t node = 0; node < all.value().size(); ++node) {
      if (all.value()[node] != Bytes(step * node, static_cast<std::byte>('a' + round))) return 2;
    }
  }
  return 0;
}

// unreadable PEER: node 0 says that it cannot read what that node has sent.
int do_unreadable(Bootstrap& link, const Arguments& arguments) {
  const weft::NodeId peer(static_cast<std::uint16_t>(std::stoi(arguments.at(0))));
  if (link.self() == weft::NodeId(0)) link.report_unreadable(peer, "LockGrant of 25 bytes");
  wait_for_the_end(link);
}

// meet BYTES: as a node does before main, with so many bytes of its own.
int do_meet(Bootstrap& link, const Arguments& arguments) {
  const auto all = link.exchange(Bytes(std::stoul(arguments.at(0))));
  if (!all.ok() || all.value().size() != link.node_count()) return 1;
  if (link.self() == weft::NodeId(0)) say("main");
  return 0;
}

int do_noise(Bootstrap& link, const Arguments& arguments) {
  const int rounds = std::stoi(arguments.at(0));
  const int lines = std::stoi(arguments.at(1));
  for (int round = 0; round < rounds; ++round) {
    for (int line = 0; line < lines; ++line) {
      // In two writes, so that lines of several nodes would mix if nobody put them together.
      write_all(STDOUT_FILENO, fmt::format("round {} node {} ", round, link.self().value()));
      write_all(STDOUT_FILENO, fmt::format("line {} {}\n", line, std::string(200, 'x')));
    }
    barrier(link);
  }
  return 0;
}

int do_environment(Bootstrap& link, const Arguments& arguments) {
  for (const std::string& name : arguments) {
    const char* const value = getenv(name.c_str());
    say(fmt::format("{} {}={}", link.self().value(), name, value == nullptr ? "(unset)" : value));
  }
  say(fmt::format("{} threads={} randomized={}", link.self().value(), link.threads_per_node(),
                  (personality(0xffffffff) & ADDR_NO_RANDOMIZE) == 0));
  return 0;
}

int do_processors(Bootstrap& link, const Arguments&) {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return 1;
  std::string numbers;
  for (int each = 0; each < CPU_SETSIZE; ++each) {
    if (CPU_ISSET(each, &set)) numbers += fmt::format(" {}", each);
  }
  say(fmt::format("{} processors{}; crowded {}", link.self().value(), numbers,
                  link.oversubscribed()));
  return 0;
}

// exit NODE STATUS: that node ends by itself, the others wait.
int do_exit(Bootstrap& link, const Arguments& arguments) {
  barrier(link);
  if (link.self().value() != std::stoi(arguments.at(0))) wait_for_the_end(link);
  _exit(std::stoi(arguments.at(1)));
}

int do_kill(Bootstrap& link, const Arguments& arguments) {
  barrier(link);
  if (link.self().value() != std::stoi(arguments.at(0))) wait_for_the_end(link);
  kill(getpid(), std::stoi(arguments.at(1)));
  wait_for_the_end(link);
}

int do_call_exit(Bootstrap& link, const Arguments& arguments) {
  barrier(link);
  if (link.self().value() != std::stoi(arguments.at(0))) wait_for_the_end(link);
  const int status = std::stoi(arguments.at(1));
  say("leaving");
  link.report_finished(status);
  _exit(status);
}

int do_fail(Bootstrap& link, const Arguments& arguments) {
  barrier(link);
  if (link.self().value() != std::stoi(arguments.at(0))) wait_for_the_end(link);
  link.report_failure("the loom is broken");
  _exit(3);
}

// lose NODE [alive]: node 0 loses its connection to that node, which dies of it unless alive.
int do_lose(Bootstrap& link, const Arguments& arguments) {
  barrier(link);
  const weft::NodeId lost(static_cast<std::uint16_t>(std::stoi(arguments.at(0))));
  if (link.self() == weft::NodeId(0)) link.report_lost_peer(lost, "connection reset");
  barrier(link);  // the launcher has read the report
  if (link.self() == lost && arguments.at(1) != "alive") raise(SIGSEGV);
  wait_for_the_end(link);
}

int do_wait(Bootstrap& link, const Arguments&) {
  say(fmt::format("pid {}", getpid()));
  wait_for_the_end(link);
}

volatile sig_atomic_t seen_signal = 0;

// handle SIGNAL STATUS: node 0 handles it and exits; the others leave when it has.
int do_handle(Bootstrap& link, const Arguments& arguments) {
  if (link.self() == weft::NodeId(0)) {
    signal(std::stoi(arguments.at(0)), [](int number) { seen_signal = number; });
    say("ready");
    while (seen_signal == 0) usleep(1000);
    say("handled");
    return std::stoi(arguments.at(1));
  }
  return 0;  // and wait for node 0
}

int do_ignore(Bootstrap& link, const Arguments&) {
  signal(SIGTERM, SIG_IGN);
  say("ready");
  wait_for_the_end(link);
}

int do_input(Bootstrap& link, const Arguments&) {
  std::string line;
  int lines = 0;
  while (std::getline(std::cin, line)) ++lines;
  say(fmt::format("{} read {} lines", link.self().value(), lines));
  return 0;
}

int do_partial(Bootstrap& link, const Arguments&) {
  write_all(STDOUT_FILENO, fmt::format("no newline from {}", link.self().value()));
  return 0;
}

// settle DESCRIPTOR: a piece of a line gets its place, and then a word goes to the descriptor.
int do_settle(Bootstrap& link, const Arguments& arguments) {
  write_all(STDOUT_FILENO, "piece ");
  wait_until_read();
  link.report_settled_output();
  write_all(std::stoi(arguments.at(0)), "settled");
  wait_for_the_end(link);
}

int do_ask(Bootstrap& link, const Arguments&) {
  if (link.self() != weft::NodeId(0)) return 0;
  write_all(STDOUT_FILENO, "Name? ");
  std::string name;
  std::getline(std::cin, name);
  say("hello " + name);
  return 0;
}

int do_orphan(Bootstrap& link, const Arguments&) {
  // A process that leaves its group, its session and its parent.
  int ready[2];
  if (pipe(ready) != 0) return 1;
  const pid_t orphan = fork();
  if (orphan == 0) {
    setsid();
    prctl(PR_SET_PDEATHSIG, 0);
    write_all(ready[1], "x");
    sleep(600);  // it must be ended; a test that fails leaves it for so long
    _exit(0);
  }
  char byte = 0;
  if (read(ready[0], &byte, 1) != 1) return 1;
  say(fmt::format("pid {}", orphan));
  return 0;
}

int do_fill(Bootstrap& link, const Arguments&) {
  signal(SIGPIPE, SIG_DFL);
  while (true) say(std::string(1000, 'x'));
}

}  // namespace

int main(int argc, char** argv) {
  auto link = Bootstrap::from_environment();
  if (!link.ok() || link.value() == nullptr) {
    say(fmt::format("alone with OMP_NUM_THREADS={}", getenv("OMP_NUM_THREADS")));
    if (argc > 1 && std::string(argv[1]) == "wait") sleep(600);  // it must be ended
    return 42;
  }
  using Action = int (*)(Bootstrap&, const Arguments&);
  const std::map<std::string, Action> actions = {
      {"exchange", do_exchange},
      {"noise", do_noise},
      {"processors", do_processors},
      {"environment", do_environment},
      {"exit", do_exit},
      {"kill", do_kill},
      {"call-exit", do_call_exit},
      {"fail", do_fail},
      {"lose", do_lose},
      {"unreadable", do_unreadable},
      {"wait", do_wait},
      {"handle", do_handle},
      {"ignore", do_ignore},
      {"input", do_input},
      {"partial", do_partial},
      {"settle", do_settle},
      {"orphan", do_orphan},
      {"fill", do_fill},
      {"ask", do_ask},
      {"meet", do_meet},
  };
  const Arguments arguments(argv + 2, argv + argc);
  const int status = actions.at(argv[1])(*link.value(), arguments);
  // Node 0 speaks for the program; the others leave once it has.
  if (link.value()->self() == weft::NodeId(0)) link.value()->report_finished(status);
  if (!link.value()->exchange({}).ok()) return 96;
  return status;
}
