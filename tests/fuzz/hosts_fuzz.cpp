// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lists of hosts: --hosts, hostfiles, and Slurm's counts. What they are refused with is a sentence.
#include "fuzz/fuzzed.hpp"
#include "weft/hosts/allocation.hpp"
#include "weft/hosts/host_list.hpp"

namespace {

void check_hosts(const weft::Result<std::vector<weft::Host>>& hosts) {
  if (!hosts) {
    WEFT_ASSERT(!hosts.error().empty(), "refused without a sentence");
    return;
  }
  for (const weft::Host& each : hosts.value()) WEFT_ASSERT(!each.name.empty(), "no name");
  for (const std::optional<unsigned> wanted : {std::optional<unsigned>(), std::optional(3U)}) {
    const auto nodes = divide_nodes(hosts.value(), wanted);
    WEFT_ASSERT(!nodes || nodes.value().size() == hosts.value().size(), "not all have a number");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weft::ByteView bytes = weft::fuzzed::input(data, size);
  const unsigned which = weft::fuzzed::choice(bytes);
  const std::string_view text = weft::fuzzed::text(bytes);
  if (which % 3 == 0) check_hosts(weft::parse_hosts(text));
  if (which % 3 == 1) check_hosts(weft::parse_hostfile(text, "hosts"));
  if (which % 3 == 2) (void)weft::parse_counts(text, which);
  return 0;
}
