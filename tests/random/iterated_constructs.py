# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kinds of phases: OpenMP's constructs, and flags between threads (iterated.py)."""

from iterated_phases import reads


def loop(phase):
    """A loop whose iterations go wherever the schedule wants."""
    count = phase.one_of(5, 60, 700)
    schedule = phase.one_of("static", "static, 1", "static, 3", "dynamic", "dynamic, 4", "guided", "nonmonotonic: dynamic, 2")
    phase.place("cells", "unsigned", count, 4)
    phase.step("""
#pragma omp for schedule($schedule)$nowait
for (int i = 0; i < $count; ++i) ${p}_cells[i] = (unsigned)mix((u64)turn, i);
""", schedule=schedule, nowait=phase.one_of("", " nowait"), count=count)
    phase.step("""
if ($reader) {
  $reads expect("loop", turn, ${p}_cells[i], (unsigned)mix((u64)turn, i));
}
""", reader=phase.reader(), reads=reads(phase, count))


def tasks(phase):
    """One thread makes tasks, which write, and add up."""
    count = phase.one_of(2, 9, 40)
    phase.place("cells", "u64", count, 8)
    phase.place("sum", "u64", 1, 8)
    phase.keep("want")
    make = phase.one_of("#pragma omp taskloop grainsize(2)\nfor (int i = 0; i < $count; ++i)",
                        "for (int i = 0; i < $count; ++i)\n#pragma omp task firstprivate(i)")
    phase.step("""
#pragma omp $who
{
  $make
  {
    ${p}_cells[i] = mix((u64)turn, i);
#pragma omp atomic update
    *${p}_sum += (u64)i;
  }
#pragma omp taskwait
  expect("tasks, awaited", turn, ${p}_cells[$count - 1], mix((u64)turn, $count - 1));
}
${p}_want += $count * ($count - 1) / 2;
""", who=phase.one_of("single", "master", "single nowait"), make="\n".join(phase.fill(make, count=count)), count=count)
    phase.step("""
if ($reader) {
  expect("tasks' sum", turn, *${p}_sum, ${p}_want);
  $reads expect("tasks", turn, ${p}_cells[i], mix((u64)turn, i));
}
""", reader=phase.reader(), reads=reads(phase, count))


FLAGS = {  # how a flag is looked at, and how it is set
    "atomic": ("#pragma omp atomic read acquire\nseen = ${p}_flags[me - 1];",
               "#pragma omp atomic write release\n${p}_flags[me] = turn + 1;"),
    "flush": ("#pragma omp atomic read relaxed\nseen = ${p}_flags[me - 1];\n#pragma omp flush",
              "#pragma omp flush\n#pragma omp atomic write relaxed\n${p}_flags[me] = turn + 1;"),
    "plain": ("#pragma omp flush\nseen = *(volatile int*)&${p}_flags[me - 1];\n#pragma omp flush",
              "#pragma omp flush\n*(volatile int*)&${p}_flags[me] = turn + 1;\n#pragma omp flush"),
    # No flush between the data and the flag, nor any at all if it is set at the first look.
    "polled": ("while ((seen = ${p}_flags[me - 1]) != turn + 1) {\n#pragma omp flush\n}", "${p}_flags[me] = turn + 1;"),
    "C11": ("seen = __atomic_load_n(&${p}_flags[me - 1], __ATOMIC_ACQUIRE);",
            "__atomic_store_n(&${p}_flags[me], turn + 1, __ATOMIC_RELEASE);"),
}


def flags(phase):
    """Plain data that goes from thread to thread; each waits for the flag of the one before."""
    wait, announce = FLAGS[phase.one_of(*FLAGS)]
    phase.place("flags", "int", 64, 4)
    phase.place("data", "u64", 64, 8)
    phase.step("""
if (me > 0) {
  int seen;
  do {
    $wait
  } while (seen != turn + 1);
}
${p}_data[me] = me > 0 ? ${p}_data[me - 1] + (u64)(turn % 3) + 1 : (u64)turn;
$announce
""", wait="\n".join(phase.fill(wait)), announce="\n".join(phase.fill(announce)))
    phase.step("""
if ($reader) expect("flags", turn, ${p}_data[n - 1], (u64)turn + (u64)(n - 1) * (u64)(turn % 3 + 1));
""", reader=phase.reader())


def single(phase):
    """Whoever comes first, or the main thread, goes on from the turn before."""
    phase.place("count", "u64", 3, 8)
    phase.keep("want")
    phase.step("""
#pragma omp $who
{
  ${p}_count[0] += 1;
  ${p}_count[1] = ${p}_count[0] + (u64)turn;
}
${p}_want += 1;
""", who=phase.one_of("single", "single nowait", "master", "masked"))
    phase.step("""
if ($reader) expect("single", turn, ${p}_count[1], ${p}_want + (u64)turn);
""", reader=phase.reader())


def ordered(phase):
    count = phase.one_of(3, 10)
    phase.place("text", "u64", 1, 8)
    phase.keep("want")
    phase.step("""
#pragma omp for ordered schedule($schedule)
for (int i = 0; i < $count; ++i) {
#pragma omp ordered
  *${p}_text = mix(*${p}_text, (u64)turn + (u64)i);
}
for (int i = 0; i < $count; ++i) ${p}_want = mix(${p}_want, (u64)turn + (u64)i);
""", schedule=phase.one_of("static, 1", "static", "dynamic"), count=count)
    phase.step('if ($reader) expect("ordered", turn, *${p}_text, ${p}_want);', reader=phase.reader())


def reduction(phase):
    count = phase.one_of(7, 100)
    phase.declare("static u64 ${p}_sum; static int ${p}_most;")
    phase.keep("want")
    phase.step("if (me == $writer) ${p}_most = -1;", writer=phase.writer())
    phase.step("""
#pragma omp for reduction(+ : ${p}_sum) reduction(max : ${p}_most)$nowait
for (int i = 0; i < $count; ++i) {
  ${p}_sum += (u64)(i + turn);
  const int value = (turn * 13 + i * 29) % 97;
  if (value > ${p}_most) ${p}_most = value;
}
for (int i = 0; i < $count; ++i) ${p}_want += (u64)(i + turn);
""", count=count, nowait=phase.one_of("", " nowait"))
    phase.step("""
int most = -1;
for (int i = 0; i < $count; ++i) {
  const int value = (turn * 13 + i * 29) % 97;
  if (value > most) most = value;
}
if ($reader) {
  expect("reduction", turn, ${p}_sum, ${p}_want);
  expect("reduction, maximum", turn, (u64)${p}_most, (u64)most);
}
""", reader=phase.reader(), count=count)


def threadprivate(phase):
    """What each thread keeps by itself, put side by side."""
    phase.declare("static u64 ${p}_mine;\n#pragma omp threadprivate(${p}_mine)")
    phase.place("all", "u64", 64, 8)
    phase.keep("want")
    phase.step("""
${p}_mine += (u64)(turn + me);
${p}_want += (u64)turn;
${p}_all[me] = ${p}_mine;
""")
    phase.keep("turns")
    phase.step("""
++${p}_turns;
if ($reader) {
  for (int t = 0; t < n; ++t) expect("threadprivate", turn, ${p}_all[t], ${p}_want + ${p}_turns * (u64)t);
}
""", reader=phase.reader())


def copyprivate(phase):
    phase.place("key", "u64", 1, 8)
    phase.step("""
u64 key = 0;
#pragma omp single copyprivate(key)
{
  *${p}_key += 1;
  key = mix((u64)turn, 5);
}
expect("copyprivate", turn, key, mix((u64)turn, 5));
""")


KINDS = [loop, tasks, flags, single, ordered, reduction, threadprivate, copyprivate]
