// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One call that begins remote memory operations: where the target's memory can be reached, they are
// done at once; else they are sent, or wait for pages of shared memory, and one record counts them.
#pragma once

#include "base/remote/operation.hpp"
#include "base/remote/remote_abi.hpp"
#include "include/weft/remote.h"

namespace weft::remote {

// The puts of a multicast that are to be sent.
struct Gathered {
  static constexpr int kMost = 64;
  Target targets[kMost];
  int count = 0;
  Operation put;
};

class Beginning {
 public:
  // Both may be null. `notice` is for the end of the call's operations.
  Beginning(const weft_notice* notice, weft_request* request)
      : notice_(notice), request_(request) {}

  // The key's number, secret and offset are put into the operation. `with_notice`: the target does
  // it behind this one, if the notice is for the target.
  void add(const weft_key& key, Operation operation, bool with_notice);
  // Another notice, of the operations added next.
  void set_notice(const weft_notice* notice) { notice_ = notice; }
  // From now on puts that need messages are kept there. They differ in the key and the notice
  // alone; send_gathered() sends them together.
  void gather(Gathered& into) { gathered_ = &into; }
  void send_gathered();
  void refuse(int error) {
    if (error_ == WEFT_OK) error_ = error;
  }
  // Returns as the call does.
  int end();

 private:
  [[nodiscard]] int begin(const weft_key& key, const Operation& operation, bool with_notice);
  [[nodiscard]] int check_notice(const weft_key& key) const;
  void keep_own_notice();
  [[nodiscard]] int send(const weft_key& key, Operation operation, bool with_notice);

  const weft_notice* notice_;
  weft_request* request_;
  int error_ = WEFT_OK;
  void* record_ = nullptr;
  Notice own_;
  bool has_own_ = false;  // for this node, when what was sent is over
  Gathered* gathered_ = nullptr;
};

// Of the calling thread on a node whose memory it reaches.
[[nodiscard]] int perform_at(int node, const View& view, const Operation& operation);
[[nodiscard]] int notify_at(int node, const View& view, const Notice& notice);

}  // namespace weft::remote
