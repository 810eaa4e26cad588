// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the C library remembers from call to call for the program: where strtok was, and hsearch's
// table. In shared memory here, so that it goes on from there on any node.
#include <search.h>
#include <string.h>

#include <cerrno>

#include "libc/allocation/allocation.hpp"
#include "libc/interposition/interpose.hpp"
#include "process/library_state/hash_places.hpp"
#include "process/requests/topics.hpp"
#include "runtime/interface/shared_memory.hpp"

namespace weft::process {
namespace {

struct HashTable {
  ENTRY* places;
  std::size_t count, used, most;
};

// In shared memory, where threads find it as they find variables.
struct Memory {
  char* rest_of_words;
  HashTable table;
};
Memory* memory = nullptr;

int make_table(std::size_t entries) {
  HashTable& table = memory->table;
  if (table.places != nullptr) return 0;
  if (entries > kMostEntries) {
    errno = ENOMEM;
    return 0;
  }
  const std::size_t count = places_for(entries);
  void* const places = libc::program_allocate(count * sizeof(ENTRY));
  if (places == nullptr) return 0;
  std::memset(places, 0, count * sizeof(ENTRY));
  table = {.places = static_cast<ENTRY*>(places), .count = count, .used = 0, .most = entries + 1};
  return 1;
}

ENTRY* search(ENTRY wanted, ACTION action) {
  HashTable& table = memory->table;
  ENTRY* const place =
      table.places == nullptr ? nullptr : place_of(table.places, table.count, wanted.key);
  if (place != nullptr && place->key != nullptr) return place;
  if (place == nullptr || action == FIND || table.used == table.most) {
    errno = action == FIND ? ESRCH : ENOMEM;
    return nullptr;
  }
  ++table.used;
  *place = wanted;
  return place;
}

}  // namespace

void prepare_words() { memory = static_cast<Memory*>(control_block(sizeof(Memory))); }

WEFT_ENTRY(char*, strtok, char* text, const char* delimiters) {
  if (WEFT_JOB_OF_CALLER() == nullptr) return WEFT_REAL(strtok)(text, delimiters);
  return strtok_r(text, delimiters, &memory->rest_of_words);
}

WEFT_ENTRY(int, hcreate, std::size_t entries) {
  if (WEFT_JOB_OF_CALLER() == nullptr) return WEFT_REAL(hcreate)(entries);
  return make_table(entries);
}
WEFT_ENTRY(ENTRY*, hsearch, ENTRY wanted, ACTION action) {
  if (WEFT_JOB_OF_CALLER() == nullptr) return WEFT_REAL(hsearch)(wanted, action);
  return search(wanted, action);
}
WEFT_ENTRY(void, hdestroy, void) {
  if (WEFT_JOB_OF_CALLER() == nullptr) return WEFT_REAL(hdestroy)();
  libc::release(memory->table.places);
  memory->table = {};
}

}  // namespace weft::process
