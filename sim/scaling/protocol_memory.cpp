// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/scaling/protocol_memory.hpp"

#include <utility>

namespace weft::scaling {
namespace {

thread_local MemoryAccount* present_account = nullptr;

}  // namespace

Charge::Charge(MemoryAccount* account) : before_(std::exchange(present_account, account)) {}
Charge::~Charge() { present_account = before_; }

MemoryAccount* account_charged() { return present_account; }

}  // namespace weft::scaling
