// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FIFOs in memory, and signals, which are FIFOs of words.
#include <pthread.h>
#include <stdlib.h>

#include <cerrno>

#include "base/remote/remote_abi.hpp"
#include "start/calls/remote_beginning.hpp"
#include "start/calls/remote_owner.hpp"
#include "start/calls/remote_patience.hpp"
#include "start/calls/remote_views.hpp"
#include "start/visibility.hpp"

// One that this node reads.
struct weft_fifo {
  std::uint64_t secret;
  const void* memory;
};

struct weft_signals {
  weft_fifo* fifo;
  weft_handler handler;  // null: threads wait
  void* argument;
  pthread_t thread;
};

namespace weft::remote {
namespace {

constexpr std::size_t kSignals = 256;

weft_fifo fifos[kMostKeys];

std::uint32_t number_of(const weft_fifo* fifo) { return static_cast<std::uint32_t>(fifo - fifos); }

// WEFT_ERROR_EMPTY; .._KEY: it is closed.
int take(Table& table, const weft_fifo* fifo, void* into, std::size_t room, std::size_t& bytes,
         std::uint32_t& from) {
  const std::uint32_t number = number_of(fifo);
  Use use(table, own_place(self(), table), table.has_light_fences, number, fifo->secret, 0, 0, 0);
  if (use.error() != WEFT_OK) return use.error();
  Piece& piece = table.pieces[use.grant().piece];
  Fifo ring(piece.memory.load(), use.grant().fifo_messages, use.grant().fifo_bytes);
  const bool took = ring.take(into, room, bytes, from);
  use.end();
  if (!took) return WEFT_ERROR_EMPTY;
  piece.bell.ring();
  __weft_remote_made_room(number);
  return WEFT_OK;
}

int take_when_there_is_one(const weft_fifo* fifo, void* into, std::size_t room, std::size_t& bytes,
                           std::uint32_t& from) {
  if (__weft_remote_is_in_handler() != 0) return WEFT_ERROR_HANDLER;
  Table* const table = __weft_remote_own_table(0);
  if (table == nullptr) return WEFT_ERROR_KEY;
  int error = WEFT_ERROR_EMPTY;
  const auto has_come = [&] {
    error = take(*table, fifo, into, room, bytes, from);
    return error != WEFT_ERROR_EMPTY;
  };
  if (looks_until(has_come)) return error;
  Bell& bell = table->pieces[table->grants[number_of(fifo)].piece].bell;
  const Bell::Waiting waiting(bell);
  for (;;) {
    const std::uint32_t seen = bell.rung().load();
    if (has_come()) return error;
    __weft_remote_await(&bell, seen, never, nullptr);
  }
}

int append(Kind kind, const weft_key* to, const void* message, std::size_t bytes,
           weft_request* request) {
  Beginning beginning(nullptr, request);
  Operation operation{.kind = kind, .bytes = bytes};
  operation.near = static_cast<std::byte*>(const_cast<void*>(message));
  operation.from = static_cast<std::uint32_t>(self());
  beginning.add(*to, operation, false);
  return beginning.end();
}

void* handle_signals(void* argument) {
  const auto* const signals = static_cast<weft_signals*>(argument);
  std::uint64_t value = 0;
  std::size_t bytes = 0;
  std::uint32_t from = 0;
  while (take_when_there_is_one(signals->fifo, &value, sizeof value, bytes, from) == WEFT_OK) {
    signals->handler(static_cast<int>(from), value, signals->argument);
  }
  return nullptr;
}

template <typename T>
T* refuse(int error) {
  errno = error;
  return nullptr;
}

}  // namespace
}  // namespace weft::remote

using namespace weft::remote;

extern "C" {

WEFT_EXPORT weft_fifo* weft_fifo_open(size_t messages, size_t most_bytes, weft_key* key) {
  constexpr size_t kMost = UINT32_MAX / 2;
  if (messages == 0 || most_bytes == 0 || messages > kMost || most_bytes > kMost)
    return refuse<weft_fifo>(EINVAL);
  const size_t places = messages < Fifo::kFewestMessages ? Fifo::kFewestMessages : messages;
  weft_key made = {};
  void* const memory =
      add_memory(Fifo::footprint(places, most_bytes), static_cast<std::uint32_t>(places),
                 static_cast<std::uint32_t>(most_bytes), WEFT_RIGHT_SEND, made);
  if (memory == nullptr) return nullptr;
  weft_fifo& fifo = fifos[made.number];
  fifo = {.secret = made.secret, .memory = memory};
  made.bytes = most_bytes;
  *key = made;
  return &fifo;
}

WEFT_EXPORT int weft_fifo_close(weft_fifo* fifo) { return remove_memory(fifo->memory); }

WEFT_EXPORT int weft_fifo_put(const weft_key* to, const void* message, size_t bytes,
                              weft_request* request) {
  return append(Kind::kAppend, to, message, bytes, request);
}

WEFT_EXPORT int weft_fifo_try_put(const weft_key* to, const void* message, size_t bytes,
                                  weft_request* request) {
  return append(Kind::kTryAppend, to, message, bytes, request);
}

WEFT_EXPORT int weft_fifo_get(weft_fifo* fifo, void* into, size_t room, size_t* bytes) {
  std::uint32_t from = 0;
  return take_when_there_is_one(fifo, into, room, *bytes, from);
}

WEFT_EXPORT int weft_fifo_try_get(weft_fifo* fifo, void* into, size_t room, size_t* bytes) {
  std::uint32_t from = 0;
  Table* const table = __weft_remote_own_table(0);
  return table == nullptr ? WEFT_ERROR_KEY : take(*table, fifo, into, room, *bytes, from);
}

WEFT_EXPORT weft_signals* weft_signals_open(weft_handler handler, void* argument, weft_key* key) {
  auto* const signals = static_cast<weft_signals*>(malloc(sizeof(weft_signals)));
  if (signals == nullptr) return refuse<weft_signals>(ENOMEM);
  *signals = {.fifo = weft_fifo_open(kSignals, sizeof(uint64_t), key),
              .handler = handler,
              .argument = argument,
              .thread = {}};
  int error = signals->fifo == nullptr ? ENOMEM : 0;
  if (error == 0 && handler != nullptr) {
    error = pthread_create(&signals->thread, nullptr, handle_signals, signals);
    if (error != 0) weft_fifo_close(signals->fifo);
  }
  if (error == 0) return signals;
  free(signals);
  return refuse<weft_signals>(error);
}

WEFT_EXPORT int weft_signals_close(weft_signals* signals) {
  const int error = weft_fifo_close(signals->fifo);
  if (error != WEFT_OK) return error;
  if (signals->handler != nullptr) pthread_join(signals->thread, nullptr);
  free(signals);
  return WEFT_OK;
}

WEFT_EXPORT int weft_signal(const weft_key* to, uint64_t value, weft_request* request) {
  return append(Kind::kAppend, to, &value, sizeof value, request);
}

WEFT_EXPORT int weft_signals_wait(weft_signals* signals, int* node, uint64_t* value) {
  if (signals->handler != nullptr) return WEFT_ERROR_RIGHT;
  std::size_t bytes = 0;
  std::uint32_t from = 0;
  const int error = take_when_there_is_one(signals->fifo, value, sizeof *value, bytes, from);
  if (error == WEFT_OK && node != nullptr) *node = static_cast<int>(from);
  return error;
}

}  // extern "C"
