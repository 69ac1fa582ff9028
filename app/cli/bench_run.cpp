#include "app/cli/bench_run.h"

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <random>
#include <set>

#include "app/cli/device_choice.h"
#include "app/cli/given_inputs.h"
#include "app/cli/report.h"
#include "app/cli/stop_signal.h"
#include "engine/compare/scoped_thread_count.h"
#include "engine/core/convert.h"
#include "engine/core/memory.h"
#include "engine/core/parallel.h"
#include "engine/core/sizes.h"
#include "engine/core/thread_clock.h"
#include "engine/field/forward_program.h"
#include "engine/graph/edit.h"
#include "engine/graph/lower/fit_inputs.h"
#include "engine/graph/lower/stand_in_loss.h"
#include "engine/graph/precision/autocast.h"
#include "engine/instrument/product_rate.h"
#include "engine/train/training_run.h"

namespace hw::cli {
namespace {

constexpr int kMostLookedAt = 20;
constexpr int kWarmUps = 2;

/// Normal random numbers, which repeat.
Tensor random_tensor(DType dtype, const Dims& dims) {
  Tensor tensor = Tensor::zeros(dtype, dims);
  if (!info(dtype).is_float) return tensor;
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  std::vector<double> values(std::min<size_t>(static_cast<size_t>(tensor.size()), 1 << 18));
  std::ranges::generate(values, [&] { return normal(random); });
  for (size_t first = 0, all = static_cast<size_t>(tensor.size()); first < all; first += values.size())
    convert(dtype, static_cast<std::byte*>(tensor.data()) + first * size_of(dtype), DType::f64, values.data(),
            std::min(values.size(), all - first));
  return tensor;
}

/// A value for each Input that nothing is wired to: what is given, else random, `batch` (0: as declared) along its
/// first axis.
Result<GivenValues> all_inputs(Graph& graph, int64_t batch, std::vector<GivenInput> given) {
  fit_inputs(graph, given);
  Validator validator;
  validator.reset(graph);
  const std::string option = "--batch " + std::to_string(batch);
  bool batched = false;
  for (const auto& [id, node] : graph.nodes()) {
    if (!is_graph_input(graph, node)) continue;
    if (std::ranges::find(given, SocketRef{id, "y"}, &GivenInput::socket) != given.end()) continue;
    const auto type = validator.output_type(id, "y");
    if (!type || type->kind != Kind::tensor) continue;
    Dims dims;
    for (size_t i = 0; i < type->shape.rank(); ++i) dims.push_back(std::max<int64_t>(type->shape[i].size, 1));
    if (batch > 0 && !dims.empty()) {
      dims[0] = batch;
      graph.node(id).params["shape"] = std::vector<double>(dims.begin(), dims.end());
      batched = true;
    }
    const size_t bytes = byte_count(type->dtype, dims), free = available_memory();
    if (bytes > free)
      return Error{codes::out_of_memory, batch > 0 ? option : id,
                   id + " needs " + memory_text(bytes) + ", and " + memory_text(free) + " are free.",
                   batch > 0 ? "Choose a smaller --batch." : "Choose a smaller shape."};
    given.push_back({{id, "y"}, id, "", random_tensor(type->dtype, dims)});
  }
  if (batch > 0 && !batched)
    return Error{codes::bad_usage, option, "the graph has no Input that takes a batch.",
                 "Set the samples of the node that makes them instead, for example --set batch.batch_size=8."};
  fit_inputs(graph, given);
  return as_wires(graph, std::move(given));
}

Status change_dtype(Graph& graph, const std::string& dtype) {
  if (dtype.empty()) return ok();
  const PrecisionPlan plan = autocast(graph, dtype == "f16" ? DType::f16 : DType::bf16);
  for (const std::string& note : plan.numbers) std::fprintf(stderr, "note: %s\n", note.c_str());
  const Result<Edits> done = apply_edits(graph, plan.edits);
  return done ? ok() : Status(done.error());
}

/// Milliseconds of `runs` calls after some that warm up, the shortest first. A line of progress on a terminal, between
/// long runs.
template <class F>
Result<std::vector<double>> timed(int runs, const F& run) {
  constexpr double kShownEvery = 0.2;  // seconds
  ProgressLine line;
  std::vector<double> ms;
  double shown = steady_seconds();
  for (int i = 0; i < kWarmUps + runs; ++i) {
    const double begin = steady_seconds();
    HW_CHECK(run(i));
    const double end = steady_seconds();
    if (i >= kWarmUps) ms.push_back((end - begin) * 1e3);
    if (end - shown < kShownEvery) continue;
    line.show(static_cast<double>(i + 1) / (kWarmUps + runs),
              std::to_string(i + 1) + " of " + std::to_string(kWarmUps + runs) + " runs");
    shown = end;
  }
  std::ranges::sort(ms);
  return ms;
}

/// What is missing follows from the graph's own errors where it has some: these are printed then.
Error missing(const Graph& graph, Error error) {
  Validator validator;
  validator.reset(graph);
  bool any = false;
  for (const Diagnostic& d : validator.all()) {
    if (d.severity != Severity::error) continue;
    report(d);
    any = true;
  }
  return any ? kPrintedAlready : std::move(error);
}

/// The samples of a run: what its source nodes make, or the first axis of the largest Input.
int64_t samples_of(int64_t made, const GivenValues& given) {
  int64_t samples = std::max<int64_t>(made, 1), most = 0;
  for (const auto& [socket, value] : given) {
    if (made > 1 || value.dims().empty() || value.size() <= most) continue;
    most = value.size();
    samples = value.dims()[0];
  }
  return samples;
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
      if (report_blocking(loaded.graph, loaded.document, id)) return kPrintedAlready;
      for (const Link& link : loaded.graph.links_into(id)) wires.push_back({link.from, link.from_socket});
    }
  }
  if (wires.empty())
    return missing(loaded.graph, {codes::bad_usage, loaded.file, "no float comes out of this graph.",
                                  "Wire what is wanted to an Output."});
  for (const SocketRef& wire : wires)
    if (report_blocking(loaded.graph, loaded.document, wire.node)) return kPrintedAlready;
  return wires;
}

Result<BenchReport> bench_inference(const LoadedGraph& loaded, const GivenValues& given, const BenchOptions& o,
                                    const std::shared_ptr<Device>& device) {
  HW_TRY(const std::vector<SocketRef> wires, wires_of(loaded));
  BenchReport report;
  const double begin = steady_seconds();
  HW_TRY(ForwardProgram forward, ForwardProgram::make(loaded.graph, wires, {}, *loaded.assets, device,
                                                      ForwardMode::evaluation, given, o.passes_off));
  HW_CHECK(forward.set_weights(nullptr, 0));
  report.compile_seconds = steady_seconds() - begin;
  report.batch = samples_of(source_samples(forward.program()), given);
  std::map<std::string, BenchNode> nodes;
  HW_TRY(report.ms, timed(o.runs, [&](int) { return forward.run(&StopOnSignal::asked()); }));
  // The nodes' times come from runs of their own: to gather them between two runs would let threads fall asleep and
  // caches fill with other things.
  const int looked_at = std::min(o.runs, kMostLookedAt);
  for (int i = 0; i < looked_at; ++i) {
    const double run_begin = steady_seconds();
    HW_CHECK(forward.run(&StopOnSignal::asked()));
    report.mean_ms += (steady_seconds() - run_begin) * 1e3 / looked_at;
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

Result<BenchReport> bench_training(const LoadedGraph& loaded, const GivenValues& given, const BenchOptions& o,
                                   const std::shared_ptr<Device>& device) {
  const auto made = as_trainable(loaded, {.device = o.device, .checks = true});
  if (!made) return made.error().code == codes::no_trainer ? missing(loaded.graph, made.error()) : made.error();
  const TrainableGraph& graph = *made;
  BenchReport report;
  TrainingProgress progress;
  std::vector<std::string> notes;
  const double begin = steady_seconds();
  HW_TRY(const auto run,
         TrainingRun::make(graph.graph, device, *graph.assets, progress, nullptr, "", true, notes, one_rank(), given));
  report.compile_seconds = steady_seconds() - begin;
  report.batch = samples_of(run->plan().batch, given);
  std::map<std::string, double> before;  // mean of the warm-up's steps
  HW_TRY(report.ms, timed(o.runs, [&](int i) -> Status {
           HW_TRY(
               [[maybe_unused]] const double loss,
               run->step(static_cast<uint64_t>(i), static_cast<uint64_t>(kWarmUps + o.runs), &StopOnSignal::asked()));
           if (i + 1 == kWarmUps) before = run->node_ms();
           return ok();
         }));
  report.mean_ms = std::accumulate(report.ms.begin(), report.ms.end(), 0.0) / o.runs;
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

/// Whose rate its products are held against.
DType factors_of(const BenchNode& node) {
  const DType compute = node.kernels.forward.compute;
  return compute == DType::f16 || compute == DType::bf16 ? compute : DType::f32;
}

}  // namespace

double BenchReport::floor_ms() const {
  return std::accumulate(nodes.begin(), nodes.end(), 0.0,
                         [](double sum, const BenchNode& node) { return sum + node.floor_ms; });
}

double BenchReport::outside_ms() const {
  const double rest = std::accumulate(nodes.begin(), nodes.end(), mean_ms,
                                      [](double sum, const BenchNode& node) { return sum - node.ms; });
  return std::max(rest, 0.0);
}

Result<BenchReport> run_bench(const BenchOptions& o) {
  HW_TRY(LoadedGraph loaded, load_graph(o));
  HW_CHECK(check_passes(o.passes_off));
  HW_CHECK(change_dtype(loaded.graph, o.dtype));
  HW_TRY(std::vector<GivenInput> read, read_given(loaded.graph, o.inputs));
  HW_TRY(const GivenValues given, all_inputs(loaded.graph, o.batch, std::move(read)));
  HW_TRY(const std::shared_ptr<Device> device, choose_device(o.device));
  const ScopedThreadCount threads(o.threads);
  const StopOnSignal stop;
  // The stated rate before and after the runs: where others keep the machine busy for a while, the better one is nearer
  // to the truth.
  std::map<DType, double> rates;
  const auto measure_rate = [&](DType factors) -> Status {
    HW_TRY(const double rate, measure_product_rate(*device, factors));
    rates[factors] = std::max(rates[factors], rate);
    return ok();
  };
  const DType stated = o.dtype == "bf16" ? DType::bf16 : DType::f32;
  HW_CHECK(measure_rate(stated));
  HW_TRY(BenchReport report,
         o.train ? bench_training(loaded, given, o, device) : bench_inference(loaded, given, o, device));
  std::set<DType> used{stated};
  for (const BenchNode& node : report.nodes)
    if (node.products > 0) used.insert(factors_of(node));
  for (const DType factors : used) HW_CHECK(measure_rate(factors));
  if (StopOnSignal::asked()) return Error{codes::cancelled, "", "stopped.", ""};
  report.dtype = o.dtype.empty() ? "as drawn" : o.dtype;
  report.threads = thread_count();
  report.products_per_second = rates[stated];
  for (BenchNode& node : report.nodes)
    if (node.products > 0) node.floor_ms = node.products / rates[factors_of(node)] * 1e3;
  std::ranges::sort(report.nodes, std::greater(), &BenchNode::ms);
  return report;
}

}  // namespace hw::cli
