// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>

namespace weft {

// Copies a page from a buffer to where it is used next: without reading first what it overwrites,
// which another processor may have.
void copy_page(std::byte* to, const std::byte* from);

// Copies a page to where nobody is going to look soon: past the caches, so that the copy neither
// takes the room of what the program uses nor reads what it overwrites. `to` begins a page.
void copy_page_aside(std::byte* to, const std::byte* from);

}  // namespace weft
