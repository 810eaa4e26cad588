# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kinds of steps in Fortran. In a text `!$$omp` stands for the directive's sentinel."""

import program

KINDS = {"integer(1)": 1, "integer(4)": 4, "integer(8)": 8}


class FortranStep(program.Step):
    def schedule(self):
        return super().schedule().replace("nonmonotonic: ", "").replace("monotonic: ", "")

    def source(self):
        others = [a for a in self.arrays if a.name not in self.writes]
        array = self.rng.choice(others)
        self.reads.add(array.name)
        index = f"1 + modulo(i * {self.one_of(1, 1, 3, 7, 64)} + {self.number(0, 99)}, {array.length})"
        return f"int({array.name}({index}), long)"

    def assign(self, to, value):
        """The statement that makes element i of an array another value."""
        return f"{to.name}(i) = int(modulo({value}, 120_long), {KINDS[to.element]})"


def loop(step):
    to, value = step.target(), step.source()
    nowait = step.chance(0.3)
    step.ends_with_barrier = not nowait
    step.do("""
!$$omp do $schedule
do i = $head
  $assign
end do
!$$omp end do$nowait
""", schedule=step.schedule(), head=step.one_of(f"1, {to.length}", f"{to.length}, 1, -1"),
            assign=step.assign(to, f"mix(int({to.name}(i), long) + round, {value})"), nowait=" nowait" if nowait else "")


def reductions(step):
    value = step.source()
    step.declare("integer(long) :: ${step}_sum = 0, ${step}_bits = 0, ${step}_most = 0, ${step}_counts($size) = 0",
                 size=(size := step.one_of(3, 50, 700)))
    step.do("""
!$$omp do $schedule reduction(+: ${step}_sum, ${step}_counts) reduction(ieor: ${step}_bits) &
!$$omp&  reduction(max: ${step}_most)
do i = 1, $n
  v = mix($value, int(i + round, long))
  ${step}_sum = ${step}_sum + v
  ${step}_bits = ieor(${step}_bits, v)
  ${step}_most = max(${step}_most, v)
  ${step}_counts(1 + modulo(v, ${size}_long)) = ${step}_counts(1 + modulo(v, ${size}_long)) + i
end do
!$$omp end do
""", schedule=step.schedule(), n=step.number(1, 800), size=size, value=value)
    step.prints("mix(${step}_sum, ${step}_bits)")
    step.prints("mix(${step}_most, hash(${step}_counts))")


def critical(step):
    value = step.source()
    step.declare("integer(long) :: ${step}_cells($cells) = 0", cells=(cells := step.one_of(1, 6, 90)))
    step.do("""
!$$omp do $schedule
do i = 1, $n
!$$omp critical$name
  ${step}_cells(1 + modulo(i, $cells)) = ${step}_cells(1 + modulo(i, $cells)) + mix($value, int(round, long))
!$$omp end critical$name
end do
!$$omp end do
""", schedule=step.schedule(), n=step.number(8, 100), cells=cells, value=value,
            name=step.one_of("", " (shared_name)", f" ({step.name}_name)"))
    step.prints("hash(${step}_cells)")


def atomics(step):
    value = step.source()
    step.declare("integer(long) :: ${step}_sum = 0, ${step}_most = 0\ninteger :: ${step}_next = 0, ${step}_drawn($n) = 0",
                 n=(n := step.number(8, 120)))
    step.do("""
!$$omp do $schedule
do i = 1, $n
  v = mix($value, int(i + round, long))
!$$omp atomic update
  ${step}_sum = ${step}_sum + v
!$$omp atomic update
  ${step}_most = max(${step}_most, v)
!$$omp atomic capture
  ${step}_next = ${step}_next + 1
  k = ${step}_next
!$$omp end atomic
  k = 1 + modulo(k, $n)
  ${step}_drawn(k) = ${step}_drawn(k) + 1 + round
end do
!$$omp end do
""", schedule=step.schedule(), n=n, value=value)
    step.prints("mix(mix(${step}_sum, ${step}_most), hash(int(${step}_drawn, long)))")


def locks(step):
    value = step.source()
    step.declare("integer(omp_lock_kind) :: ${step}_locks($count)\ninteger(long) :: ${step}_cells($count) = 0",
                 count=(count := step.one_of(1, 5, 20)))
    step.setup += step.fill("do i = 1, $count\n  call omp_init_lock(${step}_locks(i))\nend do", count=count)
    step.do("""
!$$omp do $schedule
do i = 1, $n
  k = 1 + modulo(i * 7, $count)
  call omp_set_lock(${step}_locks(k))
  ${step}_cells(k) = ${step}_cells(k) + mix($value, int(round, long))
  call omp_unset_lock(${step}_locks(k))
end do
!$$omp end do
""", schedule=step.schedule(), n=step.number(8, 100), count=count, value=value)
    step.prints("hash(${step}_cells)")


def ordered(step):
    value = step.source()
    step.declare("integer(long) :: ${step}_chain = 0")
    step.do("""
!$$omp do ordered $schedule
do i = 1, $n
  v = mix($value, int(i + round, long))
!$$omp ordered
  ${step}_chain = mix(${step}_chain, v)
!$$omp end ordered
end do
!$$omp end do
""", schedule=step.schedule(), n=step.number(1, 40), value=value)
    step.prints("${step}_chain")


def copyprivate(step):
    to, value = step.target(), step.source()
    step.do("""
!$$omp single
i = round
key = $value
!$$omp end single copyprivate(key)
!$$omp do $schedule
do i = 1, $n
  $assign
end do
!$$omp end do
""", schedule=step.schedule(), n=to.length, value=value, assign=step.assign(to, f"mix(int({to.name}(i), long), key + i)"))


def sections(step):
    to = step.target()
    count = step.number(1, 4)
    step.do("!$$omp sections")
    for part in range(count):
        step.do("!$$omp section\ndo i = $part, $n, $count\n  $assign\nend do", part=part + 1, n=to.length, count=count,
                assign=step.assign(to, f"mix(int({to.name}(i), long), {step.source()})"))
    step.do("!$$omp end sections")


def workshare(step):
    step.declare("integer(long) :: ${step}_v($n) = 1, ${step}_w($n) = 2", n=(n := step.number(1, 600)))
    step.do("""
!$$omp workshare
${step}_v = modulo(${step}_v * 3 + ${step}_w + round, 100003_long)
where (modulo(${step}_v, 2_long) == 0) ${step}_w = ${step}_v + 1
${step}_w(1) = sum(${step}_v)
!$$omp end workshare
""", n=n)
    step.prints("mix(hash(${step}_v), hash(${step}_w))")


def tasks(step):
    to, value = step.target(at_most=310), step.source()
    step.do("""
!$$omp single
do i = 1, $n
!$$omp task firstprivate(i)
  $assign
!$$omp end task
end do
!$$omp end single
""", n=to.length, assign=step.assign(to, f"mix(int({to.name}(i), long) + round, {value})"))


def dependences(step):
    step.declare("integer(long) :: ${step}_chain($n) = 5", n=(n := step.number(1, 6)))
    step.do("""
!$$omp single
do k = 1, $links
  do i = 1, $n
!$$omp task depend(in: ${step}_chain(1 + modulo(i, $n))) depend(inout: ${step}_chain(i)) firstprivate(i, k)
    ${step}_chain(i) = mix(${step}_chain(1 + modulo(i, $n)) + k, ${step}_chain(i) + $value)
!$$omp end task
  end do
end do
!$$omp end single
""", n=n, links=step.number(1, 6), value=step.source())
    step.prints("hash(${step}_chain)")


def taskloop(step):
    to, value = step.target(), step.source()
    step.do("""
!$$omp single
!$$omp taskloop grainsize($grain)
do i = 1, $n
  $assign
end do
!$$omp end taskloop
!$$omp end single
""", grain=step.number(1, 60), n=to.length, assign=step.assign(to, f"mix(int({to.name}(i), long), {value} + round)"))


def allocatables(step):
    """Arrays that one thread allocates, others write and read, and one frees."""
    step.declare("integer(long), allocatable :: ${step}_array(:)\ninteger(long) :: ${step}_sum = 0")
    step.do("""
!$$omp single
allocate(${step}_array($n + round))
!$$omp end single
!$$omp do $schedule
do i = 1, $n + round
  ${step}_array(i) = mix($value, int(i, long))
end do
!$$omp end do
!$$omp do reduction(+: ${step}_sum)
do i = $n + round, 1, -1
  ${step}_sum = ${step}_sum + ${step}_array(i)
end do
!$$omp end do
!$$omp single
deallocate(${step}_array)
!$$omp end single
""", n=step.one_of(1, 100, 3000), schedule=step.schedule(), value=step.source())
    step.prints("${step}_sum")


def combined(step):
    to, value = step.target(), step.source()
    step.declare("integer(long) :: ${step}_last = 0")
    step.do("""
key = round
!$$omp parallel do $schedule firstprivate(key) private(v) lastprivate(${step}_last)
do i = 1, $n
  v = mix($value, key)
  $assign
  ${step}_last = v + i
end do
!$$omp end parallel do
""", schedule=step.schedule(), n=to.length, value=value, assign=step.assign(to, "v"))
    step.prints("${step}_last")


def threadprivate(step):
    step.declare("integer(long), save :: ${step}_own = 0, ${step}_key = 0\n!$$omp threadprivate(${step}_own, ${step}_key)\n"
                 "integer(long) :: ${step}_total = 0")
    step.do("""
${step}_key = round + $number
!$$omp parallel copyin(${step}_key) private(i)
${step}_own = 0
!$$omp do $schedule
do i = 1, $n
  ${step}_own = ${step}_own + mix($value, ${step}_key)
end do
!$$omp end do
!$$omp end parallel
!$$omp parallel
!$$omp atomic update
${step}_total = ${step}_total + ${step}_own
!$$omp end parallel
""", number=step.number(0, 9), schedule=step.schedule(), n=step.number(1, 300), value=step.source())
    step.prints("${step}_total")


INNER = [loop, loop, reductions, critical, atomics, locks, ordered, copyprivate, sections, workshare, tasks, dependences,
         taskloop, allocatables]
OUTER = [combined, threadprivate]
