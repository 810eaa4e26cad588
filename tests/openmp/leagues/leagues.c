// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Leagues of several teams span the nodes: each team is executed once, blocks of them by each node,
// with what it sees, what it writes, and regions of its own. A node is known by its process.

#include <omp.h>
#include <sys/types.h>
#include <unistd.h>

#include "../check.h"

enum { kMostTeams = 300, kMostNodes = 64, kIterations = 4000 };

static int nodes;
static int executed[kMostTeams];
static pid_t executed_by[kMostTeams];
static int input[kMostTeams], output[kMostTeams];

static int count_distinct(const pid_t* pids, int count) {
  int distinct = 0;
  for (int i = 0; i < count; ++i) {
    int earlier = 0;
    while (pids[earlier] != pids[i]) ++earlier;
    distinct += earlier == i;
  }
  return distinct;
}

static int nodes_of_a_region(void) {
  static pid_t pids[1024];
  const int threads = omp_get_max_threads();
#pragma omp parallel num_threads(threads)
  pids[omp_get_thread_num()] = getpid();
  return count_distinct(pids, threads);
}

// A job executes any number of teams; libomp by itself has one for each processor at most.
static int most_teams(void) {
  int most = kMostTeams;
#pragma omp teams num_teams(kMostTeams)
  if (omp_get_team_num() == 0) most = omp_get_num_teams();
  EXPECT(nodes == 1 || most == kMostTeams, "There are only %d teams.", most);
  return most;
}

static void each_once(const char* what, int teams) {
  for (int t = 0; t < teams; ++t) {
    EXPECT(executed[t] == 1, "%s of %d: team %d ran %d times.", what, teams, t, executed[t]);
    executed[t] = 0;
  }
  const int used = count_distinct(executed_by, teams);
  EXPECT(used == (teams < nodes ? teams : nodes), "%s of %d: %d of %d nodes had teams.", what,
         teams, used, nodes);
  for (int t = 1; t < teams; ++t) {
    const int begins = executed_by[t] != executed_by[t - 1];
    EXPECT(!begins || executed_by[t] != executed_by[0], "%s: a node's teams are no block.", what);
  }
}

static void note_team(void) {
  executed[omp_get_team_num()] += 1;
  executed_by[omp_get_team_num()] = getpid();
}

static void numbers(int teams) {
  for (int t = 0; t < teams; ++t) input[t] = teams + t;
  int value = 7 * teams;
#pragma omp teams num_teams(teams) firstprivate(value)
  {
    const int me = omp_get_team_num();
    EXPECT(omp_get_num_teams() == teams, "%d teams, not %d.", omp_get_num_teams(), teams);
    EXPECT(omp_get_level() == 0 && !omp_in_parallel() && omp_get_thread_num() == 0 &&
               omp_get_num_threads() == 1,
           "Team %d is at level %d, thread %d of %d.", me, omp_get_level(), omp_get_thread_num(),
           omp_get_num_threads());
    EXPECT(input[me] == teams + me, "Team %d sees an old %d.", me, input[me]);
    EXPECT(value == 7 * teams, "Team %d got %d.", me, value);
    value = me;
    output[me] = 2 * input[me];
    omp_set_num_threads(me + 1);  // of this team alone
    note_team();
  }
  each_once("A league", teams);
  for (int t = 0; t < teams; ++t) {
    EXPECT(output[t] == 2 * (teams + t), "Team %d wrote %d.", t, output[t]);
  }
  EXPECT(omp_get_num_teams() == 1 && omp_get_team_num() == 0, "Still team %d of %d.",
         omp_get_team_num(), omp_get_num_teams());
}

// A region of each team: on the team's node, with the team's number in all its threads. Teams of a
// league have one size, however many each node has.
static void regions(int teams) {
  static int threads_of[kMostTeams];
  int threads = 0, in_critical = 0, most = 0;
#pragma omp teams num_teams(teams) reduction(+ : threads) reduction(max : most)
  {
    const int me = omp_get_team_num();
    const pid_t here = getpid();
    int mine = 0;
#pragma omp parallel reduction(+ : mine)
    {
      EXPECT(omp_get_team_num() == me && omp_get_num_teams() == teams, "Team %d, not %d.",
             omp_get_team_num(), me);
      EXPECT(getpid() == here, "Team %d left its node.", me);
      EXPECT(omp_get_level() == 1, "Level %d.", omp_get_level());
      mine += 1;
#pragma omp atomic
      threads_of[me] += 1;
#pragma omp critical
      in_critical += 1;
#pragma omp barrier
      EXPECT(threads_of[me] == omp_get_num_threads(), "%d of %d threads.", threads_of[me],
             omp_get_num_threads());
    }
    EXPECT(mine == threads_of[me], "The team has %d threads and %d.", mine, threads_of[me]);
    threads_of[me] = 0;
    threads += mine;
    most = mine;
    note_team();
  }
  each_once("Regions in a league", teams);
  EXPECT(threads == teams * most, "%d teams of at most %d threads had %d.", teams, most, threads);
  EXPECT(threads >= teams && threads == in_critical, "%d teams had %d threads, %d of them in turn.",
         teams, threads, in_critical);
}

static int times[kIterations];

static void check_times(const char* what) {
  for (int i = 0; i < kIterations; ++i) {
    EXPECT(times[i] == 1, "%s: iteration %d ran %d times.", what, i, times[i]);
    times[i] = 0;
  }
}

static void loops(int teams) {
#pragma omp teams distribute num_teams(teams)
  for (int i = 0; i < kIterations; ++i) times[i] += 1;
  check_times("distribute");
#pragma omp teams distribute num_teams(teams) dist_schedule(static, 7)
  for (int i = kIterations - 1; i >= 0; --i) times[i] += 1;
  check_times("dist_schedule");
#pragma omp teams distribute parallel for num_teams(teams)
  for (int i = 0; i < kIterations; ++i) times[i] += 1;
  check_times("distribute parallel for");
#pragma omp teams distribute parallel for num_teams(teams) dist_schedule(static, 50) \
    schedule(static, 3)
  for (unsigned i = 0; i < kIterations; ++i) times[i] += 1;
  check_times("chunks of chunks");
#pragma omp teams distribute parallel for num_teams(teams) schedule(dynamic, 5)
  for (long i = 0; i < kIterations; ++i) times[i] += 1;
  check_times("dynamic");
#pragma omp teams distribute parallel for simd num_teams(teams) schedule(guided)
  for (unsigned long i = 0; i < kIterations; ++i) times[i] += 1;
  check_times("guided");
#pragma omp target teams distribute parallel for num_teams(teams) collapse(2)
  for (int i = 0; i < 40; ++i)
    for (int j = 0; j < kIterations / 40; ++j) times[i * (kIterations / 40) + j] += 1;
  check_times("target");
#pragma omp teams num_teams(teams)
#pragma omp loop bind(teams)
  for (int i = 0; i < kIterations; ++i) times[i] += 1;
  check_times("loop");
  int last = -1, last_of_all = -1;
#pragma omp teams distribute num_teams(teams) lastprivate(last)
  for (int i = 0; i < kIterations; ++i) last = i;
#pragma omp teams distribute parallel for num_teams(teams) lastprivate(last_of_all)
  for (int i = 0; i < kIterations; ++i) last_of_all = i;
  EXPECT(last == kIterations - 1 && last_of_all == last, "The last ones were %d and %d.", last,
         last_of_all);
}

// As the teams of a league, which iterations each has: blocks, as static is defined.
static void blocks(int teams) {
  static int team_of[kIterations];
#pragma omp teams distribute num_teams(teams)
  for (int i = 0; i < kIterations; ++i) team_of[i] = omp_get_team_num();
  for (int i = 1; i < kIterations; ++i) {
    EXPECT(team_of[i] == team_of[i - 1] || team_of[i] == team_of[i - 1] + 1,
           "Iteration %d is of team %d, the one before it of %d.", i, team_of[i], team_of[i - 1]);
  }
  EXPECT(team_of[kIterations - 1] == teams - 1, "The last team has none.");
}

typedef struct {
  double least;
  int where;
} Least;
#pragma omp declare reduction(least:Least : omp_out =                              \
                                  omp_in.least < omp_out.least ? omp_in : omp_out) \
    initializer(omp_priv = {1e300, -1})

static void reductions(int teams) {
  long sum = 5;
  int most = -1, bits = 0;
  double product = 1, histogram[16] = {0};
  Least least = {1e300, -1};
#pragma omp teams distribute parallel for num_teams(teams) reduction(+ : sum, histogram) \
    reduction(max : most) reduction(| : bits) reduction(least : least)
  for (int i = 0; i < kIterations; ++i) {
    const double distance = (i - 1234.0) * (i - 1234.0);
    sum += i;
    if (i > most) most = i;
    bits |= i;
    histogram[i % 16] += 1;
    if (distance < least.least) least = (Least){distance, i};
  }
#pragma omp teams num_teams(teams) reduction(* : product)
  product *= omp_get_team_num() % 2 == 0 ? 2 : 0.5;
  EXPECT(sum == 5 + (long)kIterations * (kIterations - 1) / 2, "The sum is %ld.", sum);
  EXPECT(most == kIterations - 1 && bits == 4095, "The most is %d, the bits %d.", most, bits);
  EXPECT(product == (teams % 2 == 0 ? 1 : 2), "The product is %g.", product);
  EXPECT(least.where == 1234, "The least is at %d.", least.where);
  for (int i = 0; i < 16; ++i) {
    EXPECT(histogram[i] == kIterations / 16, "Bin %d has %g.", i, histogram[i]);
  }
}

static void add_in_turn(long* count) {
#pragma omp critical(teams)
  *count += 1;
}

// Teams meet in atomic operations, critical regions and locks, and hand over memory.
static void shared_state(int teams) {
  static long in_atomic, in_critical, in_lock;
  static char* made_by[kMostTeams];
  static omp_lock_t lock;
  omp_init_lock(&lock);
  in_atomic = in_critical = in_lock = 0;
#pragma omp teams num_teams(teams)
  {
    for (int i = 0; i < 20; ++i) {
#pragma omp atomic
      in_atomic += 1;
      add_in_turn(&in_critical);
      omp_set_lock(&lock);
      in_lock += 1;
      omp_unset_lock(&lock);
    }
    char* text = malloc(32);
    snprintf(text, 32, "of team %d", omp_get_team_num());
    made_by[omp_get_team_num()] = text;
  }
  omp_destroy_lock(&lock);
  EXPECT(in_atomic == 20L * teams && in_critical == in_atomic && in_lock == in_atomic,
         "%ld, %ld and %ld.", in_atomic, in_critical, in_lock);
  for (int t = 0; t < teams; ++t) {
    int number = -1;
    EXPECT(sscanf(made_by[t], "of team %d", &number) == 1 && number == t, "Team %d wrote '%s'.", t,
           made_by[t]);
    free(made_by[t]);
  }
}

static void limits(int most) {
#pragma omp teams num_teams(most) thread_limit(2)
  {
    EXPECT(omp_get_thread_limit() == 2, "The limit is %d.", omp_get_thread_limit());
#pragma omp parallel num_threads(4)
    EXPECT(omp_get_num_threads() <= 2 && omp_get_thread_limit() == 2, "%d threads of at most %d.",
           omp_get_num_threads(), omp_get_thread_limit());
  }
  EXPECT(omp_get_thread_limit() > 2, "The limit is still %d.", omp_get_thread_limit());
  const int few = most < 6 ? most : 6;
  omp_set_num_teams(few);
  omp_set_teams_thread_limit(3);
  EXPECT(omp_get_max_teams() == few && omp_get_teams_thread_limit() == 3, "%d teams of %d threads.",
         omp_get_max_teams(), omp_get_teams_thread_limit());
#pragma omp teams
  {
    // libomp by itself forgets them here.
    EXPECT(nodes == 1 || (omp_get_num_teams() == few && omp_get_thread_limit() == 3),
           "%d teams of %d threads.", omp_get_num_teams(), omp_get_thread_limit());
    note_team();
  }
  if (nodes > 1) each_once("omp_set_num_teams", few);
#pragma omp teams num_teams(2) thread_limit(4)
  EXPECT(omp_get_num_teams() == 2 && omp_get_thread_limit() == 4, "%d teams of %d threads.",
         omp_get_num_teams(), omp_get_thread_limit());
  omp_set_num_teams(0);
  omp_set_teams_thread_limit(0);
}

int main(void) {
  nodes = nodes_of_a_region();
  const int most = most_teams();
  const int sizes[] = {2, 3, 4, 9, 64, kMostTeams};
  for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
    const int teams = sizes[s] < most ? sizes[s] : most;
    numbers(teams);
    EXPECT(nodes_of_a_region() == nodes, "A region behind a league has other nodes.");
    if (teams > 64) continue;
    regions(teams);
    if (teams > 9) continue;
    loops(teams);
    blocks(teams);
    reductions(teams);
    shared_state(teams);
  }
  limits(most < 5 ? most : 5);
  return ok();
}
