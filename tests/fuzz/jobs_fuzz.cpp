// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What comes at a job's socket, and what `weft ps`, `status` and `top` make of the answers: the
// figures of any state can be summed up and printed.
#include "fuzz/fuzzed.hpp"
#include "weft/jobs/job_figures.hpp"
#include "weft/jobs/job_state.hpp"

namespace {

void check_state(weft::ByteView bytes) {
  weft::fuzzed::check_value<weft::JobState>(bytes);
  const auto state = weft::from_bytes<weft::JobState>(bytes);
  if (!state) return;
  const std::string text = weft::as_json("job", *state, true) + weft::hosts_text(*state);
  WEFT_ASSERT(text.starts_with('{'), "no JSON");
  (void)weft::wait_lines(*state);
  for (const weft::ObservedHost& host : state->hosts) {
    for (const weft::NodeView& node : host.nodes) {
      WEFT_ASSERT(!weft::word_for(node).empty(), "no word for a state");
      (void)weft::waits_of(node);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weft::ByteView bytes = weft::fuzzed::input(data, size);
  switch (weft::fuzzed::choice(bytes) % 8) {
    case 0:
    case 4:
      weft::fuzzed::check_value<weft::JobRequest>(bytes);
      break;
    case 1:
      weft::fuzzed::check_value<weft::JobJoin>(bytes);
      break;
    default:
      check_state(bytes);
  }
  return 0;
}
