// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/options/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "base/text/sizes.hpp"
#include "runtime/options/policy_names.hpp"

namespace weft {
namespace {

using namespace std::string_view_literals;

constexpr std::array kBackEnds = {"auto"sv, "uffd-async"sv, "uffd-sync"sv, "mprotect"sv};
constexpr std::array kTransports = {"auto"sv, "shm"sv, "tcp"sv, "ucx"sv};
constexpr std::array kOnOff = {"on"sv, "off"sv};
constexpr std::array kChecks = {"protocol"sv, "libraries"sv};
constexpr std::array kStatistics = {"text"sv, "json"sv, "sites"sv, "sites-json"sv};
constexpr auto kPages = names_of(kPagePolicies);
constexpr auto kHomes = names_of(kHomePolicies);
constexpr auto kPush = names_of(kPushPolicies);
constexpr auto kLocks = names_of(kLockPolicies);
constexpr auto kAtomics = names_of(kAtomicPolicies);
constexpr auto kReads = names_of(kReadPolicies);
constexpr auto kSpreads = names_of(kSpreadPolicies);
constexpr auto kThreadsOn = names_of(kThreadPolicies);
constexpr auto kReleases = names_of(kReleasePolicies);

constexpr OptionInfo kTable[] = {
    {.field = &NodeOptions::back_end,
     .variable = "WEFT_BACK_END",
     .flag = "--back-end",
     .help = "How a node watches its pages",
     .choices = kBackEnds},
    {.field = &NodeOptions::transport,
     .variable = "WEFT_TRANSPORT",
     .flag = "--transport",
     .help = "What carries messages",
     .choices = kTransports},
    {.field = &NodeOptions::encrypt,
     .variable = "WEFT_ENCRYPT",
     .flag = "--encrypt",
     .help = "Whether messages between hosts are encrypted",
     .choices = kOnOff},
    {.field = &NodeOptions::lost_after,
     .variable = "WEFT_LOST_AFTER",
     .flag = "--lost-after",
     .help = "Seconds of silence after which a host is lost; 0: never"},
    {.field = &NodeOptions::latency_us,
     .variable = "WEFT_LATENCY_US",
     .flag = "--latency-us",
     .help = "Delay every message by so many microseconds"},
    {.field = &NodeOptions::bandwidth,
     .variable = "WEFT_BANDWIDTH",
     .flag = "--bandwidth",
     .help = "Bytes a second that a node may send",
     .is_size = true},
    {.field = &NodeOptions::memory,
     .variable = "WEFT_NODE_MEMORY",
     .flag = "--memory",
     .help = "Memory that a node may use, such as 512M",
     .is_size = true},
    {.field = &NodeOptions::shared_size,
     .variable = "WEFT_SHARED_SIZE",
     .flag = "--shared-size",
     .help = "Size of the shared heap, such as 8G",
     .is_size = true,
     .zero_is_default = true},
    {.field = &NodeOptions::statistics,
     .variable = "WEFT_STATS",
     .flag = "--stats",
     .help =
         "Print each node's counters at the end; --stats=json: all of them, for scripts; =sites, "
         "=sites-json: also those of calls before loops",
     .choices = kStatistics,
     .bare = "text"},
    {.field = &NodeOptions::spread,
     .variable = "WEFT_SPREAD",
     .flag = "--spread",
     .help = "Regions on all nodes always, or (auto) on one node where they are faster",
     .choices = kSpreads},
    {.field = &NodeOptions::threads_on,
     .variable = "WEFT_THREADS_ON",
     .flag = "--threads-on",
     .help = "Where threads start that the program makes: the node with the fewest, or their "
             "maker's; auto: as the program has parallel regions or not",
     .choices = kThreadsOn},
    {.field = &NodeOptions::balance,
     .variable = "WEFT_BALANCE",
     .flag = "--balance",
     .help = "Move the program's own threads to idle processors of other nodes, and to their data"},
    {.field = &NodeOptions::verbose,
     .variable = "WEFT_VERBOSE",
     .flag = "-v,--verbose",
     .help = "Say what was chosen"},
    {.field = &NodeOptions::faults_by_signal, .variable = "WEFT_FAULTS_BY_SIGNAL"},
    {.field = &NodeOptions::sleeps, .variable = "WEFT_SLEEP"},
    {.field = &NodeOptions::service_goes_first, .variable = "WEFT_SERVICE_FIRST"},
    {.field = &NodeOptions::jitter_us, .variable = "WEFT_JITTER_US"},
    {.field = &NodeOptions::jitter_seed, .variable = "WEFT_JITTER_SEED"},
    {.field = &NodeOptions::pages, .variable = "WEFT_PAGES", .choices = kPages},
    {.field = &NodeOptions::homes, .variable = "WEFT_HOMES", .choices = kHomes},
    {.field = &NodeOptions::push, .variable = "WEFT_PUSH", .choices = kPush},
    {.field = &NodeOptions::locks, .variable = "WEFT_LOCKS", .choices = kLocks},
    {.field = &NodeOptions::release, .variable = "WEFT_RELEASE", .choices = kReleases},
    {.field = &NodeOptions::atomics, .variable = "WEFT_ATOMICS", .choices = kAtomics},
    {.field = &NodeOptions::reads, .variable = "WEFT_READS", .choices = kReads},
    {.field = &NodeOptions::meets, .variable = "WEFT_MEET"},
    {.field = &NodeOptions::check, .variable = "WEFT_CHECK", .choices = kChecks},
};

// "a, b or c"; "a, b, or nothing" where there need be none.
std::string listed(std::span<const std::string_view> choices, bool may_be_nothing) {
  if (may_be_nothing) return fmt::format("{}, or nothing", fmt::join(choices, ", "));
  return fmt::format("{} or {}", fmt::join(choices.first(choices.size() - 1), ", "),
                     choices.back());
}

Status set(const OptionInfo& info, std::string& word, std::string_view text,
           std::string_view written) {
  if (!info.bare.empty() && text == "1") text = info.bare;
  const bool is_nothing = !info.bare.empty() && text == "0";
  if (!is_nothing && std::ranges::find(info.choices, text) == info.choices.end()) {
    const bool may_be_nothing =
        (NodeOptions().*std::get<std::string NodeOptions::*>(info.field)).empty();
    return Failure{
        fmt::format("there is no {}: {}", written, listed(info.choices, may_be_nothing))};
  }
  word = is_nothing ? "" : text;
  return {};
}

Status set(const OptionInfo& info, std::uint64_t& number, std::string_view text,
           std::string_view written) {
  const std::optional<std::uint64_t> parsed = parse_size(text);
  if (!parsed) {
    return Failure{fmt::format("{} is not a number, or a number with K, M, G or T", written)};
  }
  const bool is_default = *parsed == 0 && info.zero_is_default;
  number = is_default ? NodeOptions().*std::get<std::uint64_t NodeOptions::*>(info.field) : *parsed;
  return {};
}

Status set(const OptionInfo& info, bool& flag, std::string_view text, std::string_view written) {
  std::uint64_t number = 0;
  const Status status = set(info, number, text, written);
  if (status) flag = number != 0;
  return status;
}

std::string text_of(const std::string& word, const OptionInfo& info) {
  return word.empty() && !info.bare.empty() ? "0" : word;
}
std::string text_of(std::uint64_t number, const OptionInfo&) { return fmt::format("{}", number); }
std::string text_of(bool flag, const OptionInfo&) { return flag ? "1" : "0"; }

}  // namespace

std::span<const OptionInfo> option_table() { return kTable; }

Status set_option(NodeOptions& options, const OptionInfo& info, std::string_view text,
                  std::string_view written) {
  return std::visit([&](auto field) { return set(info, options.*field, text, written); },
                    info.field);
}

std::string text_of(const NodeOptions& options, const OptionInfo& info) {
  return std::visit([&](auto field) { return text_of(options.*field, info); }, info.field);
}

Result<NodeOptions> options_from_environment() {
  NodeOptions options;
  for (const OptionInfo& info : option_table()) {
    const char* const text = std::getenv(info.variable);
    if (text == nullptr || *text == '\0') continue;
    const Status status =
        set_option(options, info, text, fmt::format("{}={}", info.variable, text));
    if (!status) return status.failure();
  }
  return options;
}

}  // namespace weft
