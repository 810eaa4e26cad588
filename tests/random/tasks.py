# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kinds of steps: tasks."""


def clauses_of(step):
    """What may be written on any task without a change of its meaning.

    Not `untied` beside others: LLVM 22's libomp ends with an assertion for undeferred untied tasks.
    """
    choices = ["", " mergeable", " priority(i % 3)", " if(i % 4 != 1)", " final(i % 5 == 0)"]
    return step.one_of(" untied", "".join(sorted({step.one_of(*choices), step.one_of(*choices)})))


def tasks(step):
    """One producer, or all threads; a task for each stretch of the array."""
    to, value = step.target(), step.source()
    stretch = max(1, to.length // step.number(1, 40))
    step.do("""
#pragma omp $maker
for (int begin = 0; begin < $n; begin += $stretch) {
  const int i = begin;
#pragma omp task firstprivate(begin)$clauses
  for (int i = begin; i < begin + $stretch && i < $n; ++i) $to[i] = ($type)mix($to[i] + round, $value);
  (void)i;
}
""", maker=step.one_of("single", "single", f"for {step.schedule()}"), stretch=stretch, clauses=clauses_of(step),
            n=to.length, to=to.name, type=to.element, value=value)


def dependences(step):
    """Chains that look at each other: the order of creation is the order of effect."""
    chains, links = step.number(1, 6), step.number(1, 8)
    value = step.source()
    step.declare("static u64 ${step}_chain[$chains];", chains=chains)
    step.do("""
#pragma omp single
for (int link = 0; link < $links; ++link) {
  for (int i = 0; i < $chains; ++i) {
    const int other = (i + $distance) % $chains;
#pragma omp task depend(in : ${step}_chain[other]) depend($out : ${step}_chain[i]) firstprivate(link, i, other)
    ${step}_chain[i] = mix(${step}_chain[other] + link + $value, ${step}_chain[i] + round);
  }
}
""", links=links, chains=chains, distance=step.number(1, 3), out=step.one_of("inout", "inout", "out"), value=value)
    step.prints("hash_bytes(${step}_chain, sizeof ${step}_chain)")


def many_readers(step):
    """A writer, readers beside each other, sums that exclude each other, and who reads the sums."""
    readers = step.number(1, 8)
    value = step.source()
    step.declare("static u64 ${step}_data, ${step}_sum, ${step}_copies[$readers], ${step}_end;", readers=readers)
    step.do("""
#pragma omp single
{
  const int i = round;
  (void)i;
#pragma omp task depend(out : ${step}_data)
  ${step}_data = mix($value, ${step}_end);
  for (int reader = 0; reader < $readers; ++reader) {
#pragma omp task depend(in : ${step}_data) depend(mutexinoutset : ${step}_sum)
    {
      ${step}_copies[reader] = mix(${step}_data, reader);
      ${step}_sum += ${step}_copies[reader];
    }
  }
#pragma omp task depend(in : ${step}_sum)
  ${step}_end = mix(${step}_sum, ${step}_end);
$wait
}
""", readers=readers, value=value, wait=step.one_of("", "#pragma omp taskwait", "#pragma omp taskyield"))
    step.prints("mix(${step}_end, hash_bytes(${step}_copies, sizeof ${step}_copies))")


def taskloop(step):
    to, value = step.target(), step.source()
    size = step.one_of(f" grainsize({step.number(1, 50)})", f" num_tasks({step.number(1, 20)})", "")
    step.do("""
#pragma omp single
{
#pragma omp taskloop$size$nogroup$untied
  for (int i = 0; i < $n; ++i) $to[i] = ($type)mix($to[i] + round, $value);
}
""", size=size, nogroup=step.one_of("", " nogroup"), untied=step.one_of("", " untied"), n=to.length, to=to.name,
            type=to.element, value=value)


def taskloop_reduction(step):
    value = step.source()
    step.declare("static u64 ${step}_sum;")
    step.do("""
#pragma omp single
{
#pragma omp taskloop grainsize($grain) reduction(+ : ${step}_sum)
  for (int i = 0; i < $n; ++i) ${step}_sum += mix($value, i + round);
}
""", grain=step.number(1, 40), n=step.number(1, 400), value=value)
    step.prints("${step}_sum")


def task_reduction(step):
    value = step.source()
    step.declare("static u64 ${step}_sum;")
    step.do("""
#pragma omp single
{
#pragma omp taskgroup task_reduction(+ : ${step}_sum)
  for (int i = 0; i < $n; ++i) {
#pragma omp task in_reduction(+ : ${step}_sum)
    ${step}_sum += mix($value, i + round);
  }
  ${step}_sum = mix(${step}_sum, $n);
}
""", n=step.number(1, 40), value=value)
    step.prints("${step}_sum")


def taskgroup(step):
    """Tasks that make tasks; what comes after the group sees what all of them wrote."""
    to = step.target(at_most=320)
    step.declare("static u64 ${step}_after;")
    step.do("""
#pragma omp single
{
#pragma omp taskgroup
  for (int half = 0; half < 2; ++half) {
#pragma omp task firstprivate(half)$clauses
    for (int k = half; k < $n; k += 20) {
#pragma omp task firstprivate(k)
      for (int i = k; i < k + 20 && i < $n; i += 2) $to[i] = ($type)mix($to[i], $value);
    }
  }
  ${step}_after = mix(${step}_after, hash_bytes($to, $n * sizeof *$to));
}
""", clauses=step.one_of("", " untied"), n=to.length, to=to.name, type=to.element, value=step.source())
    step.prints("${step}_after")


def recursion(step):
    """A tree of tasks; each adds what its two children found in variables of its frame."""
    value = step.source()
    step.declare("""
static u64 ${step}_tree(int begin, int end) {
  if (end - begin <= $leaf) {
    u64 sum = 0;
    for (int i = begin; i < end; ++i) sum += mix($value, i);
    return sum;
  }
  u64 left = 0, right = 0;
#pragma omp task shared(left)$final
  left = ${step}_tree(begin, (begin + end) / 2);
#pragma omp task shared(right)
  right = ${step}_tree((begin + end) / 2, end);
#pragma omp taskwait
  return mix(left, right);
}
static u64 ${step}_sum;
""", leaf=step.one_of(5, 20, 60), final=step.one_of("", " final(end - begin < 50)"), value=value)
    step.do("""
#pragma omp single
${step}_sum = mix(${step}_sum, ${step}_tree(round, $n));
""", n=step.number(5, 300))
    step.prints("${step}_sum")


def waits(step):
    """Tasks that the maker waits for before it goes on, with taskwait, or for some by depend."""
    to = step.target(at_most=320)
    wait = step.one_of("#pragma omp taskwait", "#pragma omp taskwait depend(in : ${step}_done)")
    step.declare("static u64 ${step}_seen, ${step}_done;")
    step.do(f"""
#pragma omp single
{{
#pragma omp task depend(out : $${{step}}_done)$clauses
  {{
    for (int i = 0; i < $n; ++i) $to[i] = ($type)mix($to[i], $value);
    $${{step}}_done = mix($${{step}}_done, $to[0]);
  }}
{wait}
  $${{step}}_seen = mix($${{step}}_seen, $${{step}}_done + $to[$n - 1]);
}}
""".replace("$${", "${"), clauses=step.one_of("", " untied", " mergeable"), n=to.length, to=to.name,
            type=to.element, value=step.source())
    step.prints("${step}_seen")


def heap_tasks(step):
    """Tasks that allocate, and tasks that take over what others allocated."""
    n = step.number(1, 12)
    step.declare("static unsigned char* ${step}_block[$n]; static u64 ${step}_hash[$n];", n=n)
    step.do("""
#pragma omp single
for (int i = 0; i < $n; ++i) {
#pragma omp task depend(out : ${step}_block[i])
  {
    ${step}_block[i] = (unsigned char*)malloc($size + i);
    memset(${step}_block[i], (int)(1 + i + round + $value), $size + i);
  }
#pragma omp task depend(inout : ${step}_block[i])
  {
    ${step}_hash[i] = mix(${step}_hash[i], hash_bytes(${step}_block[i], $size + i));
    free(${step}_block[i]);
  }
}
""", n=n, size=step.one_of(1, 100, 6000), value=step.source())
    step.prints("hash_bytes(${step}_hash, sizeof ${step}_hash)")


INNER = [tasks, tasks, dependences, many_readers, taskloop, taskloop_reduction, task_reduction, taskgroup, recursion,
         waits, heap_tasks]
OUTER = []
