// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Who the process is: its number and its parent's are node 0's, as are its group and session.
// Users and groups are changed on all nodes.
#include <grp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "libc/interposition/interpose.hpp"
#include "process/attributes/main_thread.hpp"
#include "process/requests/topics.hpp"
#include "runtime/interface/main_thread.hpp"
#include "stacks/stacks.hpp"

namespace weft::process {
namespace {

Identity job_identity;

enum Ids : std::int64_t {
  kUser,
  kGroup,
  kEffectiveUser,
  kEffectiveGroup,
  kTwoUsers,
  kTwoGroups,
  kThreeUsers,
  kThreeGroups
};

struct IdList {
  unsigned ids[3];
};

int set_ids(std::int64_t which, const IdList& to) {
  const auto [a, b, c] = to.ids;
  switch (which) {
    case kUser:
      return WEFT_REAL(setuid)(a);
    case kGroup:
      return WEFT_REAL(setgid)(a);
    case kEffectiveUser:
      return WEFT_REAL(seteuid)(a);
    case kEffectiveGroup:
      return WEFT_REAL(setegid)(a);
    case kTwoUsers:
      return WEFT_REAL(setreuid)(a, b);
    case kTwoGroups:
      return WEFT_REAL(setregid)(a, b);
    case kThreeUsers:
      return WEFT_REAL(setresuid)(a, b, c);
    default:
      return WEFT_REAL(setresgid)(a, b, c);
  }
}

// The kernel hides a process whose rights have changed from others, also from those that have the
// same: nodes of a host could no longer open each other's memory.
Answer perform_ids(const Request& request) {
  IdList ids = {};
  std::memcpy(&ids, request.bytes.data(), sizeof ids);
  const Answer answer = answer_of(set_ids(request.a, ids));
  ::prctl(PR_SET_DUMPABLE, 1);
  return answer;
}

Answer perform_groups(const Request& request) {
  std::vector<gid_t> groups(request.bytes.size() / sizeof(gid_t));
  if (!groups.empty()) std::memcpy(groups.data(), request.bytes.data(), request.bytes.size());
  return answer_of(WEFT_REAL(setgroups)(groups.size(), groups.data()));
}

// Of the main thread: those that it makes later have it, too, as on one node.
Answer perform_priority(const Request& request) {
  const auto thread = static_cast<id_t>(main_thread_of_node);
  return answer_of(WEFT_REAL(setpriority)(PRIO_PROCESS, thread, static_cast<int>(request.a)));
}

int ask_first(Node& node, const Request& request) {
  return static_cast<int>(result_of(ask_node(node, NodeId(0), request)));
}

}  // namespace

Identity present_identity() {
  return {WEFT_REAL(getpid)(), WEFT_REAL(getppid)(), static_cast<int>(main_thread_of_node)};
}

void adopt_identity(const Identity& identity) {
  job_identity = identity;
  adopt_main_thread(identity.pid, identity.main_thread);
  adopt_process_elsewhere();
}
int present_job_pid() { return job_identity.pid; }

void perform_identity() {
  perform(Call::kSetIds, perform_ids);
  perform(Call::kSetGroups, perform_groups);
  perform(Call::kSetPriority, perform_priority);
  perform(Call::kSetSession, [](const Request&) { return answer_of(WEFT_REAL(setsid)()); });
  perform(Call::kGetGroupOfProcesses,
          [](const Request& r) { return answer_of(WEFT_REAL(getpgid)(static_cast<pid_t>(r.a))); });
  perform(Call::kGetSession,
          [](const Request& r) { return answer_of(WEFT_REAL(getsid)(static_cast<pid_t>(r.a))); });
  perform(Call::kSetGroupOfProcesses, [](const Request& r) {
    return answer_of(WEFT_REAL(setpgid)(static_cast<pid_t>(r.a), static_cast<pid_t>(r.b)));
  });
}

WEFT_ENTRY(pid_t, getpid, void) {
  return WEFT_JOB_OF_CALLER() == nullptr ? WEFT_REAL(getpid)() : job_identity.pid;
}
WEFT_ENTRY(pid_t, __getpid, void) {
  return WEFT_JOB_OF_CALLER() == nullptr ? WEFT_REAL(getpid)() : job_identity.pid;
}
WEFT_ENTRY(pid_t, getppid, void) {
  return WEFT_JOB_OF_CALLER() == nullptr ? WEFT_REAL(getppid)() : job_identity.parent;
}
// The process of the node that the caller runs on (weft/process.h).
WEFT_ENTRY(pid_t, weft_node_pid, void) { return WEFT_REAL(getpid)(); }

// A group or session is the kernel's, of node 0's host; it is asked about node 0's process.
WEFT_ENTRY(pid_t, getpgid, pid_t process) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr) return WEFT_REAL(getpgid)(process);
  if (node->is_on_one_host()) return WEFT_REAL(getpgid)(process == 0 ? job_identity.pid : process);
  return ask_first(*node, {.call = Call::kGetGroupOfProcesses, .a = process});
}
WEFT_ENTRY(pid_t, getpgrp, void) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr) return WEFT_REAL(getpgrp)();
  if (node->is_on_one_host()) return WEFT_REAL(getpgid)(job_identity.pid);
  return ask_first(*node, {.call = Call::kGetGroupOfProcesses});
}
WEFT_ENTRY(pid_t, getsid, pid_t process) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr) return WEFT_REAL(getsid)(process);
  if (node->is_on_one_host()) return WEFT_REAL(getsid)(process == 0 ? job_identity.pid : process);
  return ask_first(*node, {.call = Call::kGetSession, .a = process});
}
WEFT_ENTRY(pid_t, setsid, void) {
  Node* const node = WEFT_JOB_OF_CALLER();
  return node == nullptr ? WEFT_REAL(setsid)() : ask_first(*node, {.call = Call::kSetSession});
}
WEFT_ENTRY(int, setpgid, pid_t process, pid_t group) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr) return WEFT_REAL(setpgid)(process, group);
  return ask_first(*node, {.call = Call::kSetGroupOfProcesses, .a = process, .b = group});
}
WEFT_ENTRY(int, setpgrp, void) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr) return WEFT_REAL(setpgid)(0, 0);
  return ask_first(*node, {.call = Call::kSetGroupOfProcesses});
}

#define WEFT_SET_IDS(name, which, parameters, names)                                        \
  WEFT_ENTRY(int, name, WEFT_LIST parameters) {                                             \
    Node* const node = WEFT_JOB_OF_CALLER();                                                \
    if (node == nullptr) return WEFT_REAL(name) names;                                      \
    const IdList ids = {WEFT_BRACED names};                                                 \
    return static_cast<int>(result_of(everywhere(                                           \
        *node, {.call = Call::kSetIds, .a = which, .bytes = bytes_of(&ids, sizeof ids)}))); \
  }
#define WEFT_LIST(...) __VA_ARGS__
#define WEFT_BRACED(...) {__VA_ARGS__}
WEFT_SET_IDS(setuid, kUser, (uid_t a), (a))
WEFT_SET_IDS(setgid, kGroup, (gid_t a), (a))
WEFT_SET_IDS(seteuid, kEffectiveUser, (uid_t a), (a))
WEFT_SET_IDS(setegid, kEffectiveGroup, (gid_t a), (a))
WEFT_SET_IDS(setreuid, kTwoUsers, (uid_t a, uid_t b), (a, b))
WEFT_SET_IDS(setregid, kTwoGroups, (gid_t a, gid_t b), (a, b))
WEFT_SET_IDS(setresuid, kThreeUsers, (uid_t a, uid_t b, uid_t c), (a, b, c))
WEFT_SET_IDS(setresgid, kThreeGroups, (gid_t a, gid_t b, gid_t c), (a, b, c))

WEFT_ENTRY(int, setgroups, std::size_t count, const gid_t* groups) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr) return WEFT_REAL(setgroups)(count, groups);
  const ByteView bytes = bytes_of(groups, count * sizeof *groups);
  return static_cast<int>(result_of(everywhere(*node, {.call = Call::kSetGroups, .bytes = bytes})));
}

WEFT_ENTRY(int, initgroups, const char* user, gid_t first) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr) return WEFT_REAL(initgroups)(user, first);
  return on_runtime_stack([=] {
    int count = 64;
    std::vector<gid_t> groups(static_cast<std::size_t>(count));
    while (getgrouplist(user, first, groups.data(), &count) < 0) {
      groups.resize(static_cast<std::size_t>(count));
    }
    const ByteView bytes = bytes_of(groups.data(), static_cast<std::size_t>(count) * sizeof(gid_t));
    const Request request = {.call = Call::kSetGroups, .bytes = bytes};
    return static_cast<int>(result_of(everywhere(*node, request)));
  });
}

// Linux knows priorities of threads. The main thread's is the process's to most programs.
WEFT_ENTRY(int, setpriority, __priority_which which, id_t whom, int priority) {
  Node* const node = WEFT_JOB_OF_CALLER();
  const bool is_job =
      node != nullptr && which == PRIO_PROCESS &&
      (whom == static_cast<id_t>(job_identity.pid) || (whom == 0 && runs_main(*node)));
  if (is_job) {
    return static_cast<int>(
        result_of(everywhere(*node, {.call = Call::kSetPriority, .a = priority})));
  }
  if (node == nullptr || whom == 0 || which == PRIO_USER) {
    return WEFT_REAL(setpriority)(which, whom, priority);
  }
  const ThreadMeant meant = priority_meant(static_cast<int>(which), static_cast<pid_t>(whom));
  const KernelCall call = {.number = SYS_setpriority,
                           .arguments = {static_cast<long>(which), meant.thread, priority}};
  return static_cast<int>(made_by(*node, meant.node, call));
}
WEFT_ENTRY(int, nice, int by) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr || !runs_main(*node)) return WEFT_REAL(nice)(by);
  errno = 0;
  const int present = WEFT_REAL(getpriority)(PRIO_PROCESS, 0);
  if (present == -1 && errno != 0) return -1;
  const int wanted = present + by < -20 ? -20 : present + by > 19 ? 19 : present + by;
  const Answer answer = everywhere(*node, {.call = Call::kSetPriority, .a = wanted});
  if (answer.error == 0) return wanted;
  errno = answer.error == EACCES ? EPERM : answer.error;
  return -1;
}

}  // namespace weft::process
