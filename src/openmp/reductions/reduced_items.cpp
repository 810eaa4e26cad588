// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/reductions/reduced_items.hpp"

#include <cstring>

namespace weft::openmp {
namespace {

// A part begins with what it is, then come the items. Both keep the alignment of an allocation.
enum class PartKind : std::uint8_t { kItems, kAddress };
constexpr std::size_t kAlignment = 16;

std::size_t aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

// An array's descriptor, as flang 22 lays it out (its version says so).
struct Descriptor {
  void* base;
  std::uint64_t element_bytes;
  std::uint32_t version;
  std::uint8_t rank;
  std::int8_t type;
  std::uint8_t attribute, extra;
  struct Dimension {
    std::int64_t lower, extent, stride_bytes;
  } dimensions[15];

  static constexpr std::uint32_t kVersion = 20240719;
  static constexpr int kCPointer = 41, kDerived = 42;

  [[nodiscard]] std::size_t size() const {
    return offsetof(Descriptor, dimensions) + rank * sizeof(Dimension);
  }
  [[nodiscard]] bool holds_plain_values() const {
    return version == kVersion && type > 0 && type != kCPointer && type != kDerived && rank <= 15;
  }
  // The bytes of all elements; nothing unless they lie in a row, in their order.
  [[nodiscard]] std::optional<std::size_t> contiguous_bytes() const {
    if (base == nullptr) return 0;
    std::uint64_t bytes = element_bytes;
    for (unsigned d = 0; d < rank; ++d) {
      const Dimension& dimension = dimensions[d];
      if (dimension.extent <= 0) return 0;
      if (dimension.extent > 1 && static_cast<std::uint64_t>(dimension.stride_bytes) != bytes) {
        return std::nullopt;
      }
      bytes *= static_cast<std::uint64_t>(dimension.extent);
    }
    return bytes;
  }
};

const Descriptor* descriptor_at(const void* variable) {
  return *static_cast<const Descriptor* const*>(variable);
}

struct Piece {
  const void* begin;
  std::size_t bytes;
};

// Where the item's bytes are; nothing if they mean nothing elsewhere.
std::optional<Piece> piece_of(const ReducedItem& item, void* const* entry) {
  switch (item.kind) {
    case ReducedItem::Kind::kBytes:
      return Piece{entry[0], item.bytes};
    case ReducedItem::Kind::kArray:
      return Piece{entry[0], item.bytes * reinterpret_cast<std::uintptr_t>(entry[1])};
    case ReducedItem::Kind::kCount:
      return Piece{nullptr, 0};
    case ReducedItem::Kind::kDescriptor: {
      const Descriptor* descriptor = descriptor_at(entry[0]);
      if (!descriptor->holds_plain_values()) return std::nullopt;
      const std::optional<std::size_t> bytes = descriptor->contiguous_bytes();
      if (!bytes) return std::nullopt;
      return Piece{descriptor->base, *bytes};
    }
    case ReducedItem::Kind::kOpaque:
      break;
  }
  return std::nullopt;
}

// All items' places, in the order of the list; empty if one of them cannot travel.
std::vector<Piece> pieces_of(const CallNote* note, void* const* list) {
  std::vector<Piece> pieces;
  if (note == nullptr) return pieces;
  for (std::uint32_t index = 0; index < note->item_count; ++index) {
    const std::optional<Piece> piece = piece_of(note->items[index], list + index);
    if (!piece) return {};
    pieces.push_back(*piece);
  }
  return pieces;
}

}  // namespace

ReductionPart make_reduction_part(const CallNote* note, void** list) {
  ReductionPart part;
  const std::vector<Piece> pieces = pieces_of(note, list);
  part.names_memory = pieces.empty();
  std::size_t bytes = kAlignment;
  for (const Piece& piece : pieces) bytes += aligned(piece.bytes);
  if (part.names_memory) bytes += sizeof list;
  part.bytes.resize(bytes);
  part.bytes[0] = static_cast<std::byte>(part.names_memory ? PartKind::kAddress : PartKind::kItems);
  std::byte* next = part.bytes.data() + kAlignment;
  if (part.names_memory) std::memcpy(next, &list, sizeof list);
  for (const Piece& piece : pieces) {
    if (piece.bytes > 0) std::memcpy(next, piece.begin, piece.bytes);
    next += aligned(piece.bytes);
  }
  return part;
}

// A variable that points to a descriptor like this node's own, of the elements that came.
void* ReceivedItems::add_descriptor(const void* own_variable, void* elements) {
  const Descriptor* own = descriptor_at(own_variable);
  Bytes& copy = descriptors_.emplace_back(sizeof(void*) + own->size());
  std::byte* const descriptor = copy.data() + sizeof(void*);
  std::memcpy(copy.data(), &descriptor, sizeof descriptor);
  std::memcpy(descriptor, own, own->size());
  if (own->base != nullptr) {
    std::memcpy(descriptor + offsetof(Descriptor, base), &elements, sizeof elements);
  }
  return copy.data();
}

std::optional<ReceivedItems> ReceivedItems::read(const CallNote* note, void** own_list,
                                                 ByteView part) {
  if (part.size() < kAlignment) return std::nullopt;
  ReceivedItems items;
  auto* next = const_cast<std::byte*>(part.data()) + kAlignment;
  const std::byte* const end = part.data() + part.size();
  if (part[0] == static_cast<std::byte>(PartKind::kAddress)) {
    if (part.size() != kAlignment + sizeof items.remote_list_) return std::nullopt;
    std::memcpy(&items.remote_list_, next, sizeof items.remote_list_);
    return items;
  }
  const std::vector<Piece> pieces = pieces_of(note, own_list);
  if (pieces.empty()) return std::nullopt;
  for (std::size_t index = 0; index < pieces.size(); ++index) {
    if (aligned(pieces[index].bytes) > static_cast<std::size_t>(end - next)) return std::nullopt;
    const ReducedItem::Kind kind = note->items[index].kind;
    void* entry = next;
    if (kind == ReducedItem::Kind::kCount) entry = own_list[index];
    if (kind == ReducedItem::Kind::kDescriptor) {
      entry = items.add_descriptor(own_list[index], entry);
    }
    items.list_.push_back(entry);
    next += aligned(pieces[index].bytes);
  }
  if (next != end) return std::nullopt;
  return items;
}

}  // namespace weft::openmp
