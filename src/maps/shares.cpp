// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handler runs under the node's lock and takes the share's. Whoever has the share's lock
// touches private memory alone and needs nothing of the node.
#include "maps/shares.hpp"

#include <algorithm>
#include <mutex>

#include "base/signal_safe_mutex.hpp"
#include "maps/contents.hpp"
#include "runtime/job/job.hpp"

namespace weft::maps {
namespace {

using Request = ShareRequest;

struct OwnShare {
  OwnShare(Node& the_node, AddressRange range) : node(the_node), space(range) {}
  Node& node;
  SignalSafeMutex lock;
  MapSpace space;
};
OwnShare* own = nullptr;  // never destroyed

void perform(Request request, AddressRange range, std::optional<std::uint32_t> epoch) {
  const std::lock_guard guard(own->lock);
  if (request == Request::kClaim) {
    own->space.claim(range);
  } else {
    own->space.release(range, epoch);
  }
}

Bytes on_request(NodeId, ByteView bytes) {
  const auto message = value_of<ShareMessage>(bytes);
  perform(message.request, message.range, message.epoch);
  return {};
}

void ask(NodeId owner, Request request, AddressRange range) {
  const ShareMessage message{request, own->node.epoch().value(), range};
  (void)own->node.call(owner, Service::kMaps, to_bytes(message));
}

// Calls for each part of the range with the node that owns it.
void at_owners(Request request, AddressRange range) {
  while (range.begin < range.end) {
    const NodeId owner = maps_layout().owner(range.begin);
    const AddressRange part{range.begin, std::min(range.end, maps_layout().share(owner).end)};
    if (owner == own->node.self()) {
      perform(request, part, std::nullopt);
    } else {
      ask(owner, request, part);
    }
    range.begin = part.end;
  }
}

}  // namespace

void serve_shares(Node& node) {
  own = new OwnShare(node, maps_layout().share(node.self()));
  node.serve(Service::kMaps, on_request);
}

std::optional<AddressRange> take(std::size_t bytes, std::size_t alignment) {
  const std::uint32_t epoch = own->node.epoch().value();
  std::optional<AddressRange> taken;
  {
    const std::lock_guard guard(own->lock);
    taken = own->space.take(bytes, alignment, epoch);
  }
  if (taken) make_zero(own->node, *taken);
  return taken;
}

void claim(AddressRange range) { at_owners(Request::kClaim, range); }

bool extend(AddressRange range) {
  if (maps_layout().owner(range.begin - 1) != own->node.self()) return false;
  {
    const std::lock_guard guard(own->lock);
    if (!own->space.extend(range)) return false;
  }
  make_zero(own->node, range);
  return true;
}

void release(AddressRange range) { at_owners(Request::kRelease, range); }

}  // namespace weft::maps
