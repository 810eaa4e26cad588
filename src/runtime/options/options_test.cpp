// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/options/options.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <set>
#include <vector>

namespace weft {
namespace {

using testing::HasSubstr;

const OptionInfo& option(std::string_view variable) {
  return *std::ranges::find(option_table(), variable, &OptionInfo::variable);
}

// What a node says of a variable; empty if nothing.
std::string complaint_about(const char* variable, const char* text) {
  setenv(variable, text, 1);
  const Result<NodeOptions> options = options_from_environment();
  unsetenv(variable);
  return options.error();
}

TEST(Options, AreReadFromTheEnvironment) {
  setenv("WEFT_NODE_MEMORY", "3M", 1);
  setenv("WEFT_FAULTS_BY_SIGNAL", "0", 1);
  setenv("WEFT_SERVICE_FIRST", "0", 1);
  setenv("WEFT_STATS", "1", 1);
  setenv("WEFT_PAGES", "", 1);
  setenv("WEFT_LOCKS", "rmp-lm", 1);
  const NodeOptions options = options_from_environment().value();
  EXPECT_EQ(options.memory, 3U << 20);
  EXPECT_FALSE(options.faults_by_signal);
  EXPECT_FALSE(options.service_goes_first);
  EXPECT_EQ(options.statistics, "text");
  EXPECT_EQ(options.pages, "adaptive");
  EXPECT_EQ(options.locks, "rmp-lm");
  for (const OptionInfo& info : option_table()) unsetenv(info.variable);
}

TEST(Options, ThatMakeNoSenseAreRefused) {
  EXPECT_EQ(complaint_about("WEFT_NODE_MEMORY", "7X"),
            "WEFT_NODE_MEMORY=7X is not a number, or a number with K, M, G or T");
  EXPECT_EQ(complaint_about("WEFT_ATOMICS", "none"),
            "there is no WEFT_ATOMICS=none: merge or each");
  EXPECT_EQ(complaint_about("WEFT_RELEASE", "keen"),
            "there is no WEFT_RELEASE=keen: lazy or eager");
  EXPECT_EQ(complaint_about("WEFT_STATS", "prose"),
            "there is no WEFT_STATS=prose: text, json, sites, sites-json, or nothing");
  EXPECT_EQ(complaint_about("WEFT_STATS", "0"), "");
  for (const OptionInfo& info : option_table()) {
    EXPECT_THAT(complaint_about(info.variable, "wrong"),
                HasSubstr(fmt::format("{}=wrong", info.variable)));
  }
}

TEST(Options, AreWrittenAsTheyAreRead) {
  for (const OptionInfo& info : option_table()) {
    std::vector<std::string> texts(info.choices.begin(), info.choices.end());
    if (info.choices.empty()) texts = {info.zero_is_default ? "2" : "0", "1"};
    for (const std::string& text : texts) {
      NodeOptions options;
      ASSERT_TRUE(set_option(options, info, text, text));
      EXPECT_EQ(text_of(options, info), text);
    }
  }
  EXPECT_EQ(text_of(NodeOptions(), option("WEFT_STATS")), "0");
}

// --- the reference: entries of a term, and what is said of it from ": " on ---

struct Entry {
  std::string term, text;
};

std::vector<Entry> entries() {
  std::ifstream file(WEFT_DOCS "/reference/weft-run.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  std::vector<Entry> found;
  for (std::size_t begin = 0; begin < page.size();) {
    const std::size_t end = std::min(page.find("\n\n", begin), page.size());
    const std::string paragraph = page.substr(begin, end - begin);
    const std::size_t text = paragraph.find("\n: ");
    if (text != std::string::npos) found.push_back({paragraph.substr(0, text), paragraph});
    begin = end + 2;
  }
  return found;
}

// The text of the entry that has this in its term; empty if none has.
std::string entry_of(std::string_view name) {
  for (const Entry& entry : entries()) {
    if (entry.term.find(fmt::format("`{}`", name)) != std::string::npos) return entry.text;
  }
  return {};
}

// As the term of the option has it: "`--transport` `auto`|`shm`|`tcp`".
std::string term_of(const OptionInfo& info) {
  const std::string flag(info.flag.substr(info.flag.find("--")));
  if (!info.bare.empty()) {
    return fmt::format("`{}`[`={}`]", flag, fmt::join(info.choices, "`|`="));
  }
  if (!info.choices.empty()) return fmt::format("`{}` `{}`", flag, fmt::join(info.choices, "`|`"));
  const bool has_value = !std::holds_alternative<bool NodeOptions::*>(info.field);
  return fmt::format("`{}`{}", flag, has_value ? " *" : "\n");
}

TEST(Options, AreInTheReference) {
  for (const OptionInfo& info : option_table()) {
    const std::string of_variable = entry_of(info.variable);
    EXPECT_NE(of_variable, "") << info.variable;
    const std::string text_by_default = text_of(NodeOptions(), info);
    if (!info.flag.empty()) {
      const std::string of_flag = entry_of(info.flag.substr(info.flag.find("--")));
      EXPECT_THAT(of_flag, HasSubstr(term_of(info)));
      if (!info.choices.empty() && info.bare.empty()) {
        EXPECT_THAT(of_flag, HasSubstr(fmt::format("Default `{}`", text_by_default)));
      }
      continue;
    }
    for (const std::string_view choice : info.choices) {
      EXPECT_THAT(of_variable, HasSubstr(fmt::format("`{}`", choice)));
    }
    if (info.choices.empty() || text_by_default.empty()) continue;
    EXPECT_THAT(of_variable,
                testing::AnyOf(HasSubstr(fmt::format("`{}` (the default)", text_by_default)),
                               HasSubstr(fmt::format("(`{}`, the default)", text_by_default))));
  }
  const std::uint64_t heap = NodeOptions().shared_size;
  EXPECT_THAT(entry_of("--shared-size"), HasSubstr(fmt::format("Default: {}G", heap >> 30)));
}

TEST(Options, AHeapOfNoBytesIsTheDefault) {
  NodeOptions options;
  for (const OptionInfo& info : option_table()) {
    if (info.zero_is_default) ASSERT_TRUE(set_option(options, info, "0", "0"));
  }
  EXPECT_EQ(options.shared_size, NodeOptions().shared_size);
}

TEST(Options, OfTheReferenceExist) {
  // The launcher's own, which nodes are not told of (tools/weft/run/run_options.cpp,
  // hosted_start.cpp).
  std::set<std::string_view> variables = {
      "WEFT_HOSTS", "WEFT_HOSTFILE", "WEFT_NET",         "WEFT_FANOUT", "WEFT_SSH",
      "WEFT_BIND",  "WEFT_DEADLOCK", "WEFT_RUNTIME_DIR", "WEFT_STAGE",  "WEFT_GRACE"};
  for (const OptionInfo& info : option_table()) variables.insert(info.variable);
  for (const Entry& entry : entries()) {
    for (std::size_t at = 0; (at = entry.term.find("`WEFT_", at)) != std::string::npos;) {
      const std::size_t end = entry.term.find('`', ++at);
      EXPECT_TRUE(variables.contains(entry.term.substr(at, end - at))) << entry.term;
      at = end;
    }
  }
}

}  // namespace
}  // namespace weft
