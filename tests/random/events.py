# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kinds of steps: tasks that end by an event, depend objects, depend iterators, sets."""


def detached(step):
    """A task is done when another one says so, and has written what comes with it.

    Not in a team of one thread, where LLVM 22's libomp ends with an assertion now and then.
    """
    n = step.number(1, 20)
    value = step.source()
    step.declare("static u64 ${step}_cell[$n], ${step}_note[$n], ${step}_sum[$n];", n=n)
    step.do("""
#pragma omp single
for (int i = 0; i < $n; ++i) {
  if (omp_get_num_threads() == 1) {
    ${step}_cell[i] = mix($value, round);
    $alone
    ${step}_sum[i] = mix(${step}_sum[i] + ${step}_cell[i], ${step}_note[i]);
    continue;
  }
  omp_event_handle_t event;
#pragma omp task detach(event) depend(out : ${step}_cell[i]) firstprivate(i)
  {
    ${step}_cell[i] = mix($value, round);
    $own
  }
  $other
#pragma omp task depend(in : ${step}_cell[i]) firstprivate(i)
  ${step}_sum[i] = mix(${step}_sum[i] + ${step}_cell[i], ${step}_note[i]);
}
""", n=n, value=value, **step.one_of(
        {"alone": "", "own": "omp_fulfill_event(event);", "other": ""},
        {"alone": f"{step.name}_note[i] = mix({step.name}_note[i], i);", "own": "", "other": "#pragma omp task firstprivate(event, i)\n  {\n"
                             f"    {step.name}_note[i] = mix({step.name}_note[i], i);\n"
                             "    omp_fulfill_event(event);\n  }"}))
    step.prints("hash_bytes(${step}_sum, sizeof ${step}_sum)")


def depend_objects(step):
    """Dependences in objects, of one kind first and of another then."""
    n = step.number(1, 10)
    value = step.source()
    step.declare("static u64 ${step}_cell[$n], ${step}_sum;", n=n)
    step.do("""
#pragma omp single
{
  omp_depend_t objects[$n];
  for (int i = 0; i < $n; ++i) {
#pragma omp depobj(objects[i]) depend(inout : ${step}_cell[i])
#pragma omp task depend(depobj : objects[i]) firstprivate(i)
    ${step}_cell[i] = mix(${step}_cell[i] + round, $value);
#pragma omp task depend(depobj : objects[i]) firstprivate(i)
    ${step}_cell[i] = mix(${step}_cell[i], i);
  }
  for (int i = 0; i < $n; ++i) {
#pragma omp depobj(objects[i]) update(in)
  }
  for (int i = 0; i < $n; ++i) {
    const int other = (i + $distance) % $n;
#pragma omp task depend(depobj : objects[i], objects[other]) depend(inout : ${step}_sum) firstprivate(i, other)
    ${step}_sum = mix(${step}_sum, ${step}_cell[i] + ${step}_cell[other]);
  }
#pragma omp taskwait
  for (int i = 0; i < $n; ++i) {
#pragma omp depobj(objects[i]) destroy
  }
}
""", n=n, value=value, distance=step.number(0, 3))
    step.prints("mix(${step}_sum, hash_bytes(${step}_cell, sizeof ${step}_cell))")


def depend_iterators(step):
    """A task that waits for many by one clause, and many that wait for it."""
    n = step.number(1, 16)
    value = step.source()
    stride = step.one_of("", "", ":2", ":3")
    step.declare("static u64 ${step}_cell[$n], ${step}_sum;", n=n)
    step.do("""
#pragma omp single
for (int turn = 0; turn < $turns; ++turn) {
  for (int i = 0; i < $n; ++i) {
#pragma omp task depend(inout : ${step}_cell[i]) firstprivate(i, turn)
    ${step}_cell[i] = mix(${step}_cell[i] + turn, $value);
  }
#pragma omp task depend(iterator(int k = 0 : $n$stride), $kind : ${step}_cell[k]) depend(inout : ${step}_sum)
  for (int k = 0; k < $n; k += $step_of_k) ${step}_sum = mix(${step}_sum, ${step}_cell[k] + round);
}
""", n=n, value=value, turns=step.number(1, 4), stride=stride, step_of_k=stride[1:] or "1",
            kind=step.one_of("in", "inout", "out"))
    step.prints("mix(${step}_sum, hash_bytes(${step}_cell, sizeof ${step}_cell))")


def sets(step):
    """Tasks of a set run beside each other, after those before it and before those behind it."""
    n = step.number(1, 12)
    value = step.source()
    step.declare("static u64 ${step}_first, ${step}_part[$n], ${step}_sum;", n=n)
    step.do("""
#pragma omp single
{
  const int i = round;
#pragma omp task depend(out : ${step}_first)
  ${step}_first = mix(${step}_sum, $value);
  for (int k = 0; k < $n; ++k) {
#pragma omp task depend(inoutset : ${step}_first) firstprivate(k)
    ${step}_part[k] = mix(${step}_part[k] + k, ${step}_first);
  }
#pragma omp task depend($kind)
  for (int k = 0; k < $n; ++k) ${step}_sum = mix(${step}_sum, ${step}_part[k] + ${step}_first);
$wait
}
""", n=n, value=value, kind=step.one_of("in : ${step}_first", "inout : omp_all_memory").replace("${step}", step.name),
            wait=step.one_of("", "#pragma omp taskwait depend(in : ${step}_first)").replace("${step}", step.name))
    step.prints("${step}_sum")


INNER = [detached, depend_objects, depend_iterators, sets]
OUTER = []
