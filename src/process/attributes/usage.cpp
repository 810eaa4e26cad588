// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the process has used: the sum over all nodes that it uses. Time of processors includes what
// Weft's own threads use, as it includes libomp's on one node.
#include <sys/resource.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "libc/interposition/io_bounce.hpp"
#include "libc/kernel_calls/clock.hpp"
#include "process/requests/topics.hpp"
#include "runtime/interface/spreading.hpp"
#include "runtime/interface/thread_usage.hpp"

namespace weft::process {
namespace {

constexpr long kMicrosecondsPerSecond = 1'000'000, kNanosecondsPerSecond = 1'000'000'000;

Answer usage_here(const Request& request) {
  rusage usage = {};
  if (WEFT_REAL(getrusage)(static_cast<__rusage_who_t>(request.a), &usage) != 0) return {-1, errno};
  const ByteView bytes = bytes_of(&usage, sizeof usage);
  return {0, 0, {bytes.begin(), bytes.end()}};
}

Answer clock_here(const Request&) {
  timespec time = {};
  WEFT_REAL(clock_gettime)(CLOCK_PROCESS_CPUTIME_ID, &time);
  return {time.tv_sec * kNanosecondsPerSecond + time.tv_nsec};
}

void add(timeval& sum, const timeval& more) {
  sum.tv_sec += more.tv_sec;
  sum.tv_usec += more.tv_usec;
  if (sum.tv_usec < kMicrosecondsPerSecond) return;
  sum.tv_usec -= kMicrosecondsPerSecond;
  ++sum.tv_sec;
}

void add(rusage& sum, const rusage& more) {
  add(sum.ru_utime, more.ru_utime);
  add(sum.ru_stime, more.ru_stime);
  for (const auto member :
       {&rusage::ru_maxrss, &rusage::ru_ixrss, &rusage::ru_idrss, &rusage::ru_isrss,
        &rusage::ru_minflt, &rusage::ru_majflt, &rusage::ru_nswap, &rusage::ru_inblock,
        &rusage::ru_oublock, &rusage::ru_msgsnd, &rusage::ru_msgrcv, &rusage::ru_nsignals,
        &rusage::ru_nvcsw, &rusage::ru_nivcsw}) {
    sum.*member += more.*member;
  }
}

rusage usage_of_job(Node& node, __rusage_who_t whose) {
  rusage sum = {};
  for (NodeId each; each.value() < nodes_of_program(node.node_count()); ++each) {
    const Answer answer =
        ask_node(node, each, {.call = Call::kUsage, .a = static_cast<std::int64_t>(whose)});
    rusage usage = {};
    if (answer.error == 0) std::memcpy(&usage, answer.bytes.data(), sizeof usage);
    add(sum, usage);
  }
  return sum;
}

// In nanoseconds.
std::int64_t time_of_job(Node& node) {
  std::int64_t sum = 0;
  for (NodeId each; each.value() < nodes_of_program(node.node_count()); ++each) {
    sum += ask_node(node, each, {.call = Call::kClock}).result;
  }
  return sum;
}

// A thread that has moved here: `elsewhere` may be less than nothing.
void add_microseconds(timeval& time, std::int64_t more) {
  const std::int64_t sum = thread_usage::in_microseconds(time) + more;
  time = {sum / kMicrosecondsPerSecond, sum % kMicrosecondsPerSecond};
}

int usage_of_thread(rusage* out) {
  if (libc::call(WEFT_REAL(getrusage), RUSAGE_THREAD, libc::memory(out)) != 0) return -1;
  const ThreadUsage& more = thread_usage::elsewhere;
  add_microseconds(out->ru_utime, more.user_us);
  add_microseconds(out->ru_stime, more.system_us);
  out->ru_minflt += more.minor_faults;
  out->ru_majflt += more.major_faults;
  out->ru_inblock += more.blocks_in;
  out->ru_oublock += more.blocks_out;
  out->ru_nvcsw += more.switches;
  out->ru_nivcsw += more.preemptions;
  return 0;
}

void write_time(timespec* out, std::int64_t nanoseconds) {
  *out = {nanoseconds / kNanosecondsPerSecond, nanoseconds % kNanosecondsPerSecond};
}

int clock_of_thread(timespec* out) {
  if (libc::call(WEFT_REAL(clock_gettime), CLOCK_THREAD_CPUTIME_ID, libc::memory(out)) != 0)
    return -1;
  write_time(out, thread_usage::in_nanoseconds(*out) + thread_usage::elsewhere.clock_ns);
  return 0;
}

clock_t in_ticks(const timeval& time) {
  const long per_second = sysconf(_SC_CLK_TCK);
  return time.tv_sec * per_second + time.tv_usec * per_second / kMicrosecondsPerSecond;
}

}  // namespace

void perform_usage() {
  perform(Call::kUsage, usage_here);
  perform(Call::kClock, clock_here);
}

WEFT_ENTRY(int, getrusage, __rusage_who_t whose, rusage* out) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node != nullptr && whose == RUSAGE_THREAD) return usage_of_thread(out);
  const bool is_job = node != nullptr && (whose == RUSAGE_SELF || whose == RUSAGE_CHILDREN);
  if (!is_job) return libc::call(WEFT_REAL(getrusage), whose, libc::memory(out));
  *out = usage_of_job(*node, whose);
  return 0;
}

WEFT_ENTRY(clock_t, times, tms* out) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr) return libc::call(WEFT_REAL(times), libc::memory(out));
  if (out != nullptr) {
    const rusage own = usage_of_job(*node, RUSAGE_SELF),
                 children = usage_of_job(*node, RUSAGE_CHILDREN);
    *out = {.tms_utime = in_ticks(own.ru_utime),
            .tms_stime = in_ticks(own.ru_stime),
            .tms_cutime = in_ticks(children.ru_utime),
            .tms_cstime = in_ticks(children.ru_stime)};
  }
  return WEFT_REAL(times)(nullptr);
}

WEFT_ENTRY(clock_t, clock, void) {
  Node* const node = WEFT_JOB_OF_CALLER();
  if (node == nullptr) return WEFT_REAL(clock)();
  return time_of_job(*node) / (kNanosecondsPerSecond / CLOCKS_PER_SEC);
}

WEFT_ENTRY(int, clock_gettime, clockid_t clock, timespec* out) {
  const bool is_processors = clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID;
  Node* const node = is_processors ? WEFT_JOB_OF_CALLER() : nullptr;
  if (node == nullptr) return libc::read_clock(clock, out);
  if (clock == CLOCK_THREAD_CPUTIME_ID) return clock_of_thread(out);
  write_time(out, time_of_job(*node));
  return 0;
}

// Of the job's process: its clock is the sum.
WEFT_ENTRY(int, clock_getcpuclockid, pid_t process, clockid_t* out) {
  const bool is_job =
      WEFT_JOB_OF_CALLER() != nullptr && (process == 0 || process == present_job_pid());
  if (!is_job) return WEFT_REAL(clock_getcpuclockid)(process, out);
  *out = CLOCK_PROCESS_CPUTIME_ID;
  return 0;
}

}  // namespace weft::process
