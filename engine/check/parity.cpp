#include "engine/check/parity.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <set>

#include "engine/check/begin_training.h"
#include "engine/check/op_sources.h"
#include "engine/check/tolerance.h"
#include "engine/check/with_threads.h"
#include "engine/graph/edit.h"
#include "engine/program/random_ops.h"
#include "engine/program/updates.h"
#include "engine/program/widen_program.h"
#include "engine/run/memory_estimate.h"

namespace hw {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

bool same_bits(const Tensor& a, const Tensor& b) {
  return a.bytes() == b.bytes() && (a.bytes() == 0 || std::memcmp(a.data(), b.data(), a.bytes()) == 0);
}

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

  static Result<Runner> make(const ParityDevice& on, std::shared_ptr<const Program> program, uint64_t seed,
                             std::span<const ValueId> keep) {
    const WithThreads threads(on.threads);
    Runner r;
    HW_TRY(r.states, on.device->prepare_states(*program, nullptr, seed, nullptr));
    HW_TRY(r.executable, on.device->compile(std::move(program), r.states, keep));
    return r;
  }
};

class Parity {
 public:
  Parity(TrainingPlan plan, const ParityDevice& a, const ParityDevice& b, const ParityOptions& options)
      : plan_(std::move(plan)), p_(*plan_.program), cut_(cut_at_ops(p_)), a_(a), b_(b), o_(options) {}

  Result<ParityReport> run() {
    HW_CHECK(check_memory());
    std::vector<ValueId> made;
    for (const Instr& instr : p_.instrs) made.insert(made.end(), instr.out.begin(), instr.out.end());
    const uint64_t seed = plan_.settings.seed;
    HW_TRY(real_, Runner::make(b_, plan_.program, seed, made));
    HW_TRY(alone_, Runner::make(a_, cut_.program, seed, made));
    HW_TRY(whole_, Runner::make(a_, plan_.program, seed, made));
    HW_CHECK(begin_training(plan_, *real_.states, o_.weights.get(), o_.partial_weights));
    report_.a = a_.name;
    report_.b = b_.name;
    report_.seed = seed;
    for (uint64_t step = 0; step < o_.steps && !report_.first; ++step) {
      HW_CHECK(run_step(step));
      HW_CHECK(compare());
      report_.step = step;
      report_.steps = step + 1;
      if (o_.progress) o_.progress(static_cast<double>(step + 1) / static_cast<double>(o_.steps));
    }
    return std::move(report_);
  }

 private:
  Status check_memory() const {
    MemoryEstimate needed;
    for (const Value& v : p_.values) {
      const size_t bytes = bytes_of(v);
      if (v.storage == Storage::temp) needed.activations += 4 * bytes;  // made three times, handed over once
      if (v.storage != Storage::temp) needed.parameters += 4 * bytes;
      if (element_count(v.dims) <= o_.keep_up_to) needed.data += 2 * bytes;
    }
    HW_CHECK(check_fits(needed, available_memory()));
    HW_CHECK(check_all_values(p_, *a_.device, nullptr));
    return check_all_values(p_, *b_.device, nullptr);
  }

  Status run_step(uint64_t step) {
    StepInputs inputs;
    inputs.seed = plan_.settings.seed;
    inputs.step = step;
    inputs.starts_sums = true;
    inputs.learning_rate = learning_rate_at(plan_.settings, step, plan_.settings.steps);
    inputs.cancel = o_.cancel;
    before_.clear();
    for (const std::string& name : real_.states->names()) {
      const Tensor& state = before_[name] = real_.states->read(name);
      HW_CHECK(alone_.states->write(name, state));
      HW_CHECK(whole_.states->write(name, state));
    }
    {
      const WithThreads threads(b_.threads);
      HW_CHECK(real_.executable->run(inputs));
    }
    for (const Port& port : cut_.handed) {
      HW_TRY(const Tensor value, real_.executable->read(port.value));
      HW_CHECK(alone_.executable->write_input(port.name, value));
    }
    const WithThreads threads(a_.threads);
    HW_CHECK(alone_.executable->run(inputs));
    return whole_.executable->run(inputs);
  }

  Status compare() {
    report_.items.clear();
    tainted_.assign(p_.values.size(), false);
    std::set<std::string> tainted_states;
    for (size_t i = 0; i < p_.instrs.size(); ++i) {
      const Instr& instr = p_.instrs[i];
      bool tainted = false;
      for (const ValueId in : instr.in) tainted = tainted || tainted_[in] || tainted_states.contains(p_[in].name);
      const bool writes = instr.out.empty();
      const size_t count = writes ? written_inputs(instr) : instr.out.size();
      std::set<ValueId> written;  // a view may be its own master
      for (size_t k = 0; k < count; ++k) {
        const ValueId id = writes ? instr.in[k] : instr.out[k];
        if (writes && (p_[id].storage != Storage::state || !written.insert(id).second)) continue;
        HW_TRY(const ParityItem item, look_at(i, k, id, tainted));
        const bool bad = item.verdict == ParityVerdict::diverges;
        if (bad || item.verdict == ParityVerdict::inherited) {
          tainted_[id] = true;
          if (writes) tainted_states.insert(p_[id].name);
        }
        report_.items.push_back(item);
        if (bad && !report_.first) {
          report_.first = report_.items.size() - 1;
          HW_TRY(report_.first_a, read(alone_, id, writes));
          HW_TRY(report_.first_b, read(real_, id, writes));
        }
      }
    }
    HW_TRY(const Tensor a, whole_.executable->read(plan_.loss));
    HW_TRY(const Tensor b, real_.executable->read(plan_.loss));
    report_.losses.emplace_back(a.to_f64().front(), b.to_f64().front());
    return ok();
  }

  Result<Tensor> read(const Runner& from, ValueId id, bool state) const {
    if (state) return from.states->read(p_[id].name);
    return from.executable->read(id);
  }

  Result<ParityItem> look_at(size_t i, size_t output, ValueId id, bool tainted) const {
    const Instr& instr = p_.instrs[i];
    const Value& v = p_[id];
    const bool state = instr.out.empty();
    ParityItem item;
    item.node = p_.nodes[instr.node];
    item.name = v.name;
    item.op = info(instr.op).name;
    item.pass = pass_of(instr);
    item.dtype = v.dtype;
    item.dims = v.dims;
    item.random = is_random(instr);
    HW_TRY(const Tensor b, read(real_, id, state));
    HW_TRY(const Tensor a, read(alone_, id, state));
    HW_TRY(const Tensor own, read(whole_, id, state));
    const bool same = same_bits(a, b), same_whole = same_bits(own, b);
    if (a.size() <= o_.keep_up_to) item.a = a, item.b = same ? a : b;
    // Alone, an op may be cut into other tiles than in its program, and sum in another order.
    if (same_whole ? same || !tainted : same && !tainted) return item;
    if (instr.op == Op::hash_grid_grad_table && output == 1) {
      HW_TRY(const Tensor gradient, real_.executable->read(instr.out[0]));
      item.verdict = covers(b, gradient) ? ParityVerdict::within : ParityVerdict::diverges;
      if (item.verdict == ParityVerdict::diverges) item.error = kInf;
      return item;
    }
    std::vector<Tensor> inputs;
    for (const ValueId in : instr.in) {
      const auto old = state ? before_.find(p_[in].name) : before_.end();
      if (old != before_.end()) {
        inputs.push_back(old->second);
        continue;
      }
      HW_TRY(Tensor input, state ? Result<Tensor>(Tensor()) : input_of(in));
      inputs.push_back(std::move(input));
    }
    const OpTolerance tolerance(p_, instr, output, accumulator(i), a, inputs);
    item.error = largest_off(a, b, tolerance);
    item.total = same_whole ? 0 : largest_off(own, b, tolerance);
    item.verdict = item.error > 1              ? ParityVerdict::diverges
                   : tainted && item.total > 1 ? ParityVerdict::inherited
                   : same                      ? ParityVerdict::same_bits
                                               : ParityVerdict::within;
    item.worst = worst_of(a, b, tolerance, o_.worst);
    return item;
  }

  Result<Tensor> input_of(ValueId id) const {
    if (p_[id].storage != Storage::constant) return real_.executable->read(id);
    for (const auto& [constant, tensor] : p_.constants)
      if (constant == id) return tensor;
    return Tensor();
  }

  /// Of the two kernels' accumulators the coarser.
  DType accumulator(size_t instr) const {
    DType coarse = DType::f64;
    for (const Runner* runner : {&alone_, &real_}) {
      const DType dtype = runner->executable->kernel_info(instr).accumulate;
      if (info(dtype).is_float && tolerance(dtype).relative > tolerance(coarse).relative) coarse = dtype;
    }
    return coarse;
  }

  const TrainingPlan plan_;
  const Program& p_;
  const CutProgram cut_;
  const ParityDevice &a_, &b_;
  const ParityOptions& o_;
  Runner real_, alone_, whole_;           // b; a, each op on b's inputs; a, on its own
  std::map<std::string, Tensor> before_;  // the states that the step began with
  std::vector<bool> tainted_;             // by value: diverges, or inherits
  ParityReport report_;
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
  HW_TRY(const std::string trainer, find_trainer(graph));
  Graph plain = without_pins(graph);
  HW_CHECK(apply_edits(plain, {SetParam{trainer, "accumulate", int64_t{1}}}));
  HW_TRY(TrainingPlan plan, plan_training(plain, assets));
  return Parity(std::move(plan), a, b, options).run();
}

}  // namespace hw
