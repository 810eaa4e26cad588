// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/scaling/model_job.hpp"

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "base/assert.hpp"
#include "sim/scaling/page_access_model.hpp"

namespace weft::scaling {
namespace {

// A thread waits for one thing at a time.
constexpr WaitId kTheThread(1);

}  // namespace

class ModelJob::Node final : public Effects, public Thread {
 public:
  Node(ModelJob& job, const EngineConfig& config, MemoryAccount& account);

  void begin(const Main& main);
  void on_work(Nanoseconds now);
  void on_resume(Nanoseconds now);
  void on_delivery(Packet packet);
  void on_fault();

  [[nodiscard]] bool is_done() const { return program_ && program_->handle().done(); }
  [[nodiscard]] Nanoseconds done_at() const { return since_; }
  [[nodiscard]] const EngineCounters& counters() const { return engine_->counters(); }
  [[nodiscard]] const TimeByActivity& spent() const { return spent_; }

  // --- Thread ---
  Operation compute(std::uint64_t nanoseconds) override;
  Operation read(PageRange pages) override { return touch(pages, 0); }
  Operation write(PageRange pages, std::uint32_t bytes) override { return touch(pages, bytes); }
  Operation meet(std::size_t contribution, PhaseKey next) override;
  Operation gather() override;
  Operation acquire(LockId lock) override;
  Operation release(LockId lock) override;

  // --- Effects ---
  void send(NodeId to, Priority priority, Bytes message) override;
  void complete(WaitId wait) override { wake(); }
  void complete_barrier(WaitId wait, std::uint8_t votes) override { wake(); }
  void complete_gather(WaitId wait, std::vector<Contribution> contributions) override { wake(); }
  void complete_atomic(WaitId wait, const AtomicResult& result) override { wake(); }
  void complete_try(WaitId wait, bool taken) override { wake(); }
  void try_again(WaitId wait) override { WEFT_ASSERT(false, "nothing is entrusted here"); }
  void deliver_publication(ByteView payload) override {}
  void deliver_post(NodeId from, ByteView payload) override {}

 private:
  using Work = std::function<void(Engine&)>;

  Operation touch(PageRange pages, std::uint32_t written_bytes);
  void go_on_touching(Nanoseconds now);
  // The engine does this as soon as it has nothing else to do.
  void add_work(Work work);
  Operation start(Activity activity, Work work);
  // The thread goes on when the engine is done with the present piece of work.
  void wake();

  ModelJob& job_;
  MemoryAccount& account_;
  NodeId id_;
  PageAccessModel memory_;
  std::optional<Engine> engine_;
  std::deque<Work> work_;
  bool work_is_due_ = false;
  Nanoseconds engine_clock_ = 0;  // how far the engine's processor has come

  std::optional<Program> program_;
  Activity activity_ = Activity::kCompute;
  Nanoseconds since_ = 0;
  TimeByActivity spent_{};
  PageRange to_touch_{};  // what is left of it
  std::uint32_t written_bytes_ = 0;
  bool waits_for_page_ = false;
};

ModelJob::Node::Node(ModelJob& job, const EngineConfig& config, MemoryAccount& account)
    : Thread(config.self.value(), config.node_count),
      job_(job),
      account_(account),
      id_(config.self),
      memory_([this](std::uint64_t pages) { engine_clock_ += pages * job_.model_.page_call; }) {
  const Charge charge(&account_);
  engine_.emplace(config, memory_, *this);
}

void ModelJob::Node::begin(const Main& main) {
  program_.emplace(main(*this));
  resume_ = program_->handle();
  job_.agenda_.add(Event::Kind::kResume, id_.value(), 0);
}

// --- the engine ---

void ModelJob::Node::add_work(Work work) {
  work_.push_back(std::move(work));
  if (std::exchange(work_is_due_, true)) return;
  job_.agenda_.add(Event::Kind::kWork, id_.value(), std::max(job_.now_, engine_clock_));
}

void ModelJob::Node::on_work(Nanoseconds now) {
  const Work work = std::move(work_.front());
  work_.pop_front();
  engine_clock_ = now;
  {
    const Charge charge(&account_);
    work(*engine_);
  }
  if (waits_for_page_ && engine_->is_mapped(to_touch_.first)) {
    waits_for_page_ = false;
    wake();
  }
  work_is_due_ = !work_.empty();
  if (work_is_due_) job_.agenda_.add(Event::Kind::kWork, id_.value(), engine_clock_);
}

void ModelJob::Node::on_delivery(Packet packet) {
  add_work([this, packet = std::move(packet)](Engine& engine) {
    engine_clock_ += job_.model_.overhead;
    engine.handle_message(packet.from, packet.message);
  });
}

void ModelJob::Node::on_fault() {
  waits_for_page_ = true;
  add_work([page = to_touch_.first](Engine& engine) { engine.handle_fault(page, 0); });
}

void ModelJob::Node::send(NodeId to, Priority priority, Bytes message) {
  const Charge nobody(nullptr);
  engine_clock_ += job_.model_.overhead;
  job_.network_.send(id_, to, priority, std::move(message), engine_clock_);
}

void ModelJob::Node::wake() {
  const Charge nobody(nullptr);
  job_.agenda_.add(Event::Kind::kResume, id_.value(), engine_clock_);
}

// --- the thread ---

void ModelJob::Node::on_resume(Nanoseconds now) {
  spent_[static_cast<std::size_t>(activity_)] += now - since_;
  since_ = now;
  if (to_touch_.count > 0) {
    go_on_touching(now);
  } else {
    resume_.resume();
  }
}

Thread::Operation ModelJob::Node::start(Activity activity, Work work) {
  activity_ = activity;
  add_work(std::move(work));
  return {*this};
}

Thread::Operation ModelJob::Node::compute(std::uint64_t nanoseconds) {
  activity_ = Activity::kCompute;
  job_.agenda_.add(Event::Kind::kResume, id_.value(), job_.now_ + nanoseconds);
  return {*this};
}

Thread::Operation ModelJob::Node::touch(PageRange pages, std::uint32_t written_bytes) {
  to_touch_ = pages;
  written_bytes_ = written_bytes;
  activity_ = Activity::kFetch;
  job_.agenda_.add(Event::Kind::kResume, id_.value(), job_.now_);
  return {*this};
}

void ModelJob::Node::go_on_touching(Nanoseconds now) {
  for (; to_touch_.count > 0; to_touch_ = {to_touch_.first.plus(1), to_touch_.count - 1}) {
    if (memory_.is_absent(to_touch_.first)) {
      return job_.agenda_.add(Event::Kind::kFault, id_.value(), now + job_.model_.fault);
    }
    if (written_bytes_ > 0) memory_.write(to_touch_.first, written_bytes_);
  }
  resume_.resume();
}

Thread::Operation ModelJob::Node::meet(std::size_t contribution, PhaseKey next) {
  return start(Activity::kBarrier, [contribution, next](Engine& engine) {
    BarrierInput input;
    input.next = next;
    input.contribution = Bytes(contribution);
    engine.handle_barrier(kTheThread, std::move(input));
  });
}

Thread::Operation ModelJob::Node::gather() {
  return start(Activity::kBarrier, [](Engine& engine) { engine.handle_gather(kTheThread); });
}

Thread::Operation ModelJob::Node::acquire(LockId lock) {
  return start(Activity::kLock,
               [lock](Engine& engine) { engine.handle_acquire(lock, kTheThread); });
}

Thread::Operation ModelJob::Node::release(LockId lock) {
  return start(Activity::kLock, [this, lock](Engine& engine) {
    engine.handle_release(lock);
    wake();
  });
}

// --- the job ---

ModelJob::ModelJob(const LogGP& model, std::uint16_t node_count, std::uint64_t page_count,
                   const Main& main)
    : accounts_(node_count), model_(model), network_(model_, node_count, agenda_) {
  EngineConfig config;
  config.node_count = node_count;
  config.page_count = page_count;
  config.initial_homes = {{PageRange{PageIndex(0), page_count}, NodeId(0)}};
  for (std::uint16_t node = 0; node < node_count; ++node) {
    config.self = NodeId(node);
    nodes_.push_back(std::make_unique<Node>(*this, config, accounts_[node]));
    nodes_.back()->begin(main);
  }
}

ModelJob::~ModelJob() = default;

void ModelJob::happen(const Event& event) {
  switch (event.kind) {
    case Event::Kind::kCardFree:
      return network_.on_card_free(event.subject, event.time);
    case Event::Kind::kArrival:
      return network_.on_arrival(event.subject, event.time);
    case Event::Kind::kDelivery: {
      Packet packet = network_.take(event.subject);
      Node& node = *nodes_[packet.to.value()];
      return node.on_delivery(std::move(packet));
    }
    case Event::Kind::kFault:
      return nodes_[event.subject]->on_fault();
    case Event::Kind::kWork:
      return nodes_[event.subject]->on_work(event.time);
    case Event::Kind::kResume:
      return nodes_[event.subject]->on_resume(event.time);
  }
}

Totals ModelJob::run() {
  while (!agenda_.empty()) {
    const Event event = agenda_.next();
    now_ = event.time;
    happen(event);
  }
  for (const auto& node : nodes_) {
    WEFT_ASSERT(node->is_done(), "thread {} waits for ever", node->number());
  }
  return totals();
}

Totals ModelJob::totals() const {
  Totals totals;
  for (const auto& node : nodes_) {
    totals.time = std::max(totals.time, node->done_at());
    totals.counters += node->counters();
    for (std::size_t index = 0; index < kActivities; ++index) {
      totals.spent[index] += node->spent()[index];
    }
  }
  for (const MemoryAccount& account : accounts_) {
    totals.memory += account.bytes;
    totals.most_memory_of_a_node = std::max(totals.most_memory_of_a_node, account.most_bytes);
  }
  return totals;
}

}  // namespace weft::scaling
