#include "engine/train/test_metrics.h"

#include <algorithm>

#include "engine/graph/validate.h"
#include "engine/passes/program_passes.h"

namespace hw {
namespace {

constexpr int64_t kRows = 500;  // a block: large enough to be fast, small enough for memory

/// Rows of the test split that a program reads; 0 when it reads none, or several splits of different lengths.
int64_t test_rows(const Program& program) {
  int64_t rows = 0;
  for (const Instr& instr : program.instrs) {
    const auto* attr = std::get_if<SampleRowsAttr>(&instr.attr);
    if (!attr) continue;
    const int64_t count = attr->data->test.count();
    if (count == 0 || (rows != 0 && rows != count)) return 0;
    rows = count;
  }
  return rows;
}

}  // namespace

Result<std::unique_ptr<TestMetrics>> TestMetrics::make(const Graph& graph, const std::shared_ptr<Device>& device,
                                                       Assets& assets, const std::shared_ptr<States>& states) {
  std::unique_ptr<TestMetrics> made(new TestMetrics);
  Validator validator;
  bool validated = false;
  const Diagnostic* wrong = nullptr;
  for (const auto& [id, node] : graph.nodes()) {
    const NodeType* type = Registry::instance().find(node.type);
    if (!type || type->decl.role() != Role::metric || node.bypassed) continue;
    if (!std::exchange(validated, true)) validator.reset(graph);
    if (const Diagnostic* blocking = validator.blocking(graph, id))
      wrong = blocking;
    else
      made->nodes_.push_back({id, type->decl.outputs().front().id});
  }
  if (made->nodes_.empty() && wrong) return Error{wrong->code, wrong->node, wrong->reason, ""};
  if (made->nodes_.empty()) return std::unique_ptr<TestMetrics>();
  // A lowering in training mode tells the length of the test split, also where there is none.
  LowerOptions probe;
  probe.training = true;
  HW_TRY(const LoweredGraph lowered, lower(graph, made->nodes_, probe, assets));
  made->samples_ = test_rows(*lowered.program);
  if (made->samples_ == 0)
    return Error{codes::asset_lacks, made->nodes_.front().node, "no data set that it reads has a test split.",
                 "Put test samples into the data set's folder."};
  const int64_t rows = std::min(kRows, made->samples_), steps = made->samples_ / rows, rest = made->samples_ % rows;
  HW_TRY(Part whole, made->lower_part(graph, *device, assets, states, rows, 0, steps));
  made->parts_.push_back(std::move(whole));
  if (rest > 0) {
    HW_TRY(Part last, made->lower_part(graph, *device, assets, states, rest, steps * rows, 1));
    made->parts_.push_back(std::move(last));
  }
  return made;
}

Result<TestMetrics::Part> TestMetrics::lower_part(const Graph& graph, Device& device, Assets& assets,
                                                  const std::shared_ptr<States>& states, int64_t rows, int64_t first,
                                                  int64_t steps) const {
  LowerOptions options;
  options.evaluation_rows = rows;
  options.pins = true;
  HW_TRY(const LoweredGraph lowered, lower(graph, nodes_, options, assets));
  for (Instr& instr : lowered.program->instrs)
    if (auto* attr = std::get_if<SampleRowsAttr>(&instr.attr)) attr->first = first;
  Part part;
  part.rows = rows;
  part.steps = steps;
  for (const SocketRef& node : nodes_) {
    part.values.push_back(std::get<Val>(lowered.sockets.at(node)).id);
    lowered.program->outputs.push_back({node.node, part.values.back()});
  }
  // Parameters that only a metric reads, and no loss, are made here; those of the run are there.
  const PassedProgram passed = apply_passes(*lowered.program, {device.id(), part.values});
  HW_TRY(const std::shared_ptr<States> all, device.prepare_states(*passed.program, states, 0, nullptr));
  HW_TRY(part.executable, device.compile(passed.program, all, part.values));
  return part;
}

Result<std::map<std::string, double>> TestMetrics::measure(uint64_t seed, const std::atomic<bool>* cancel,
                                                           const std::function<bool()>& stopped) {
  std::map<std::string, double> sums;
  for (Part& part : parts_) {
    for (int64_t s = 0; s < part.steps; ++s) {
      if (stopped()) return Error{codes::cancelled, "", "the measurement was stopped.", ""};
      StepInputs step;
      step.seed = seed;
      step.step = static_cast<uint64_t>(s);
      step.cancel = cancel;
      HW_CHECK(part.executable->run(step));
      for (size_t i = 0; i < nodes_.size(); ++i) {
        HW_TRY(const Tensor value, part.executable->read(part.values[i]));
        sums[nodes_[i].node] += value.to_f64().front() * static_cast<double>(part.rows);
      }
    }
  }
  for (auto& [node, sum] : sums) sum /= static_cast<double>(samples_);
  return sums;
}

}  // namespace hw
