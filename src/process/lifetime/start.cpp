// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process/lifetime/start.hpp"

#include <time.h>
#include <unistd.h>

#include <cstring>
#include <vector>

#include "process/requests/topics.hpp"
#include "process/results/shared_results.hpp"

namespace weft::process {
namespace {

constexpr std::uintptr_t kPage = 4096;

std::byte* page_below(std::byte* place) {
  return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(place) & ~(kPage - 1));
}

// Copies of all variables, and of the array of them: pointers into the environment are good on all
// nodes. On pages of their own: they are read all the time, the stack below is written.
std::byte* copy_environment(std::byte* top) {
  std::byte* next = page_below(top);
  std::vector<char*> copies;
  for (char** each = environ; each != nullptr && *each != nullptr; ++each) {
    const std::size_t bytes = std::strlen(*each) + 1;
    next -= bytes;
    std::memcpy(next, *each, bytes);
    copies.push_back(reinterpret_cast<char*>(next));
  }
  copies.push_back(nullptr);
  next -= copies.size() * sizeof(char*) + sizeof(char*);
  next -= reinterpret_cast<std::uintptr_t>(next) % alignof(char*);
  std::memcpy(next, copies.data(), copies.size() * sizeof(char*));
  environ = reinterpret_cast<char**>(next);
  return page_below(next);
}

// On the other nodes. The array is each node's own, as setenv writes it; the strings are not.
Answer begin_elsewhere(const Request& request) {
  auto* const beginning = new Beginning(value_of<Beginning>(request.bytes));
  adopt_identity(beginning->identity);
  environ = beginning->environment.data();  // the C library's from now on
  tzset();  // what the program reads of it there, it may have asked for here
  begin_calls();
  return {};
}

}  // namespace

void start_process(Node& node) {
  serve_calls(node);
  perform(Call::kBegin, begin_elsewhere);
  perform_children();
  perform_closing();
  perform_directory();
  perform_endings();
  perform_environment();
  perform_fork_handlers();
  perform_heap_numbers();
  perform_identity();
  perform_kernel_calls();
  perform_limits();
  perform_locales();
  perform_messages();
  perform_output();
  perform_prctl();
  perform_random();
  perform_timers();
  perform_usage();
  prepare_places();
  prepare_lists();
  prepare_words();
}

std::byte* share_process(Node& node, std::byte* top) {
  std::byte* const rest = copy_environment(top);
  Beginning beginning{.identity = present_identity(), .environment = {}};
  for (char** each = environ; *each != nullptr; ++each) beginning.environment.push_back(*each);
  beginning.environment.push_back(nullptr);
  const Bytes message = to_bytes(beginning);
  adopt_identity(beginning.identity);
  for (NodeId other(1); other.value() < node.node_count(); ++other) {
    (void)ask_node(node, other, {.call = Call::kBegin, .bytes = message});
  }
  begin_calls();
  return rest;
}

}  // namespace weft::process
