// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All arithmetic on bounds is done unsigned, where wrapping is defined and means what the loop
// means; libomp does it in the loop's own type.
#include "openmp/schedules/static_schedule.hpp"

#include <algorithm>

#include "openmp/libomp/kmp_abi.hpp"

namespace weft::openmp {
namespace {

// The arithmetic of one division, in the unsigned type.
template <typename T>
class Division {
 public:
  using Unsigned = std::make_unsigned_t<T>;
  using Signed = std::make_signed_t<T>;

  Division(StaticLoop<T>& loop, std::uint32_t thread, std::uint32_t threads)
      : loop_(loop),
        trips_(trip_count(loop.lower, loop.upper, loop.increment)),
        step_(static_cast<Unsigned>(loop.increment)),
        thread_(thread),
        threads_(threads) {}

  void in_blocks() {
    if (trips_ < threads_) {
      if (thread_ < trips_) {
        loop_.lower = plus(loop_.lower, thread_ * step_);
        loop_.upper = loop_.lower;
      } else {
        give_nothing();
      }
      loop_.last = thread_ + 1 == trips_;
    } else {
      const Unsigned block = trips_ / threads_, longer = trips_ % threads_;
      const Unsigned before = thread_ * block + std::min(thread_, longer);
      loop_.lower = plus(loop_.lower, before * step_);
      loop_.upper = plus(loop_.lower, block * step_ - (thread_ < longer ? 0 : step_));
      loop_.last = thread_ == threads_ - 1;
    }
    loop_.stride = static_cast<Signed>(trips_);
  }

  void in_chunks(Signed chunk) {
    Unsigned size = chunk < 1 ? 1 : static_cast<Unsigned>(chunk);
    if (size > trips_) size = trips_;
    const Unsigned chunks = trips_ / size + (trips_ % size != 0 ? 1 : 0);
    const Unsigned span = size * step_;
    const bool has_chunk = chunks >= threads_ || thread_ < chunks;
    loop_.stride = static_cast<Signed>(span * (chunks < threads_ ? chunks : threads_));
    if (has_chunk) {
      loop_.lower = plus(loop_.lower, span * thread_);
      loop_.upper = plus(loop_.lower, span - step_);
    } else {
      give_nothing();
    }
    loop_.last = thread_ == (chunks - 1) % threads_;
  }

  // One block for each thread, rounded up to a multiple of `chunk`, a power of two (for simd).
  void in_rounded_blocks(Signed chunk) {
    const T old_upper = loop_.upper;
    const Unsigned multiple = static_cast<Unsigned>(chunk);
    const Unsigned fair = trips_ / threads_ + (trips_ % threads_ != 0 ? 1 : 0);
    const Unsigned block = static_cast<Unsigned>(fair + multiple - 1) & ~(multiple - 1);
    loop_.lower = plus(loop_.lower, block * step_ * thread_);
    loop_.upper = plus(loop_.lower, block * step_ - step_);
    if (loop_.increment > 0 ? loop_.upper > old_upper : loop_.upper < old_upper) {
      loop_.upper = old_upper;
    }
    loop_.last = thread_ == (trips_ - 1) / block;
  }

 private:
  static T plus(T value, Unsigned distance) {
    return static_cast<T>(static_cast<Unsigned>(value) + distance);
  }
  void give_nothing() { loop_.lower = plus(loop_.upper, loop_.increment > 0 ? 1 : ~Unsigned{0}); }

  StaticLoop<T>& loop_;
  const Unsigned trips_, step_, thread_, threads_;
};

}  // namespace

template <typename T>
std::make_unsigned_t<T> trip_count(T lower, T upper, std::make_signed_t<T> increment) {
  using Unsigned = std::make_unsigned_t<T>;
  if (increment > 0 ? upper < lower : lower < upper) return 0;
  const Unsigned low = static_cast<Unsigned>(lower), high = static_cast<Unsigned>(upper);
  const Unsigned step = static_cast<Unsigned>(increment);
  if (increment > 0) return static_cast<Unsigned>(static_cast<Unsigned>(high - low) / step + 1);
  return static_cast<Unsigned>(static_cast<Unsigned>(low - high) / (0 - step) + 1);
}

template <typename T>
bool divide_static_loop(StaticLoop<T>& loop, std::int32_t schedule, std::make_signed_t<T> chunk,
                        std::uint32_t thread, std::uint32_t threads) {
  using Unsigned = std::make_unsigned_t<T>;
  loop.last = false;
  if (loop.increment > 0 ? loop.upper < loop.lower : loop.lower < loop.upper) {
    loop.stride = loop.increment;  // no iterations: the compiled code skips the loop
    return true;
  }
  if (threads == 1) {
    const Unsigned distance = static_cast<Unsigned>(loop.upper) - static_cast<Unsigned>(loop.lower);
    loop.stride = static_cast<std::make_signed_t<T>>(distance + (loop.increment > 0 ? 1 : -1));
    loop.last = true;
    return true;
  }
  Division<T> division(loop, thread, threads);
  switch (schedule) {
    case kStatic:
      division.in_blocks();
      return true;
    case kStaticChunked:
      division.in_chunks(chunk);
      return true;
    case kStaticBalancedChunked:
      division.in_rounded_blocks(chunk);
      return true;
    default:
      return false;
  }
}

#define WEFT_INSTANTIATE(T)                                                                \
  template bool divide_static_loop<T>(StaticLoop<T>&, std::int32_t, std::make_signed_t<T>, \
                                      std::uint32_t, std::uint32_t);                       \
  template std::make_unsigned_t<T> trip_count<T>(T, T, std::make_signed_t<T>);
WEFT_INSTANTIATE(std::int32_t)
WEFT_INSTANTIATE(std::uint32_t)
WEFT_INSTANTIATE(std::int64_t)
WEFT_INSTANTIATE(std::uint64_t)

}  // namespace weft::openmp
