// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Thread-specific data. A key that the program puts into shared memory is made on one node and used
// on all of them, so it is the job's: a number beyond the C library's, and a destructor, in a table
// in shared memory. The values are each thread's own, in its node's private memory. Numbers are not
// used again.
#include "pthread/threads/keys.hpp"

#include <pthread.h>
#include <threads.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include "pthread/threads/libomp_code.hpp"
#include "pthread/threads/running.hpp"
#include "pthread/waiting/monitor.hpp"
#include "pthread/waiting/objects.hpp"
#include "runtime/interface/main_thread.hpp"
#include "runtime/interface/shared_memory.hpp"
#include "runtime/interface/spreading.hpp"
#include "stacks/stacks.hpp"

namespace weft::pthread {
namespace {

using Destructor = void (*)(void*);

constexpr unsigned kFirst = 1 << 16;
constexpr unsigned kKeys = 4096;

struct Table {
  std::uint32_t used;
  bool has_values_of_teams;  // of threads of OpenMP's, but for the job's main thread
  Destructor destructors[kKeys];
};
Table* table = nullptr;
thread_local void** values = nullptr;        // kKeys of them, once there is one
std::optional<pthread_key_t> key_of_libomp;  // the C library's

bool is_job_key(unsigned key) { return key - kFirst < kKeys && table != nullptr; }

int create(Node& node, unsigned* key, Destructor destructor) {
  return on_runtime_stack([&] {
    const Monitor guard(node, table);
    if (table->used == kKeys) return EAGAIN;
    table->destructors[table->used] = destructor;
    *key = kFirst + table->used++;
    return 0;
  });
}

void forget(unsigned key) {
  Node* node = this_node();
  if (node == nullptr) return;
  on_runtime_stack([&] {
    const Monitor guard(*node, table);
    table->destructors[key - kFirst] = nullptr;
  });
}

// The first value of this thread. Those of main and of the program's own threads are with them
// wherever regions run.
void note_values() {
  Node* node = this_node();
  if (node == nullptr || runs_main(*node) || is_own_thread_of_program()) return;
  const Monitor guard(*node, table);
  table->has_values_of_teams = true;
}

void* get(unsigned key) { return values == nullptr ? nullptr : values[key - kFirst]; }

int set(unsigned key, const void* value) {
  return on_runtime_stack([&] {
    if (values == nullptr) {
      if (value == nullptr) return 0;
      values = static_cast<void**>(std::calloc(kKeys, sizeof(void*)));
      if (values == nullptr) return ENOMEM;
      clean_up_at_end_of_thread();
      note_values();
    }
    values[key - kFirst] = const_cast<void*>(value);
    return 0;
  });
}

// libomp forgets its threads in the child of a fork, but not that it has a value for the thread
// there. Its destructor would look for that thread's data when the thread ends.
void forget_value_of_libomp() { WEFT_REAL(pthread_setspecific)(*key_of_libomp, nullptr); }

int create_in_process(pthread_key_t* key, Destructor destructor) {
  const int error = WEFT_REAL(pthread_key_create)(key, destructor);
  const bool is_new = error == 0 && !key_of_libomp;
  if (is_new && is_of_libomp(reinterpret_cast<const void*>(destructor))) {
    key_of_libomp = *key;
    pthread_atfork(nullptr, nullptr, forget_value_of_libomp);
  }
  return error;
}

// A value with a destructor that has not run, whose place is empty from now on.
bool take_one(Destructor& destructor, void*& value) {
  const Monitor guard(*this_node(), table);
  for (unsigned i = 0; i < table->used; ++i) {
    if (values[i] == nullptr || table->destructors[i] == nullptr) continue;
    destructor = table->destructors[i];
    value = std::exchange(values[i], nullptr);
    return true;
  }
  return false;
}

}  // namespace

void prepare_keys() {
  table = static_cast<Table*>(control_block(sizeof(Table)));
  threads_keep_values = [] { return table->has_values_of_teams; };
}

void destroy_values() {
  if (values == nullptr || this_node() == nullptr) return;
  struct Call {
    Destructor destructor;
    void* value;
  } call{};
  // Destructors may set values again; not for ever.
  for (unsigned calls = 0; calls < 4 * kKeys && take_one(call.destructor, call.value); ++calls) {
    call_on_program_stack(
        [](void* c) {
          const auto* inner = static_cast<Call*>(c);
          inner->destructor(inner->value);
        },
        &call);
  }
  std::free(std::exchange(values, nullptr));
}

std::vector<CarriedValue> carry_off_values() {
  std::vector<CarriedValue> carried;
  if (values == nullptr) return carried;
  for (unsigned i = 0; i < kKeys; ++i) {
    if (values[i] != nullptr) carried.push_back({kFirst + i, std::exchange(values[i], nullptr)});
  }
  return carried;
}

bool take_over_values(const std::vector<CarriedValue>& carried) {
  return std::ranges::all_of(
      carried, [](const CarriedValue& each) { return set(each.key, each.value) == 0; });
}

WEFT_ENTRY(int, pthread_key_create, pthread_key_t* key, Destructor destructor) {
  Node* node = job_of(key);
  if (node == nullptr) return create_in_process(key, destructor);
  return create(*node, key, destructor);
}
WEFT_ENTRY(int, pthread_key_delete, pthread_key_t key) {
  if (!is_job_key(key)) return WEFT_REAL(pthread_key_delete)(key);
  forget(key);
  return 0;
}
WEFT_ENTRY(void*, pthread_getspecific, pthread_key_t key) {
  return is_job_key(key) ? get(key) : WEFT_REAL(pthread_getspecific)(key);
}
WEFT_ENTRY(int, pthread_setspecific, pthread_key_t key, const void* value) {
  return is_job_key(key) ? set(key, value) : WEFT_REAL(pthread_setspecific)(key, value);
}

WEFT_ENTRY(int, tss_create, tss_t* key, Destructor destructor) {
  Node* node = job_of(key);
  if (node == nullptr) return WEFT_REAL(tss_create)(key, destructor);
  return create(*node, key, destructor) == 0 ? thrd_success : thrd_error;
}
WEFT_ENTRY(void, tss_delete, tss_t key) {
  if (!is_job_key(key)) return WEFT_REAL(tss_delete)(key);
  forget(key);
}
WEFT_ENTRY(void*, tss_get, tss_t key) {
  return is_job_key(key) ? get(key) : WEFT_REAL(tss_get)(key);
}
WEFT_ENTRY(int, tss_set, tss_t key, void* value) {
  if (!is_job_key(key)) return WEFT_REAL(tss_set)(key, value);
  return set(key, value) == 0 ? thrd_success : thrd_error;
}

}  // namespace weft::pthread
