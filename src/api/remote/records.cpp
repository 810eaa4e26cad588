// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/remote/records.hpp"

#include "api/remote/link.hpp"
#include "api/remote/own_file.hpp"
#include "runtime/interface/node.hpp"

namespace weft::remote {
namespace {

struct OwnMemory {
  Table* table;
  std::byte* operator()(std::uint32_t piece) const { return table->pieces[piece].memory.load(); }
};

template <typename Do>
int with_own_table(Do&& perform) {
  Table* const table = own_table();
  if (table == nullptr) return WEFT_ERROR_KEY;
  return perform(Reached<OwnMemory>(*table, nullptr, false, {table}));
}

void copy_to(const Return& place, ByteView data) {
  copy_blocks(place.near, place.stride, data.data(), place.bytes, place.bytes, place.count);
}

// With the lock.
void end_record(Record& record) {
  ThreadAccount& account = *record.account;
  const bool is_settled = record.returns.empty();
  if (is_settled) settle(record);
  if (!record.has_request && record.error != WEFT_OK && account.first_error == WEFT_OK) {
    account.first_error = record.error;
  }
  account.under_way.fetch_sub(1);
  if (account.is_awaited) links->node->wake(account.under_way);
  if (!record.has_request) {
    if (is_settled) {
      delete &record;
    } else {
      account.to_settle.push_back(&record);
    }
    return;
  }
  const bool is_awaited = record.is_awaited;
  std::atomic<std::uint32_t>& state = record.state;
  state.store(Record::kOver, std::memory_order_release);
  if (is_awaited) links->node->wake(state);  // the record may be gone
}

// Most threads never need an account, and making one registers its end with the C library.
constinit thread_local bool has_account = false;

}  // namespace

const std::shared_ptr<ThreadAccount>& account_here() {
  thread_local const auto mine = std::make_shared<ThreadAccount>();
  has_account = true;
  return mine;
}

// Each record has a share of its thread's account.
bool has_open_operations() {
  if (!has_account) return false;
  const std::shared_ptr<ThreadAccount>& account = account_here();
  return account.use_count() > 1 || account->first_error != WEFT_OK;
}

std::optional<Passed> end_operation(Record& record, int error) {
  record.note(error);
  if (--record.operations > 0) return std::nullopt;
  if (!record.passed) {
    end_record(record);
    return std::nullopt;
  }
  const Passed passed{record.passed->from, record.passed->id, record.error};
  delete &record;
  return passed;
}

void settle(Record& record) {
  for (const Return& place : record.returns) copy_to(place, place.data);
  record.returns.clear();
  if (!record.notice || record.error != WEFT_OK) return;
  record.note(notify_here(*record.notice));
}

bool fill_registered(const Return& place, ByteView data) {
  Table* const table = own_table();
  if (table == nullptr) return false;
  const std::uint64_t span = place.stride * (place.count - 1) + place.bytes;
  Piece* const piece = table->piece_with(place.near, span);
  if (piece == nullptr) return false;
  piece->fillers.fetch_add(1);
  const bool is_there = piece->find(place.near, span).has_value();  // it is kept from now on
  if (is_there) copy_to(place, data);
  piece->fillers.fetch_sub(1);
  if (is_there) piece->bell.ring();
  return is_there;
}

int notify_here(const Notice& notice) {
  return with_own_table([&](const auto& memory) { return memory.notify(notice); });
}

int perform_here(const Operation& operation) {
  return with_own_table([&](const auto& memory) { return memory.perform(operation); });
}

}  // namespace weft::remote
