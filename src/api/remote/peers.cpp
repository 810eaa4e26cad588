// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/remote/peers.hpp"

#include <fcntl.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "api/remote/own_file.hpp"
#include "base/remote/remote_abi.hpp"
#include "base/signal_safe_mutex.hpp"
#include "memory/exposed/host_files.hpp"
#include "stacks/stacks.hpp"

namespace weft::remote {
namespace {

struct Peer {
  std::atomic<const View*> view{nullptr};
  std::atomic<bool> needs_messages{false};  // its memory cannot be mapped
  int file = -1;
  std::unique_ptr<MappedPiece[]> pieces;
};

struct Peers {
  SignalSafeMutex mapping;
  std::vector<Peer> all;
};
Peers* peers = nullptr;  // never destroyed: threads may use it until the process ends

bool open_table(Peer& peer, const FilePlace& place) {
  const int opened = open_of_process(place.process, place.descriptor, place.number, O_RDWR);
  const int file = opened < 0 ? -1 : keep_file(opened);
  std::byte* const memory = file < 0 ? nullptr : map_file(file, 0, sizeof(Table));
  if (memory == nullptr) return false;
  peer.file = file;
  peer.pieces = std::make_unique<MappedPiece[]>(kMostPieces);
  auto* const table = reinterpret_cast<Table*>(memory);
  const bool is_light = table->has_light_fences && agree_to_light_fences();
  peer.view.store(new View{table, peer.pieces.get(), is_light}, std::memory_order_release);
  return true;
}

// A node that has registered nothing yet may do so later.
int find_table(NodeId id, Peer& peer) {
  Node& node = *this_node();
  if (!node.reaches_memory_of(id)) {
    peer.needs_messages = true;
    return WEFT_OK;
  }
  const auto place =
      value_of<std::optional<FilePlace>>(node.call(id, Service::kRemotePlace, Bytes()));
  if (!place) return WEFT_ERROR_KEY;
  const std::lock_guard guard(peers->mapping);
  const bool is_mapped = peer.view.load() != nullptr || open_table(peer, *place);
  peer.needs_messages = !is_mapped;
  return WEFT_OK;
}

std::byte* map_anew(Peer& peer, const Piece& piece, MappedPiece& mapped) {
  const std::lock_guard guard(peers->mapping);
  if (mapped.generation.load() == piece.generation) return mapped.memory;
  if (mapped.memory != nullptr) unmap_file(mapped.memory, mapped.bytes);
  mapped.bytes = piece.bytes;
  mapped.memory = map_file(peer.file, piece.offset, piece.bytes);
  const std::uint64_t known = mapped.memory == nullptr ? 0 : piece.generation;
  mapped.generation.store(known, std::memory_order_release);
  return mapped.memory;
}

}  // namespace

void serve_own_place(Node& node) {
  peers = new Peers;
  peers->all = std::vector<Peer>(node.node_count());
  node.serve(Service::kRemotePlace, [](NodeId, ByteView) { return to_bytes(own_place()); });
}

}  // namespace weft::remote

extern "C" {

[[gnu::visibility("default")]] int __weft_remote_reach(int number,
                                                       const weft::remote::View** view) {
  using namespace weft;
  using namespace weft::remote;
  if (this_node() == nullptr) return WEFT_ERROR_NODE;  // in the child of a fork
  const NodeId id(static_cast<std::uint16_t>(number));
  Peer& peer = peers->all[id.value()];
  *view = peer.view.load(std::memory_order_acquire);
  if (*view != nullptr || peer.needs_messages.load()) return WEFT_OK;
  if (is_in_signal_handler()) return WEFT_ERROR_HANDLER;
  const int error = on_runtime_stack([&] { return find_table(id, peer); });
  *view = peer.view.load(std::memory_order_acquire);
  return error;
}

[[gnu::visibility("default")]] std::byte* __weft_remote_memory(int number, std::uint32_t place) {
  using namespace weft;
  using namespace weft::remote;
  Peer& peer = peers->all[static_cast<std::size_t>(number)];
  if (place >= kMostPieces) return nullptr;
  const Piece& piece = peer.view.load(std::memory_order_acquire)->table->pieces[place];
  MappedPiece& mapped = peer.pieces[place];
  if (mapped.generation.load(std::memory_order_acquire) == piece.generation) return mapped.memory;
  return on_runtime_stack([&] { return map_anew(peer, piece, mapped); });
}

}  // extern "C"
