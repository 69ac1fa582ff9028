#include "app/workspace/bench.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "engine/core/codes.h"
#include "engine/core/parallel.h"
#include "engine/core/thread_clock.h"
#include "engine/evaluate/evaluation.h"
#include "engine/instrument/product_rate.h"
#include "engine/plan/training_plan.h"
#include "engine/train/training_run.h"

namespace hw::workspace {
namespace {

constexpr int kMostLookedAt = 20;
constexpr int kWarmUps = 2;

/// Milliseconds of calls after some that warm up, the shortest first. Progress between long runs.
template <class F>
Result<std::vector<double>> timed(const BenchRequest& r, const F& run) {
  constexpr double kShownEvery = 0.2;  // seconds
  const int calls = kWarmUps + r.runs;
  std::vector<double> ms;
  double shown = steady_seconds();
  for (int i = 0; i < calls; ++i) {
    const double begin = steady_seconds();
    HW_CHECK(run(i));
    const double end = steady_seconds();
    if (i >= kWarmUps) ms.push_back((end - begin) * 1e3);
    if (!r.progress || end - shown < kShownEvery) continue;
    r.progress(static_cast<double>(i + 1) / calls, std::to_string(i + 1) + " of " + std::to_string(calls) + " runs");
    shown = end;
  }
  std::ranges::sort(ms);
  return ms;
}

/// The traffic of a step: its gradients for each micro-batch, and its updates.
Traffic traffic_of_step(const TrainingPlan& plan) {
  std::vector<const Program*> programs(plan.micro_batches(), plan.program.get());
  std::set<std::string> handed;
  for (const Port& port : plan.handed) handed.insert(port.name);
  if (plan.updates) programs.push_back(plan.updates.get());
  return traffic_of(programs, handed);
}

Traffic without_spared(Traffic traffic, const std::optional<DeviceWork>& work) {
  if (work) traffic.moved -= static_cast<double>(work->spared);
  return traffic;
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

Result<BenchReport> bench_inference(const BenchRequest& r) {
  BenchReport report;
  const double begin = steady_seconds();
  HW_TRY(Evaluation forward,
         Evaluation::make(r.graph, r.wires, *r.assets, r.device, {.given = r.given, .passes_off = r.passes_off}));
  HW_CHECK(forward.set_weights(r.weights.get(), 0));
  report.compile_seconds = steady_seconds() - begin;
  report.batch = samples_of(source_samples(forward.program()), r.given);
  std::map<std::string, BenchNode> nodes;
  HW_TRY(report.ms, timed(r, [&](int) { return forward.run(r.cancel); }));
  // The nodes' times come from runs of their own: to gather them between two runs would let threads fall asleep and
  // caches fill with other things.
  const int looked_at = std::min(r.runs, kMostLookedAt);
  for (int i = 0; i < looked_at; ++i) {
    const double run_begin = steady_seconds();
    HW_CHECK(forward.run(r.cancel));
    report.mean_ms += (steady_seconds() - run_begin) * 1e3 / looked_at;
    for (auto& [path, facts] : forward.facts()) {
      nodes[path].ms += facts.ms / looked_at;
      if (i == 0) nodes[path].kernels = std::move(facts.kernels);
    }
  }
  report.temp_bytes = forward.temp_bytes();
  report.work = forward.device_work();
  report.traffic = without_spared(traffic_of({&forward.program()}), report.work);
  for (const auto& [path, products] : products_by_node(forward.program())) nodes[path].products = products;
  for (auto& [path, node] : nodes) {
    node.node = path;
    if (node.ms > 0) report.nodes.push_back(std::move(node));
  }
  return report;
}

Result<BenchReport> bench_training(const BenchRequest& r) {
  BenchReport report;
  TrainingProgress progress;
  std::vector<std::string> notes;
  const double begin = steady_seconds();
  HW_TRY(const auto run, TrainingRun::make(r.graph, r.device, *r.assets, progress, r.weights.get(), "", true, notes,
                                           one_rank(), r.given));
  report.compile_seconds = steady_seconds() - begin;
  report.batch = samples_of(run->plan().batch, r.given);
  std::map<std::string, double> before;  // mean of the warm-up's steps
  HW_TRY(report.ms, timed(r, [&](int i) -> Status {
           HW_TRY([[maybe_unused]] const double loss,
                  run->step(static_cast<uint64_t>(i), static_cast<uint64_t>(kWarmUps + r.runs), r.cancel));
           if (i + 1 == kWarmUps) before = run->node_ms();
           return ok();
         }));
  report.mean_ms = std::accumulate(report.ms.begin(), report.ms.end(), 0.0) / r.runs;
  report.temp_bytes = run->memory_bytes();
  report.work = run->device_work();
  report.traffic = without_spared(traffic_of_step(run->plan()), report.work);
  const auto kernels = run->node_kernels();
  const auto products = products_by_node(*run->plan().program);
  for (const auto& [path, ms] : run->node_ms()) {
    BenchNode node;
    node.node = path;
    node.ms = (ms * (kWarmUps + r.runs) - before[path] * kWarmUps) / r.runs;
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

Result<BenchReport> bench(const BenchRequest& r) {
  const OwnThreads threads(r.threads);
  // The stated rate before and after the runs: where others keep the machine busy for a while, the better one is nearer
  // to the truth.
  std::map<DType, double> rates;
  const auto measure_rate = [&](DType factors) -> Status {
    HW_TRY(const double rate, measure_product_rate(*r.device, factors));
    rates[factors] = std::max(rates[factors], rate);
    return ok();
  };
  HW_CHECK(measure_rate(r.stated));
  HW_TRY(BenchReport report, r.train ? bench_training(r) : bench_inference(r));
  std::set<DType> used{r.stated};
  for (const BenchNode& node : report.nodes)
    if (node.products > 0) used.insert(factors_of(node));
  for (const DType factors : used) HW_CHECK(measure_rate(factors));
  if (r.cancel && *r.cancel) return Error{codes::cancelled, "", "stopped.", ""};
  report.threads = thread_count();
  report.products_per_second = rates[r.stated];
  for (BenchNode& node : report.nodes)
    if (node.products > 0) node.floor_ms = node.products / rates[factors_of(node)] * 1e3;
  std::ranges::sort(report.nodes, std::greater(), &BenchNode::ms);
  return report;
}

}  // namespace hw::workspace
