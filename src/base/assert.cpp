// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/assert.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace weft {
namespace {

void print_and_abort(std::string_view sentence) {
  std::fprintf(stderr, "%.*s\n", static_cast<int>(sentence.size()), sentence.data());
  std::abort();
}

std::atomic<FailureHandler> failure_handler{&print_and_abort};

}  // namespace

FailureHandler set_failure_handler(FailureHandler handler) {
  return failure_handler.exchange(handler);
}

void fail_assertion(const char* condition, const char* file, int line, std::string_view details) {
  const std::string sentence = fmt::format("weft: internal error: {} ({}:{}){}{}", condition, file,
                                           line, details.empty() ? "" : ": ", details);
  failure_handler.load()(sentence);
  std::abort();
}

}  // namespace weft
