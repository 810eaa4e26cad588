// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "memory/region/existing_contents.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <span>

#include "base/ids.hpp"

namespace weft {
namespace {

// Bits of /proc/self/pagemap's entries: present in memory, or swapped out.
constexpr std::uint64_t kPagemapHasContents = (1ULL << 63) | (1ULL << 62);

// Marks the pages that the page tables know. False if the kernel does not tell.
bool mark_touched(std::uintptr_t begin, std::vector<bool>& pages) {
  const int descriptor = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  std::vector<std::uint64_t> entries(4096);
  std::uint64_t page = 0;
  while (page < pages.size()) {
    const std::uint64_t count = std::min<std::uint64_t>(entries.size(), pages.size() - page);
    const auto at = static_cast<off_t>((begin / kPageBytes + page) * sizeof(std::uint64_t));
    const ssize_t got = pread(descriptor, entries.data(), count * sizeof(std::uint64_t), at);
    if (got <= 0) break;
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(got) / sizeof(std::uint64_t); ++i) {
      if ((entries[i] & kPagemapHasContents) != 0) pages[page + i] = true;
    }
    page += static_cast<std::uint64_t>(got) / sizeof(std::uint64_t);
  }
  close(descriptor);
  return page >= pages.size();
}

// Marks the pages of file mappings: untouched ones hold the file's contents. False as above.
bool mark_files(std::uintptr_t begin, std::vector<bool>& pages) {
  std::FILE* maps = std::fopen("/proc/self/maps", "re");
  if (maps == nullptr) return false;
  const std::uintptr_t end = begin + pages.size() * kPageBytes;
  char line[8192];
  while (std::fgets(line, sizeof line, maps) != nullptr) {
    std::uintptr_t from = 0;
    std::uintptr_t to = 0;
    unsigned long inode = 0;
    if (std::sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %*s %*s %*s %lu", &from, &to, &inode) != 3) {
      continue;
    }
    if (inode == 0) continue;
    for (std::uintptr_t at = std::max(from, begin); at < std::min(to, end); at += kPageBytes) {
      pages[(at - begin) / kPageBytes] = true;
    }
  }
  std::fclose(maps);
  return true;
}

}  // namespace

ExistingContents::ExistingContents(ProgramAddress address, std::uint64_t bytes)
    : pages_(bytes / kPageBytes, false) {
  if (!mark_touched(address.value(), pages_) || !mark_files(address.value(), pages_)) {
    pages_.clear();
  }
}

}  // namespace weft
