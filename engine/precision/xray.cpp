#include "engine/precision/xray.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <set>

#include "engine/core/magnitudes.h"
#include "engine/core/parallel.h"
#include "engine/devices/devices.h"
#include "engine/graph/lower/stand_in_loss.h"
#include "engine/plan/lost_numbers.h"
#include "engine/plan/memory_estimate.h"
#include "engine/plan/overflow_remedy.h"
#include "engine/plan/pass_plan.h"
#include "engine/plan/training_plan.h"
#include "engine/plan/widen_states.h"
#include "engine/plan/write_weights.h"
#include "engine/program/op_sources.h"
#include "engine/program/widen_program.h"

namespace hw {
namespace {

/// A program and the values that are looked at.
struct Subject {
  std::shared_ptr<const Program> program;
  std::set<ValueId> named;  // sockets and gradients
  bool training = false;
  uint64_t seed = 0;
  std::string scale_state;                      // the loss scale's; empty: none
  double loss_scale = 1;                        // to begin with
  std::unordered_map<ValueId, double> unscale;  // gradient → 1 / its scale, loss scale apart
  std::map<std::string, Tensor> given;          // by the name of the input
  std::map<ValueId, Tensor> exact;              // constants, before their dtype rounded them
};

Result<Subject> subject_of(const Graph& graph, Assets& assets, const XrayOptions& o) {
  Subject s;
  std::map<SocketRef, LowerArgs::Arg> sockets;
  std::unordered_map<ValueId, ValueId> gradients;
  std::vector<ValueId> of_named;
  if (has_trainer(graph)) {
    HW_TRY(TrainingPlan plan, plan_training(graph, assets, false, true, 1, o.given));
    gradients = std::move(plan.gradients);
    sockets = std::move(plan.sockets);
    s.program = plan.program;
    s.training = true;
    s.seed = plan.settings.seed;
    if (!plan.scaled.empty()) s.scale_state = plan.trainer + kLossScale, s.loss_scale = plan.settings.loss_scale;
    for (const auto& [value, factor] : plan.unscale) s.unscale[gradients.at(value)] = factor;
  } else {
    HW_TRY(TrainingPlan plan, plan_pass(graph, assets, o.given));
    sockets = std::move(plan.sockets);
    s.program = plan.program;
  }
  for (const auto& [socket, arg] : sockets)
    if (const Val* value = std::get_if<Val>(&arg); value && *value) s.named.insert(value->id);
  for (const Param& param : s.program->params) s.named.insert(param.view);
  for (const auto& [value, gradient] : gradients)
    if (s.named.contains(value)) of_named.push_back(gradient);
  s.named.insert(of_named.begin(), of_named.end());
  s.exact = exact_constants(graph, *s.program, sockets);
  s.seed = o.seed.value_or(s.seed);
  for (const auto& [socket, value] : o.given) s.given[socket.node + "." + socket.socket] = value;
  return s;
}

Status write_states(const Subject& s, States& states, const XrayOptions& o) {
  const Program& program = *s.program;
  if (!s.scale_state.empty()) {
    std::vector<double> scale(states.read(s.scale_state).to_f64().size(), 0.0);
    scale[0] = s.loss_scale;
    HW_CHECK(states.write(s.scale_state, Tensor::from_f64(DType::f64, {static_cast<int64_t>(scale.size())}, scale)));
  }
  const Lacking lacking = o.partial_weights ? Lacking::initial : Lacking::refused;
  if (o.weights) HW_CHECK(give_weights(program, states, *o.weights, lacking));
  for (const auto& [name, tensor] : o.states)
    if (states.has(name)) HW_CHECK(states.write(name, tensor));
  return ok();
}

Status check_memory(const Program& p) {
  MemoryEstimate needed;
  for (const Value& v : p.values) {
    const auto count = static_cast<size_t>(element_count(v.dims));
    if (v.storage == Storage::temp) needed.activations += byte_count(v.dtype, count) + count * 3 * sizeof(double);
    if (v.storage == Storage::state) needed.parameters += byte_count(v.dtype, count) + count * 2 * sizeof(double);
  }
  return check_fits(needed, available_memory());
}

class Xray {
 public:
  Xray(Subject subject, const XrayOptions& options) : s_(std::move(subject)), p_(*s_.program), o_(options) {}

  Result<XrayReport> run() {
    HW_CHECK(check_memory(p_));
    find_makers();
    HW_TRY(const WideProgram twin, widen_program(p_, s_.exact));
    const CutProgram cut = cut_at_nodes(*twin.program);
    for (const Port& port : cut.boundary) boundary_.push_back(port.value);
    pick_values();
    HW_CHECK(run_all(twin, cut));
    XrayReport report;
    report.items.resize(shown_.size());
    HW_CHECK(in_parallel(shown_.size(), kRunShare, [&](size_t k) -> Status {
      HW_TRY(report.items[k], look_at(shown_[k]));
      return ok();
    }));
    std::vector<double> bits(boundary_.size());
    HW_CHECK(in_parallel(boundary_.size(), kLookedShare, [&](size_t k) -> Status {
      HW_TRY(const Tensor real, read(*real_, boundary_[k]));
      HW_TRY(const Tensor shadow, read(*shadow_, boundary_[k]));
      bits[k] = compare(real, shadow, real.dtype()).bits_left;
      return ok();
    }));
    for (size_t k = 0; k < boundary_.size(); ++k) bits_[boundary_[k]] = bits[k];
    mark(report);
    HW_CHECK(say_causes(report));
    report.training = s_.training;
    report.device = o_.device;
    report.shadow = o_.shadow;
    report.seed = s_.seed;
    report.step = o_.step;
    return report;
  }

 private:
  static constexpr double kRunShare = 0.5, kLookedShare = 0.9;  // of all work: when runs are done, when values are seen

  void report_progress(double share, const std::string& what) const {
    if (o_.progress) o_.progress(share, what);
  }

  void find_makers() {
    makers_.assign(p_.values.size(), nullptr);
    for (const Instr& instr : p_.instrs)
      for (ValueId id : instr.out) {
        makers_[id] = &instr;
        made_.push_back(id);
      }
  }

  /// Named values, and what a node hands to another.
  void pick_values() {
    std::set<ValueId> shown;
    for (ValueId id : made_)
      if (s_.named.contains(id)) shown.insert(id);
    for (const Instr& instr : p_.instrs)
      for (ValueId in : instr.in)
        if (makers_[in] && makers_[in]->node != instr.node) shown.insert(in);
    for (ValueId id : made_)
      if (shown.contains(id)) shown_.push_back(id);
  }

  Status run_all(const WideProgram& twin, const CutProgram& cut) {
    StepInputs step;
    step.seed = s_.seed;
    step.step = o_.step;
    step.cancel = o_.cancel;
    HW_TRY(const std::shared_ptr<Device> device, make_device(o_.device));
    HW_CHECK(check_all_values({s_.program}, *device, nullptr));
    HW_TRY(const std::shared_ptr<Device> shadow, make_device(o_.shadow));
    HW_TRY(const std::shared_ptr<States> states, device->prepare_states(p_, nullptr, s_.seed, nullptr));
    HW_CHECK(write_states(s_, *states, o_));
    if (!s_.scale_state.empty()) loss_scale_ = states->read(s_.scale_state).to_f64().front();
    report_progress(0, "running on " + o_.device);
    HW_TRY(real_, device->compile(s_.program, states, made_));
    HW_CHECK(give(p_, *real_));
    HW_CHECK(real_->run(step));

    report_progress(kRunShare / 3, "each node alone in f64");
    HW_TRY(const std::shared_ptr<States> rounded, widen_states(*shadow, p_, *cut.program, *states));
    HW_TRY(alone_, shadow->compile(cut.program, rounded, shown_));
    HW_CHECK(hand_over(twin.drawn, *twin.program, *alone_));
    HW_CHECK(hand_over(cut.boundary, *twin.program, *alone_));
    HW_CHECK(give(*twin.program, *alone_));
    HW_CHECK(alone_->run(step));

    report_progress(kRunShare * 2 / 3, "the shadow in f64");
    std::shared_ptr<States> of_shadow = rounded;
    if (o_.masters) {
      HW_TRY(of_shadow, widen_states(*shadow, p_, *twin.program, *states, true));
    }
    std::vector<ValueId> keep = shown_;
    keep.insert(keep.end(), boundary_.begin(), boundary_.end());
    HW_TRY(shadow_, shadow->compile(twin.program, of_shadow, keep));
    HW_CHECK(hand_over(twin.drawn, *twin.program, *shadow_));
    HW_CHECK(give(*twin.program, *shadow_));
    return shadow_->run(step);
  }

  /// What is given, in the dtypes of the program's inputs.
  Status give(const Program& program, Executable& to) const {
    for (const Port& port : program.inputs)
      if (const auto given = s_.given.find(port.name); given != s_.given.end())
        HW_CHECK(to.write_input(port.name, given->second.to(program[port.value].dtype)));
    return ok();
  }

  /// Real values, widened, into inputs.
  Status hand_over(const std::vector<Port>& ports, const Program& twin, Executable& to) const {
    for (const Port& port : ports) {
      HW_TRY(const Tensor value, real_->read(port.value));
      HW_CHECK(to.write_input(port.name, value.to(twin[port.value].dtype)));
    }
    return ok();
  }

  /// One thread at a time: executables ask for that, those of one device together.
  Result<Tensor> read(const Executable& from, ValueId id) const {
    const std::lock_guard lock(reading_);
    return from.read(id);
  }

  /// f(0) … f(count − 1), and one of their errors; HW-R004 when it is to stop. `share`: of all work that is done
  /// before.
  template <class F>
  Status in_parallel(size_t count, double share, F&& f) const {
    constexpr size_t kAtOnce = 64;
    Status failed = ok();
    std::mutex mutex;
    for (size_t first = 0; first < count && failed; first += kAtOnce) {
      if (o_.cancel && *o_.cancel) return Error{codes::cancelled, "", "stopped while values were compared.", ""};
      report_progress(share + (share < kLookedShare ? kLookedShare - share : 1 - share) * static_cast<double>(first) /
                                  static_cast<double>(count),
                      "comparing values");
      parallel_for(static_cast<int64_t>(std::min(kAtOnce, count - first)), [&](int64_t k) {
        const Status status = f(first + static_cast<size_t>(k));
        const std::lock_guard lock(mutex);
        if (!status) failed = status;
      });
    }
    return failed;
  }

  Result<XrayItem> look_at(ValueId id) const {
    const Value& v = p_[id];
    const Instr& maker = *makers_[id];
    XrayItem item;
    item.node = p_.nodes[maker.node];
    item.name = v.name;
    item.op = info(maker.op).name;
    item.backward = maker.backward;
    item.dtype = v.dtype;
    item.dims = v.dims;
    if (const auto unscale = s_.unscale.find(id); unscale != s_.unscale.end())
      item.gradient_scale = loss_scale_ / unscale->second;
    HW_TRY(const Tensor real, read(*real_, id));
    HW_TRY(const Tensor alone, read(*alone_, id));
    HW_TRY(const Tensor shadow, read(*shadow_, id));
    item.introduced = compare(real, alone, v.dtype);
    item.inherited = compare(alone, shadow, v.dtype);
    item.total = compare(real, shadow, v.dtype);
    const std::vector<int64_t> introduced = worst_elements(real, alone, v.dtype, o_.worst);
    const std::vector<int64_t> total = worst_elements(real, shadow, v.dtype, o_.worst);
    if (introduced.empty() && total.empty()) return item;
    HW_TRY(const std::vector<Tensor> inputs, elementwise_inputs(id));
    for (int64_t index : introduced) item.worst_introduced.push_back(element_at(id, index, real, alone, inputs));
    for (int64_t index : total) item.worst_total.push_back(element_at(id, index, real, shadow, inputs));
    return item;
  }

  static size_t output_of(const Instr& maker, ValueId id) {
    return static_cast<size_t>(std::find(maker.out.begin(), maker.out.end(), id) - maker.out.begin());
  }

  /// What the op that makes `id` reads, where it is elementwise; else nothing.
  Result<std::vector<Tensor>> elementwise_inputs(ValueId id) const {
    const Instr& maker = *makers_[id];
    std::vector<Tensor> inputs;
    if (!reads_single_elements(sources_of(p_, maker, output_of(maker, id), 0))) return inputs;
    for (ValueId in : maker.in) {
      HW_TRY(Tensor input, read(*real_, in));
      inputs.push_back(std::move(input));
    }
    return inputs;
  }

  XrayElement element_at(ValueId id, int64_t index, const Tensor& value, const Tensor& reference,
                         const std::vector<Tensor>& inputs) const {
    XrayElement e;
    e.index = index;
    e.value = element_of(value, index);
    e.reference = element_of(reference, index);
    e.error = error_of(e.value, e.reference, p_[id].dtype);
    if (inputs.empty()) return e;
    const Instr& maker = *makers_[id];
    const auto sources = sources_of(p_, maker, output_of(maker, id), index);
    for (size_t k = 0; k < sources.size(); ++k) {
      const ValueId in = maker.in[k];
      const std::string op = makers_[in] ? std::string(info(makers_[in]->op).name) : "constant";
      e.inputs.emplace_back(p_[in].name.empty() ? op : p_[in].name, element_of(inputs[k], sources[k].indices.front()));
    }
    return e;
  }

  void mark(XrayReport& report) const {
    for (size_t k = 0; k < shown_.size(); ++k) {
      XrayItem& item = report.items[k];
      double had = significand_bits(item.dtype);
      for (const Instr& instr : p_.instrs) {
        if (instr.node != makers_[shown_[k]]->node || instr.backward != item.backward) continue;
        for (ValueId in : instr.in) {
          const bool from_outside =
              makers_[in] && (makers_[in]->node != instr.node || makers_[in]->backward != instr.backward);
          // What was drawn is exact.
          if (const auto left = bits_.find(in); from_outside && left != bits_.end()) had = std::min(had, left->second);
        }
      }
      item.bits_lost = std::max(0.0, had - item.total.bits_left);
      if (item.bits_lost >= 1 && (!report.steepest || item.bits_lost > report.items[*report.steepest].bits_lost))
        report.steepest = k;
      // What first becomes Inf or NaN is worse than any rounding, and than all that comes of it.
      const auto rank = [](const XrayItem& i) {
        const bool bad = i.introduced.not_finite > 0;
        return std::pair(bad, bad ? 0 : i.introduced.relative);
      };
      if (rank(item) > std::pair(false, 0.0) && (!report.worst || rank(item) > rank(report.items[*report.worst])))
        report.worst = k;
    }
  }

  /// Numbers that dtypes do not hold, by the node that computes with them; and what an overflow asks for.
  Status say_causes(XrayReport& report) const {
    const LostNumbers lost(p_, s_.exact);
    for (XrayItem& item : report.items)
      if (item.introduced.max_ulps > 0 || item.introduced.not_finite > 0) item.causes = lost.of(item.node);
    if (!report.worst || report.items[*report.worst].introduced.not_finite == 0) return ok();
    HW_TRY(report.remedy, overflow_remedy(shown_[*report.worst], report.items[*report.worst]));
    return ok();
  }

  Result<std::string> overflow_remedy(ValueId first, const XrayItem& item) const {
    const std::string dtype(name(item.dtype)), &node = item.node;
    if (!item.causes.empty())
      return "Compute " + node + " in a wider dtype than " + dtype + ", or choose a number that " + dtype + " holds.";
    if (info(item.dtype).max >= info(DType::f32).max)
      return "Keep the inputs of " + node + " smaller, or compute it in f64.";
    HW_TRY(const auto until, finite_again(p_, first, [this](ValueId id) { return read(*real_, id); }));
    if (until) return keep_wide_text(node, *until, item.dtype);
    return "Compute " + node + " in a wider dtype than " + dtype + ", or keep its inputs smaller.";
  }

  const Subject s_;
  const Program& p_;
  const XrayOptions& o_;
  std::vector<const Instr*> makers_;              // by value; null: not made by an op
  std::vector<ValueId> made_, shown_, boundary_;  // boundary_: from one node, or pass, to another
  std::map<ValueId, double> bits_;                // left in what is handed on
  double loss_scale_ = 1;
  std::unique_ptr<Executable> real_, alone_, shadow_;
  mutable std::mutex reading_;
};

}  // namespace

Result<XrayReport> xray(const Graph& graph, Assets& assets, const XrayOptions& options) {
  HW_TRY(Subject subject, subject_of(graph, assets, options));
  return Xray(std::move(subject), options).run();
}

}  // namespace hw
