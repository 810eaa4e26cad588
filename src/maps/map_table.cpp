// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "maps/map_table.hpp"

#include <algorithm>

#include "base/page_range.hpp"

namespace weft::maps {
namespace {

PageRange pages_of(AddressRange range) {
  return {PageIndex(range.begin / kPageBytes), range.pages()};
}

AddressRange range_of(PageRange pages) {
  return {pages.first.value() * kPageBytes, pages.end().value() * kPageBytes};
}

bool is_within(AddressRange inner, AddressRange outer) {
  return outer.begin <= inner.begin && inner.end <= outer.end;
}

}  // namespace

MapRecord MapRecord::part(AddressRange range) const {
  MapRecord piece = *this;
  piece.where = {std::max(where.begin, range.begin), std::min(where.end, range.end)};
  piece.place = place + (piece.where.begin - where.begin);
  return piece;
}

MapTable::MapTable(AddressRange memory)
    : head_(reinterpret_cast<Head*>(memory.begin)),
      records_(reinterpret_cast<MapRecord*>(memory.begin + kPageBytes)),
      capacity_((memory.bytes() - kPageBytes) / sizeof(MapRecord)) {}

std::vector<MapRecord> MapTable::all() const { return {records_, records_ + head_->count}; }

std::vector<MapRecord> MapTable::parts_in(AddressRange range) const {
  std::vector<MapRecord> parts;
  for (std::size_t i = 0; i < head_->count; ++i) {
    if (records_[i].overlaps(range)) parts.push_back(records_[i].part(range));
  }
  return parts;
}

bool MapTable::add(const MapRecord& record) {
  if (head_->count == capacity_) return false;
  records_[head_->count++] = record;
  return true;
}

void MapTable::allow_writes(AddressRange range) {
  for (std::size_t i = 0; i < head_->count; ++i) {
    if (records_[i].overlaps(range)) records_[i].may_write = true;
  }
}

MapTable::Found MapTable::find(MapKind kind, std::uint64_t device, std::uint64_t inode,
                               std::uint64_t place, std::uint64_t bytes) const {
  Found found;
  for (std::size_t i = 0; i < head_->count; ++i) {
    const MapRecord& record = records_[i];
    if (record.kind != kind || record.device != device || record.inode != inode) continue;
    const std::uint64_t end = record.place + record.where.bytes();
    if (record.place <= place && place + bytes <= end) {
      found.address = record.where.begin + (place - record.place);
    } else if (record.place < place + bytes && place < end) {
      found.overlaps = true;
    }
  }
  return found;
}

// Of records that lie on the same pages, the one that is exactly the range goes, or else the first.
MapTable::Cut MapTable::cut(AddressRange range) {
  Cut cut;
  PageSet removed;
  const auto goes = [&](const MapRecord& record) {
    return record.overlaps(range) &&
           removed.intersection(pages_of(record.part(range).where)).empty();
  };
  const auto remove_if = [&](auto&& fits) {
    for (std::size_t i = head_->count; i-- > 0;) {
      if (!goes(records_[i]) || !fits(records_[i])) continue;
      removed.insert(pages_of(records_[i].part(range).where));
      remove_part(i, range, cut);
    }
  };
  remove_if([&](const MapRecord& record) {
    return record.where.begin == range.begin && record.where.end == range.end;
  });
  remove_if([&](const MapRecord& record) { return is_within(record.where, range); });
  remove_if([](const MapRecord&) { return true; });
  PageSet free{pages_of(range)};
  for (const MapRecord& left : parts_in(range)) free.erase(pages_of(left.where));
  for (const PageRange& pages : free.ranges()) cut.free.push_back(range_of(pages));
  return cut;
}

void MapTable::remove_part(std::size_t index, AddressRange range, Cut& cut) {
  const MapRecord record = records_[index];
  cut.removed.push_back(record.part(range));
  const auto overlapping = [&](const MapRecord& other) { return other.overlaps(record.where); };
  const bool is_partial = !is_within(record.where, range);
  const auto aliases = std::count_if(records_, records_ + head_->count, overlapping);
  if (is_partial && aliases > 1) cut.is_ambiguous = true;
  records_[index] = records_[--head_->count];
  if (record.where.begin < range.begin) {
    (void)add(record.part({record.where.begin, range.begin}));
  }
  if (range.end < record.where.end) (void)add(record.part({range.end, record.where.end}));
}

bool MapTable::uses_file(std::int32_t file) const {
  return std::any_of(records_, records_ + head_->count,
                     [file](const MapRecord& record) { return record.file == file; });
}

}  // namespace weft::maps
