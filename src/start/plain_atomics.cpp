// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "start/plain_atomics.hpp"

#include "base/atomic_operation.hpp"

namespace weft {
namespace {

// --- one operation of the processor ---

template <class T>
bool exchange_if_equal(void* p, void* expected, const void* desired) {
  T wanted = word_at<T>(expected);
  T value = word_at<T>(desired);
  const bool done = __atomic_compare_exchange_n(static_cast<T*>(p), &wanted, value, false,
                                                __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  if (!done) memcpy(expected, &wanted, sizeof wanted);
  return done;
}

template <class T>
void copy_at_once(const void* p, void* out) {
  const T value = __atomic_load_n(static_cast<const T*>(p), __ATOMIC_SEQ_CST);
  memcpy(out, &value, sizeof value);
}

// --- what the processor cannot do at once ---

char locks[64];  // zero: free

class AddressLock {
 public:
  explicit AddressLock(const void* p)
      : lock_(&locks[(reinterpret_cast<uintptr_t>(p) >> 4) % sizeof locks]) {
    while (__atomic_test_and_set(lock_, __ATOMIC_ACQUIRE)) {
    }
  }
  ~AddressLock() { __atomic_clear(lock_, __ATOMIC_RELEASE); }
  AddressLock(const AddressLock&) = delete;
  AddressLock& operator=(const AddressLock&) = delete;

 private:
  char* lock_;
};

}  // namespace

void PlainAtomics::compute(const void* before, const void* operand, void* after, uint32_t size,
                           uint32_t operation, uint32_t type) {
  memcpy(after, before, size);
  // False is a bug of the compiler pass; no sentence can be printed from here.
  if (!change_contents(static_cast<AtomicOperation>(operation), static_cast<AtomicType>(type), size,
                       after, operand)) {
    __builtin_trap();
  }
}

bool PlainAtomics::compare_exchange(void* p, void* expected, const void* desired, uint32_t size) {
  if (weft_atomic_is_native(p, size)) {
    switch (size) {
      case 1:
        return exchange_if_equal<uint8_t>(p, expected, desired);
      case 2:
        return exchange_if_equal<uint16_t>(p, expected, desired);
      case 4:
        return exchange_if_equal<uint32_t>(p, expected, desired);
      case 8:
        return exchange_if_equal<uint64_t>(p, expected, desired);
      default:
        return exchange_if_equal<Word128>(p, expected, desired);
    }
  }
  AddressLock lock(p);
  const bool equal = memcmp(p, expected, size) == 0;
  memcpy(equal ? p : expected, equal ? desired : p, size);
  return equal;
}

void PlainAtomics::load(const void* p, void* out, uint32_t size) {
  if (weft_atomic_is_native(p, size)) {
    switch (size) {
      case 1:
        return copy_at_once<uint8_t>(p, out);
      case 2:
        return copy_at_once<uint16_t>(p, out);
      case 4:
        return copy_at_once<uint32_t>(p, out);
      case 8:
        return copy_at_once<uint64_t>(p, out);
      default:
        return copy_at_once<Word128>(p, out);
    }
  }
  AddressLock lock(p);
  memcpy(out, p, size);
}

void PlainAtomics::update(void* p, const void* operand, void* old_out, uint32_t size,
                          uint32_t operation, uint32_t type) {
  alignas(16) char before[16];
  alignas(16) char after[16];
  if (!weft_atomic_is_native(p, size)) {
    AddressLock lock(p);
    if (operation == WEFT_ATOMIC_STORE || operation == WEFT_ATOMIC_EXCHANGE) {  // of any size
      if (old_out != nullptr) memcpy(old_out, p, size);
      memcpy(p, operand, size);
    } else {
      memcpy(before, p, size);
      compute(before, operand, after, size, operation, type);
      memcpy(p, after, size);
      if (old_out != nullptr) memcpy(old_out, before, size);
    }
    return;
  }
  load(p, before, size);
  do {
    compute(before, operand, after, size, operation, type);
  } while (!compare_exchange(p, before, after, size));
  if (old_out != nullptr) memcpy(old_out, before, size);
}

}  // namespace weft
