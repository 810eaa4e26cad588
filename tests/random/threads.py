# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kinds of steps: threads that the program makes itself, beside the team's."""


def helper_thread(step):
    """A thread that lives while the team meets at barriers, with data of its own and a count with all."""
    to, value = step.target(), step.source()
    step.declare("""
static std::thread ${step}_thread;
static std::mutex ${step}_mutex;
static u64 ${step}_own[$size], ${step}_count, ${step}_sum;
static std::atomic<int> ${step}_ready;
""", size=(size := step.one_of(3, 200, 2000)))
    step.do("""
#pragma omp masked
${step}_thread = std::thread([round] {
  for (int i = 0; i < $size; ++i) ${step}_own[i] = mix(${step}_own[i] + round, $value);
  for (int k = 0; k < $turns; ++k) {
    const std::lock_guard guard(${step}_mutex);
    ${step}_count += k;
  }
  ${step}_ready.store(round + 1, std::memory_order_release);
});
#pragma omp barrier
#pragma omp for $schedule
for (int i = 0; i < $n; ++i) {
  $to[i] = ($type)mix($to[i] + round, i);
  if (i % 8 == 0) {
    const std::lock_guard guard(${step}_mutex);
    ${step}_count += i;
  }
}
#pragma omp single
{
  while (${step}_ready.load(std::memory_order_acquire) != round + 1) {
  }
  ${step}_sum = mix(${step}_sum, hash_bytes(${step}_own, sizeof ${step}_own));
}
#pragma omp masked
${step}_thread.join();
#pragma omp barrier
""", size=size, schedule=step.schedule(), turns=step.number(0, 10), n=to.length, to=to.name, type=to.element,
            value=value)
    step.prints("mix(${step}_sum, ${step}_count)")


def threads_of_each(step):
    """Each thread of the team has one of its own do its iterations."""
    to, value = step.target(at_most=320), step.source()
    step.do("""
#pragma omp for $schedule
for (int row = 0; row < ($n + 49) / 50; ++row) {
  std::thread([&, row] {
    for (int i = row * 50; i < row * 50 + 50 && i < $n; ++i) $to[i] = ($type)mix($to[i] + round, $value);
  }).join();
}
""", schedule=step.schedule(), n=to.length, to=to.name, type=to.element, value=value)


INNER = [helper_thread, threads_of_each]
OUTER = []
