// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables of hsearch: a row of places, at least one of them free; a key is at the first free one
// from its own on. A key of null: free.
#pragma once

#include <search.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace weft::process {

// More is more memory than there is.
inline constexpr std::size_t kMostEntries = UINT32_MAX / 2;

inline std::size_t places_for(std::size_t entries) { return entries + entries / 2 + 2; }

// Where the key is, or would be.
inline ENTRY* place_of(ENTRY* places, std::size_t count, const char* key) {
  std::size_t hash = 14695981039346656037U;  // FNV-1a
  for (const char* each = key; *each != '\0'; ++each) {
    hash = (hash ^ static_cast<unsigned char>(*each)) * 1099511628211U;
  }
  for (std::size_t i = hash % count;; i = (i + 1) % count) {
    ENTRY& place = places[i];
    if (place.key == nullptr || std::strcmp(place.key, key) == 0) return &place;
  }
}

}  // namespace weft::process
