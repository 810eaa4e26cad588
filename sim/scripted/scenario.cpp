// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/scripted/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "protocol/engine.hpp"
#include "protocol/interface/page_policy.hpp"
#include "protocol/pages/page_table.hpp"
#include "sim/checkers/describe.hpp"
#include "sim/checkers/failure.hpp"
#include "sim/cluster/logging_memory.hpp"
#include "sim/coverage/coverage.hpp"
#include "sim/scripted/words.hpp"

namespace weft::sim {
namespace {

const char* priority_name(Priority priority) {
  return priority == Priority::kControl ? "control" : "data";
}

}  // namespace

struct Scenario::Node : Effects {
  Node(Scenario& the_scenario, const EngineConfig& config)
      : scenario(the_scenario),
        id(config.self),
        memory(*the_scenario.initial_, [this](const std::string& line) { say(line); }),
        engine(config, memory, *this, the_scenario.hosts_->add(memory)) {}

  void say(const std::string& line) { scenario.say(fmt::format("node {}: {}", id.value(), line)); }
  void send(NodeId to, Priority priority, Bytes message) override {
    say(fmt::format("to node {}, {}: {}", to.value(), priority_name(priority), describe(message)));
    scenario.in_flight_.push_back(
        {.from = id, .to = to, .priority = priority, .message = std::move(message), .lent = {}});
  }
  void send_with(NodeId to, Priority priority, Bytes message,
                 std::span<const ByteView> lent) override {
    if (!scenario.reads_late_) {
      return Effects::send_with(to, priority, std::move(message), lent);
    }
    send(to, priority, std::move(message));
    scenario.in_flight_.back().lent.assign(lent.begin(), lent.end());
  }
  void complete(WaitId wait) override { say(fmt::format("#{} is done", wait.value())); }
  void complete_barrier(WaitId wait, std::uint8_t votes) override {
    say(fmt::format("#{} is done{}", wait.value(), votes == 0 ? "" : fmt::format(": {}", votes)));
  }
  void complete_gather(WaitId wait, std::vector<Contribution> contributions) override {
    std::string text = fmt::format("#{} is done", wait.value());
    for (const Contribution& c : contributions) {
      text += fmt::format(", \"{}\" of node {}", text_of(c.bytes), c.from.value());
    }
    say(text);
  }
  void complete_atomic(WaitId wait, const AtomicResult& result) override {
    std::uint32_t before = 0, after = 0;
    std::memcpy(&before, result.before, sizeof before);
    std::memcpy(&after, result.after, sizeof after);
    say(fmt::format("#{} is done: was {}, is {}", wait.value(), before, after));
  }
  void complete_try(WaitId wait, bool taken) override {
    say(fmt::format("#{} is done: {}", wait.value(), taken ? "taken" : "not free"));
  }
  void try_again(WaitId wait) override {
    WEFT_ASSERT(false, "#{} is to try again, and nothing is entrusted here", wait.value());
  }
  void complete_adding(WaitId wait, std::uint64_t right) override {
    say(fmt::format("#{} is done: may add, right {}", wait.value(), right));
  }
  void show_right(LockId lock, std::uint64_t right) override {
    say(fmt::format("lock {}: right {} is shown", lock.value(), right));
  }
  void deliver_publication(ByteView payload) override {
    say(fmt::format("publication \"{}\"", text_of(payload)));
  }
  void deliver_post(NodeId from, ByteView payload) override {
    say(fmt::format("post \"{}\" of node {}", text_of(payload), from.value()));
  }

  Scenario& scenario;
  NodeId id;
  LoggingMemory memory;
  Engine engine;
};

Scenario::Scenario(CoverageTable* table) : table_(table) {}
Scenario::~Scenario() { end_cluster(); }

void Scenario::end_cluster() {
#ifdef WEFT_DELIBERATE_BUGS
  for (const auto& node : nodes_) {
    if (table_) table_->add(config_, node->engine.coverage().counts_at_end());
  }
#endif
  nodes_.clear();
  in_flight_.clear();
}

Scenario::Node& Scenario::node(const std::string& word) {
  SIM_CHECK(number(word) < nodes_.size(), "no node {}", word);
  return *nodes_[number(word)];
}

std::string Scenario::run(const std::string& command) {
  output_.clear();
  try {
    execute(command);
  } catch (const Failure& failure) {
    say(fmt::format("fails: {}", failure.what()));
  }
  return output_.empty() ? "nothing\n" : output_;
}

void Scenario::execute(const std::string& command) {
  const std::vector<std::string> words = split(command, ' ');
  const std::string& verb = words.at(0);
  if (verb == "cluster") {
    make_cluster(words);
  } else if (verb == "meanwhile") {
    meanwhile_ = command.substr(verb.size() + 1);
  } else if (verb == "add" || verb == "store" || verb == "load" || verb == "wait") {
    run_atomic(words);
  } else if (verb == "state") {
    show_state(page_of(words.at(1)));
  } else if (verb == "kinds") {
    show_kinds();
  } else if (verb == "deliver" && words.at(1) == "all") {
    deliver_all();
  } else if (verb == "deliver") {
    const auto place = std::ranges::find_if(in_flight_, [&](const InFlight& message) {
      return message.from == NodeId(number(words.at(1))) &&
             message.to == NodeId(number(words.at(2))) &&
             priority_name(message.priority) == words.at(3);
    });
    SIM_CHECK(place != in_flight_.end(), "nothing to deliver: {}", command);
    const InFlight message = std::move(*place);
    in_flight_.erase(place);
    deliver(message);
  } else if (!run_synchronisation(words)) {
    run_memory_command(words);
  }
}

constexpr std::pair<std::string_view, std::uint32_t EngineConfig::*> kNumbers[] = {
    {"parts", &EngineConfig::contribution_part_bytes},
    {"tree", &EngineConfig::barriers_per_tree},
    {"empty", &EngineConfig::empty_barrier_proof},
    {"collected", &EngineConfig::collected_records},
    {"kept", &EngineConfig::kept_pages},
    {"fairness", &EngineConfig::lock_fairness},
    {"scattered", &EngineConfig::scattered_proof}};

void Scenario::make_cluster(const std::vector<std::string>& words) {
  EngineConfig config;
  std::vector<std::string> homes = {"0"};
  reads_late_ = false;
  std::byte initial{};
  std::uint16_t nodes_per_host = 1;
  config.exposure_proof = 1;
  for (const std::string& word : words) {
    const std::vector<std::string> parts = split(word, '=');
    if (parts[0] == "nodes") config.node_count = static_cast<std::uint16_t>(number(parts[1]));
    if (parts[0] == "pages") config.page_count = number(parts[1]);
    if (parts[0] == "initial") initial = static_cast<std::byte>(number(parts[1]));  // in each byte
    if (parts[0] == "homes") homes = split(parts[1], ',');
    if (parts[0] == "policy") config.home_policy = policy_of(parts[1]);
    if (parts[0] == "locks") config.lock_policy = lock_policy_of(parts[1]);
    if (word == "eager") config.release_policy = ReleasePolicy::kEager;
    if (word == "migratory") force(PagePolicy::kMigratory, config);
    if (word == "read-mostly") force(PagePolicy::kReadMostly, config);
    // Leaves of one page each, and no room for homes: whoever needs one has to ask.
    if (word == "homes-forgotten") config.leaf_shift = config.remembered_homes = 0;
    // What a message lends is read when it arrives.
    if (word == "late") reads_late_ = true;
    // The nodes are on one host, and expose the leaf of the first page that is asked for.
    if (word == "together") nodes_per_host = std::numeric_limits<std::uint16_t>::max();
    for (const auto& [name, place] : kNumbers) {
      if (parts[0] == name) config.*place = static_cast<std::uint32_t>(number(parts[1]));
    }
  }
  for (std::uint64_t page = 0; page < config.page_count; ++page) {
    const auto home = static_cast<std::uint16_t>(number(homes[page % homes.size()]));
    config.initial_homes.push_back({PageRange{PageIndex(page), 1}, NodeId(home)});
  }
  end_cluster();
  config_ = config;
  last_wait_ = 0;
  initial_ = std::make_unique<InitialContents>(initial);
  hosts_ = std::make_unique<ExposedHosts>(nodes_per_host);
  hosts_->meanwhile = [this](NodeId home) { run_meanwhile(home, "a page is read here"); };
  hosts_->before_operation = [this](NodeId home) {
    run_meanwhile(home, "an operation is done here");
  };
  hosts_->on_load = [this](NodeId home) { nodes_[home.value()]->say("a word is loaded here"); };
  for (std::uint16_t index = 0; index < config.node_count; ++index) {
    config.self = NodeId(index);
    nodes_.push_back(std::make_unique<Node>(*this, config));
  }
}

void Scenario::run_meanwhile(NodeId home, const char* what) {
  nodes_[home.value()]->say(what);
  if (!meanwhile_.empty()) execute(std::exchange(meanwhile_, {}));
}

// If it is one that a thread says ahead.
static std::optional<MemoryUse> use_of(std::string_view verb) {
  if (verb == "prefetch") return MemoryUse::kLoads;
  if (verb == "replace") return MemoryUse::kReplaces;
  if (verb == "own") return MemoryUse::kOwns;
  return std::nullopt;
}

void Scenario::run_memory_command(const std::vector<std::string>& words) {
  Node& at = node(words.at(1));
  const PageIndex page = page_of(words.at(2));
  if (words[0] == "touch") return at.engine.handle_fault(page, 0);
  if (words[0] == "overwrite") return at.engine.handle_overwrite({page, 1});
  if (words[0] == "commit") {
    const PageRange pages{page, words.size() > 3 ? number(words[3]) : 1};
    at.engine.handle_commit({&pages, 1});
    return;
  }
  if (words[0] == "lock-data") {
    const PageRange pages{page, number(words.at(3))};
    return at.engine.handle_lock_data(LockId(number(words.at(4))), {&pages, 1});
  }
  if (const std::optional<MemoryUse> use = use_of(words[0])) {
    const PageRange pages{page, words.size() > 3 ? number(words[3]) : 1};
    at.engine.handle_prefetch({&pages, 1}, *use);
    return;
  }
  const GlobalOffset where(page.value() * kPageBytes + number(words.at(3)));
  if (at.memory.access(page) == Memory::Access::kAbsent) return say("a fault: the page is absent");
  if (words[0] == "read") {
    return say(fmt::format("{}", static_cast<unsigned>(at.memory.read(where, 1)[0])));
  }
  const auto byte = static_cast<std::byte>(number(words.at(4)));
  if (words[0] == "fill") return at.memory.write(where, Bytes(kPageBytes - number(words[3]), byte));
  if (words[0] == "race") {
    at.memory.interleave = [&memory = at.memory, where, byte, done = false]() mutable {
      if (!std::exchange(done, true)) memory.write(where, ByteView(&byte, 1));
    };
    return;
  }
  SIM_CHECK(words[0] == "write", "no command {}", words[0]);
  at.memory.write(where, ByteView(&byte, 1));
}

bool Scenario::run_synchronisation(const std::vector<std::string>& words) {
  const std::string& verb = words[0];
  if (verb == "publish") {
    const auto text = std::as_bytes(std::span(words.at(1)));
    nodes_.at(0)->engine.handle_publish(Bytes(text.begin(), text.end()), key_of(words, 2),
                                        words.back() == "others", WaitId(++last_wait_));
    return true;
  }
  Engine& engine = node(words.at(1)).engine;
  const bool is_numbered =
      words.size() > 2 && verb != "barrier" && verb != "look" && verb != "fence";
  const std::uint64_t id = is_numbered ? number(words[2]) : 0;
  if (verb == "begin" || verb == "sum") return run_adding(engine, LockId(id), words);
  if (verb == "release") {
    engine.handle_release(LockId(id));
  } else if (verb == "post") {
    const auto text = std::as_bytes(std::span(words.at(3)));
    engine.handle_post(NodeId(static_cast<std::uint16_t>(id)), Bytes(text.begin(), text.end()));
  } else if (verb == "advance") {
    engine.handle_advance(SequencerId(id), number(words.at(3)));
  } else if (verb == "acquire") {
    engine.handle_acquire(LockId(id), WaitId(++last_wait_));
  } else if (verb == "try") {
    engine.handle_try_acquire(LockId(id), WaitId(++last_wait_));
  } else if (verb == "barrier") {
    engine.handle_barrier(WaitId(++last_wait_), barrier_input(words));
  } else if (verb == "look") {
    engine.handle_meeting(words.back() == "no-longer");
  } else if (verb == "fence") {
    engine.handle_fence(WaitId(++last_wait_), flush_kind(words.back()));
  } else if (verb == "poll") {
    for (std::uint64_t time = 0; time < id; ++time) {
      engine.handle_fence(WaitId(++last_wait_), FlushKind::kAsks);
      deliver_all();
    }
    output_.clear();
  } else if (verb == "hurry") {
    engine.handle_hurry(WaitId(id));
  } else if (verb == "evict") {
    engine.handle_memory_pressure(id, true);
  } else if (verb == "send") {
    engine.handle_send();
  } else if (verb == "flush") {
    engine.note_flush();
  } else if (verb == "gather") {
    engine.handle_gather(WaitId(++last_wait_));
  } else if (verb == "await") {
    engine.handle_await(SequencerId(id), number(words.at(3)), WaitId(++last_wait_));
  } else {
    return false;
  }
  return true;
}

bool Scenario::run_adding(Engine& engine, LockId lock, const std::vector<std::string>& words) {
  const auto place = [&](std::size_t at) {
    return GlobalOffset(number(words.at(at)) * kPageBytes + number(words.at(at + 1)));
  };
  AtomicRequest update;
  update.size = 4;
  update.operation = AtomicOperation::kAdd;
  if (words[0] == "begin") {
    update.where = place(3);
    engine.handle_acquire_adding(lock, {target_of(update)}, WaitId(++last_wait_));
    return true;
  }
  update.where = place(4);
  const auto operand = static_cast<std::uint32_t>(number(words.at(6)));
  std::memcpy(update.operand, &operand, sizeof operand);
  std::vector<AddingInput> inputs;
  if (words.size() > 7) inputs.push_back({place(7), 4});
  const auto result = engine.handle_add(lock, number(words.at(3)), {{&update, 1}, inputs});
  constexpr const char* kResults[] = {"added", "not by this right",
                                      "not by this right: to be begun again"};
  say(kResults[static_cast<std::size_t>(result)]);
  return true;
}

void Scenario::run_atomic(const std::vector<std::string>& words) {
  AtomicRequest request;
  request.where = GlobalOffset(number(words.at(2)) * kPageBytes + number(words.at(3)));
  request.size = 4;
  if (words[0] == "add" || words[0] == "store") {
    const auto operand = static_cast<std::uint32_t>(number(words.at(4)));
    request.operation = words[0] == "add" ? AtomicOperation::kAdd : AtomicOperation::kStore;
    std::memcpy(request.operand, &operand, sizeof operand);
  }
  Engine& engine = node(words.at(1)).engine;
  if (words.back() == "merged") {
    SIM_CHECK(engine.handle_merge(request), "it cannot be merged now");
    return;
  }
  const bool patient = words[0] == "wait";
  if (patient) {
    const auto seen = static_cast<std::uint32_t>(number(words.at(4)));
    std::memcpy(request.operand, &seen, sizeof seen);
  }
  Ordering ordering = Ordering::kRelaxed;
  if (words.back() == "acquire") ordering = Ordering::kAcquire;
  if (words.back() == "release") ordering = Ordering::kRelease;
  engine.handle_atomic(request, ordering, WaitId(++last_wait_), patient);
}

void Scenario::deliver_all() {
  while (!in_flight_.empty()) {
    const InFlight message = std::move(in_flight_.front());
    in_flight_.pop_front();
    deliver(message);
  }
}

void Scenario::deliver(const InFlight& message) {
  Bytes bytes = message.message;
  for (const ByteView lent : message.lent) bytes.insert(bytes.end(), lent.begin(), lent.end());
  nodes_[message.to.value()]->engine.handle_message(message.from, bytes);
}

void Scenario::show_state(PageIndex page) {
  static constexpr const char* kNames[] = {"absent", "tracked", "untracked"};
  for (const std::unique_ptr<Node>& at : nodes_) {
    const NodeId home = at->engine.home_of(page);
    at->say(fmt::format("epoch {}, home is {}, {}", at->engine.epoch().value(),
                        home == kNoNode ? "unknown" : fmt::format("{}", home.value()),
                        kNames[static_cast<int>(at->memory.access(page))]));
  }
}

void Scenario::show_kinds() {
  for (const std::unique_ptr<Node>& at : nodes_) {
    const PagesByKind pages = at->engine.pages_by_kind();
    for (std::size_t kind = 0; kind < pages.size(); ++kind) {
      if (pages[kind] > 0) at->say(fmt::format("{} {}", pages[kind], kPageKindNames[kind]));
    }
  }
}

}  // namespace weft::sim
