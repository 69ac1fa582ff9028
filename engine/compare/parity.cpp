#include "engine/compare/parity.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "engine/compare/scoped_thread_count.h"
#include "engine/compare/tolerance.h"
#include "engine/core/codes.h"
#include "engine/core/magnitudes.h"
#include "engine/core/same_bits.h"
#include "engine/devices/devices.h"
#include "engine/graph/edit.h"
#include "engine/plan/initialise_states.h"
#include "engine/plan/memory_estimate.h"
#include "engine/plan/step_stages.h"
#include "engine/program/op_sources.h"
#include "engine/program/random_ops.h"
#include "engine/program/updates.h"
#include "engine/program/widen_program.h"

namespace hw {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

/// |b − a| ÷ allowed.
double off(double a, double b, double allowed) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  if (!std::isfinite(a) || !std::isfinite(b) || allowed <= 0) return kInf;
  return std::abs(b - a) / allowed;
}

double largest_off(const Tensor& a, const Tensor& b, const OpTolerance& tolerance) {
  const std::vector<double> va = a.to_f64(), vb = b.to_f64();
  double most = 0;
  for (size_t i = 0; i < va.size(); ++i)
    if (va[i] != vb[i]) most = std::max(most, off(va[i], vb[i], tolerance.allowed(va[i])));
  return most;
}

std::vector<ParityElement> worst_of(const Tensor& a, const Tensor& b, const OpTolerance& tolerance, size_t count) {
  const std::vector<double> va = a.to_f64(), vb = b.to_f64();
  std::vector<std::pair<double, size_t>> ranked;
  for (size_t i = 0; i < va.size(); ++i)
    if (const double o = off(va[i], vb[i], tolerance.allowed(va[i])); o > 0) ranked.emplace_back(-o, i);
  count = std::min(count, ranked.size());
  std::partial_sort(ranked.begin(), ranked.begin() + static_cast<ptrdiff_t>(count), ranked.end());
  std::vector<ParityElement> worst;
  for (size_t k = 0; k < count; ++k) {
    const size_t i = ranked[k].second;
    worst.push_back({static_cast<int64_t>(i), va[i], vb[i], tolerance.allowed(va[i])});
  }
  return worst;
}

/// Whether `touched`, one for 16 elements, holds all that are not 0.
bool covers(const Tensor& touched, const Tensor& gradient) {
  const std::vector<double> marks = touched.to_f64(), values = gradient.to_f64();
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i] != 0 && marks[i / 16] == 0) return false;
  return true;
}

/// A program on one device.
struct Runner {
  std::shared_ptr<States> states;
  std::unique_ptr<Executable> executable;

  /// `states`: those of another part, or null.
  static Result<Runner> make(const ParityDevice& on, std::shared_ptr<const Program> program,
                             std::shared_ptr<States> states, uint64_t seed, std::span<const ValueId> keep) {
    const ScopedThreadCount threads(on.threads);
    Runner r;
    HW_TRY(r.states, on.device->prepare_states(*program, std::move(states), seed, nullptr));
    HW_TRY(r.executable, on.device->compile(std::move(program), r.states, keep));
    return r;
  }
};

/// One of TrainingPlan::programs().
struct Part {
  std::shared_ptr<const Program> program;
  CutProgram cut;
  Runner real, alone, whole;  // b; a, each op on b's inputs; a, on its own
};

class Parity {
 public:
  Parity(TrainingPlan plan, const ParityDevice& a, const ParityDevice& b, const ParityOptions& options)
      : plan_(std::move(plan)), a_(a), b_(b), o_(options) {
    for (const auto& program : plan_.programs()) parts_.push_back({program, cut_at_ops(*program), {}, {}, {}});
  }

  Result<ParityReport> run() {
    HW_CHECK(check_memory());
    for (Part& part : parts_) HW_CHECK(prepare(part));
    HW_CHECK(initialise_states(plan_, *states(), o_.weights.get(), o_.partial_weights));
    report_.a = a_.name;
    report_.b = b_.name;
    report_.seed = plan_.settings.seed;
    for (uint64_t step = 0; step < o_.steps && !report_.first; ++step) {
      std::vector<ParityItem> before = report_.items;  // of the last step that was compared
      if (const Status done = run_step(step); !done) {
        if (done.error().code != codes::cancelled || step == 0) return done.error();
        report_.items = std::move(before);
        report_.losses.resize(step);
        report_.stopped = true;
        break;
      }
      report_.step = step;
      report_.steps = step + 1;
    }
    return std::move(report_);
  }

 private:
  const std::shared_ptr<States>& states() const { return parts_.front().real.states; }

  Status prepare(Part& part) {
    const Program& p = *part.program;
    std::vector<ValueId> made;
    for (const Instr& instr : p.instrs) made.insert(made.end(), instr.out.begin(), instr.out.end());
    const uint64_t seed = plan_.settings.seed;
    HW_TRY(part.real, Runner::make(b_, part.program, states(), seed, made));
    HW_TRY(part.alone, Runner::make(a_, part.cut.program, nullptr, seed, made));
    HW_TRY(part.whole, Runner::make(a_, part.program, nullptr, seed, made));
    return ok();
  }

  Status check_memory() const {
    MemoryEstimate needed;
    for (const Part& part : parts_)
      for (const Value& v : part.program->values) {
        const size_t bytes = bytes_of(v);
        if (v.storage == Storage::temp) needed.activations += 4 * bytes;  // made three times, handed over once
        if (v.storage != Storage::temp) needed.parameters += 4 * bytes;
        if (element_count(v.dims) <= o_.keep_up_to) needed.data += 2 * bytes;
      }
    HW_CHECK(check_fits(needed, available_memory()));
    HW_CHECK(check_all_values(plan_.programs(), *a_.device, nullptr));
    return check_all_values(plan_.programs(), *b_.device, nullptr);
  }

  /// A stage ends with the run that diverges.
  Status run_step(uint64_t step) {
    const std::vector<StepStage> stages = stages_of(plan_, {step, last_step(), 0, o_.cancel});
    report_.items.clear();
    report_.losses.emplace_back();
    of_run_ = 1 / static_cast<double>(count_runs(stages)) / static_cast<double>(o_.steps);
    begun_ = static_cast<double>(step) / static_cast<double>(o_.steps);
    for (const StepStage& stage : stages) {
      const size_t first_item = report_.items.size();
      if (stage.kind == StepStage::Kind::updates) HW_CHECK(hand_over());
      for (const StepInputs& inputs : stage.runs) {
        if (!report_.first) report_.pass = inputs.step;
        HW_CHECK(run_part(parts_[stage.program], inputs, first_item));
        if (stage.kind == StepStage::Kind::gradients) HW_CHECK(add_loss());
        begun_ += of_run_;
        if (report_.first) break;
      }
    }
    return ok();
  }

  /// The end of the Train node's run, or of this one where it is longer.
  uint64_t last_step() const { return std::max(o_.steps, static_cast<uint64_t>(plan_.settings.steps)); }

  Status add_loss() {
    const Part& gradients = parts_.front();
    HW_TRY(const Tensor a, gradients.whole.executable->read(plan_.loss));
    HW_TRY(const Tensor b, gradients.real.executable->read(plan_.loss));
    const auto batches = static_cast<double>(plan_.micro_batches());
    report_.losses.back().first += a.to_f64().front() / batches;
    report_.losses.back().second += b.to_f64().front() / batches;
    return ok();
  }

  /// `share` of a run that is done.
  void report_progress(double share) const {
    if (o_.progress) o_.progress(begun_ + share * of_run_);
  }

  /// Gradients to the updates: op by op b's, as a whole each runner's own.
  Status hand_over() {
    const Part& gradients = parts_.front();
    Part& updates = parts_[1];
    for (const auto& [name, value] : plan_.handed) {
      HW_CHECK(updates.real.executable->take_input(name, *gradients.real.executable, value));
      HW_TRY(const Tensor real, gradients.real.executable->read(value));
      HW_CHECK(updates.alone.executable->write_input(name, real));
      HW_CHECK(updates.whole.executable->take_input(name, *gradients.whole.executable, value));
    }
    return ok();
  }

  /// Runs all three from b's states, then compares. `first_item`: the place of the part's items in the report.
  Status run_part(Part& part, const StepInputs& inputs, size_t first_item) {
    before_.clear();
    for (const std::string& name : states()->names()) {
      const Tensor& state = before_[name] = states()->read(name);
      for (const Runner* runner : {&part.alone, &part.whole})
        if (runner->states->has(name)) HW_CHECK(runner->states->write(name, state));
    }
    report_progress(0);
    {
      const ScopedThreadCount threads(b_.threads);
      HW_CHECK(part.real.executable->run(inputs));
    }
    for (const Port& port : part.cut.boundary) {
      HW_TRY(const Tensor value, part.real.executable->read(port.value));
      HW_CHECK(part.alone.executable->write_input(port.name, value));
    }
    const ScopedThreadCount threads(a_.threads);
    report_progress(0.2);
    HW_CHECK(part.alone.executable->run(inputs));
    report_progress(0.5);
    HW_CHECK(part.whole.executable->run(inputs));
    return compare(part, first_item);
  }

  Status compare(const Part& part, size_t first_item) {
    const Program& p = *part.program;
    std::vector<bool> tainted_values(p.values.size(), false);  // diverge, or inherit
    for (const Port& port : p.inputs) tainted_values[port.value] = tainted_handed_.contains(port.name);
    std::set<std::string> tainted_states;
    size_t place = first_item;
    for (size_t i = 0; i < p.instrs.size(); ++i) {
      if (o_.cancel && *o_.cancel) return Error{codes::cancelled, "", "stopped while values were compared.", ""};
      report_progress(0.8 + 0.2 * static_cast<double>(i) / static_cast<double>(p.instrs.size()));
      const Instr& instr = p.instrs[i];
      bool tainted = false;
      for (const ValueId in : instr.in) tainted = tainted || tainted_values[in] || tainted_states.contains(p[in].name);
      const bool writes = instr.out.empty();
      const size_t count = writes ? written_inputs(instr) : instr.out.size();
      std::set<ValueId> written;  // a view may be its own master
      for (size_t k = 0; k < count; ++k) {
        const ValueId id = writes ? instr.in[k] : instr.out[k];
        if (writes && (p[id].storage != Storage::state || !written.insert(id).second)) continue;
        HW_TRY(ParityItem item, look_at(part, i, k, id, tainted));
        const bool bad = item.verdict == ParityVerdict::diverges;
        if (bad || item.verdict == ParityVerdict::inherited) {
          tainted_values[id] = true;
          if (writes) tainted_states.insert(p[id].name);
        }
        if (bad && !report_.first) {
          report_.first = place;
          HW_TRY(report_.first_a, read(part, part.alone, id, writes));
          HW_TRY(report_.first_b, read(part, part.real, id, writes));
        }
        note(place++, std::move(item));
      }
    }
    tainted_handed_.clear();
    for (const auto& [name, value] : plan_.handed)
      if (&part == &parts_.front() && tainted_values[value]) tainted_handed_.insert(name);
    return ok();
  }

  /// The worst of the micro-batches stays.
  void note(size_t place, ParityItem item) {
    if (place == report_.items.size()) return report_.items.push_back(std::move(item));
    ParityItem& old = report_.items[place];
    if (std::pair(item.verdict, item.error) > std::pair(old.verdict, old.error)) old = std::move(item);
  }

  Result<Tensor> read(const Part& part, const Runner& from, ValueId id, bool state) const {
    if (state) return from.states->read((*part.program)[id].name);
    return from.executable->read(id);
  }

  Result<ParityItem> look_at(const Part& part, size_t i, size_t output, ValueId id, bool tainted) const {
    const Program& p = *part.program;
    const Instr& instr = p.instrs[i];
    const Value& v = p[id];
    const bool state = instr.out.empty();
    ParityItem item;
    item.node = p.nodes[instr.node];
    item.name = v.name;
    item.op = info(instr.op).name;
    item.pass = pass_of(instr);
    item.dtype = v.dtype;
    item.dims = v.dims;
    item.random = is_random(instr);
    HW_TRY(const Tensor b, read(part, part.real, id, state));
    HW_TRY(const Tensor a, read(part, part.alone, id, state));
    HW_TRY(const Tensor own, read(part, part.whole, id, state));
    const bool same = same_bits(a, b), same_whole = same_bits(own, b);
    if (info(v.dtype).is_float) {
      const Magnitudes m = magnitudes_of(b);
      item.not_finite = m.infs + m.nans;
    }
    if (a.size() <= o_.keep_up_to) item.a = a, item.b = same ? a : b;
    // Alone, an op may be cut into other tiles than in its program, and sum in another order.
    if (same_whole ? same || !tainted : same && !tainted) return item;
    if (instr.op == Op::hash_grid_grad_table && output == 1) {
      HW_TRY(const Tensor gradient, part.real.executable->read(instr.out[0]));
      item.verdict = covers(b, gradient) ? ParityVerdict::within : ParityVerdict::diverges;
      if (item.verdict == ParityVerdict::diverges) item.error = kInf;
      return item;
    }
    std::vector<Tensor> inputs;
    for (const ValueId in : instr.in) {
      const auto old = state ? before_.find(p[in].name) : before_.end();
      if (old != before_.end()) {
        inputs.push_back(old->second);
        continue;
      }
      HW_TRY(Tensor input, state ? Result<Tensor>(Tensor()) : input_of(part, in));
      inputs.push_back(std::move(input));
    }
    const OpTolerance tolerance(p, instr, output, accumulator(part, i), a, inputs);
    item.error = largest_off(a, b, tolerance);
    item.total = same_whole ? 0 : largest_off(own, b, tolerance);
    item.verdict = item.error > 1              ? ParityVerdict::diverges
                   : tainted && item.total > 1 ? ParityVerdict::inherited
                   : same                      ? ParityVerdict::same_bits
                                               : ParityVerdict::within;
    item.worst = worst_of(a, b, tolerance, o_.worst);
    return item;
  }

  Result<Tensor> input_of(const Part& part, ValueId id) const {
    const Program& p = *part.program;
    if (p[id].storage != Storage::constant) return part.real.executable->read(id);
    for (const auto& [constant, tensor] : p.constants)
      if (constant == id) return tensor;
    return Tensor();
  }

  /// The coarser of the two kernels' accumulators.
  DType accumulator(const Part& part, size_t instr) const {
    DType coarse = DType::f64;
    for (const Runner* runner : {&part.alone, &part.real}) {
      const DType dtype = runner->executable->kernel_info(instr).accumulate;
      if (info(dtype).is_float && tolerance(dtype).relative > tolerance(coarse).relative) coarse = dtype;
    }
    return coarse;
  }

  const TrainingPlan plan_;
  const ParityDevice &a_, &b_;
  const ParityOptions& o_;
  std::vector<Part> parts_;
  std::map<std::string, Tensor> before_;  // the states that the pass began with
  std::set<std::string> tainted_handed_;  // inputs of the updates
  ParityReport report_;
  double begun_ = 0, of_run_ = 0;  // shares of all work: done before this run, and its own
};

}  // namespace

Result<ParityDevice> parity_device(const std::string& name) {
  const size_t at = name.find('@');
  ParityDevice d{name, nullptr, 0};
  HW_TRY(d.device, make_device(name.substr(0, at)));
  if (at == std::string::npos) return d;
  const char* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + at + 1, end, d.threads);
  if (error != std::errc() || stop != end || d.threads < 1 || d.threads > 1024)
    return Error{codes::bad_usage, "", "\"" + name + "\" names no number of threads from 1 to 1024.",
                 "Write it like cpu@2."};
  return d;
}

std::string_view name(ParityVerdict verdict) {
  static constexpr std::string_view names[] = {"same bits", "within", "inherited", "diverges"};
  return names[static_cast<size_t>(verdict)];
}

Result<ParityReport> parity(const Graph& graph, Assets& assets, const ParityDevice& a, const ParityDevice& b,
                            const ParityOptions& options) {
  HW_TRY(TrainingPlan plan, plan_training(without_pins(graph), assets, true, true, 1, {}, true));
  return Parity(std::move(plan), a, b, options).run();
}

}  // namespace hw
