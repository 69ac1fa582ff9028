// The lines that a Plot View draws of its wires, evaluated with some weights.
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <optional>

#include "engine/evaluate/evaluation.h"

namespace hw {

/// A Plot View node and what is wired into it: a to d, in order; open ones are absent.
struct PlotSources {
  std::string node;
  std::optional<SocketRef> x;
  struct Line {
    size_t input = 0;  // 0: a … 3: d
    SocketRef from;
  };
  std::vector<Line> lines;
};
/// The sources of one node, or of the first that is not bypassed. Nothing when there is none.
std::optional<PlotSources> plot_view_of(const Node& node, const Graph& graph);
std::optional<PlotSources> find_plot_view(const Graph& graph);

/// One line, its points in ascending x. Values are the wire's, exact but for i64 above 2^53.
struct PlotLine {
  size_t input = 0;  // of PlotSources::Line
  int64_t row = 0;   // which of the tensor's lines
  int64_t rows = 1;  // how many it has
  std::vector<double> x, y;
};

/// Lines drawn of one tensor at most.
constexpr int64_t kMostPlotRows = 16;

/// Appends the lines of one tensor; `x`: where its points stand, empty: one after the other. Error HW-S002 at `node`
/// when x has another number of values than a line has points.
Status append_lines(const Tensor& tensor, size_t input, const std::vector<double>& x, const std::string& node,
                    std::vector<PlotLine>& lines);

/// The wires of a Plot View lowered together, on any device. One thread at a time, which may be
/// another each time.
class PlotEvaluator {
 public:
  /// `sources` has at least one line; `device`: as FieldEvaluator::make. Errors: HW-K001 for a wire that carries no
  /// tensor, and what lowering reports.
  static Result<std::shared_ptr<PlotEvaluator>> make(const Graph& graph, const PlotSources& sources, Assets& assets,
                                                     std::shared_ptr<Device> device,
                                                     ForwardMode mode = ForwardMode::evaluation,
                                                     const GivenValues& given = {});
  virtual ~PlotEvaluator() = default;
  /// As Evaluation::continue_from.
  virtual void continue_from(PlotEvaluator& before) = 0;
  /// The lines in the order of the inputs and of their rows, at most kMostPlotRows of each. Parameters that `weights`
  /// (null: none) lacks keep their initial values for `seed`. `step`: as Evaluation::run. Errors: HW-F005; HW-R001
  /// before memory is taken; HW-S002 when x has another number of values than a line has points; HW-R004; the device's
  /// own.
  virtual Result<std::vector<PlotLine>> evaluate(std::shared_ptr<const Weights> weights, uint64_t seed,
                                                 const std::atomic<bool>* cancel = nullptr, uint64_t step = 0) = 0;
};

}  // namespace hw
