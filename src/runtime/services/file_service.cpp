// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/services/file_service.hpp"

#include "libc/ownership/owned_files.hpp"
#include "libc/streams/forwarding.hpp"
#include "runtime/services/delegation.hpp"

namespace weft {

void serve_files() { perform_delegated(Delegated::kFile, libc::perform_file_operation); }

Bytes ask_for_file(NodeId owner, Bytes request) {
  return delegate(owner, Delegated::kFile, request);
}

const char* explain_access(const void* address) {
  if (!libc::node_of_stream_address(address)) return nullptr;
  return "a FILE that another node has opened was used in a way that is not passed on to that node "
         "(flockfile, wide characters, or getc_unlocked and putc_unlocked, which are inlined); "
         "open it in the thread that uses it, or use other functions of <stdio.h>";
}

}  // namespace weft
