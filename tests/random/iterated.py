# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that iterate: a handful of phases, repeated tens to thousands of turns, and changed now and then.

What Weft learns (what to push, in which rhythm, where homes are, which arrivals cross ...) shows from the third
turn of a loop on. A turn has a few slots, with a barrier after each:

    slot      0            1              2
    phase A   reset        add            check
    phase B                reset, add     check          two phases meet in one epoch, and in one page
    phase C   check        write

A phase has steps in slots of its own, at least a barrier apart, and touches its own variables alone. These lie
side by side in a few pages. In each *era* of some turns other phases are active, and other threads write. Each step
checks what it reads against a closed form, and the first thing that is wrong ends the program.
"""

import dataclasses
import random
import string

import iterated_phases

PRELUDE = """\
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef uint64_t u64;
enum { kMost = 64 };  // threads

static void expect(const char* what, int turn, u64 got, u64 want) {
  if (got == want) return;
  fprintf(stderr, "%s, turn %d, thread %d of %d: %llu, and should be %llu\\n", what, turn, omp_get_thread_num(),
          omp_get_num_threads(), (unsigned long long)got, (unsigned long long)want);
  fflush(stderr);
  _Exit(3);
}

__attribute__((unused)) static u64 mix(u64 a, u64 b) {
  a ^= b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2);
  a *= 0xff51afd7ed558ccdu;
  return a ^ (a >> 29);
}

static long until;  // in milliseconds; what takes longer ends early

static long now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// Somebody is late.
__attribute__((unused)) static void dawdle(long us) {
  struct timespec begin, now;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do clock_gettime(CLOCK_MONOTONIC, &now);
  while ((now.tv_sec - begin.tv_sec) * 1000000 + (now.tv_nsec - begin.tv_nsec) / 1000 < us);
}
"""

PLACES = ["global", "global", "heap", "heap", "stack"]


class Memory:
    """Where the phases' variables lie: mostly beside each other."""

    def __init__(self, rng, pages):
        self.rng, self.pages = rng, pages
        self.next_free = [rng.choice([0, 0, 8, 64, 2000]) for _ in range(pages)]

    def take(self, count):
        fitting = [p for p in range(self.pages) if self.next_free[p] + count <= 4096]
        if not fitting:
            first = self.pages
            more = (count + 4095) // 4096
            self.pages += more
            self.next_free += [4096] * (more - 1) + [count - 4096 * (more - 1)]
            return first * 4096
        page = self.rng.choice(fitting)
        offset = self.next_free[page]
        self.next_free[page] = (offset + count + 7) // 8 * 8 + self.rng.choice([0, 0, 0, 8, 56, 500])
        return page * 4096 + offset


class Phase:
    """One thing that threads do in each turn, as it is being written down by the function that is called its kind."""

    def __init__(self, name, kind, rng, memory):
        self.name, self.kind, self.rng, self.memory = name, kind, rng, memory
        self.globals, self.setup, self.steps = [], [], []
        self.states = []  # what a thread keeps from turn to turn: u64 each, zero at first

    def one_of(self, *choices):
        return self.rng.choice(choices)

    def number(self, low, high):
        return self.rng.randint(low, high)

    def chance(self, probability):
        return self.rng.random() < probability

    def place(self, name, kind, length, size):
        """A variable of the phase's: `length` elements of type `kind`."""
        offset = self.memory.take(length * size)
        self.globals.append(f"#define {self.name}_{name} (({kind}*)(arena + {offset}))")

    def fill(self, text, **values):
        return string.Template(text).substitute({"p": self.name, **values}).strip("\n").splitlines()

    def declare(self, text, **values):
        self.globals += self.fill(text, **values)

    def prepare(self, text, **values):
        self.setup += self.fill(text, **values)

    def keep(self, name):
        """A variable of each thread's own, which it keeps."""
        self.states.append(name)
        self.globals.append(f"#define {self.name}_{name} (own->{self.name}_{name}_)")

    def step(self, text, **values):
        self.steps.append(self.fill(text, **values))

    def reader(self):
        """Who checks, in a turn."""
        return self.one_of("1", "1", "1", "me == 0", "me == n - 1", "me == (turn / 5) % n", "me != 0", "turn % 3 != 1")

    def writer(self):
        """The thread that writes, in a turn."""
        period = self.one_of(1, 2, 3, 7, 40, 100000)
        return self.one_of("0", "n - 1", "n / 2", f"((turn / {period}) % n)", f"((turn / {period} * 3 + 1) % n)",
                           f"(turn % 50 < 40 ? n - 1 : turn % n)")


@dataclasses.dataclass
class Program:
    seed: int
    phases: list
    slots: list  # for each phase the slots of its steps
    slot_count: int
    era: int  # turns
    masks: list  # for each era, which phases are active
    turns: int
    place: str
    pages: int
    region: int  # turns in a region
    laggards: dict  # by slot
    barriers: list

    def step_names(self):
        return [phase.name for phase in self.phases]

    def kinds(self):
        return {phase.name: phase.kind for phase in self.phases}

    def render(self, keep=None):
        """The program's text, with the phases named in `keep` alone (default: all)."""
        phases = [(i, p) for i, p in enumerate(self.phases) if keep is None or p.name in keep]
        lines = [f"// Iterated program {self.seed}.", *PRELUDE.splitlines(), ""]
        lines.append(f"static unsigned char arena_here[{self.pages} * 4096] __attribute__((aligned(4096)));"
                     if self.place == "global" else "")
        lines += ["static unsigned char* arena;",
                  "static struct { int turn; char rest[4092]; } end __attribute__((aligned(4096)));",
                  f"static const unsigned char active[{len(self.masks)}][{len(self.phases)}] = {{",
                  *[f"  {{{', '.join(str(int(bit)) for bit in mask)}}}," for mask in self.masks], "};", "",
                  "typedef struct {", *[f"  u64 {p.name}_{s}_;" for _, p in phases for s in p.states], "  u64 turns;",
                  "} Own;", "static Own owns[kMost];", ""]
        for _, phase in phases:
            lines += [f"// {phase.name}: {phase.kind}", *phase.globals]
            for number, step in enumerate(phase.steps):
                lines += [f"static void {phase.name}_step{number}(int turn, int me, int n, Own* own) {{",
                          "  (void)turn, (void)me, (void)n, (void)own;", *indented(step, 2), "}"]
            lines.append("")
        return "\n".join([*lines, *self.turn_lines(phases), *self.main_lines(phases)]) + "\n"

    def turn_lines(self, phases):
        lines = ["static void take_turn(int turn, int me, int n, Own* own) {",
                 f"  const unsigned char* const on = active[turn / {self.era} % {len(self.masks)}];", "  (void)on;"]
        for slot in range(self.slot_count):
            lines.append(f"  {self.laggards.get(slot, '')}")
            for index, phase in phases:
                for number, at in enumerate(self.slots[index]):
                    if at == slot:
                        lines.append(f"  if (on[{index}]) {phase.name}_step{number}(turn, me, n, own);")
            lines += self.barriers[slot].splitlines()
            if slot == 0:
                lines.append("  if (me == 0 && turn % 16 == 0 && now_ms() > until) end.turn = turn + 1;")
        return [*lines, "}", ""]

    def main_lines(self, phases):
        size = f"{self.pages} * 4096"
        reserve = {"global": ["  arena = arena_here;"],
                   "heap": [f"  arena = (unsigned char*)aligned_alloc(4096, {size});", f"  memset(arena, 0, {size});"],
                   "stack": [f"  unsigned char arena_here[{size}] __attribute__((aligned(4096)));",
                             f"  memset(arena_here, 0, {size});", "  arena = arena_here;"]}[self.place]
        return ["int main(int count, char** words) {", "  until = now_ms() + (count > 1 ? atol(words[1]) : 5000);",
                *reserve, *indented([line for _, p in phases for line in p.setup]), f"  end.turn = {self.turns};",
                "  int begin = 0;", "  while (begin < end.turn) {", "#pragma omp parallel", "    {",
                "      const int me = omp_get_thread_num(), n = omp_get_num_threads();",
                "      Own own = owns[me];",
                f"      for (int turn = begin; turn < begin + {self.region} && turn < end.turn; ++turn) {{",
                "        take_turn(turn, me, n, &own);", "        ++own.turns;", "      }",
                "      owns[me] = own;", "    }",
                f"    begin += {self.region};", "  }",
                '  printf("right for %d turns\\n", (int)owns[0].turns);', "  return 0;", "}"]


def indented(lines, by=2):
    return [line if line.startswith("#") else " " * by + line for line in lines]


def slots_of(rng, steps, slot_count):
    """Ascending slots; the last step and the first of the next turn have a barrier between in any case."""
    return sorted(rng.sample(range(slot_count), len(steps)))


BARRIERS = ["#pragma omp barrier"] * 6 + ["#pragma omp single\n  {\n  }", "#pragma omp for\n  for (int i = 0; i < 3; ++i) {\n  }"]
LAGGARDS = [  # somebody is late in each turn, or in one turn of many
    "if (turn % 11 == 3 && me == turn % n) dawdle(200);", "if (me == n - 1) dawdle(30);",
    "if (turn % 2 == 0 && me == 0) dawdle(60);", "if (me % 2 == turn / 40 % 2) dawdle(40);",
    "if (mix((u64)turn, 7) % 40 == 0 && me == 0) dawdle(300);", "if (mix((u64)turn, me) % 60 == 0) dawdle(300);",
    "if (mix((u64)turn, 3) % 25 == 0 && me == n - 1) dawdle(200);", "if (mix((u64)turn, 9) % 30 == 0 && me == turn % n) dawdle(250);"]


def draw_laggards(rng, slot_count):
    """For some slots, who is late there."""
    return {slot: rng.choice(LAGGARDS) for slot in range(slot_count) if rng.random() < 0.4}


def draw(seed, names=None):
    rng = random.Random(f"iterated {seed}")
    memory = Memory(rng, rng.choice([1, 1, 2, 3, 6]))
    kinds = [k for k in iterated_phases.KINDS if names is None or k.__name__ in names]
    locked = [k for k in kinds if k in iterated_phases.LOCKED]
    phases = []
    for number in range(rng.choice([1, 2, 2, 3, 3, 4, 5])):
        phase = Phase(f"p{number}", "", random.Random(f"{seed} p{number}"), memory)
        kind = phase.rng.choice(locked if number == 0 and locked and phase.chance(0.6) else kinds)
        phase.kind = kind.__name__
        kind(phase)
        phases.append(phase)
    slot_count = max([2, *[len(p.steps) for p in phases]]) + rng.choice([0, 0, 0, 1, 2])
    slots = [slots_of(rng, p.steps, slot_count) for p in phases]
    masks = [[rng.random() < 0.75 for _ in phases] for _ in range(rng.choice([1, 2, 5]))]
    masks[0] = [True] * len(phases)
    turns = rng.choice([60, 300, 2000, 10000, 40000])
    return Program(seed, phases, slots, slot_count, rng.choice([7, 20, 60, 300]), masks, turns,
                   rng.choice(PLACES), memory.pages, rng.choice([turns, turns, turns, 50, 8, 1]), draw_laggards(rng, slot_count),
                   [rng.choice(BARRIERS) for _ in range(slot_count)])
