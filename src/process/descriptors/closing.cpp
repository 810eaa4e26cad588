// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// close and fclose of standard streams. In one process the number is free then, and what is opened
// next gets it. Here a closed number must not become free, or it would be Weft's next socket: it
// leads to /dev/null, open the wrong way round, so that reads and writes fail with EBADF. What the
// program opens next is put there, and becomes the standard stream of all nodes.
#include <fcntl.h>
#include <mqueue.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "libc/interposition/interpose.hpp"
#include "libc/ownership/owned_files.hpp"
#include "libc/streams/forwarding.hpp"
#include "libc/streams/mapped_streams.hpp"
#include "process/descriptors/descriptors.hpp"
#include "process/descriptors/standard_streams.hpp"
#include "process/requests/topics.hpp"
#include "runtime/output/output_order.hpp"

namespace weft::process {
namespace {

using libc::closed_descriptors;

// The stream's own copy is closed with it, so that the number is never free.
int close_stream(FILE* stream, int descriptor) {
  const int copy = WEFT_REAL(fcntl)(descriptor, F_DUPFD_CLOEXEC, 3);
  if (copy >= 0) stream->_fileno = copy;
  return WEFT_REAL(fclose)(stream);
}

// a: the descriptor, b: whether its stream is closed.
Answer close_standard(const Request& request) {
  const auto descriptor = static_cast<int>(request.a);
  const unsigned bit = 1U << descriptor;
  if ((closed_descriptors.fetch_or(bit) & bit) != 0) return {-1, EBADF};
  const int result = request.b != 0 ? close_stream(stream_of(descriptor), descriptor) : 0;
  const int way = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY;
  const int nothing = WEFT_REAL(open)("/dev/null", way | O_CLOEXEC);
  WEFT_REAL(dup2)(nothing, descriptor);
  WEFT_REAL(close)(nothing);
  look_at_output_pipes();
  return {result};
}

// The node whose program closes one of its job's standard streams.
Node* closing_node(const void* caller, int descriptor) {
  if (descriptor < STDIN_FILENO || descriptor > STDERR_FILENO) return nullptr;
  Node* const node = job_of_caller(caller);
  return node != nullptr && is_process_of_node() ? node : nullptr;
}

int close_of_job(Node& node, int descriptor, bool with_stream) {
  const Request request = {.call = Call::kCloseStandard, .a = descriptor, .b = with_stream};
  const bool is_input = descriptor == STDIN_FILENO;
  return static_cast<int>(
      result_of(is_input ? ask_node(node, NodeId(0), request) : everywhere(node, request)));
}

// What the program has just opened was put in the place of a closed one.
void use_as_standard(int descriptor) {
  if (is_output(descriptor)) redirect_others(*this_node(), descriptor);
}

}  // namespace

void perform_closing() {
  perform(Call::kCloseStandard, close_standard);
  libc::use_as_standard = use_as_standard;
}

WEFT_ENTRY(int, close, int descriptor) {
  if (Node* const node = closing_node(__builtin_return_address(0), descriptor)) {
    return close_of_job(*node, descriptor, false);
  }
  if (is_kept_from(__builtin_return_address(0), descriptor)) return -1;
  return libc::of_descriptor(libc::FileOperation::kCloseDescriptor, WEFT_REAL(close), descriptor);
}

// A queue of messages is a descriptor, and any descriptor is closed so.
WEFT_ENTRY(int, mq_close, mqd_t queue) {
  if (is_kept_from(__builtin_return_address(0), queue)) return -1;
  return WEFT_REAL(mq_close)(queue);
}

WEFT_ENTRY(int, fclose, FILE* stream) {
  libc::settle_stream(stream);
  const int standard = standard_descriptor_of(stream);
  if (Node* const node = closing_node(__builtin_return_address(0), standard)) {
    return close_of_job(*node, standard, true);
  }
  if (const auto owner = libc::other_owner(stream)) {
    return static_cast<int>(
        libc::ask_for_number(*owner, libc::FileOperation::kClose, libc::number_of(stream)));
  }
  return WEFT_REAL(fclose)(stream);
}

// Files go where other nodes find them; pipes and sockets, which select may be asked about, stay
// low.
WEFT_ENTRY(int, dup, int descriptor) {
  if (const auto owner = libc::other_owner(descriptor)) {
    return static_cast<int>(
        libc::ask_for_number(*owner, libc::FileOperation::kDuplicate, libc::number_of(descriptor)));
  }
  if (is_kept_from(__builtin_return_address(0), descriptor)) return -1;
  const int copy = WEFT_REAL(dup)(descriptor);
  if (copy < 0 || job_of_caller(__builtin_return_address(0)) == nullptr) return copy;
  const bool is_to_move = closed_descriptors != 0 || libc::is_regular_file(copy);
  return is_to_move ? libc::place_descriptor(copy) : copy;
}

}  // namespace weft::process
