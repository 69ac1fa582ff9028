#include "engine/train/first_bad_value.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <set>

#include "engine/core/codes.h"
#include "engine/core/exceptions.h"
#include "engine/core/magnitudes.h"
#include "engine/core/parallel.h"
#include "engine/plan/overflow_remedy.h"
#include "engine/program/op_sources.h"
#include "engine/program/op_text.h"
#include "engine/train/bad_sources.h"
#include "engine/train/bad_value_causes.h"
#include "engine/train/training_run.h"

namespace hw {
namespace {

constexpr size_t kShown = 8;  // elements of an input in a report

/// One program of the training, by the order of its values and instructions.
class WatchedProgram {
 public:
  explicit WatchedProgram(const Program& p) : p_(p), makers_(p.values.size(), nullptr), constants_(p.values.size()) {
    std::set<ValueId> look;
    for (const Instr& instr : p.instrs) {
      for (ValueId id : instr.out) makers_[id] = &instr;
      look.insert(instr.out.begin(), instr.out.end());
      if (!instr.out.empty()) continue;
      for (ValueId id : instr.in)
        if (p[id].storage == Storage::state) look.insert(id);
    }
    for (const Port& port : p.inputs) look.insert(port.value);
    for (ValueId id : look)
      if (info(p[id].dtype).is_float) looked_at_.push_back(id);
    for (const auto& [id, tensor] : p.constants) constants_[id] = magnitudes_of(tensor);
  }

  struct Found {
    const Instr* instr = nullptr;  // null: a state or an input, before anything ran
    ValueId value = kNoValue;
    Magnitudes magnitudes;
  };

  /// The first state that is bad before the program has ever run, but for Inf that is meant: in a parameter that is not
  /// trained, as a mask. After that, each run's own states are looked at.
  std::optional<Found> bad_state(const States& states) {
    if (std::exchange(states_seen_, true)) return std::nullopt;
    std::set<ValueId> frozen;
    for (const Param& param : p_.params)
      if (!param.trainable) frozen.insert({param.view, param.master});
    for (ValueId id = 0; id < p_.values.size(); ++id) {
      if (p_[id].storage != Storage::state || p_[id].name.ends_with(kSum)) continue;  // sums are this step's own
      const Magnitudes m = magnitudes_of(states.read(p_[id].name));
      if (m.finite()) continue;
      if (m.nans > 0 || !frozen.contains(id)) return Found{nullptr, id, m};
      meant_.insert(id);
    }
    return std::nullopt;
  }

  /// Looks at all that the run made. `record`: into the history.
  Result<std::optional<Found>> look(const Executable& executable, uint64_t step, size_t history, bool record) {
    std::vector<Magnitudes> seen = constants_;
    std::atomic<bool> failed = false;
    parallel_for(static_cast<int64_t>(looked_at_.size()), [&](int64_t k) {
      const ValueId id = looked_at_[static_cast<size_t>(k)];
      const auto tensor = executable.read(id);
      if (tensor) {
        seen[id] = magnitudes_of(*tensor);
      } else {
        failed = true;
      }
    });
    if (failed) return Error{codes::unsupported, "", "not every value of the training could be read.", ""};
    if (record) remember(seen, step, history);
    return first_made(seen);
  }

  std::vector<BadValue::Range> history_of(ValueId id) const {
    std::vector<BadValue::Range> ranges;
    for (const auto& [step, seen] : history_) ranges.push_back({step, seen[id].smallest, seen[id].largest});
    return ranges;
  }

  std::string name_of(ValueId id) const {
    if (!p_[id].name.empty()) return p_[id].name;
    return makers_[id] ? op_text(*makers_[id]) : "constant";
  }

 private:
  /// Whether a bad value comes to nothing but at `where`, which leaves its bad elements out: rows that are ignored, a
  /// function outside its domain. Not one that is lost by rounding, as in 1 / Inf.
  bool is_left_out(ValueId bad, const std::vector<Magnitudes>& seen) const {
    std::set<ValueId> reached{bad}, unread{bad};
    for (const Instr& instr : p_.instrs) {
      for (size_t k = 0; k < instr.in.size(); ++k) {
        if (!reached.contains(instr.in[k])) continue;
        unread.erase(instr.in[k]);
        const bool leaves_out = instr.op == Op::where && k > 0;
        if (instr.out.empty()) return false;
        for (const ValueId out : instr.out) {
          const bool finite = info(p_[out].dtype).is_float && seen[out].finite();
          if (finite && leaves_out) continue;
          if (finite || !info(p_[out].dtype).is_float) return false;
          if (reached.insert(out).second) unread.insert(out);
        }
      }
    }
    const auto is_output = [&](const Port& port) { return reached.contains(port.value); };
    return unread.empty() && std::ranges::none_of(p_.outputs, is_output);
  }

  std::optional<Found> first_made(const std::vector<Magnitudes>& seen) const {
    for (const Port& port : p_.inputs)
      if (seen[port.value].nans > 0 && !is_left_out(port.value, seen))
        return Found{nullptr, port.value, seen[port.value]};  // an Inf may be meant
    for (const Instr& instr : p_.instrs) {
      bool nan = false, inf = false;
      for (ValueId id : instr.in) {
        inf = inf || meant_.contains(id);
        if (p_[id].storage == Storage::state) continue;  // others were finite before the run
        nan = nan || seen[id].nans > 0;
        inf = inf || seen[id].infs > 0;
      }
      for (ValueId id : instr.out.empty() ? instr.in : instr.out) {
        if (seen[id].finite() || (instr.out.empty() && p_[id].storage != Storage::state)) continue;
        if ((seen[id].nans > 0 ? !nan : !nan && !inf) && !is_left_out(id, seen)) return Found{&instr, id, seen[id]};
      }
    }
    return std::nullopt;
  }

  /// Micro-batches of one step count together.
  void remember(const std::vector<Magnitudes>& seen, uint64_t step, size_t history) {
    if (!history_.empty() && history_.back().first == step) {
      for (size_t id = 0; id < seen.size(); ++id) {
        Magnitudes& kept = history_.back().second[id];
        if (seen[id].smallest > 0)
          kept.smallest = kept.smallest > 0 ? std::min(kept.smallest, seen[id].smallest) : seen[id].smallest;
        kept.largest = std::max(kept.largest, seen[id].largest);
      }
      return;
    }
    history_.emplace_back(step, seen);
    while (history_.size() > history) history_.pop_front();
  }

  const Program& p_;
  std::vector<const Instr*> makers_;
  std::vector<Magnitudes> constants_;  // by value; of others: finite
  std::vector<ValueId> looked_at_;
  std::deque<std::pair<uint64_t, std::vector<Magnitudes>>> history_;
  std::set<ValueId> meant_;  // states that hold Inf on purpose
  bool states_seen_ = false;
};

class FirstBadValue : public TrainingWatch {
 public:
  explicit FirstBadValue(size_t history) : history_(history) {}

  void begin_step(const TrainingRun& run, uint64_t step, uint64_t steps) override {
    if (replaying_) return;
    if (plan_program_ != run.plan().program || plan_updates_ != run.plan().updates) {
      plan_program_ = run.plan().program;
      plan_updates_ = run.plan().updates;
      programs_.clear();
      sources_ = bad_sources(*plan_program_, run.given());
    }
    before_.states = run.read_states();
    before_.begun = run.plan().begun;
    before_.step = step;
    before_.steps = steps;
    before_.seed = run.plan().settings.seed;
    const TrainSettings& settings = run.plan().settings;
    micro_batches_ = run.plan().micro_batches();
    const auto scale = before_.states.find(run.plan().trainer + kLossScale);
    scale_can_fall_ = settings.loss_scaling == TrainSettings::LossScaling::dynamic && scale != before_.states.end() &&
                      element_of(scale->second, 0) > 1;
    found_.reset();
  }

  Status before_run(const Program& program, const States& states, const StepInputs&) override {
    WatchedProgram& watched = programs_.try_emplace(&program, program).first->second;
    if (replaying_) {
      held_.clear();
      if (found_->program != &program || !found_->found.instr) return ok();
      for (ValueId id : found_->found.instr->in)
        if (program[id].storage == Storage::state) held_[id] = states.read(program[id].name);
      return ok();
    }
    const auto bad = watched.bad_state(states);
    if (!bad) return ok();
    found_ = Finding{&program, *bad, report(program, *bad, states.read(program[bad->value].name))};
    found_->bad.step = before_.step;
    found_->bad.seed = before_.seed;
    return to_error(found_->bad);
  }

  Status after_run(const Program& program, const Executable& executable, const StepInputs& inputs) override {
    WatchedProgram& watched = programs_.at(&program);
    HW_TRY(const auto made, watched.look(executable, before_.step, history_, !replaying_));
    if (!made || (scale_can_fall_ && made->instr && (made->instr->backward || made->instr->update))) return ok();
    HW_TRY(const Tensor tensor, executable.read(made->value));
    BadValue bad = report(program, *made, tensor);
    bad.step = before_.step;
    bad.seed = before_.seed;
    bad.micro_batch = micro_batch_of(inputs, micro_batches_);
    bad.history = watched.history_of(made->value);
    if (bad.op.empty()) bad.read = texts_of_sources();
    if (replaying_) {
      const BadValue& first = found_->bad;
      bad.replayed = found_->program == &program && found_->found.instr == made->instr &&
                     found_->found.value == made->value && first.index == bad.index &&
                     first.micro_batch == bad.micro_batch && number_text(first.element) == number_text(bad.element);
      if (bad.replayed && !bad.op.empty()) {
        HW_TRY(bad.inputs, inputs_of(program, watched, *made->instr, made->value, bad.index, executable));
        if (std::ranges::any_of(bad.inputs, reads_bad_elements)) bad.read = texts_of_sources();
        if (info(bad.dtype).max < info(DType::f32).max / 2 && !made->instr->out.empty()) {
          HW_TRY(const auto until, finite_again(program, made->value, [&](ValueId id) { return executable.read(id); }));
          if (until) bad.keep_wide = keep_wide_text(bad.node, *until, bad.dtype);
        }
        if (&program == run_->plan().program.get() && !made->instr->out.empty()) {
          auto causes =
              guarded([&] { return causes_of(*run_, *made->instr, made->value, bad.index, executable, inputs); });
          // The op is known without them; why they are not is said where more memory would help.
          if (causes) {
            bad.causes = std::move(*causes);
          } else if (causes.error().code == codes::out_of_memory) {
            bad.untraced = "Causes before it were not looked for in f64: " + causes.error().reason;
          }
        }
      }
    }
    found_ = Finding{&program, *made, std::move(bad)};
    return to_error(found_->bad);
  }

  std::shared_ptr<const BadValue> explain(TrainingRun& run, const std::atomic<bool>* cancel) override {
    if (!found_) return nullptr;
    if (found_->found.instr) {
      const Finding first = *found_;
      replaying_ = true;
      run_ = &run;
      const bool back = bool(run.restore(before_));
      const auto again = back ? run.step(before_.step, before_.steps, cancel) : Result<double>(0.0);
      replaying_ = false;
      // A step that did not fail again, or was cancelled, leaves the first finding as it was.
      if (again || !found_->bad.replayed) found_ = first;
    }
    (void)run.restore(before_);  // gradients may have run before updates met a bad state
    held_.clear();
    return std::make_shared<const BadValue>(found_->bad);
  }

 private:
  struct Finding {
    const Program* program;
    WatchedProgram::Found found;
    BadValue bad;
  };

  static bool reads_bad_elements(const BadValue::Input& input) {
    return std::ranges::any_of(input.elements, [](const auto& element) { return !std::isfinite(element.second); });
  }

  std::string texts_of_sources() const {
    std::string text;
    for (const BadSource& source : sources_) text += (text.empty() ? "" : " ") + source.text;
    return text;
  }

  static BadValue report(const Program& p, const WatchedProgram::Found& found, const Tensor& tensor) {
    BadValue bad;
    const Value& v = p[found.value];
    bad.value = v.name;
    bad.dtype = v.dtype;
    bad.dims = v.dims;
    bad.index = found.magnitudes.first_bad;
    bad.element = element_of(tensor, bad.index);
    bad.infs = found.magnitudes.infs;
    bad.nans = found.magnitudes.nans;
    if (!found.instr) {
      if (v.storage == Storage::state) bad.pass.reset();
      bad.node = v.name.substr(0, v.name.find('.'));
      return bad;
    }
    const Instr& instr = *found.instr;
    bad.pass = pass_of(instr);
    bad.node = p.nodes[instr.node];
    if (!std::holds_alternative<SampleRowsAttr>(instr.attr)) bad.op = op_text(instr);
    return bad;
  }

  Result<std::vector<BadValue::Input>> inputs_of(const Program& p, const WatchedProgram& watched, const Instr& instr,
                                                 ValueId made, int64_t index, const Executable& executable) const {
    std::vector<BadValue::Input> inputs;
    const auto out = static_cast<size_t>(std::find(instr.out.begin(), instr.out.end(), made) - instr.out.begin());
    const auto sources = sources_of(p, instr, out, index);
    for (size_t k = 0; k < instr.in.size(); ++k) {
      const ValueId id = instr.in[k];
      Tensor tensor;
      if (const auto held = held_.find(id); held != held_.end()) {
        tensor = held->second;
      } else {
        HW_TRY(tensor, executable.read(id));
      }
      BadValue::Input input;
      input.name = watched.name_of(id);
      input.dtype = tensor.dtype();
      input.dims = tensor.dims();
      input.whole = !sources[k].known;
      input.count = input.whole ? tensor.size() : static_cast<int64_t>(sources[k].indices.size());
      if (input.whole) {
        const Magnitudes m = magnitudes_of(tensor);
        input.smallest = m.smallest;
        input.largest = m.largest;
      }
      for (int64_t i : sources[k].indices) {
        const double value = element_of(tensor, i), size = std::abs(value);
        input.elements.emplace_back(i, value);
        if (!std::isfinite(value) || value == 0) continue;
        input.smallest = input.smallest > 0 ? std::min(input.smallest, size) : size;
        input.largest = std::max(input.largest, size);
      }
      const auto larger = [](const auto& a, const auto& b) {
        const auto rank = [](double x) { return std::isnan(x) ? INFINITY : std::abs(x); };
        return rank(a.second) > rank(b.second);
      };
      std::stable_sort(input.elements.begin(), input.elements.end(), larger);
      if (input.elements.size() > kShown) input.elements.resize(kShown);
      inputs.push_back(std::move(input));
    }
    return inputs;
  }

  const size_t history_;
  std::shared_ptr<const Program> plan_program_, plan_updates_;  // held, so that addresses distinguish programs
  std::map<const Program*, WatchedProgram> programs_;
  std::vector<BadSource> sources_;
  Checkpoint before_;  // the step that runs: states, begun, step, steps and seed alone
  uint64_t micro_batches_ = 1;
  bool scale_can_fall_ = false;  // dynamic loss scaling: a bad gradient costs the step, not the run
  std::optional<Finding> found_;
  bool replaying_ = false;
  const TrainingRun* run_ = nullptr;  // that is replayed
  std::map<ValueId, Tensor> held_;    // replaying: states that the op reads, before the run
};

}  // namespace

std::shared_ptr<TrainingWatch> watch_for_bad_values(size_t history) {
  return std::make_shared<FirstBadValue>(history);
}

}  // namespace hw
