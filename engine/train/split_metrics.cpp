#include "engine/train/split_metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "engine/core/tensor_rows.h"
#include "engine/evaluate/compile_evaluation.h"
#include "engine/graph/check/validate.h"
#include "engine/plan/whole_batch.h"
#include "engine/train/bad_sources.h"

namespace hw {
namespace {

constexpr int64_t kRows = 500;  // a block: large enough to be fast, small enough for memory

/// The data set that a program reads; null when it reads none, or several whose splits have different lengths.
const Dataset* dataset_of(const Program& program, Split split) {
  const Dataset* found = nullptr;
  for (const Instr& instr : program.instrs) {
    const auto* attr = std::get_if<SampleRowsAttr>(&instr.attr);
    if (!attr) continue;
    const int64_t count = attr->data->split(split).count();
    if (count == 0 || (found && found->split(split).count() != count)) return nullptr;
    found = attr->data.get();
  }
  return found;
}

/// The rows of `more` join those of `kept`; as many stay as there were, those of the largest scores.
void keep_largest(std::vector<Tensor>& kept, std::vector<Tensor> more) {
  if (kept.empty()) {
    kept = std::move(more);
    return;
  }
  const auto most = static_cast<size_t>(kept[0].size());
  for (size_t i = 0; i < kept.size(); ++i) kept[i] = joined_rows(kept[i], more[i]);
  std::vector<double> scores = kept[0].to_f64();
  for (double& score : scores)
    if (std::isnan(score)) score = std::numeric_limits<double>::infinity();  // the worst there is
  std::vector<int64_t> rows(scores.size());
  std::iota(rows.begin(), rows.end(), 0);
  std::stable_sort(rows.begin(), rows.end(), [&](int64_t a, int64_t b) {
    return scores[static_cast<size_t>(a)] > scores[static_cast<size_t>(b)];
  });
  rows.resize(most);
  for (Tensor& tensor : kept) tensor = rows_of(tensor, rows);
}

}  // namespace

bool has_split(const Program& program, Split split) {
  return std::any_of(program.instrs.begin(), program.instrs.end(), [split](const Instr& instr) {
    const auto* attr = std::get_if<SampleRowsAttr>(&instr.attr);
    return attr && attr->data->split(split).count() > 0;
  });
}

Result<std::unique_ptr<SplitMetrics>> SplitMetrics::make(const Graph& graph, const std::string& trainer, Split split,
                                                         const std::shared_ptr<Device>& device, Assets& assets,
                                                         const std::shared_ptr<States>& states,
                                                         std::vector<std::string>& notes) {
  std::unique_ptr<SplitMetrics> made(new SplitMetrics);
  made->split_ = split;
  Validator validator;
  bool validated = false;
  std::vector<Error> wrong;
  for (const auto& [id, node] : graph.nodes()) {
    const NodeType* type = Registry::instance().find(node.type);
    if (!type || type->decl.role() != Role::metric || node.bypassed) continue;
    if (!std::exchange(validated, true)) validator.reset(graph);
    if (const Diagnostic* blocking = validator.blocking(graph, id)) {
      wrong.push_back({blocking->code, blocking->node, blocking->reason, ""});
      continue;
    }
    Metric metric{id, type->decl.reduction(), {}};
    for (const SocketDecl& output : type->decl.outputs()) metric.outputs.push_back({id, output.id});
    made->metrics_.push_back(std::move(metric));
  }
  // A lowering in training mode finds the length of the split, also where there is none.
  LowerOptions probe;
  probe.training = true;
  const auto links = graph.links_into(trainer, "loss");
  if (!links.empty()) {
    const SocketRef loss{links.front().from, links.front().from_socket};
    HW_TRY(const LoweredGraph lowered, lower(graph, std::span(&loss, 1), probe, assets));
    if (has_split(*lowered.program, Split::validation)) made->metrics_.push_back({"", MetricReduction::mean, {loss}});
  }
  if (made->metrics_.empty() && !wrong.empty()) return wrong.front();
  for (const Error& error : wrong) notes.push_back("A metric is not measured: " + error.text());
  if (made->metrics_.empty()) return std::unique_ptr<SplitMetrics>();
  std::vector<SocketRef> all;
  for (const Metric& metric : made->metrics_) all.insert(all.end(), metric.outputs.begin(), metric.outputs.end());
  HW_TRY(const LoweredGraph lowered, lower(graph, all, probe, assets));
  const Dataset* data = dataset_of(*lowered.program, split);
  if (!data)
    return Error{codes::asset_lacks, made->metrics_.front().outputs.front().node,
                 "no data set that is read has a " + std::string(name(split)) +
                     " split, or several have splits of different lengths.",
                 "Put test samples into the data set's folder, and measure on one data set."};
  made->class_names_ = data->class_names;
  made->samples_ = data->split(split).count();
  made->states_ = states;
  const int64_t rows = std::min(kRows, made->samples_), steps = made->samples_ / rows, rest = made->samples_ % rows;
  HW_CHECK(made->lower_part(graph, *device, assets, {nullptr, {}, rows, 0, steps}));
  if (rest > 0) HW_CHECK(made->lower_part(graph, *device, assets, {nullptr, {}, rest, steps * rows, 1}));
  if (const std::string bad = bad_samples_text(*data, split);
      !bad.empty() && std::ranges::find(notes, bad) == notes.end())
    notes.push_back(bad);
  return made;
}

Status SplitMetrics::lower_part(const Graph& graph, Device& device, Assets& assets, Part part) {
  LowerOptions options;
  options.evaluation_rows = part.rows;
  options.pins = true;
  options.share = static_cast<double>(part.rows) / static_cast<double>(samples_);
  std::vector<SocketRef> all;
  for (const Metric& metric : metrics_) all.insert(all.end(), metric.outputs.begin(), metric.outputs.end());
  HW_TRY(LoweredGraph lowered, lower(graph, all, options, assets));
  for (Instr& instr : lowered.program->instrs) {
    auto* attr = std::get_if<SampleRowsAttr>(&instr.attr);
    if (!attr) continue;
    attr->first = part.first;
    attr->which = split_;
  }
  OpBuilder b(*lowered.program);
  HW_TRY(const std::vector<PartSums> sums, take_whole_batch(lowered, b, options.share, std::string(name(split_))));
  HW_TRY(const EvaluatedProgram evaluated, evaluated_program(lowered, all, device.id()));
  for (size_t first = 0; const Metric& metric : metrics_) {
    const auto begin = evaluated.wires.begin() + static_cast<std::ptrdiff_t>(first);
    part.values.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(metric.outputs.size()));
    first += metric.outputs.size();
  }
  // Before any executable is made: a state moves to the device whose ops write it.
  for (const PartSums& stage : sums) {
    HW_TRY(CompiledEvaluation made, compile_evaluation(stage.program, device, {states_}));
    part.sums.push_back(std::move(made.executable));
  }
  HW_TRY(CompiledEvaluation compiled, compile_evaluation(evaluated.program, device, {states_}, evaluated.wires));
  part.executable = std::move(compiled.executable);
  parts_.push_back(std::move(part));
  return ok();
}

Status SplitMetrics::add_block(const Part& part, int64_t step, Sums& sums) const {
  for (size_t m = 0; m < metrics_.size(); ++m) {
    std::vector<Tensor> outputs;
    for (const ValueId value : part.values[m]) {
      HW_TRY(Tensor output, part.executable->read(value));
      outputs.push_back(std::move(output));
    }
    if (metrics_[m].reduction == MetricReduction::largest) {
      for (int64_t i = 0; i < outputs[1].size(); ++i) outputs[1].as<int64_t>()[i] += part.first + step * part.rows;
      keep_largest(sums[m], std::move(outputs));
      continue;
    }
    std::vector<double> values = outputs.front().to_f64();
    if (sums[m].empty()) sums[m].push_back(Tensor::zeros(DType::f64, outputs.front().dims()));
    for (size_t i = 0; i < values.size(); ++i)
      sums[m][0].as<double>()[i] += values[i] * static_cast<double>(part.rows) / static_cast<double>(samples_);
  }
  return ok();
}

Status SplitMetrics::for_blocks(const StepInputs& inputs, const std::function<bool()>& stopped,
                                const std::function<Executable&(Part&)>& executable,
                                const std::function<Status(const Part&, int64_t)>& done) {
  StepInputs step = inputs;
  step.starts_sums = true;
  for (Part& part : parts_) {
    for (int64_t s = 0; s < part.steps; ++s) {
      if (stopped()) return Error{codes::cancelled, "", "the measurement was stopped.", ""};
      step.step = static_cast<uint64_t>(s);
      HW_CHECK(executable(part).run(step));
      HW_CHECK(done(part, s));
      step.starts_sums = false;
    }
  }
  return ok();
}

Result<Measurement> SplitMetrics::measure(uint64_t seed, const std::atomic<bool>* cancel,
                                          const std::function<bool()>& stopped) {
  StepInputs inputs;
  inputs.seed = seed;
  inputs.cancel = cancel;
  for (size_t k = 0; k < parts_.front().sums.size(); ++k) {
    const auto stage = [k](Part& part) -> Executable& { return *part.sums[k]; };
    HW_CHECK(for_blocks(inputs, stopped, stage, [](const Part&, int64_t) { return ok(); }));
  }
  Sums sums(metrics_.size());
  const auto whole = [](Part& part) -> Executable& { return *part.executable; };
  HW_CHECK(
      for_blocks(inputs, stopped, whole, [&](const Part& part, int64_t step) { return add_block(part, step, sums); }));
  Measurement made;
  made.split = split_;
  made.samples = samples_;
  made.class_names = class_names_;
  for (size_t m = 0; m < metrics_.size(); ++m) {
    const bool is_number = metrics_[m].reduction == MetricReduction::mean && sums[m][0].size() == 1;
    if (metrics_[m].node.empty())
      made.loss = sums[m][0].as<double>()[0];
    else if (is_number)
      made.numbers[metrics_[m].node] = sums[m][0].as<double>()[0];
    else
      made.tensors[metrics_[m].node] = std::move(sums[m]);
  }
  return made;
}

}  // namespace hw
