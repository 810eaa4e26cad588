// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C library's random numbers: the job has one sequence of each kind, and each draw, on any
// node, takes the next number (token.hpp). So a program draws what it draws in one process, if its
// threads draw in the same order. rand_r, random_r and the like work on the program's memory.
#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "libc/allocation/allocation.hpp"
#include "libc/interposition/interpose.hpp"
#include "process/library_state/packed_sequence.hpp"
#include "process/library_state/token.hpp"
#include "process/requests/topics.hpp"
#include "runtime/interface/shared_memory.hpp"
#include "runtime/job/job.hpp"

namespace weft::process {
namespace {

// --- rand and random ---

constexpr std::size_t kMostStateBytes = 256;
constexpr std::size_t kStateBytes[] = {8, 32, 64, 128, 256};  // by the kind in the first word
constexpr std::size_t kDefaultBytes = 128;

// The state in use lies in private memory, wherever the program's buffer for it is (initstate); it
// is copied there when another one is chosen. Two places: choosing writes into the one it leaves.
struct Sequence {
  random_data data = {};
  alignas(8) char places[2][kMostStateBytes] = {};
  unsigned place = 0;
  char* buffer = nullptr;               // the program's; default_name: none
  char defaults[kMostStateBytes] = {};  // the default state, while it is not in use
};
Sequence sequence;
char* default_name = nullptr;  // stands for the default state; the same on all nodes

std::size_t bytes_of_state(const char* state) {
  std::int32_t first;
  std::memcpy(&first, state, sizeof first);
  return kStateBytes[static_cast<std::uint32_t>(first) % 5];
}

void choose(const char* state, std::size_t bytes) {
  sequence.place ^= 1;
  char* const place = sequence.places[sequence.place];
  std::memcpy(place, state, bytes);
  setstate_r(place, &sequence.data);
}

// The present state with all that belongs to it.
const char* settled() {
  char* const place = sequence.places[sequence.place];
  setstate_r(place, &sequence.data);
  return place;
}

Bytes pack_sequence() {
  return to_bytes(PackedSequence{sequence.buffer, bytes_of(settled(), kMostStateBytes),
                                 bytes_of(sequence.defaults, kMostStateBytes)});
}

void unpack_sequence(ByteView bytes) {
  const auto packed = value_of<PackedSequence>(bytes);
  for (const ByteView each : {packed.state, packed.defaults}) {
    if (each.size() != kMostStateBytes) fail_unreadable("a state of random()", each.size());
  }
  sequence.buffer = packed.buffer;
  choose(reinterpret_cast<const char*>(packed.state.data()), kMostStateBytes);
  std::memcpy(sequence.defaults, packed.defaults.data(), kMostStateBytes);
}

constinit Token* sequence_token = nullptr;

long draw() {
  return sequence_token->use([] {
    std::int32_t number = 0;
    random_r(&sequence.data, &number);
    return static_cast<long>(number);
  });
}

void seed(unsigned with) {
  sequence_token->use([with] { srandom_r(with, &sequence.data); });
}

// What was in use before, to be copied to its buffer.
struct Left {
  char* buffer = nullptr;
  char state[kMostStateBytes];
};

void leave(Left& left) {
  left.buffer = sequence.buffer;
  char* const to = left.buffer == default_name ? sequence.defaults : left.state;
  std::memcpy(to, settled(), kMostStateBytes);
}

char* give_back(const Left& left) {
  if (left.buffer != default_name) std::memcpy(left.buffer, left.state, bytes_of_state(left.state));
  return left.buffer;
}

char* begin_state(unsigned with, char* buffer, std::size_t bytes) {
  if (bytes < kStateBytes[0]) return errno = EINVAL, nullptr;
  Left left;
  sequence_token->use([&] {
    leave(left);
    sequence.place ^= 1;
    initstate_r(with, sequence.places[sequence.place], std::min(bytes, kMostStateBytes),
                &sequence.data);
    sequence.buffer = buffer;
  });
  return give_back(left);
}

char* choose_state(char* buffer) {
  char wanted[kMostStateBytes];
  const bool is_default = buffer == default_name;
  if (!is_default) std::memcpy(wanted, buffer, bytes_of_state(buffer));
  Left left;
  sequence_token->use([&] {
    leave(left);
    const char* const state = is_default              ? sequence.defaults
                              : buffer == left.buffer ? left.state
                                                      : wanted;
    choose(state, bytes_of_state(state));
    sequence.buffer = buffer;
  });
  return give_back(left);
}

// --- drand48 and its family ---

drand48_data numbers_48;
constinit Token* token_48 = nullptr;

Bytes pack_48() {
  const ByteView bytes = bytes_of(&numbers_48, sizeof numbers_48);
  return {bytes.begin(), bytes.end()};
}
void unpack_48(ByteView packed) { std::memcpy(&numbers_48, packed.data(), sizeof numbers_48); }

template <typename Result>
Result draw_48(int (*next)(drand48_data*, Result*)) {
  return token_48->use([next] {
    Result result = 0;
    next(&numbers_48, &result);
    return result;
  });
}

template <typename Result>
Result draw_48_from(unsigned short* state, int (*next)(unsigned short*, drand48_data*, Result*)) {
  unsigned short copy[3];
  std::memcpy(copy, state, sizeof copy);
  const Result result = token_48->use([&] {
    Result drawn = 0;
    next(copy, &numbers_48, &drawn);
    return drawn;
  });
  std::memcpy(state, copy, sizeof copy);
  return result;
}

// Each node's threads get a block of their node's to read the state before from.
unsigned short* state_before(const unsigned short* state) {
  static auto* const block =
      static_cast<unsigned short*>(libc::program_allocate(3 * sizeof(unsigned short)));
  if (block != nullptr) std::memcpy(block, state, 3 * sizeof *state);
  return block;
}

bool is_job(const void* caller) {
  // The child of a fork goes on with its parent's sequences.
  return job_of_caller(caller) != nullptr || (this_node() == nullptr && sequence_token != nullptr);
}
#define WEFT_IS_JOB() is_job(__builtin_return_address(0))

}  // namespace

void perform_random() {
  default_name = static_cast<char*>(control_block(kDefaultBytes));
  sequence.buffer = default_name;
  initstate_r(1, sequence.places[0], kDefaultBytes, &sequence.data);
  sequence_token = new Token(0, {pack_sequence, unpack_sequence});
  token_48 = new Token(1, {pack_48, unpack_48});
  add_token(*sequence_token);
  add_token(*token_48);
  add_before_fork([] {
    sequence_token->bring();
    token_48->bring();
  });
}

WEFT_ENTRY(int, rand, void) { return WEFT_IS_JOB() ? static_cast<int>(draw()) : WEFT_REAL(rand)(); }
WEFT_ENTRY(long, random, void) { return WEFT_IS_JOB() ? draw() : WEFT_REAL(random)(); }
WEFT_ENTRY(void, srand, unsigned with) {
  return WEFT_IS_JOB() ? seed(with) : WEFT_REAL(srand)(with);
}
WEFT_ENTRY(void, srandom, unsigned with) {
  return WEFT_IS_JOB() ? seed(with) : WEFT_REAL(srandom)(with);
}
WEFT_ENTRY(char*, initstate, unsigned with, char* state, std::size_t bytes) {
  return WEFT_IS_JOB() ? begin_state(with, state, bytes) : WEFT_REAL(initstate)(with, state, bytes);
}
WEFT_ENTRY(char*, setstate, char* state) {
  return WEFT_IS_JOB() ? choose_state(state) : WEFT_REAL(setstate)(state);
}

#define WEFT_48(result, name) \
  WEFT_ENTRY(result, name, void) { return WEFT_IS_JOB() ? draw_48(name##_r) : WEFT_REAL(name)(); }
WEFT_48(double, drand48)
WEFT_48(long, lrand48)
WEFT_48(long, mrand48)

#define WEFT_48_FROM(result, name)                                                 \
  WEFT_ENTRY(result, name, unsigned short* state) {                                \
    return WEFT_IS_JOB() ? draw_48_from(state, name##_r) : WEFT_REAL(name)(state); \
  }
WEFT_48_FROM(double, erand48)
WEFT_48_FROM(long, nrand48)
WEFT_48_FROM(long, jrand48)

WEFT_ENTRY(void, srand48, long with) {
  if (!WEFT_IS_JOB()) return WEFT_REAL(srand48)(with);
  token_48->use([with] { srand48_r(with, &numbers_48); });
}
WEFT_ENTRY(unsigned short*, seed48, unsigned short* state) {
  if (!WEFT_IS_JOB()) return WEFT_REAL(seed48)(state);
  unsigned short copy[3], before[3];
  std::memcpy(copy, state, sizeof copy);
  token_48->use([&] {
    std::memcpy(before, numbers_48.__x, sizeof before);
    seed48_r(copy, &numbers_48);
  });
  return state_before(before);
}
WEFT_ENTRY(void, lcong48, unsigned short* parameters) {
  if (!WEFT_IS_JOB()) return WEFT_REAL(lcong48)(parameters);
  unsigned short copy[7];
  std::memcpy(copy, parameters, sizeof copy);
  token_48->use([&] { lcong48_r(copy, &numbers_48); });
}

}  // namespace weft::process
