# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kinds of steps: what is cancelled. What runs before it hears of that is anybody's guess, so it leaves nothing
behind; what must have run does.

Each opens a region of several threads, even in the run on one: in one of a single thread, LLVM 22's libomp never
forgets that something was cancelled. Dynamic loops, and a thread that cancels while others leave a barrier, are
left out: libomp hangs there now and then.
"""


def schedule(step):
    return step.one_of("schedule(static)", "schedule(static, 1)", "schedule(static, 7)")


def begin(step):
    return f"#pragma omp parallel num_threads({step.number(2, 6)})"


def cancelled_loop(step):
    value = step.source()
    step.declare("static u64 ${step}_found; static int ${step}_tried;")
    step.do("""
$begin
#pragma omp for $schedule
for (int i = 0; i < $n; ++i) {
#pragma omp cancellation point for
#pragma omp atomic update
  ++${step}_tried;
  if (i == $target) {
    ${step}_found = mix(${step}_found + round, $value);
#pragma omp cancel for
  }
}
""", begin=begin(step), schedule=schedule(step), n=(n := step.number(1, 300)),
            target=step.number(0, n - 1), value=value)
    step.prints("${step}_found")
    step.prints("${step}_tried > 0")


def cancelled_sections(step):
    step.declare("static u64 ${step}_found;")
    step.do("""
$begin
#pragma omp sections
{
#pragma omp section
  {
#pragma omp cancellation point sections
  }
#pragma omp section
  {
    const int i = round;
    ${step}_found = mix(${step}_found + i, $value);
#pragma omp cancel sections
  }
#pragma omp section
  {
#pragma omp cancellation point sections
  }
}
""", begin=begin(step), value=step.source())
    step.prints("${step}_found")


def cancelled_region(step):
    """All threads wait for the end that one of them declares; then a region that nobody cancels."""
    to, value = step.target(), step.source()
    step.declare("static u64 ${step}_found; static int ${step}_entered;")
    step.do("""
int all = 0;
${step}_entered = 0;
$begin
{
  const int threads = omp_get_num_threads();
  int entered;
#pragma omp atomic update
  ++${step}_entered;
  do {
#pragma omp atomic read
    entered = ${step}_entered;
  } while (entered < threads);
  if (omp_get_thread_num() == threads / 2) {
    all = threads;
    const int i = round;
    ${step}_found = mix(${step}_found, $value);
#pragma omp cancel parallel
  }
  for (;;) {
#pragma omp cancellation point parallel
  }
}
#pragma omp parallel for $schedule
for (int i = 0; i < $n; ++i) $to[i] = ($type)mix($to[i] + ${step}_found, ${step}_entered == all);
""", begin=begin(step), schedule=step.schedule(), n=to.length, to=to.name,
            type=to.element, value=value)
    step.prints("${step}_found")


def cancelled_group(step):
    """Tasks that are dropped or not, beside one that cancels; the next group is whole."""
    to, value = step.target(at_most=320), step.source()
    step.declare("static u64 ${step}_found; static int ${step}_tried;")
    step.do("""
$begin
#pragma omp single
{
#pragma omp taskgroup
  {
    for (int k = 0; k < $tasks; ++k) {
#pragma omp task
      {
#pragma omp cancellation point taskgroup
#pragma omp atomic update
        ++${step}_tried;
      }
    }
#pragma omp task if(0)
    {
      const int i = round;
      ${step}_found = mix(${step}_found, $value);
#pragma omp cancel taskgroup
    }
  }
#pragma omp taskgroup
  for (int begin = 0; begin < $n; begin += 20) {
#pragma omp task firstprivate(begin)
    for (int i = begin; i < begin + 20 && i < $n; ++i) $to[i] = ($type)mix($to[i] + i, $value);
  }
}
""", begin=begin(step), tasks=step.number(0, 30), n=to.length, to=to.name, type=to.element, value=value)
    step.prints("${step}_found")


INNER = []
OUTER = [cancelled_loop, cancelled_sections, cancelled_region, cancelled_group]
