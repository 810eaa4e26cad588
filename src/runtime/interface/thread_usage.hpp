// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the kernel counts of each thread: CLOCK_THREAD_CPUTIME_ID, and getrusage of RUSAGE_THREAD. A
// thread of the program that goes on at another node is another one for the kernel there, so Weft
// adds what is missing: to the program its counts never run backwards.
#pragma once

#include <sys/resource.h>
#include <time.h>

#include <array>
#include <cstdint>

#include "base/codec.hpp"

namespace weft {

struct ThreadUsage {
  std::int64_t clock_ns = 0;
  std::int64_t user_us = 0, system_us = 0;
  std::int64_t minor_faults = 0, major_faults = 0, blocks_in = 0, blocks_out = 0;
  std::int64_t switches = 0, preemptions = 0;
  WEFT_FIELDS(self.clock_ns, self.user_us, self.system_us, self.minor_faults, self.major_faults,
              self.blocks_in, self.blocks_out, self.switches, self.preemptions)
};

namespace thread_usage {

constexpr std::array kMembers = {
    &ThreadUsage::clock_ns,     &ThreadUsage::user_us,      &ThreadUsage::system_us,
    &ThreadUsage::minor_faults, &ThreadUsage::major_faults, &ThreadUsage::blocks_in,
    &ThreadUsage::blocks_out,   &ThreadUsage::switches,     &ThreadUsage::preemptions};

// What the calling thread's is more than the kernel's, which never had the thread before.
inline constinit thread_local ThreadUsage elsewhere = {};

inline std::int64_t in_nanoseconds(const timespec& time) {
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}
inline std::int64_t in_microseconds(const timeval& time) {
  return time.tv_sec * 1'000'000LL + time.tv_usec;
}

// `sign` times `of`, added.
inline void add(ThreadUsage& sum, const ThreadUsage& of, int sign) {
  for (const auto member : kMembers) sum.*member += sign * of.*member;
}

inline ThreadUsage of_kernel(const timespec& clock, const rusage& usage) {
  return {.clock_ns = in_nanoseconds(clock),
          .user_us = in_microseconds(usage.ru_utime),
          .system_us = in_microseconds(usage.ru_stime),
          .minor_faults = usage.ru_minflt,
          .major_faults = usage.ru_majflt,
          .blocks_in = usage.ru_inblock,
          .blocks_out = usage.ru_oublock,
          .switches = usage.ru_nvcsw,
          .preemptions = usage.ru_nivcsw};
}

}  // namespace thread_usage
}  // namespace weft
