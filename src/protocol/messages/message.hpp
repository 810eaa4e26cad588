// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The messages between engines: one struct each, named as in docs/internals/protocol/messages.md.
#pragma once

#include "protocol/messages/barrier_messages.hpp"
#include "protocol/messages/collection_messages.hpp"
#include "protocol/messages/exchange_messages.hpp"
#include "protocol/messages/lock_messages.hpp"
#include "protocol/messages/operation_messages.hpp"
#include "protocol/messages/page_messages.hpp"
#include "protocol/messages/update_messages.hpp"
