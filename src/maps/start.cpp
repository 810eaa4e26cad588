// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "maps/start.hpp"

#include <fmt/format.h>

#include <cstring>

#include "maps/contents.hpp"
#include "maps/mapping.hpp"
#include "maps/shares.hpp"
#include "maps/sudden_ends.hpp"
#include "runtime/job/job.hpp"

namespace weft::maps {
namespace {

void write_all(Node& node, MapTable& table) {
  for (const MapRecord& record : table.all()) {
    if (write_back(record)) continue;
    node.fail(
        fmt::format("what was written to a mapped file cannot be written back at the "
                    "program's end: {}",
                    std::strerror(errno)));
  }
}

bool has_to_write_back(const MapTable& table) {
  for (const MapRecord& record : table.all()) {
    if (record.is_to_be_written_back()) return true;
  }
  return false;
}

}  // namespace

void start_maps(Node& node) {
  serve_shares(node);
  serve_sudden_ends();
  add_before_fork(check_fork);
}

void finish_maps(Node& node, bool at_once) {
  if (the_table().count() == 0) return;
  if (at_once) {  // another thread may have the lock, and never give it up
    MapTable table = the_table();
    if (has_to_write_back(table)) gather_writes(node);
    return write_all(node, table);
  }
  with_table(node, [&](MapTable& table) { write_all(node, table); });
}

}  // namespace weft::maps
