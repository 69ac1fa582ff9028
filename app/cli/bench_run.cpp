#include "app/cli/bench_run.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "app/cli/device_choice.h"
#include "app/cli/given_inputs.h"
#include "app/cli/report.h"
#include "engine/compare/scoped_thread_count.h"
#include "engine/core/parallel.h"
#include "engine/core/thread_clock.h"
#include "engine/field/forward_program.h"
#include "engine/graph/autocast.h"
#include "engine/graph/edit.h"
#include "engine/graph/fit_inputs.h"
#include "engine/graph/stand_in_loss.h"
#include "engine/instrument/product_rate.h"
#include "engine/train/training_run.h"

namespace hw::cli {
namespace {

constexpr int kMostLookedAt = 20;
constexpr int kWarmUps = 2;

Tensor random_tensor(DType dtype, const Dims& dims) {
  if (!info(dtype).is_float) return Tensor::zeros(dtype, dims);
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  std::vector<double> values(static_cast<size_t>(element_count(dims)));
  std::ranges::generate(values, [&] { return normal(random); });
  return Tensor::from_f64(dtype, dims, values);
}

/// A value for each Input that nothing is wired to, `batch` (0: as declared) along its first axis.
Result<GivenValues> random_inputs(Graph& graph, int64_t batch) {
  Validator validator;
  validator.reset(graph);
  std::vector<GivenInput> given;
  for (const auto& [id, node] : graph.nodes()) {
    if (!is_graph_input(graph, node)) continue;
    const auto type = validator.output_type(id, "y");
    if (!type || type->kind != Kind::tensor) continue;
    Dims dims;
    for (size_t i = 0; i < type->shape.rank(); ++i) dims.push_back(std::max<int64_t>(type->shape[i].size, 1));
    if (batch > 0 && !dims.empty()) {
      dims[0] = batch;
      graph.node(id).params["shape"] = std::vector<double>(dims.begin(), dims.end());
    }
    given.push_back({{id, "y"}, id, "", random_tensor(type->dtype, dims)});
  }
  fit_inputs(graph, given);
  return as_wires(graph, std::move(given));
}

Status change_dtype(Graph& graph, const std::string& dtype) {
  if (dtype.empty()) return ok();
  const Result<Edits> done = apply_edits(graph, autocast(graph, dtype == "f16" ? DType::f16 : DType::bf16).edits);
  return done ? ok() : Status(done.error());
}

/// Milliseconds of `runs` calls after some that warm up, the shortest first.
template <class F>
Result<std::vector<double>> timed(int runs, const F& run) {
  std::vector<double> ms;
  for (int i = 0; i < kWarmUps + runs; ++i) {
    const double begin = steady_seconds();
    HW_CHECK(run(i));
    if (i >= kWarmUps) ms.push_back((steady_seconds() - begin) * 1e3);
  }
  std::ranges::sort(ms);
  return ms;
}

/// What the graph's Outputs take; without Outputs the loss that its Train node takes, or what no node reads.
Result<std::vector<SocketRef>> wires_of(const LoadedGraph& loaded) {
  std::vector<SocketRef> wires = float_results(loaded.graph);
  const bool has_outputs =
      std::ranges::any_of(wires, [&](const SocketRef& wire) { return !loaded.graph.links_from(wire.node).empty(); });
  if (!has_outputs && has_trainer(loaded.graph)) {
    wires.clear();
    for (const auto& [id, node] : loaded.graph.nodes()) {
      const NodeType* type = Registry::instance().find(node.type);
      if (!type || type->decl.role() != Role::train) continue;
      if (report_blocking(loaded.graph, id)) return kPrintedAlready;
      for (const Link& link : loaded.graph.links_into(id)) wires.push_back({link.from, link.from_socket});
    }
  }
  if (wires.empty())
    return Error{codes::bad_usage, loaded.file, "no float comes out of this graph.",
                 "Wire what is wanted to an Output."};
  for (const SocketRef& wire : wires)
    if (report_blocking(loaded.graph, wire.node)) return kPrintedAlready;
  return wires;
}

Result<BenchReport> bench_inference(const LoadedGraph& loaded, const GivenValues& given, const BenchOptions& o,
                                    const std::shared_ptr<Device>& device) {
  HW_TRY(const std::vector<SocketRef> wires, wires_of(loaded));
  BenchReport report;
  const double begin = steady_seconds();
  HW_TRY(ForwardProgram forward,
         ForwardProgram::make(loaded.graph, wires, {}, *loaded.assets, device, ForwardMode::evaluation, given));
  HW_CHECK(forward.set_weights(nullptr, 0));
  report.compile_seconds = steady_seconds() - begin;
  report.batch = forward.value(0).dims.empty() ? 1 : forward.value(0).dims[0];
  std::map<std::string, BenchNode> nodes;
  HW_TRY(report.ms, timed(o.runs, [&](int) { return forward.run(nullptr); }));
  // Of runs of their own: to gather them between two runs would let threads fall asleep and caches fill with other
  // things.
  const int looked_at = std::min(o.runs, kMostLookedAt);
  for (int i = 0; i < looked_at; ++i) {
    HW_CHECK(forward.run(nullptr));
    for (auto& [path, facts] : forward.facts()) {
      nodes[path].ms += facts.ms / looked_at;
      if (i == 0) nodes[path].kernels = std::move(facts.kernels);
    }
  }
  report.temp_bytes = forward.temp_bytes();
  for (const auto& [path, products] : products_by_node(forward.program())) nodes[path].products = products;
  for (auto& [path, node] : nodes) {
    node.node = path;
    if (node.ms > 0) report.nodes.push_back(std::move(node));
  }
  return report;
}

Result<BenchReport> bench_training(LoadedGraph loaded, const GivenValues& given, const BenchOptions& o,
                                   const std::shared_ptr<Device>& device) {
  HW_TRY(const TrainableGraph graph, as_trainable(std::move(loaded), {.device = o.device, .checks = true}));
  BenchReport report;
  TrainingProgress progress;
  std::vector<std::string> notes;
  const double begin = steady_seconds();
  HW_TRY(const auto run,
         TrainingRun::make(graph.graph, device, *graph.assets, progress, nullptr, "", true, notes, one_rank(), given));
  report.compile_seconds = steady_seconds() - begin;
  report.batch = std::max<int64_t>(run->plan().batch, 1);
  int64_t most = 0;  // elements of an Input
  for (const auto& [socket, value] : given) {
    if (run->plan().batch > 1 || value.dims().empty() || value.size() <= most) continue;
    most = value.size();
    report.batch = value.dims()[0];
  }
  std::map<std::string, double> before;  // mean of the warm-up's steps
  HW_TRY(report.ms, timed(o.runs, [&](int i) -> Status {
           if (i == kWarmUps) before = run->node_ms();
           HW_TRY([[maybe_unused]] const double loss,
                  run->step(static_cast<uint64_t>(i), static_cast<uint64_t>(kWarmUps + o.runs), nullptr));
           return ok();
         }));
  report.temp_bytes = run->memory_bytes();
  const auto kernels = run->node_kernels();
  const auto products = products_by_node(*run->plan().program);
  for (const auto& [path, ms] : run->node_ms()) {
    BenchNode node;
    node.node = path;
    node.ms = (ms * (kWarmUps + o.runs) - before[path] * kWarmUps) / o.runs;
    if (const auto of = kernels.find(path); of != kernels.end()) node.kernels = of->second;
    if (const auto of = products.find(path); of != products.end()) node.products = of->second;
    report.nodes.push_back(std::move(node));
  }
  return report;
}

}  // namespace

double BenchReport::floor_ms() const {
  return std::accumulate(nodes.begin(), nodes.end(), 0.0,
                         [](double sum, const BenchNode& node) { return sum + node.floor_ms; });
}

Result<BenchReport> run_bench(const BenchOptions& o) {
  HW_TRY(LoadedGraph loaded, load_graph(o));
  HW_CHECK(change_dtype(loaded.graph, o.dtype));
  HW_TRY(const GivenValues given, random_inputs(loaded.graph, o.batch));
  HW_TRY(const std::shared_ptr<Device> device, choose_device(o.device));
  const ScopedThreadCount threads(o.threads);
  HW_TRY(const double rate, measure_product_rate(*device, DType::f32));
  HW_TRY(const double narrow_rate, measure_product_rate(*device, DType::bf16));
  HW_TRY(BenchReport report,
         o.train ? bench_training(std::move(loaded), given, o, device) : bench_inference(loaded, given, o, device));
  report.dtype = o.dtype.empty() ? "as drawn" : o.dtype;
  report.threads = thread_count();
  report.products_per_second = o.dtype == "bf16" ? narrow_rate : rate;
  for (BenchNode& node : report.nodes)
    node.floor_ms = node.products / (node.kernels.forward.compute == DType::bf16 ? narrow_rate : rate) * 1e3;
  std::ranges::sort(report.nodes, std::greater(), &BenchNode::ms);
  return report;
}

}  // namespace hw::cli
