# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kinds of phases: what threads do again and again, and what must come of it (iterated.py)."""

LOCKS = {  # how a section begins and ends; ${p}_lock is the phase's
    "set": ("omp_set_lock(${p}_lock);", "omp_unset_lock(${p}_lock);"),
    "test": ("while (!omp_test_lock(${p}_lock)) {\n}", "omp_unset_lock(${p}_lock);"),
    "critical": ("#pragma omp critical\n{", "}"),
    "named": ("#pragma omp critical(${p}_name)\n{", "}"),
}


def take_lock(phase):
    """(the lines that take a lock, those that give it up)"""
    kind = phase.one_of("set", "set", "test", "critical", "named")
    if kind in ("set", "test"):
        if phase.chance(0.5):
            phase.place("lock", "omp_lock_t", 1, 8)
        else:
            phase.declare("static omp_lock_t ${p}_lock_here;\n#define ${p}_lock (&${p}_lock_here)")
        phase.prepare("omp_init_lock(${p}_lock);")
    begin, end = LOCKS[kind]
    return "\n".join(phase.fill(begin)), "\n".join(phase.fill(end))


def maximum(phase):
    """Of all threads' values; another thread begins anew in each turn."""
    begin, end = take_lock(phase)
    phase.place("most", "double", 1, 8)
    value = "1 + ((turn * 7919 + $t * 104729) % 1000) * 0.001"
    phase.step("if (me == $writer) *${p}_most = 0;", writer=phase.writer())
    phase.step("""
const double mine = $mine;
$begin
if (mine > *${p}_most) *${p}_most = mine;
$end
""", mine=value.replace("$t", "me"), begin=begin, end=end)
    phase.step("""
double want = 0;
for (int t = 0; t < n; ++t) {
  const double other = $value;
  if (other > want) want = other;
}
if ($reader) expect("maximum", turn, (u64)(*${p}_most * 1000 + 0.5), (u64)(want * 1000 + 0.5));
""", value=value.replace("$t", "t"), reader=phase.reader())


def sum_under_lock(phase):
    """Sums that grow from turn to turn, some of them under one lock."""
    begin, end = take_lock(phase)
    cells = phase.one_of(1, 2, 5)
    phase.place("sums", "u64", cells, 8)
    phase.keep("want")
    adds = phase.one_of("1", "me % 2 == turn % 2", "me != 0", "me == turn % n", "turn % 5 != 0 || me == 0")
    phase.step("""
if ($adds) {
  $begin
  for (int c = 0; c < $cells; ++c) ${p}_sums[c] += (u64)(turn % 7 + me + c + 1);
  $end
}
for (int t = 0; t < n; ++t) {
  if ($others) ${p}_want += (u64)(turn % 7 + t + 1);
}
""", adds=adds, others=adds.replace("me", "t"), begin=begin, end=end, cells=cells)
    phase.step("""
if ($reader) expect("sum under lock", turn, ${p}_sums[0], ${p}_want);
""", reader=phase.reader())


def records_under_locks(phase):
    """Several locks, each with a record of its own, in one page or several."""
    count = phase.one_of(2, 3, 7)
    phase.place("records", "u64", 2 * count, 8)
    phase.place("locks", "omp_lock_t", count, 8)
    phase.prepare("for (int i = 0; i < $count; ++i) omp_init_lock(&${p}_locks[i]);", count=count)
    phase.keep("turns")
    phase.step("""
for (int k = 0; k < $times; ++k) {
  const int r = (me + turn + k) % $count;
  omp_set_lock(&${p}_locks[r]);
  expect("two counts under a lock", turn, ${p}_records[2 * r + 1], 3 * ${p}_records[2 * r]);
  ${p}_records[2 * r] += 1;
  ${p}_records[2 * r + 1] += 3;
  omp_unset_lock(&${p}_locks[r]);
}
++${p}_turns;
""", count=count, times=(times := phase.one_of(1, 2, 4)))
    phase.step("""
u64 all = 0;
for (int r = 0; r < $count; ++r) all += ${p}_records[2 * r];
if ($reader) expect("records under locks", turn, all, ${p}_turns * (u64)n * $times);
""", count=count, times=times, reader=phase.reader())


def atomic_update(phase):
    kind, size = phase.one_of(("u64", 8), ("unsigned", 4), ("unsigned short", 2), ("double", 8))
    phase.place("sum", kind, 1, size)
    phase.keep("want")
    clause = phase.one_of("", " relaxed", " release", " seq_cst")
    phase.step("""
#pragma omp atomic update$clause
*${p}_sum += ($kind)(turn % 3 + me);
${p}_want += (u64)(n * (turn % 3) + n * (n - 1) / 2);
""", clause=clause, kind=kind)
    phase.step("""
if ($reader) expect("atomic update", turn, (u64)*${p}_sum, (u64)($kind)${p}_want);
""", reader=phase.reader(), kind=kind)


def atomic_capture(phase):
    """Each thread draws a number, and writes down that it has it."""
    phase.place("next", "int", 1, 4)
    phase.place("drawn", "int", 64, 4)
    draw = phase.one_of("#pragma omp atomic capture$order\nticket = (*${p}_next)++;",
                        "ticket = __atomic_fetch_add(${p}_next, 1, __ATOMIC_RELAXED);",
                        "ticket = __atomic_load_n(${p}_next, __ATOMIC_RELAXED);\n"
                        "while (!__atomic_compare_exchange_n(${p}_next, &ticket, ticket + 1, 0, __ATOMIC_ACQ_REL,"
                        " __ATOMIC_RELAXED)) {\n}",
                        "#pragma omp critical(draw)\nticket = (*${p}_next)++;")
    draw = "\n".join(phase.fill(draw, order=phase.one_of("", " acq_rel", " seq_cst")))
    phase.step("if (me == $writer) *${p}_next = 0;", writer=phase.writer())
    phase.step("""
int ticket;
$draw
expect("ticket too large", turn, ticket >= n, 0);
${p}_drawn[ticket] = turn * 64 + me;
""", draw=draw)
    phase.step("""
int all = 0;
for (int i = 0; i < n; ++i) all += ${p}_drawn[i] - turn * 64;
if ($reader) expect("atomic capture", turn, (u64)all, (u64)(n * (n - 1) / 2));
""", reader=phase.reader())


def atomic_compare(phase):
    phase.place("most", "int", 1, 4)
    phase.place("least", "int", 1, 4)
    phase.step("""
if (me == $writer) *${p}_most = -1, *${p}_least = 1000000;
""", writer=phase.writer())
    phase.step("""
const int mine = (turn * 31 + me * 17) % 101;
#pragma omp atomic compare
if (*${p}_most < mine) { *${p}_most = mine; }
#pragma omp atomic compare
if (*${p}_least > mine) { *${p}_least = mine; }
""")
    phase.step("""
int most = -1, least = 1000000;
for (int t = 0; t < n; ++t) {
  const int other = (turn * 31 + t * 17) % 101;
  if (other > most) most = other;
  if (other < least) least = other;
}
if ($reader) expect("atomic compare", turn, (u64)(*${p}_most * 1000 + *${p}_least), (u64)(most * 1000 + least));
""", reader=phase.reader())


READS = {  # how the cells 0 ... count - 1 are looked at
    "whole": "for (int i = 0; i < $count; ++i)",
    "strided": "for (int i = turn % 3; i < $count; i += 7)",
    "partial": "for (int i = $count / 3; i < $count / 2 + 1; ++i)",
    "last": "for (int i = $count - 1; i < $count; ++i)",
    "moving": "for (int i = (turn / 9 * 50) % $count; i < $count; i += $count)",
}


def reads(phase, count):
    return phase.one_of(*READS.values()).replace("$count", f"({count})")


def false_sharing(phase):
    """Each thread's own bytes, in pages that all write."""
    kind, size = phase.one_of(("unsigned char", 1), ("unsigned short", 2), ("unsigned", 4), ("u64", 8))
    each = phase.one_of(1, 1, 3, 40, 300 // size, 5000 // size)
    phase.place("cells", kind, 64 * each, size)
    at = phase.one_of("t * $each + k", "k * n + t").replace("$each", str(each))
    phase.step("""
const int t = me;
for (int k = 0; k < $each; ++k) ${p}_cells[$at] = ($kind)mix((u64)turn * 64 + t, k);
""", at=at, each=each, kind=kind)
    other = phase.one_of("t < n", "t < n", "t < n && (t == me + 1 || t == me - 1)", "t == (me + turn) % n", "t == 0")
    phase.step("""
if ($reader) {
  for (int t = 0; t < n; ++t) {
    if (!($other)) continue;
    $reads expect("own bytes in shared pages", turn, ${p}_cells[$at], ($kind)mix((u64)turn * 64 + t, i));
  }
}
""", reader=phase.reader(), other=other, reads=reads(phase, each), at=at.replace("k", "i"), kind=kind)


def single_writer(phase):
    """One thread writes all of it; now and then another one."""
    count = phase.one_of(1, 10, 400, 600, 2500)
    phase.place("cells", "u64", count, 8)
    part = phase.one_of("0", "0", f"(turn * 5) % {count}", f"{count} / 2")
    phase.prepare("for (int i = 0; i < $count; ++i) ${p}_cells[i] = mix(0, i);", count=count)
    whole = part == "0"
    phase.step("""
if (me == $writer) {
  for (int i = $part; i < $count; ++i) ${p}_cells[i] = mix((u64)turn, i);
}
""", writer=phase.writer(), part=part, count=count)
    begin = "0" if whole else part
    phase.step("""
if ($reader) {
  $reads {
    if (i >= $begin) expect("one writer", turn, ${p}_cells[i], mix((u64)turn, i));
  }
}
""", reader=phase.reader(), reads=reads(phase, count), begin=begin)
    if phase.chance(0.3):
        phase.step("""
if ($reader) expect("one writer, later", turn, ${p}_cells[$count - 1], mix((u64)turn, $count - 1));
""", reader=phase.reader(), count=count)


def counter(phase):
    """Each writer goes on from what the one before left."""
    phase.place("count", "u64", 1, 8)
    phase.keep("want")
    phase.step("if (me == $writer) *${p}_count += 1 + (u64)turn % 5;\n${p}_want += 1 + (u64)turn % 5;",
               writer=phase.writer())
    phase.step('if ($reader) expect("a count that is handed on", turn, *${p}_count, ${p}_want);', reader=phase.reader())


def stencil(phase):
    """Neighbours' rows, from one half to the other; what is a line stays one."""
    each = phase.one_of(1, 30, 200, 520)
    phase.place("old", "u64", 64 * each + 2, 8)
    phase.place("new", "u64", 64 * each + 2, 8)
    phase.keep("turns")
    phase.prepare("for (int i = 0; i < 64 * $each + 2; ++i) ${p}_old[i] = ${p}_new[i] = 1000 + (u64)i;", each=each)
    step = """
const int first = me * $each + 1, last = first + $each;
for (int i = first; i < last; ++i) ${p}_$to[i] = (${p}_$from[i - 1] + ${p}_$from[i + 1]) / 2 + 4;
if (me == 0) ${p}_$to[0] = ${p}_$from[0] + 4;
if (me == n - 1) ${p}_$to[last] = ${p}_$from[last] + 4;
${p}_turns += 4;
"""
    phase.step(step, to="new", **{"from": "old"}, each=each)
    phase.step(step, to="old", **{"from": "new"}, each=each)
    phase.step("""
if ($reader) {
  $reads expect("stencil", turn, ${p}_old[i], 1000 + (u64)i + ${p}_turns);
}
""", reader=phase.reader(), reads=reads(phase, f"n * {each}"))


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


KINDS = [maximum, maximum, maximum, sum_under_lock, sum_under_lock, records_under_locks, atomic_update, atomic_capture,
         atomic_compare, false_sharing, false_sharing, single_writer, single_writer, counter, stencil, loop, tasks, flags,
         single, ordered, reduction, threadprivate, copyprivate]
LOCKED = [maximum, sum_under_lock, records_under_locks]  # where most has gone wrong so far: in more than half of the programs
