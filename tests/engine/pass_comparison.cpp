#include "tests/engine/pass_comparison.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/compare/scoped_thread_count.h"
#include "engine/core/dtype_tolerance.h"
#include "engine/core/same_bits.h"
#include "engine/devices/devices.h"
#include "engine/devices/temp_estimate.h"
#include "engine/passes/program_passes.h"
#include "engine/plan/memory_estimate.h"
#include "tests/engine/failing_memory.h"
#include "tests/engine/op_by_op.h"
#include "tests/engine/running_statistics.h"

namespace hw::test {
namespace {

/// Tensors by name, in order.
using Made = std::vector<std::pair<std::string, Tensor>>;

/// How a program is run.
struct Way {
  int threads = 2;
  bool keeps_all = false;  // no value has the memory of another, and each op is done before the next
};

std::vector<ValueId> all_values(const Program& program) {
  std::vector<ValueId> all;
  for (const Instr& instr : program.instrs) all.insert(all.end(), instr.out.begin(), instr.out.end());
  return all;
}

StepInputs step_number(uint64_t step) {
  StepInputs inputs;
  inputs.seed = 1;
  inputs.step = step;
  inputs.learning_rate = 0.01;
  return inputs;
}

/// What buffers of so many bytes take, which begin and end on a line of the cache, large ones on a huge page.
size_t with_padding(const Program& program, size_t bytes) {
  constexpr size_t kHuge = size_t{2} << 20;
  return bytes + bytes / kHuge * kHuge + 256 * (program.values.size() + 16);
}

/// Whether the oracle, which is slow, would take long.
bool is_large(const Program& program) {
  const auto larger = [](const Value& value) { return element_count(value.dims) > 50'000; };
  return std::ranges::any_of(program.values, larger);
}

void expect_announced(const Program& program, const Executable& executable) {
  const auto estimated = estimate_temp_bytes("cpu", program);
  ASSERT_TRUE(estimated) << estimated.error().text();
  EXPECT_LE(executable.temp_bytes(), estimated->total());
}

/// The first that has other bits: its name, how many elements, by how much. Empty: none.
std::string other_bits(const Made& a, const Made& b) {
  if (a.size() != b.size()) return "not the same tensors";
  for (size_t i = 0; i < a.size(); ++i) {
    if (same_bits(a[i].second, b[i].second)) continue;
    const std::vector<double> x = a[i].second.to_f64(), y = b[i].second.to_f64();
    size_t differing = 0, first = 0;
    for (size_t e = x.size(); e-- > 0;)
      if (!(x[e] == y[e])) ++differing, first = e;
    return a[i].first + " " + to_string(a[i].second.dims()) + ": " + std::to_string(differing) + " elements, " +
           std::to_string(x[first]) + " and " + std::to_string(y[first]) + " at " + std::to_string(first);
  }
  return "";
}

class Evaluation {
 public:
  explicit Evaluation(std::shared_ptr<const Program> program)
      : program_(std::move(program)),
        device_(*make_device("cpu")),
        states_(*device_->prepare_states(*program_, nullptr, 1, nullptr)) {
    set_statistics(*program_, *states_);
  }

  PassedProgram passed(const PassesOff& off) const { return apply_passes(*program_, {"cpu", {}}, off); }

  Made run(const std::shared_ptr<const Program>& program, const Way& way) const {
    const ScopedThreadCount threads(way.threads);
    const std::vector<ValueId> keep = way.keeps_all ? all_values(*program) : std::vector<ValueId>{};
    const PeakMemory memory;
    const auto executable = device_->compile(program, states_, keep);
    Made made;
    if (!executable) ADD_FAILURE() << executable.error().text();
    if (!executable) return made;
    for (const uint64_t step : {0, 1}) {
      EXPECT_TRUE((*executable)->run(step_number(step)));
      if (!way.keeps_all && step == 0) {
        EXPECT_LE(memory.bytes(), with_padding(*program, (*executable)->temp_bytes()));
        expect_announced(*program, **executable);
      }
      for (const Port& port : program->outputs) made.emplace_back(port.name, *(*executable)->read(port.value));
    }
    return made;
  }

  /// The outputs of the f64 twin.
  Made exact() const {
    const auto wide = widen_program(*program_);
    Made made;
    if (!wide) ADD_FAILURE() << wide.error().text();
    if (!wide) return made;
    const auto states = *device_->prepare_states(*wide->program, nullptr, 1, nullptr);
    for (const std::string& name : states->names())
      EXPECT_TRUE(states->write(name, states_->read(name).to(DType::f64)));
    const auto drawn = *device_->compile(program_, states_, all_values(*program_));
    const auto executable = *device_->compile(wide->program, states);
    for (const uint64_t step : {0, 1}) {
      EXPECT_TRUE(drawn->run(step_number(step)));
      for (const Port& port : wide->drawn)
        EXPECT_TRUE(
            executable->write_input(port.name, drawn->read(port.value)->to((*wide->program)[port.value].dtype)));
      EXPECT_TRUE(executable->run(step_number(step)));
      for (const Port& port : wide->program->outputs) made.emplace_back(port.name, *executable->read(port.value));
    }
    return made;
  }

  std::string beside_the_oracle() const {
    RunStart start;
    start.step.seed = 1;
    for (const std::string& name : states_->names()) start.states[name] = states_->read(name);
    return first_disagreement(program_, *device_, start);
  }

 private:
  std::shared_ptr<const Program> program_;
  std::shared_ptr<Device> device_;
  std::shared_ptr<States> states_;
};

/// No further from the exact result than twice the plain program's own distance, and what two results in the dtype may
/// be apart.
void expect_within_rounding(const Program& program, const Made& exact, const Made& plain, const Made& passed) {
  double relative = 0, absolute = 0;
  for (const Value& value : program.values) {
    if (!info(value.dtype).is_float) continue;
    relative = std::max(relative, tolerance(value.dtype).relative);
    absolute = std::max(absolute, tolerance(value.dtype).absolute);
  }
  ASSERT_EQ(exact.size(), passed.size());
  for (size_t i = 0; i < exact.size(); ++i) {
    const std::vector<double> e = exact[i].second.to_f64(), a = plain[i].second.to_f64(), b = passed[i].second.to_f64();
    double largest = 0, own = 0, off = 0;
    for (size_t k = 0; k < e.size(); ++k) {
      largest = std::max(largest, std::abs(e[k]));
      own = std::max(own, std::abs(a[k] - e[k]));
      off = std::max(off, std::abs(b[k] - e[k]));
    }
    EXPECT_LE(off, 2 * own + relative * largest + absolute) << exact[i].first << ", without passes " << own << " off";
  }
}

/// Some steps of a plan: losses, gradients, and the states that are left.
Made train(const TrainingPlan& plan, const Way& way) {
  const ScopedThreadCount threads(way.threads);
  const auto device = *make_device("cpu");
  const auto states =
      *device->prepare_states(*plan.updates, *device->prepare_states(*plan.program, nullptr, 1, nullptr), 1, nullptr);
  const std::vector<ValueId> keep = way.keeps_all ? all_values(*plan.program) : std::vector<ValueId>{};
  const PeakMemory memory;
  Made made;
  const auto step = device->compile(plan.program, states, keep);
  if (!step) ADD_FAILURE() << step.error().text();
  if (!step) return made;
  std::vector<SharedInput> gradients;
  for (const auto& [name, value] : plan.handed) gradients.push_back({name, step->get(), value, !way.keeps_all});
  const auto updates = device->compile(plan.updates, states, plan.not_finite, gradients);
  if (!updates) ADD_FAILURE() << updates.error().text();
  if (!updates) return made;
  for (const uint64_t i : {0, 1}) {
    const StepInputs inputs = step_number(i);
    EXPECT_TRUE((*step)->run(inputs));
    Made read{{"loss", *(*step)->read(plan.loss)}};
    for (const auto& [name, value] : plan.handed) read.emplace_back(name, *(*step)->read(value));
    EXPECT_TRUE((*updates)->run(inputs));
    made.insert(made.end(), read.begin(), read.end());
  }
  if (!way.keeps_all) {
    const size_t taken = (*step)->temp_bytes() + (*updates)->temp_bytes();
    const auto estimated = estimate_memory(plan, "cpu");
    EXPECT_TRUE(estimated);
    EXPECT_LE(taken, estimated->activations);
    expect_announced(*plan.program, **step);
  }
  for (const std::string& name : states->names()) made.emplace_back(name, states->read(name));
  return made;
}

}  // namespace

size_t expect_passes_keep(const std::shared_ptr<const Program>& program) {
  const Evaluation evaluation(program);
  if (!is_large(*program)) {
    EXPECT_EQ(evaluation.beside_the_oracle(), "");
  }
  const Made plain = evaluation.run(program, {.threads = 1, .keeps_all = true});
  EXPECT_EQ(other_bits(plain, evaluation.run(program, {})), "") << "memory that is used again";
  const PassedProgram all = evaluation.passed({}), folded = evaluation.passed({"channels_last", "elementwise_regions"});
  const bool folds = !folded.notes.empty();
  const Made beside = folds ? evaluation.run(folded.program, {}) : plain;
  if (folds) expect_within_rounding(*program, evaluation.exact(), plain, beside);
  for (const int threads : {1, 2}) EXPECT_EQ(other_bits(beside, evaluation.run(all.program, {threads})), "") << threads;
  for (const char* off : {"channels_last", "elementwise_regions"})
    EXPECT_EQ(other_bits(plain, evaluation.run(evaluation.passed({"fold_batch_norm", off}).program, {})), "") << off;
  return folded.notes.size();
}

void expect_layouts_keep(TrainingPlan plan) {
  RunStart start;
  start.step.seed = 1;
  if (!is_large(*plan.program)) {
    EXPECT_EQ(first_disagreement(plan.program, **make_device("cpu"), start), "");
  }
  const Made plain = train(plan, {.threads = 1, .keeps_all = true});
  EXPECT_EQ(other_bits(plain, train(plan, {})), "") << "memory that is used again";
  plan.allow_device_passes();
  for (const int threads : {1, 2}) EXPECT_EQ(other_bits(plain, train(plan, {threads})), "") << threads << " threads";
}

}  // namespace hw::test
