# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kinds of steps: loops and what is shared out like them."""


def loop(step):
    to, value = step.target(), step.source()
    nowait = step.chance(0.3)
    step.ends_with_barrier = not nowait
    head = step.one_of("for (int i = 0; i < $n; ++i)", "for (long i = $n - 1; i >= 0; --i)",
                       "for (unsigned i = 0; i != $n; i += 1)", "for (uint64_t i = 0; i < $n; ++i)",
                       "for (short i = 0; i < $n; ++i)")
    step.do("#pragma omp for $schedule$nowait\n" + head + " $to[i] = ($type)mix($to[i] + round, $value);",
            schedule=step.schedule(), nowait=" nowait" if nowait else "", n=to.length, to=to.name,
            type=to.element, value=value)


def by_thread_number(step):
    to, value = step.target(), step.source()
    step.ends_with_barrier = False
    step.do("""
const int threads = omp_get_num_threads();
for (int i = omp_get_thread_num(); i < $n; i += threads) $to[i] = ($type)mix($value, i + $to[i]);
""", n=to.length, to=to.name, type=to.element, value=value)


def collapsed(step):
    to, value = step.target(), step.source()
    columns = step.number(1, min(17, to.length))
    step.do("""
#pragma omp for collapse(2) $schedule
for (int row = 0; row < $rows; ++row) {
  for (int column = 0; column < $columns; ++column) {
    const int i = row * $columns + column;
    $to[i] = ($type)mix($to[i] + row, $value);
  }
}
""", schedule=step.schedule(), rows=to.length // columns, columns=columns, to=to.name, type=to.element, value=value)


def combined(step):
    """A parallel loop in one directive; private and firstprivate variables of more than a page."""
    to, value = step.target(), step.source()
    step.do("""
unsigned table[$size], scratch[$size];
for (int k = 0; k < $size; ++k) table[k] = k * 3 + round;
scratch[0] = 0;
u64 last = 0;
#pragma omp parallel for $schedule firstprivate(table) private(scratch) lastprivate(last)
for (int i = 0; i < $n; ++i) {
  scratch[i % $size] = table[(i * 5) % $size] + 1;
  $to[i] = ($type)mix(scratch[i % $size], $value);
  last = mix($to[i], i);
}
${step}_last = mix(${step}_last, last);
""", schedule=step.schedule(), size=step.one_of(5, 300, 2100), n=to.length, to=to.name, type=to.element, value=value)
    step.declare("static u64 ${step}_last;")
    step.prints("${step}_last")


def teams(step):
    to, value = step.target(), step.source()
    step.do("""
#pragma omp teams distribute parallel for num_teams($teams) dist_schedule(static, $chunk)
for (int i = 0; i < $n; ++i) $to[i] = ($type)mix($to[i] + round, $value);
""", teams=step.number(1, 3), chunk=step.one_of(1, 8, 50), n=to.length, to=to.name, type=to.element, value=value)


def reductions(step):
    value = step.source()
    step.declare("static long ${step}_sum; static uint64_t ${step}_bits; static unsigned char ${step}_least = 255;\n"
                 "static double ${step}_whole;")
    step.do("""
#pragma omp for $schedule reduction(+ : ${step}_sum, ${step}_whole) reduction(^ : ${step}_bits) \\
    reduction(min : ${step}_least)
for (int i = 0; i < $n; ++i) {
  const u64 value = mix($value, i + round);
  ${step}_sum += (long)(value % 1000);
  ${step}_whole += (double)(value % 512);
  ${step}_bits ^= value;
  if ((unsigned char)value < ${step}_least) ${step}_least = (unsigned char)value;
}
""", schedule=step.schedule(), n=step.number(1, 900), value=value)
    step.prints("mix(${step}_sum, ${step}_bits)")
    step.prints("mix(${step}_least, (u64)${step}_whole)")


def array_reduction(step):
    value = step.source()
    step.declare("static unsigned ${step}_counts[$size];", size=(size := step.one_of(4, 60, 1500)))
    step.do("""
#pragma omp for $schedule reduction(+ : ${step}_counts$section)
for (int i = 0; i < $n; ++i) ${step}_counts[mix($value, i) % $size] += i + round;
""", schedule=step.schedule(), section=step.one_of("", f"[:{size}]"), n=step.number(1, 2000), size=size, value=value)
    step.prints("hash_bytes(${step}_counts, sizeof ${step}_counts)")


def declared_reduction(step):
    value = step.source()
    step.declare("""
typedef struct { u64 sum, product; } ${step}_pair;
#pragma omp declare reduction(${step}_join : ${step}_pair : \\
    omp_out.sum += omp_in.sum, omp_out.product *= omp_in.product) initializer(omp_priv = {0, 1})
static ${step}_pair ${step}_all = {0, 1};
""")
    step.do("""
#pragma omp for $schedule reduction(${step}_join : ${step}_all)
for (int i = 0; i < $n; ++i) {
  ${step}_all.sum += $value;
  ${step}_all.product *= 2 * mix(i, round) + 1;
}
""", schedule=step.schedule(), n=step.number(1, 500), value=value)
    step.prints("mix(${step}_all.sum, ${step}_all.product)")


def region_reduction(step):
    value = step.source()
    step.declare("static u64 ${step}_total;")
    step.do("""
u64 total = 0;
#pragma omp parallel reduction(+ : total)
{
#pragma omp for $schedule nowait
  for (int i = 0; i < $n; ++i) total += mix($value, i);
}
${step}_total = mix(${step}_total, total);
""", schedule=step.schedule(), n=step.number(1, 900), value=value)
    step.prints("${step}_total")


def scan(step):
    to, value = step.target(), step.source()
    kind = step.one_of("inclusive", "exclusive")
    use = "$to[i] = ($type)(prefix + i);"
    gather = "prefix += mix($value, i) % 1000;"
    first, second = (gather, use) if kind == "inclusive" else (use, gather)
    step.declare("static u64 ${step}_total;")
    step.do(f"""
u64 prefix = round;
#pragma omp parallel for reduction(inscan, + : prefix)
for (int i = 0; i < $n; ++i) {{
  {first}
#pragma omp scan {kind}(prefix)
  {second}
}}
$${{step}}_total = mix($${{step}}_total, prefix);
""".replace("$${", "${"), n=to.length, to=to.name, type=to.element, value=value)
    step.prints("${step}_total")


def ordered(step):
    value = step.source()
    n = step.number(1, 60)
    step.declare("static u64 ${step}_chain, ${step}_sequence[$n]; static int ${step}_position;", n=n)
    schedule = step.schedule().replace("nonmonotonic: ", "").replace("monotonic: ", "")
    step.do("""
#pragma omp for ordered $schedule
for (int i = 0; i < $n; ++i) {
  const u64 value = mix($value, i + round);
#pragma omp ordered
  {
    ${step}_chain = mix(${step}_chain, value);
    ${step}_sequence[${step}_position++ % $n] = value;
  }
}
""", schedule=schedule, n=n, value=value)
    step.prints("mix(${step}_chain, hash_bytes(${step}_sequence, sizeof ${step}_sequence))")


def doacross(step):
    value = step.source()
    n = step.number(2, 30)
    step.declare("static u64 ${step}_line[$n + 1];", n=n)
    step.do("""
#pragma omp for ordered(1) $schedule
for (int i = 1; i <= $n; ++i) {
  const u64 value = mix($value, round);
#pragma omp ordered depend(sink : i - $distance)
  ${step}_line[i] = mix(i > $distance ? ${step}_line[i - $distance] : i, value);
#pragma omp ordered depend(source)
}
""", schedule=step.one_of("schedule(static, 1)", "schedule(static)", "schedule(dynamic)", "schedule(guided)"), n=n,
            distance=step.number(1, 2), value=value)
    step.prints("hash_bytes(${step}_line, sizeof ${step}_line)")


def doacross_plane(step):
    value = step.source()
    side = step.number(2, 9)
    step.declare("static u64 ${step}_plane[$side + 1][$side + 1];", side=side)
    step.do("""
#pragma omp for ordered(2) schedule(static, 1)
for (int i = 1; i <= $side; ++i) {
  for (int j = 1; j <= $side; ++j) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
    ${step}_plane[i][j] = mix(${step}_plane[i - 1][j] + round, ${step}_plane[i][j - 1] + $value);
#pragma omp ordered depend(source)
  }
}
""", side=side, value=value)
    step.prints("hash_bytes(${step}_plane, sizeof ${step}_plane)")


def sections(step):
    to = step.target()
    count = step.number(1, 6)
    step.do("#pragma omp sections\n{")
    for part in range(count):
        step.do("""
#pragma omp section
  for (int i = $begin; i < $n; i += $count) $to[i] = ($type)mix($to[i] + $begin, $value);
""", begin=part, count=count, n=to.length, to=to.name, type=to.element, value=step.source())
    step.do("}")


INNER = [loop, loop, loop, by_thread_number, collapsed, reductions, array_reduction, declared_reduction, ordered,
         doacross, doacross_plane, sections]
OUTER = [combined, teams, region_reduction, scan]
