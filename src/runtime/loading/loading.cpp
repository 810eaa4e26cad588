// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/loading/loading.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <string>

#include "base/compiler_abi.h"
#include "base/futex.hpp"
#include "base/locks/lock_ids.hpp"
#include "base/signal_safe_mutex.hpp"
#include "runtime/adoption/starting_libraries.hpp"
#include "runtime/libraries/executable.hpp"
#include "runtime/loading/loading_failure.hpp"
#include "runtime/loading/loading_here.hpp"
#include "runtime/loading/loading_messages.hpp"
#include "runtime/services/workers.hpp"
#include "stacks/stacks.hpp"

namespace weft {
namespace {

struct Waiter {
  std::atomic<std::uint32_t> answers{0};
  std::vector<LoadAnswer> of_node;
};

struct State {
  Driver* node = nullptr;
  unsigned next_window = 0;  // guarded by the job's lock
  SignalSafeMutex lock;
  std::map<void*, void*> handles;  // by node 0's, which are the program's
};
State* state = nullptr;  // never destroyed: threads use it as long as the process lives
thread_local bool has_job_lock = false;

// --- on each node ---

void remember(void* programs_handle, void* handle) {
  const std::lock_guard guard(state->lock);
  state->handles[programs_handle] = handle;
}

// --- on the other nodes ---

std::string difference(const std::vector<std::string>& theirs, const Loaded& loaded) {
  std::vector<std::string> mine = program_fingerprint();
  mine.insert(mine.end(), loaded.objects.begin(), loaded.objects.end());
  for (const std::string& line : theirs) {
    if (line.empty() || std::ranges::find(mine, line) != mine.end()) continue;
    const std::string file = line.substr(0, std::min(line.find(" at 0x"), line.find(" has data")));
    const auto same = std::ranges::find_if(
        mine, [&](const std::string& candidate) { return candidate.starts_with(file); });
    return fmt::format("there {}; here {}", line, same == mine.end() ? "nothing" : *same);
  }
  return {};
}

LoadAnswer load_as_asked(const LoadRequest& request) {
  const Loaded loaded = load_here(request);
  if (loaded.handle == nullptr) {
    if ((request.mode & RTLD_NOLOAD) != 0) return {};
    return {.complaint = loaded.failure.empty() ? "no reason is given" : loaded.failure};
  }
  std::string complaint = difference(request.objects, loaded);
  if (!complaint.empty()) return {.complaint = std::move(complaint)};
  adopt(*state->node, loaded);
  if (!loaded.libraries.empty()) start_standard_streams();
  if (state->node->self() != NodeId(0)) {
    remember(reinterpret_cast<void*>(request.handle), loaded.handle);
  }
  return {.handle = reinterpret_cast<std::uintptr_t>(loaded.handle)};
}

void serve(NodeId from, const LoadRequest& request) {
  state->next_window = request.window + 1;
  LoadAnswer answer = load_as_asked(request);
  answer.waiter = request.waiter;
  state->node->notify(from, Service::kLoaded, to_bytes(answer));
}

void deliver(NodeId from, ByteView message) {
  auto answer = value_of<LoadAnswer>(message);
  auto& waiter = *reinterpret_cast<Waiter*>(answer.waiter);
  waiter.of_node[from.value()] = std::move(answer);
  // The waiter is gone as soon as it sees the last one; waking takes the address alone.
  std::atomic<std::uint32_t>& answers = waiter.answers;
  answers.fetch_add(1, std::memory_order_acq_rel);
  futex_wake_all(answers);
}

// --- on the node that loads ---

void check(const LoadRequest& request, const std::vector<LoadAnswer>& answers) {
  for (NodeId other; other.value() < answers.size(); ++other) {
    if (answers[other.value()].complaint.empty()) continue;
    state->node->fail(fmt::format(
        "dlopen: node {} cannot load {} as node {} has: {}. If it is one of its dependencies that "
        "lies elsewhere, link the program with that",
        other.value(), request.has_file ? request.file : "the program", state->node->self().value(),
        answers[other.value()].complaint));
  }
}

// Has other nodes load what this one has loaded, and ends the job if one cannot. Returns the
// answer of the last.
LoadAnswer ask(LoadRequest& request, NodeId first, NodeId last) {
  Driver& node = *state->node;
  Waiter waiter;
  waiter.of_node.resize(node.node_count());
  request.waiter = reinterpret_cast<std::uintptr_t>(&waiter);
  std::uint32_t asked = 0;
  for (NodeId to = first; to <= last; ++to) {
    if (to == node.self()) continue;
    node.notify(to, Service::kLoad, to_bytes(request));
    ++asked;
  }
  for (;;) {
    const std::uint32_t seen = waiter.answers.load(std::memory_order_acquire);
    if (seen == asked) break;
    node.wait_while(waiter.answers, seen, std::nullopt);
  }
  check(request, waiter.of_node);
  return std::move(waiter.of_node[last.value()]);
}

// On all nodes; returns the program's handle, which is node 0's.
void* ask_others(LoadRequest& request, void* own_handle) {
  Driver& node = *state->node;
  request.handle = reinterpret_cast<std::uintptr_t>(own_handle);
  if (node.self() != NodeId(0)) request.handle = ask(request, NodeId(0), NodeId(0)).handle;
  (void)ask(request, NodeId(1), NodeId(static_cast<std::uint16_t>(node.node_count() - 1)));
  return reinterpret_cast<void*>(request.handle);
}

// Other nodes may be in another directory.
std::string absolute(const std::string& file) {
  if (file.find('/') == std::string::npos || file[0] == '/' || file[0] == '$') return file;
  char directory[4096];
  return getcwd(directory, sizeof directory) == nullptr ? file
                                                        : std::string(directory) + "/" + file;
}

// Returns the program's handle, which is node 0's.
void* load_everywhere(LoadRequest request) {
  Driver& node = *state->node;
  request.window = state->next_window;
  Loaded loaded = load_here(request);
  set_load_failure(std::move(loaded.failure));
  if (loaded.handle == nullptr) return nullptr;
  if (!loaded.complaint.empty()) node.fail("dlopen: " + loaded.complaint);
  if (loaded.has_weft && request.has_file && (request.mode & RTLD_DEEPBIND) != 0) {
    node.fail(
        fmt::format("dlopen of {} with RTLD_DEEPBIND would bind it to the C library's and "
                    "OpenMP's functions in place of Weft's; do without",
                    request.file));
  }
  ++state->next_window;
  request.objects = std::move(loaded.objects);
  void* const programs_handle = ask_others(request, loaded.handle);
  adopt(*state->node, loaded);
  remember(programs_handle, loaded.handle);
  if (loaded.libraries.empty()) return programs_handle;
  call_on_program_stack(
      [](void* libraries) {
        run_constructors(*static_cast<std::vector<StartingLibrary>*>(libraries));
      },
      &loaded.libraries);
  return programs_handle;
}

void* load_under_lock(LoadRequest request) {
  // Constructors load libraries, too.
  if (has_job_lock) return load_everywhere(std::move(request));
  state->node->acquire(lock_of(OwnLock::kLoading));
  has_job_lock = true;
  void* const handle = load_everywhere(std::move(request));
  has_job_lock = false;
  state->node->release(lock_of(OwnLock::kLoading));
  return handle;
}

}  // namespace

void serve_loading(Driver& node) {
  state = new State;
  state->node = &node;
  node.serve(Service::kLoad, [](NodeId from, ByteView message) {
    run_on_worker([from, request = value_of<LoadRequest>(message)] { serve(from, request); });
    return Bytes();
  });
  node.serve(Service::kLoaded, [](NodeId from, ByteView message) {
    deliver(from, message);
    return Bytes();
  });
}

void start_standard_streams() {
  static char init;  // an object without contents
  const auto construct =
      reinterpret_cast<void (*)(void*)>(dlsym(RTLD_DEFAULT, "_ZNSt8ios_base4InitC1Ev"));
  // The last destruction flushes: at the program's end, it is to be the program's.
  const auto destroy =
      reinterpret_cast<void (*)(void*)>(dlsym(RTLD_DEFAULT, "_ZNSt8ios_base4InitD1Ev"));
  if (construct == nullptr || destroy == nullptr) return;
  construct(&init);
  destroy(&init);
}

}  // namespace weft

extern "C" {

[[gnu::visibility("default")]] void* __weft_dlopen(const char* file, int mode,
                                                   weft_dlopen_from open) {
  if (weft::this_node() == nullptr) return open(file, mode);
  return weft::on_runtime_stack([&] {
    weft::LoadRequest request;
    request.open = open;
    request.mode = mode;
    request.has_file = file != nullptr;
    if (file != nullptr) request.file = weft::absolute(file);
    return weft::load_under_lock(std::move(request));
  });
}

[[gnu::visibility("default")]] char* __weft_dlerror(void) { return weft::take_load_failure(); }

[[gnu::visibility("default")]] void* __weft_handle_here(void* handle) {
  weft::set_load_failure({});
  if (weft::this_node() == nullptr || weft::this_node()->self() == weft::NodeId(0)) return handle;
  return weft::on_runtime_stack([&] {
    const std::lock_guard guard(weft::state->lock);
    const auto known = weft::state->handles.find(handle);
    return known == weft::state->handles.end() ? handle : known->second;
  });
}

}  // extern "C"
