// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// getopt keeps where it is within a word in variables of the C library's, and writes into the
// program's arguments: node 0 alone parses. optarg, optind and the like are the program's
// (start/shared_variables.cpp), so what comes of it can be read anywhere.
//
// Rejected: to ask node 0. It may be at rest in a barrier, and then nothing on it may write into
// shared memory.
#include <getopt.h>

#include "libc/interposition/interpose.hpp"
#include "process/requests/calls.hpp"
#include "process/requests/refusal.hpp"

extern "C" int __posix_getopt(int, char* const*, const char*);

namespace weft::process {
namespace {

void refuse_elsewhere(Node* node) {
  if (node == nullptr || node->self() == NodeId(0)) return;
  refuse(*node, "getopt on another node than 0, which has begun with the options or will");
}

}  // namespace

#define WEFT_PARSE(name, parameters, names)     \
  WEFT_ENTRY(int, name, WEFT_LIST parameters) { \
    refuse_elsewhere(WEFT_JOB_OF_CALLER());     \
    return WEFT_REAL(name) names;               \
  }
#define WEFT_LIST(...) __VA_ARGS__

WEFT_PARSE(getopt, (int count, char* const* list, const char* letters), (count, list, letters))
WEFT_PARSE(__posix_getopt, (int count, char* const* list, const char* letters),
           (count, list, letters))
WEFT_PARSE(getopt_long,
           (int count, char* const* list, const char* letters, const option* names, int* index),
           (count, list, letters, names, index))
WEFT_PARSE(getopt_long_only,
           (int count, char* const* list, const char* letters, const option* names, int* index),
           (count, list, letters, names, index))

}  // namespace weft::process
