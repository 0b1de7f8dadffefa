// An experiment: parameters in, tables out, one point of its grid at a time. A new experiment is
// one file that ends with its ExperimentInfo, and one line in registry.cpp.
#ifndef ATTNLAB_EXPERIMENTS_EXPERIMENT_H_
#define ATTNLAB_EXPERIMENTS_EXPERIMENT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/parameter.h"
#include "base/watch.h"
#include "machine/thread_team.h"
#include "report/table.h"

namespace attnlab {

// A row of a point to which limits apply by itself, with what they say of it.
struct PointPart {
  std::string label;   // "flash/avx2"
  double bytes = 0;    // memory it takes at most
  double seconds = 0;  // roughly
  std::string status = "ok", reason;
};

// One step of a run, small enough to be lost by an interruption.
struct Point {
  std::string label;   // "d=64 scale=none", for progress and messages
  double bytes = 0;    // memory it takes at most
  double seconds = 0;  // roughly, on one thread; 0 when it is over at once
  // Where a point has several rows that limits concern one by one, the experiment itself applies
  // them; its `seconds` are then those of the clock.
  std::vector<PointPart> parts{};
};

// What run() may use.
struct RunContext {
  ThreadTeam& team;
  Watch& watch;  // tells progress within the point, and whether to give up
};

class Experiment {
 public:
  virtual ~Experiment() = default;

  // Declares every parameter, bound to a field of this object. Called once, first.
  virtual void declare(ParameterList& list) = 0;
  // Called when the parameters have been read: checks what concerns several of them together and
  // adds what is wrong, each with its place below `place`. All but tables() comes after it.
  virtual void prepare(const std::string& place, std::vector<Mistake>& mistakes) = 0;
  // The tables without rows; the first carries the experiment's name and has a status column. Their
  // columns follow from the parameters as they are, even before prepare() or when it found
  // mistakes.
  virtual std::vector<Table> tables() const = 0;
  // The grid in the order of running, at least one point: the list that is declared first varies
  // slowest. `bytes` and `seconds` are asked for before anything runs.
  virtual std::vector<Point> points() const = 0;
  // Adds a row to the first table that holds the parameters of a point and no values yet.
  virtual Table::RowWriter add_row(std::size_t point, Table& table) const = 0;
  // Measures one point and adds its rows. Meaningless once the watch says stopped. An error that is
  // thrown becomes a row with the status "failed".
  virtual void run(std::size_t point, RunContext& context, std::vector<Table>& tables) = 0;
  // Called once, after the last point: derived tables, notes, columns that compare rows. It works
  // from the tables alone: when a run is resumed, run() was called for the other points by a
  // process that is gone, and nothing but their rows and notes is left of them.
  virtual void finish(std::vector<Table>& /*tables*/) {}
  // Whether finish() changes rows that were there before, besides adding some.
  virtual bool finish_changes_rows() const { return false; }
};

// A parameter that the experiment's figure needs: its value when -o names a figure and nothing else
// is said.
struct ForFigure {
  std::string_view parameter{};
  std::int64_t value = 0;
};

struct ExperimentInfo {
  std::string_view name;                   // the command and the config's "experiment"
  std::string_view summary;                // one line
  std::string_view source;                 // the text, paper or section it follows
  std::vector<std::string_view> examples;  // command lines that run
  std::unique_ptr<Experiment> (*make)();
  ForFigure for_figure{};
  bool uses_blas = false;  // so that the library's choice of kernels matters (machine/blas_core.h)
  std::string_view positional{};  // a parameter that may stand on the command line without its flag
};

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_EXPERIMENT_H_
