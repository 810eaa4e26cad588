// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nodes that really share their memory: processes forked before main, with the program's data, heap
// and stacks mapped shared, and synchronisation under one lock for all. With it the OpenMP layer is
// tested alone: a program that fails here does not fail because of the protocol.
//
// A test program is linked with this library ahead of libomp. WEFT_TEST_NODES and
// WEFT_TEST_THREADS say how many there are.
#include <dlfcn.h>
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <thread>

#include "base/compiler_abi.h"
#include "base/futex.hpp"
#include "openmp/regions/worker.hpp"
#include "openmp/testing/shared_program_data.hpp"
#include "runtime/interface/node.hpp"
#include "runtime/interface/shared_memory.hpp"
#include "runtime/output/output_order.hpp"
#include "runtime/stacks/program_stacks.hpp"
#include "stacks/stacks.hpp"

namespace weft {
namespace {

constexpr std::uintptr_t kBegin = 0x200000000000;
constexpr std::size_t kHeapBytes = std::size_t{2} << 30, kStackBytes = std::size_t{8} << 20;
constexpr unsigned kMostNodes = 8, kMostStacks = 64, kMostMail = 1024;
constexpr std::size_t kTableSize = 1 << 18;

struct Request {
  int state = 0;  // 0 free, 1 asked, 2 answered
  NodeId from;
  unsigned service = 0;
  std::size_t size = 0;
  std::byte bytes[256];
};

// In shared memory; everything is guarded by `lock`.
struct Shared {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  unsigned arrived = 0;
  std::uint64_t barriers = 0, publications = 0, heap_used = 0, payload_size = 0;
  std::uint8_t votes = 0, decided_votes = 0;
  struct Contribution {
    std::size_t size = 0;
    std::byte bytes[1 << 14];
  } contributions[kMostNodes];
  bool ended = false;
  std::byte payload[1 << 16];
  Request requests[kMostNodes];
  struct Mail {
    NodeId from;
    unsigned service;
    std::size_t size;
    std::byte* bytes;  // in the shared heap
  } mail[kMostNodes][kMostMail];
  unsigned mail_sent[kMostNodes], mail_read[kMostNodes];
  struct Entry {
    std::uint64_t id, value;
  };
  Entry locks[kTableSize], sequencers[kTableSize];
  alignas(64) std::byte control[1 << 20];
};

Shared* shared = nullptr;
std::byte *heap = nullptr, *stacks = nullptr;

std::uint64_t& entry(Shared::Entry* table, std::uint64_t id) {
  std::size_t slot = (id * 0x9e3779b97f4a7c15U) >> 46;
  while (table[slot].id != 0 && table[slot].id != id) slot = (slot + 1) % kTableSize;
  table[slot].id = id;
  return table[slot].value;
}

class Guard {
 public:
  Guard() { pthread_mutex_lock(&shared->lock); }
  ~Guard() {
    pthread_cond_broadcast(&shared->changed);
    pthread_mutex_unlock(&shared->lock);
  }
  template <typename Predicate>
  void wait_until(Predicate holds) {
    while (!holds()) pthread_cond_wait(&shared->changed, &shared->lock);
  }
};

// A handler runs with the lock taken, and may send.
thread_local bool in_handler = false;

class ClusterNode final : public Node {
 public:
  ClusterNode(NodeId self, unsigned nodes, unsigned threads)
      : self_(self), nodes_(nodes), threads_(threads) {}

  [[nodiscard]] NodeId self() const override { return self_; }
  [[nodiscard]] unsigned node_count() const override { return nodes_; }
  [[nodiscard]] unsigned threads_per_node() const override { return threads_; }
  [[nodiscard]] unsigned most_threads_per_node() const override { return kMostStacks / nodes_; }

  std::vector<Contribution> gather() override {  // node 0 is the parent of all
    if (self_ != NodeId(0)) return {};
    std::vector<Contribution> contributions;
    Guard guard;
    guard.wait_until([&] { return shared->arrived + 1 == nodes_; });
    for (NodeId from(1); from.value() < nodes_; ++from) {
      const auto& [size, bytes] = shared->contributions[from.value()];
      contributions.push_back({from, Bytes(bytes, bytes + size)});
    }
    return contributions;
  }
  std::uint8_t barrier_with(BarrierInput input) override {
    Guard guard;
    auto& [size, bytes] = shared->contributions[self_.value()];
    size = input.contribution.size();
    if (size > sizeof bytes) std::abort();
    std::copy(input.contribution.begin(), input.contribution.end(), bytes);
    shared->votes |= input.votes;
    const std::uint64_t number = shared->barriers;
    if (++shared->arrived == nodes_) {
      shared->arrived = 0;
      shared->decided_votes = std::exchange(shared->votes, 0);
      ++shared->barriers;
    }
    pthread_cond_broadcast(&shared->changed);  // who gathers waits for arrivals
    guard.wait_until([&] { return shared->barriers > number; });
    return shared->decided_votes;
  }
  void acquire(LockId lock) override {
    Guard guard;
    std::uint64_t& held = entry(shared->locks, lock.value());
    guard.wait_until([&] { return held == 0; });
    held = 1;
  }
  bool try_acquire(LockId lock) override {
    Guard guard;
    std::uint64_t& held = entry(shared->locks, lock.value());
    return std::exchange(held, 1) == 0;
  }
  void release(LockId lock) override {
    Guard guard;
    std::uint64_t& held = entry(shared->locks, lock.value());
    if (held == 0) std::abort();
    held = 0;
  }
  void advance(SequencerId sequencer, std::uint64_t value) override {
    Guard guard;
    std::uint64_t& count = entry(shared->sequencers, sequencer.value());
    count = std::max(count, value);
  }
  std::uint64_t await(SequencerId sequencer, std::uint64_t value) override {
    Guard guard;
    std::uint64_t& count = entry(shared->sequencers, sequencer.value());
    guard.wait_until([&] { return count >= value; });
    return count;
  }
  AtomicResult atomic(const AtomicRequest&, Ordering) override { std::abort(); }
  void merge(const AtomicRequest&) override { std::abort(); }
  void fence(bool /*polled*/) override { std::atomic_thread_fence(std::memory_order_seq_cst); }
  void note_flush() override {}

  void publish(Bytes payload, PhaseKey) override {
    Guard guard;
    if (payload.size() > sizeof shared->payload) std::abort();
    std::copy(payload.begin(), payload.end(), shared->payload);
    shared->payload_size = payload.size();
    ++shared->publications;
  }
  bool wait_for_publication(Bytes& payload) override {
    Guard guard;
    guard.wait_until([&] { return shared->ended || shared->publications > seen_; });
    if (shared->publications == seen_) return false;
    ++seen_;
    payload.assign(shared->payload, shared->payload + shared->payload_size);
    return true;
  }

  void serve(Service service, ServiceHandler handler) override {
    handlers_[static_cast<int>(service)] = std::move(handler);
  }
  Bytes call(NodeId to, Service service, Bytes bytes) override {
    Guard guard;
    Request& request = shared->requests[to.value()];
    guard.wait_until([&] { return request.state == 0; });
    request.state = 1;
    request.from = self_;
    request.service = static_cast<unsigned>(service);
    request.size = bytes.size();
    std::copy(bytes.begin(), bytes.end(), request.bytes);
    pthread_cond_broadcast(&shared->changed);
    guard.wait_until([&] { return request.state == 2 && request.from == self_; });
    Bytes reply(request.bytes, request.bytes + request.size);
    request.state = 0;
    return reply;
  }
  void notify(NodeId to, Service service, Bytes bytes) override {
    std::optional<Guard> guard;
    if (!in_handler) guard.emplace();
    const unsigned t = to.value();
    if (shared->mail_sent[t] - shared->mail_read[t] == kMostMail) std::abort();
    Shared::Mail& mail = shared->mail[t][shared->mail_sent[t]++ % kMostMail];
    mail = {self_, static_cast<unsigned>(service), bytes.size(), heap + shared->heap_used};
    shared->heap_used += (bytes.size() + 63) & ~std::size_t{63};
    std::copy(bytes.begin(), bytes.end(), mail.bytes);
    pthread_cond_broadcast(&shared->changed);
  }
  void post(NodeId to, Service service, Bytes bytes) override {
    notify(to, service, std::move(bytes));
  }
  void count_outside_threads(int) override {}
  void wait_while(const std::atomic<std::uint32_t>& word, std::uint32_t value,
                  std::optional<std::int64_t> until_ns) override {
    while (word.load() == value && (!until_ns || now_ns() < *until_ns)) {
      until_ns ? futex_wait_until(word, value, *until_ns) : futex_wait(word, value);
    }
  }
  void wake(std::atomic<std::uint32_t>& word) override { futex_wake_all(word); }
  [[nodiscard]] std::optional<GlobalOffset> offset_of(const void* pointer) const override {
    const auto* byte = static_cast<const std::byte*>(pointer);
    const bool is_later = byte >= heap && byte < stacks + kMostStacks * kStackBytes;
    if (!is_program_data(byte) && !is_later) return std::nullopt;
    return GlobalOffset(reinterpret_cast<std::uintptr_t>(pointer));
  }
  [[nodiscard]] PageSet used_pages(PageRange pages) override { return {pages}; }
  [[nodiscard]] bool could_hold_everything() override { return true; }
  [[nodiscard]] Epoch epoch() const override { return Epoch(0); }
  void fail(const std::string& sentence) override {
    std::fprintf(stderr, "weft: node %u: %s\n", self_.value(), sentence.c_str());
    kill(0, SIGTERM);
    _exit(3);
  }

  // Answers requests, on a thread of its own.
  void serve_forever() {
    Guard guard;
    Request& request = shared->requests[self_.value()];
    unsigned& read = shared->mail_read[self_.value()];
    in_handler = true;
    for (;;) {
      guard.wait_until([&] {
        return request.state == 1 || read != shared->mail_sent[self_.value()] || shared->ended;
      });
      if (read != shared->mail_sent[self_.value()]) {
        const Shared::Mail mail = shared->mail[self_.value()][read++ % kMostMail];
        (void)handlers_[mail.service](mail.from, ByteView(mail.bytes, mail.size));
        continue;
      }
      if (request.state != 1) return;
      const Bytes reply =
          handlers_[request.service](request.from, ByteView(request.bytes, request.size));
      std::copy(reply.begin(), reply.end(), request.bytes);
      request.size = reply.size();
      request.state = 2;
      pthread_cond_broadcast(&shared->changed);
    }
  }

 private:
  const NodeId self_;
  const unsigned nodes_, threads_;
  std::uint64_t seen_ = 0;
  ServiceHandler handlers_[static_cast<int>(Service::kCount)];
};

ClusterNode* node = nullptr;

unsigned number_from(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? 1 : static_cast<unsigned>(std::atoi(text));
}

using Main = int (*)(int, char**, char**);
Main program_main = nullptr;

int main_on_program_stack(int argc, char** argv, char** environment) {
  struct Call {
    int argc;
    char **argv, **environment;
    int status;
  } call{.argc = argc, .argv = argv, .environment = environment, .status = 0};
  take_program_stack(0);
  call_on_program_stack(
      [](void* c) {
        auto& arguments = *static_cast<Call*>(c);
        arguments.status = program_main(arguments.argc, arguments.argv, arguments.environment);
      },
      &call);
  return call.status;
}

void end_job() {
  const Guard guard;
  shared->ended = true;
}

}  // namespace

Node* this_node() { return node; }

// These nodes print into one pipe.
void settle_output() { std::fflush(stdout); }

void take_program_stack(unsigned local_thread) {
  const unsigned slot = node->self().value() * node->most_threads_per_node() + local_thread;
  set_program_stack(stacks + slot * kStackBytes, stacks + (slot + 1) * kStackBytes);
}

void* control_block(std::size_t bytes) {
  static std::size_t used = 0;
  return shared->control + std::exchange(used, used + (bytes + 63) / 64 * 64);
}

}  // namespace weft

using namespace weft;

extern "C" {

#define WEFT_TEST_EXPORT __attribute__((visibility("default")))

// A heap that only grows; each block is preceded by its size.
WEFT_TEST_EXPORT void* __wrap_aligned_alloc(std::size_t alignment, std::size_t size) {
  alignment = std::max<std::size_t>(alignment, 16);
  const Guard guard;
  const std::size_t begin = (shared->heap_used + 16 + alignment - 1) / alignment * alignment;
  shared->heap_used = begin + size;
  if (shared->heap_used > kHeapBytes) return nullptr;
  std::memcpy(heap + begin - sizeof size, &size, sizeof size);
  return heap + begin;
}
WEFT_TEST_EXPORT void* __wrap_memalign(std::size_t alignment, std::size_t size) {
  return __wrap_aligned_alloc(alignment, size);
}
WEFT_TEST_EXPORT void* __wrap_malloc(std::size_t size) { return __wrap_aligned_alloc(16, size); }
WEFT_TEST_EXPORT void __wrap_free(void*) {}
WEFT_TEST_EXPORT void* __wrap_calloc(std::size_t count, std::size_t size) {
  return __wrap_malloc(count * size);
}
WEFT_TEST_EXPORT void* __wrap_realloc(void* block, std::size_t size) {
  void* moved = __wrap_malloc(size);
  if (block == nullptr || moved == nullptr) return moved;
  std::size_t old = 0;
  std::memcpy(&old, static_cast<std::byte*>(block) - sizeof old, sizeof old);
  std::memcpy(moved, block, std::min(old, size));
  return moved;
}

WEFT_TEST_EXPORT int __libc_start_main(Main main, int argc, char** argv, void (*init)(),
                                       void (*fini)(), void (*rtld_fini)(), void* stack_end) {
  const unsigned nodes = number_from("WEFT_TEST_NODES");
  shared = static_cast<Shared*>(map_shared(kBegin, sizeof(Shared)));
  heap = static_cast<std::byte*>(map_shared(kBegin + (1ULL << 32), kHeapBytes));
  stacks = static_cast<std::byte*>(map_shared(kBegin + (2ULL << 32), kMostStacks * kStackBytes));
  share_program_data();
  pthread_mutexattr_t mutex;
  pthread_condattr_t condition;
  pthread_mutexattr_init(&mutex);
  pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&shared->lock, &mutex);
  pthread_condattr_init(&condition);
  pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
  pthread_cond_init(&shared->changed, &condition);

  setpgid(0, 0);
  NodeId self;
  for (NodeId other(1); other.value() < nodes && self == NodeId(0); ++other) {
    if (fork() == 0) {
      self = other;
      prctl(PR_SET_PDEATHSIG, SIGKILL);
    }
  }
  node = new ClusterNode(self, nodes, number_from("WEFT_TEST_THREADS"));
  start_openmp(*node);
  std::thread([] { node->serve_forever(); }).detach();
  if (self != NodeId(0)) {
    take_program_stack(0);
    run_worker_node(*node);
    std::fflush(nullptr);
    _exit(0);
  }
  std::atexit(end_job);
  program_main = main;
  const auto real =
      reinterpret_cast<int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*)>(
          dlsym(RTLD_NEXT, "__libc_start_main"));
  return real(main_on_program_stack, argc, argv, init, fini, rtld_fini, stack_end);
}
}
