#include "engine/field/plot.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace hw {
namespace {

/// The axis that the node's shape rule lets lines run along.
size_t line_axis(const Dims& dims) {
  assert(!dims.empty());
  size_t axis = dims.size() - 1;
  while (axis > 0 && dims[axis] == 1) --axis;
  return axis;
}

/// Places in ascending order; a NaN is behind all.
std::vector<size_t> ascending(const std::vector<double>& x) {
  std::vector<size_t> order(x.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return x[a] < x[b] || (std::isnan(x[b]) && !std::isnan(x[a])); });
  return order;
}

class LoweredPlot : public PlotEvaluator {
 public:
  LoweredPlot(PlotSources sources, Evaluation program) : sources_(std::move(sources)), program_(std::move(program)) {}

  void continue_from(PlotEvaluator& before) override {
    program_.continue_from(static_cast<LoweredPlot&>(before).program_);  // there is no other kind
  }

  Result<std::vector<PlotLine>> evaluate(std::shared_ptr<const Weights> weights, uint64_t seed,
                                         const std::atomic<bool>* cancel, uint64_t step) override {
    HW_CHECK(program_.set_weights(weights.get(), seed));
    HW_CHECK(program_.run(cancel, step));
    std::vector<double> x;
    if (sources_.x) {
      HW_TRY(const Tensor places, program_.read(sources_.lines.size()));
      x = places.to_f64();
    }
    std::vector<PlotLine> lines;
    for (size_t i = 0; i < sources_.lines.size(); ++i) {
      HW_TRY(const Tensor tensor, program_.read(i));
      HW_CHECK(append_lines(tensor, sources_.lines[i].input, x, sources_.node, lines));
    }
    return lines;
  }

 private:
  PlotSources sources_;
  Evaluation program_;  // of the lines; x last
};

}  // namespace

Status append_lines(const Tensor& tensor, size_t input, const std::vector<double>& x, const std::string& node,
                    std::vector<PlotLine>& lines) {
  const auto points = static_cast<size_t>(tensor.dims()[line_axis(tensor.dims())]);
  if (!x.empty() && x.size() != points)
    return Error{codes::size_mismatch, node,
                 "x has " + std::to_string(x.size()) + " values, a line " + std::to_string(points) + " points.", ""};
  const std::vector<double> all = tensor.to_f64();
  const int64_t rows = points == 0 ? 0 : tensor.size() / static_cast<int64_t>(points);
  const std::vector<size_t> order = ascending(x);
  for (int64_t row = 0; row < std::min(rows, kMostPlotRows); ++row) {
    PlotLine line{input, row, rows, std::vector<double>(points), std::vector<double>(points)};
    const double* values = all.data() + static_cast<size_t>(row) * points;
    for (size_t i = 0; i < points; ++i) {
      line.x[i] = x.empty() ? static_cast<double>(i) : x[order[i]];
      line.y[i] = values[x.empty() ? i : order[i]];
    }
    lines.push_back(std::move(line));
  }
  return ok();
}

std::optional<PlotSources> plot_view_of(const Node& node, const Graph& graph) {
  const NodeType* type = Registry::instance().find(node.type);
  if (!type || type->decl.role() != Role::plot || node.bypassed) return std::nullopt;
  PlotSources sources;
  sources.node = node.id;
  size_t number = 0;
  for (const SocketDecl& input : type->decl.inputs()) {
    const bool is_x = input.id == "x";
    const size_t at = is_x ? 0 : number++;
    const auto links = graph.links_into(node.id, input.id);
    if (links.empty()) continue;
    SocketRef from{links[0].from, links[0].from_socket};
    if (is_x) {
      sources.x = std::move(from);
    } else {
      sources.lines.push_back({at, std::move(from)});
    }
  }
  return sources;
}

std::optional<PlotSources> find_plot_view(const Graph& graph) {
  for (const auto& [id, node] : graph.nodes())
    if (auto found = plot_view_of(node, graph)) return found;
  return std::nullopt;
}

Result<std::shared_ptr<PlotEvaluator>> PlotEvaluator::make(const Graph& graph, const PlotSources& sources,
                                                           Assets& assets, std::shared_ptr<Device> device,
                                                           ForwardMode mode, const GivenValues& given) {
  assert(!sources.lines.empty());
  std::vector<SocketRef> wires;
  for (const PlotSources::Line& line : sources.lines) wires.push_back(line.from);
  if (sources.x) wires.push_back(*sources.x);
  HW_TRY(Evaluation program, Evaluation::make(graph, wires, assets, std::move(device), {.mode = mode, .given = given}));
  return std::shared_ptr<PlotEvaluator>(std::make_shared<LoweredPlot>(sources, std::move(program)));
}

}  // namespace hw
