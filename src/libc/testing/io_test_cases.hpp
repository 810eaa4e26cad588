// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <ostream>
#include <span>

#include "libc/testing/io_test_region.hpp"

// One call, or a few, on memory that is missing when the call is made.
struct IoCase {
  const char* name;
  // True if the result is what it should be.
  bool (*run)(TestRegion&);
  // Whether it goes wrong when calls are not wrapped. Some do not: the C library copies the
  // argument in user mode. They are here because another C library, or version, may not.
  enum Without { kFails, kWorks } without = kFails;
};

inline std::ostream& operator<<(std::ostream& out, const IoCase& io_case) {
  return out << io_case.name;
}

std::span<const IoCase> contents_cases();  // read, write, streams
std::span<const IoCase> file_cases();      // names, status
std::span<const IoCase> network_cases();   // sockets, pipes, waiting
std::span<const IoCase> process_cases();   // processes, signals, time
