// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The choice between a region on all nodes and the same region inside node 0. It knows no clock and
// no node: times are inputs, in nanoseconds, so tests can play whole programs.
//
//   place  A    B    A    B         a place is a region's place in the program
//   ├─────┬─┬─┬─┬──┬─┬─┬─┬──┤       ─ between them: the serial part, which counts for the region
//   └────── window ─────────┘         before it, as it moves that region's data
//
// A program's regions share data, so they move together: one choice for what the program has done
// in the last window. A window on all nodes yields an estimate for one node: the time that threads
// have computed, divided among the processors that node 0 has. Two windows in a row must promise a
// tenth. What then comes inside is held against what was measured on all nodes, and a wrong move is
// undone, and not tried again for a time that doubles. Where more than the estimate is needed,
// there are trials: some instances elsewhere, so rarely that they cost a fiftieth of the time.
//
// Rejected: a choice of each region by itself (its gain is its neighbours' loss, as data move back
// and forth), and a comparison of means alone (regions of one place differ from phase to phase).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace weft::openmp {

enum class Placement : std::uint8_t { kSpread, kInside };

class SpreadChoice {
 public:
  using Time = std::int64_t;    // nanoseconds
  using Place = std::uint64_t;  // a region's, in the program

  struct Surroundings {
    unsigned nodes = 1, threads_per_node = 1;
    unsigned processors = 1;  // that threads inside node 0 have
    [[nodiscard]] unsigned threads() const { return nodes * threads_per_node; }
    // Inside, each thread has a processor.
    [[nodiscard]] bool has_all() const { return processors >= threads(); }
  };

  // Windows, and what is asked of them.
  static constexpr Time kShortestWindow = 20'000'000, kLongestWindow = 320'000'000;
  static constexpr unsigned kWindowsToMove = 2;
  // An estimate, or a trial, must be better than this part of what it is held against.
  static constexpr double kWorthwhile = 0.9;
  // So good an estimate needs one window alone: what it takes is more than a wrong move would.
  // Shorter ones may be a program's start.
  static constexpr double kObvious = 0.25;
  static constexpr Time kObviousWindow = 60'000'000;
  // The first instances in a new placement bring their data along. They do not count.
  static constexpr unsigned kSettlingInstances = 2;
  static constexpr Time kSettlingTime = 20'000'000;
  // Trials, and second thoughts about a wrong move: never before so long, and so many times what
  // the last one has cost.
  static constexpr Time kFirstPause = 1'000'000'000, kLongestPause = 64'000'000'000;
  static constexpr Time kPausePerLoss = 50;
  static constexpr Time kShortestTrial = 30'000'000, kLongestTrial = 300'000'000;
  static constexpr unsigned kTrialInstances = 3;  // that count

  explicit SpreadChoice(const Surroundings& surroundings) : surroundings_(surroundings) {}

  struct Decision {
    Placement placement = Placement::kSpread;
    std::uint32_t window = 0;     // what nodes compute is counted from its first region on
    bool asks_for_times = false;  // each other node reports when it has ended, see add_report()
  };
  // A region begins on node 0's main thread, which has been away from the program (waiting, or at a
  // page fault) for that long in all.
  [[nodiscard]] Decision begin(Place place, Time now, Time away);
  // It has ended. `computed`: by all threads of node 0, in this region.
  void end(Time now, Time away, Time computed);
  // Another node's threads have computed for so long in this window, since its last report.
  void add_report(unsigned node, std::uint32_t window, Time computed);

  struct Counts {
    std::uint64_t moves = 0;    // from one placement to the other, for the whole program
    std::uint64_t trials = 0;   // of the other one
    std::uint64_t returns = 0;  // moves that were undone, as measurements did not bear them out
  };
  [[nodiscard]] const Counts& counts() const { return counts_; }
  [[nodiscard]] Placement mode() const { return mode_; }

 private:
  // What instances of a place take in one placement, with the serial part behind each.
  struct Cost {
    double mean = 0;
    unsigned instances = 0;
    void add(Time took);
  };
  struct Record {
    std::array<Cost, 2> cost;                     // by Placement
    Placement placement = Placement::kSpread;     // of the last instance
    unsigned settling = kSettlingInstances;       // instances to come that do not count
    Time settling_time = 0;                       // of those that did not
    Time last_took = 0;                           // without the serial part; 0: never ran
    unsigned instances = 0, trial_instances = 0;  // of the window or the trial; that count
    double trial_cost = 0;                        // of the latter
  };
  // Since the last decision. Times are what threads have computed.
  struct Window {
    std::uint32_t number = 0;
    Time begin = 0, end = 0, length = 0;
    unsigned regions = 0, reports = 0, reports_asked_for = 0;
    Time serial = 0;             // between regions
    std::vector<Time> of_nodes;  // in regions
    std::vector<Place> places;
    bool may_end = false;    // with the present region: it asks for reports
    bool is_closed = false;  // and waits for them
  };
  struct Trial {
    Time begin = 0;
    std::vector<Place> places;
  };
  // The window's instances, as they are and as they would be; and those that are known here alone.
  struct Compared {
    double spread = 0, inside = 0, unknown = 0;
  };

  [[nodiscard]] Placement present() const {
    const bool is_spread = (mode_ == Placement::kSpread) != trial_.has_value();
    return is_spread ? Placement::kSpread : Placement::kInside;
  }
  [[nodiscard]] bool may_end_window(const Record& record, Time now) const;
  void end_serial_part(Time now, Time away);
  void record_instance(Record& record, Time took);
  void forget_instances(const std::vector<Place>& places);
  void begin_window(Time now, Time length);
  void judge_window_if_due(Time now);
  void judge_spread(Time now);
  void judge_inside(Time now);
  [[nodiscard]] double estimate_inside() const;
  [[nodiscard]] Compared compare_window();
  void move(Placement to, Time now);
  void begin_trial(Time now);
  void end_trial_if_due(Time now);
  void pause(Time now, double loss);

  const Surroundings surroundings_;
  Placement mode_ = Placement::kSpread;
  std::unordered_map<Place, Record> records_;
  Window window_;
  std::optional<Trial> trial_;
  unsigned agreeing_ = 0;  // windows in a row that are for a move
  Time pause_ = kFirstPause;
  Time moves_from_ = 0, trials_from_ = 0, early_from_ = 0;
  bool is_started_ = false;
  // The last region, until the next one begins.
  bool has_last_ = false;
  Place last_place_ = 0;
  Time last_begin_ = 0, last_end_ = 0, away_at_end_ = 0;
  Counts counts_;
};

}  // namespace weft::openmp
