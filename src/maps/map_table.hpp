// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the program has mapped that is more than private zeros: files, objects of shared memory, and
// where the program's break is. The table lies in shared memory, the same for all nodes, and is
// read and changed under OwnLock::kMaps.
//
// Two maps of the same part of an object are one piece of memory: the second call of mmap returns
// the address that the first one did, and each has a record. So they are aliases without any
// effort; unmapping removes one record, and the memory goes with the last.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "heap/pages/heap_layout.hpp"

namespace weft::maps {

using heap::AddressRange;

enum class MapKind : std::uint8_t {
  kPrivateFile,      // MAP_PRIVATE of a file
  kSharedFile,       // MAP_SHARED of a file, of shm_open's or memfd_create's object
  kSharedAnonymous,  // MAP_SHARED | MAP_ANONYMOUS
  kSystemV,          // shmat
};

struct MapRecord {
  AddressRange where;
  std::uint64_t device = 0, inode = 0;  // the object; kSystemV: 0 and its id
  std::uint64_t place = 0;              // of where.begin in the object, bytes
  std::int32_t file = -1;               // a descriptor of Weft's own, if it is to be written back
  MapKind kind = MapKind::kPrivateFile;
  bool may_write = false;

  [[nodiscard]] bool is_shared() const { return kind != MapKind::kPrivateFile; }
  [[nodiscard]] bool is_to_be_written_back() const {
    return may_write && (kind == MapKind::kSharedFile || kind == MapKind::kSystemV);
  }
  [[nodiscard]] bool overlaps(AddressRange range) const {
    return where.begin < range.end && range.begin < where.end;
  }
  // The part of it in a range that it overlaps.
  [[nodiscard]] MapRecord part(AddressRange range) const;
};

class MapTable {
 public:
  // Over zeroed memory, or memory that holds a table.
  explicit MapTable(AddressRange memory);

  [[nodiscard]] std::uint64_t count() const { return head_->count; }
  [[nodiscard]] std::vector<MapRecord> all() const;
  [[nodiscard]] std::vector<MapRecord> parts_in(AddressRange range) const;
  // False: the table is full.
  [[nodiscard]] bool add(const MapRecord& record);

  // What overlaps the range, all of it, may be written to from now on.
  void allow_writes(AddressRange range);

  // Where the object's bytes [place, place + bytes) are mapped MAP_SHARED.
  struct Found {
    std::optional<std::uintptr_t> address;
    bool overlaps = false;  // not all of it is at one place, but some is mapped
  };
  [[nodiscard]] Found find(MapKind kind, std::uint64_t device, std::uint64_t inode,
                           std::uint64_t place, std::uint64_t bytes) const;

  // munmap: removes one record, or a part of one, for each page of the range that has any.
  struct Cut {
    std::vector<MapRecord> removed;
    std::vector<AddressRange> free;  // what no record is left for
    bool is_ambiguous = false;       // a part of one of several maps of the same object: not done
  };
  [[nodiscard]] Cut cut(AddressRange range);

  [[nodiscard]] bool uses_file(std::int32_t file) const;

  struct Break {
    std::uintptr_t now = 0, highest = 0;  // 0: nobody has asked yet
  };
  [[nodiscard]] Break& program_break() { return head_->program_break; }

 private:
  struct Head {
    std::uint64_t count;
    Break program_break;
  };
  void remove_part(std::size_t index, AddressRange range, Cut& cut);

  Head* head_;
  MapRecord* records_;
  std::size_t capacity_;
};

}  // namespace weft::maps
