// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread
//
// Threads that have moved to other nodes register what is to be done at the end, by calls and by
// static objects. All of it is done once, the last one first.

#include <pthread.h>
#include <weft/weft.h>

#include <cstdint>
#include <string>
#include <vector>

#include "../check.h"

static std::vector<std::string> done;

template <int at>
struct Static {
  ~Static() { done.push_back("static of " + std::to_string(at)); }
};

static void note(int, void* node) {
  done.push_back("on_exit of " + std::to_string(reinterpret_cast<std::intptr_t>(node)));
}

template <int at>
static void* move_and_register(void*) {
  const int node = (at + weft_nodes() - 1) % weft_nodes();
  EXPECT(weft_migrate(node) == WEFT_OK || weft_nodes() == 1, "It stays at node %d.", weft_node());
  EXPECT(weft_node() == node, "It is at node %d.", weft_node());
  on_exit(note, reinterpret_cast<void*>(std::intptr_t{at}));
  static Static<at> object;
  return nullptr;
}

template <int at>
static void run_at() {
  weft_thread_on(at % weft_nodes());
  pthread_t id;
  EXPECT(pthread_create(&id, nullptr, move_and_register<at>, nullptr) == 0, "No thread");
  EXPECT(pthread_join(id, nullptr) == 0, "No end");
}

static void judge() {
  const std::vector<std::string> expected = {"static of 2",  "on_exit of 2", "static of 1",
                                             "on_exit of 1", "static of 0",  "on_exit of 0"};
  EXPECT(done == expected, "%zu were done", done.size());
  ok();
}

int main() {
  atexit(judge);
  run_at<0>();
  run_at<1>();
  run_at<2>();
}
