// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How nodes run: what `weft run` tells them by WEFT_* variables, and users by the same ones. One
// table says each option's variable, flag, default, choices and help; the command line, the nodes'
// reading of their environment, and complaints come from it, and the reference,
// docs/reference/weft-run.md, is held against it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.hpp"

namespace weft {

// The fields' values here are the defaults. A word that is empty: as another option says, or none.
struct NodeOptions {
  std::string back_end = "auto";
  // A faulting thread helps itself, five times faster than the service thread would; the I/O
  // calls are wrapped then (libc/interposition/io_bounce.hpp).
  bool faults_by_signal = true;
  bool sleeps = true;              // threads that have waited long for messages
  bool service_goes_first = true;  // before computing threads, where that is permitted
  std::string transport = "auto";
  std::string encrypt = "on";     // between hosts
  std::uint64_t lost_after = 10;  // seconds of silence between hosts; 0: never
  std::uint64_t latency_us = 0;   // injected
  std::uint64_t bandwidth = 0;    // bytes a second, injected; 0: not limited
  std::uint64_t jitter_us = 0;    // injected
  std::uint64_t jitter_seed = 0;
  std::uint64_t memory = 0;                            // bytes a node; 0: not limited
  std::uint64_t shared_size = std::uint64_t{1} << 38;  // bytes of heap
  std::string pages = "adaptive";                      // see PagePolicy
  // Empty: as `pages` says. See HomePolicy, PushPolicy, LockPolicy.
  std::string homes, push, locks;
  std::string atomics = "merge";    // see AtomicPolicy
  std::string release = "lazy";     // see ReleasePolicy
  std::string reads = "one-sided";  // see ReadPolicy
  bool meets = true;                // see EngineConfig::may_meet
  std::string spread = "auto";      // see SpreadPolicy (runtime/interface/spreading.hpp)
  std::string threads_on = "auto";  // see ThreadPolicy (runtime/interface/thread_spreading.hpp)
  bool balance = false;             // see threads_are_balanced (thread_spreading.hpp)
  std::string check;
  std::string statistics;
  bool verbose = false;
};

struct OptionInfo {
  using Field =
      std::variant<std::string NodeOptions::*, std::uint64_t NodeOptions::*, bool NodeOptions::*>;

  Field field;
  const char* variable;
  std::string_view flag = {};  // of `weft run`; empty: there is the variable alone
  std::string_view help = {};  // one line; empty where there is no flag
  std::span<const std::string_view> choices = {};  // of a word
  bool is_size = false;                            // a number of bytes
  bool zero_is_default = false;                    // 0 stands for the default
  std::string_view bare =
      {};  // what the flag without a value stands for, and 1; 0 stands for nothing
};

[[nodiscard]] std::span<const OptionInfo> option_table();

// Sets the option's field to what the text says; else says in a sentence what there is. Numbers
// may be written as sizes (base/text/sizes.hpp). The sentence begins with `written`, how the user
// wrote the text: "WEFT_PAGES=all", say.
[[nodiscard]] Status set_option(NodeOptions& options, const OptionInfo& info, std::string_view text,
                                std::string_view written);
// The text by which set_option() sets it so; empty where there is none but to leave it out.
[[nodiscard]] std::string text_of(const NodeOptions& options, const OptionInfo& info);

// A variable that cannot be understood is a failure; one that is empty counts as not there.
[[nodiscard]] Result<NodeOptions> options_from_environment();

}  // namespace weft
