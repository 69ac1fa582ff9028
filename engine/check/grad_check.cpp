#include "engine/check/grad_check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "engine/check/moved_program.h"
#include "engine/core/parallel.h"
#include "engine/core/philox.h"
#include "engine/graph/edit.h"
#include "engine/program/widen_program.h"
#include "engine/run/training_plan.h"
#include "engine/run/write_weights.h"

namespace hw {
namespace {

constexpr int64_t kAllUpTo = 64;
constexpr size_t kDirections = 16, kElements = 16;

/// A derivative is taken along it: the element `index`, or, where that is negative, every element by a random factor.
struct Direction {
  int64_t index = -1;
  uint64_t random = 0;
};

class Directions {
 public:
  Directions(const std::vector<double>& gradient, uint32_t stream) : stream_(stream) {
    const auto size = static_cast<int64_t>(gradient.size());
    std::vector<int64_t> elements(gradient.size());
    std::iota(elements.begin(), elements.end(), int64_t{0});
    if (size > kAllUpTo) {
      for (uint64_t k = 0; k < kDirections; ++k) list_.push_back({-1, k});
      std::nth_element(elements.begin(), elements.begin() + kElements, elements.end(), [&](int64_t a, int64_t b) {
        return std::abs(gradient[static_cast<size_t>(a)]) > std::abs(gradient[static_cast<size_t>(b)]);
      });
      for (uint64_t k = kElements; k < 2 * kElements; ++k) {
        const uint64_t random = philox_block(2, stream, k, 0)[0];
        elements[k] = static_cast<int64_t>(random * static_cast<uint64_t>(size) >> 32);
      }
      elements.resize(2 * kElements);
    }
    for (const int64_t i : elements) list_.push_back({i});
  }

  const std::vector<Direction>& list() const { return list_; }

  /// `factor` times the direction, into `size` numbers that were 0 or filled by this.
  void fill(const Direction& d, double factor, double* out, size_t size) const {
    if (d.index >= 0) {
      std::fill(out, out + size, 0.0);
      out[d.index] = factor;
      return;
    }
    parallel_for(static_cast<int64_t>((size + kBlock - 1) / kBlock), [&](int64_t block) {
      const auto begin = static_cast<size_t>(block) * kBlock, end = std::min(size, begin + kBlock);
      for (size_t i = begin; i < end; ++i) {
        const Philox4 r = philox_block(1, stream_, d.random, i / 4);
        out[i] = factor * (2 * static_cast<double>(uniform01(r[i % 4])) - 1);
      }
    });
  }

 private:
  static constexpr size_t kBlock = 1 << 14;
  uint32_t stream_;
  std::vector<Direction> list_;
};

class Checker {
 public:
  Checker(const GradSubject& subject, const GradCheckOptions& options) : s_(subject), o_(options) {}

  Result<GradReport> run() {
    HW_TRY(const WideProgram wide, widen_program(*s_.program));
    twin_ = wide.program;
    drawn_ = wide.drawn;
    HW_CHECK(start());
    HW_CHECK(use(kNoValue));
    GradReport report;
    report.seed = s_.seed;
    report.step = o_.step;
    HW_TRY(here_, loss_now());
    report.loss = here_;
    if (!std::isfinite(here_))
      return Error{codes::not_finite, "", "the loss is not finite, so that it has no derivative.",
                   "Find where that begins: halfwire-cli train --halt-on-nonfinite."};
    for (size_t k = 0; k < s_.blocks.size(); ++k) {
      GradResult result;
      HW_CHECK(check(k, result));
      report.results.push_back(std::move(result));
      if (o_.progress) o_.progress(static_cast<double>(k + 1) / static_cast<double>(s_.blocks.size()));
    }
    blame(report);
    return report;
  }

 private:
  /// The adjoint's run.
  Status start() {
    const Program& real = *s_.program;
    step_.seed = s_.seed;
    step_.step = o_.step;
    step_.cancel = o_.cancel;
    HW_TRY(const std::shared_ptr<Device> cpu, make_device("cpu"));
    HW_TRY(const std::shared_ptr<States> states, cpu->prepare_states(real, nullptr, s_.seed, nullptr));
    if (o_.weights) {
      HW_TRY(const std::vector<std::string> missing, write_weights(real, *states, *o_.weights));
      if (!missing.empty())
        return Error{codes::weights_mismatch, missing.front(), "the weights have no such parameter.",
                     "Use the weights of this graph, or train again."};
    }
    HW_TRY(device_, make_device(o_.device));
    HW_TRY(states_, device_->prepare_states(*twin_, nullptr, 0, nullptr));
    for (const Value& v : twin_->values)
      if (v.storage == Storage::state) HW_CHECK(states_->write(v.name, states->read(v.name).to(v.dtype)));

    std::vector<ValueId> draws;
    for (const Port& port : drawn_) draws.push_back(port.value);
    HW_TRY(const auto drawn, cpu->compile(s_.program, states, draws));
    if (!draws.empty()) HW_CHECK(drawn->run(step_));
    std::vector<ValueId> keep;
    for (const GradBlock& block : s_.blocks)
      if (block.gradient != kNoValue) keep.push_back(block.gradient);
    for (const Instr& instr : twin_->instrs)
      if (instr.op == Op::stop_gradient) keep.push_back(instr.out.front());
    HW_TRY(adjoint_, device_->compile(twin_, states_, keep));
    for (const Port& port : drawn_) {
      HW_TRY(const Tensor value, drawn->read(port.value));
      inputs_[port.name] = value.to((*twin_)[port.value].dtype);
      HW_CHECK(adjoint_->write_input(port.name, inputs_[port.name]));
    }
    return adjoint_->run(step_);
  }

  /// From now on the loss is that of a forward pass where `value` can be moved.
  Status use(ValueId value) {
    const MovedProgram moved = move_value(*twin_, s_.loss, value);
    loss_ = moved.loss;
    HW_TRY(forward_, device_->compile(moved.program, states_));
    for (const auto& [name, tensor] : inputs_) HW_CHECK(forward_->write_input(name, tensor));
    for (const Port& port : moved.frozen) {
      HW_TRY(const Tensor stopped, adjoint_->read(port.value));
      HW_CHECK(forward_->write_input(port.name, stopped));
    }
    return ok();
  }

  Result<double> loss_now() {
    HW_CHECK(forward_->run(step_));
    HW_TRY(const Tensor loss, forward_->read(loss_));
    return loss.to_f64().front();
  }

  struct Taken {
    GradDerivative derivative;
    double left = 0, right = 0;
  };

  /// The derivative along `d`, by steps of `epsilon`.
  Result<Taken> take(const Directions& directions, const Direction& d, double epsilon) {
    double* by = move_.as<double>();
    const auto size = static_cast<size_t>(move_.size());
    directions.fill(d, epsilon, by, size);
    HW_CHECK(forward_->write_input(kMovePort, move_));
    HW_TRY(const double after, loss_now());
    for (size_t i = 0; i < size; ++i) by[i] = -by[i];
    HW_CHECK(forward_->write_input(kMovePort, move_));
    HW_TRY(const double before, loss_now());
    Taken t;
    t.right = (after - here_) / epsilon;
    t.left = (here_ - before) / epsilon;
    t.derivative.index = d.index;
    t.derivative.difference = (t.left + t.right) / 2;
    return t;
  }

  double along(const Directions& directions, const Direction& d, const std::vector<double>& gradient) {
    if (d.index >= 0) return gradient[static_cast<size_t>(d.index)];
    double* entries = move_.as<double>();
    directions.fill(d, 1, entries, gradient.size());
    return std::inner_product(gradient.begin(), gradient.end(), entries, 0.0);
  }

  /// What rounding the loss alone can make of a difference.
  double noise(double epsilon) const { return 64 * std::numeric_limits<double>::epsilon() * std::abs(here_) / epsilon; }

  Status check(size_t k, GradResult& r) {
    const GradBlock& block = r.block = s_.blocks[k];
    r.dims = (*twin_)[block.value].dims;
    HW_CHECK(use(block.value));
    move_ = Tensor(DType::f64, r.dims);
    std::vector<double> gradient(static_cast<size_t>(move_.size()), 0.0);
    if (block.gradient != kNoValue) {
      HW_TRY(const Tensor stored, adjoint_->read(block.gradient));
      gradient = stored.to_f64();
      for (double& g : gradient) g *= block.unscale;
    }
    const Directions directions(gradient, stream_of(block.name));
    std::vector<Taken> taken;
    double largest_adjoint = 0, largest_difference = 0;
    for (const Direction& d : directions.list()) {
      const double adjoint = along(directions, d, gradient);
      HW_TRY(Taken t, take(directions, d, o_.epsilon));
      t.derivative.adjoint = adjoint;
      largest_adjoint = std::max(largest_adjoint, std::abs(adjoint));
      largest_difference = std::max(largest_difference, std::abs(t.derivative.difference));
      taken.push_back(t);
    }
    r.checks = taken.size();
    r.largest = std::max(largest_adjoint, largest_difference);
    double worst = -std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < taken.size(); ++i) {
      HW_TRY(const double off, judge(directions, directions.list()[i], taken[i], r));
      if (off > worst) worst = off, r.worst = taken[i].derivative;
    }
    r.verdict = verdict_of(r, largest_adjoint, noise(o_.epsilon));
    return ok();
  }

  /// Counts a wrong derivative, or a kink. Returns by how much it is beyond its tolerance. A step may cross kinks that
  /// a shorter one does not reach, so that a wrong one is taken again; `t` is then the last.
  Result<double> judge(const Directions& directions, const Direction& d, Taken& t, GradResult& r) {
    const double adjoint = t.derivative.adjoint;
    double off = 0;
    bool is_kink = false;
    for (const double shorter : {1.0, 0.1, 0.01, 0.001}) {
      const double epsilon = shorter * o_.epsilon;
      if (shorter < 1) {
        HW_TRY(t, take(directions, d, epsilon));
        t.derivative.adjoint = adjoint;
      }
      const double absolute = std::max(o_.absolute * std::min(1.0, r.largest), noise(epsilon));
      const auto beyond = [&](double a, double b) { return std::abs(a - b) - absolute - o_.relative * std::abs(b); };
      off = beyond(adjoint, t.derivative.difference);
      if (off <= 0) return off;
      is_kink = beyond(t.left, t.right) > 0 && (beyond(adjoint, t.left) <= 0 || beyond(adjoint, t.right) <= 0);
    }
    if (is_kink) {
      ++r.kinks;
      return 0.0;
    }
    ++r.wrong;
    return off;
  }

  static GradVerdict verdict_of(const GradResult& r, double largest_adjoint, double noise) {
    if (r.wrong > 0) return largest_adjoint == 0 ? GradVerdict::zero : GradVerdict::wrong;
    if (largest_adjoint == 0) return GradVerdict::dead;
    return r.largest < 4 * noise ? GradVerdict::unclear : GradVerdict::right;
  }

  /// A node is suspect when a gradient that its backward pass makes is wrong, and those that it is made of are not.
  void blame(GradReport& report) const {
    const auto is_wrong = [](const GradResult& r) {
      return r.verdict == GradVerdict::wrong || r.verdict == GradVerdict::zero;
    };
    std::map<ValueId, const GradResult*> of;
    for (const GradResult& r : report.results) of[r.block.value] = &r;
    // The nodes that read each value, and what each node hands on.
    std::map<ValueId, std::set<uint32_t>> readers;
    std::map<uint32_t, std::set<ValueId>> outputs;
    for (const Instr& instr : s_.program->instrs) {
      if (instr.backward || instr.update) continue;
      for (ValueId in : instr.in) readers[in].insert(instr.node);
      for (ValueId out : instr.out)
        if (of.contains(out)) outputs[instr.node].insert(out);
    }
    std::set<std::string> suspects;
    for (GradResult& r : report.results) {
      if (!is_wrong(r)) continue;
      r.inherited = true;
      for (uint32_t node : readers[r.block.value]) {
        const std::set<ValueId>& made = outputs[node];
        const bool fed_right = std::none_of(made.begin(), made.end(),
                                            [&](ValueId out) { return out != r.block.value && is_wrong(*of.at(out)); });
        if (!fed_right) continue;
        r.inherited = false;
        suspects.insert(s_.program->nodes[node]);
      }
    }
    report.suspects.assign(suspects.begin(), suspects.end());
  }

  const GradSubject& s_;
  const GradCheckOptions& o_;
  StepInputs step_;
  std::shared_ptr<const Program> twin_;
  std::vector<Port> drawn_;
  std::map<std::string, Tensor> inputs_;  // what was drawn
  std::shared_ptr<Device> device_;
  std::shared_ptr<States> states_;
  std::unique_ptr<Executable> adjoint_, forward_;
  ValueId loss_ = kNoValue;
  Tensor move_;  // of the block that is checked
  double here_ = 0;
};

}  // namespace

std::string_view name(GradVerdict verdict) {
  constexpr std::string_view names[] = {"right", "wrong", "zero", "dead", "unclear"};
  return names[static_cast<size_t>(verdict)];
}

bool GradReport::any_wrong() const {
  return std::any_of(results.begin(), results.end(), [](const GradResult& r) {
    return r.verdict == GradVerdict::wrong || r.verdict == GradVerdict::zero;
  });
}

Graph with_fewer_samples(const Graph& graph, int64_t samples) {
  Graph fewer = graph;
  for (const auto& [id, node] : graph.nodes()) {
    const NodeType* type = Registry::instance().find(node.type);
    if (!type) continue;
    for (const ParamDecl& param : type->decl.params()) {
      if (!param.is_batch) continue;
      const ParamValue value = param_value(node, param.id);
      if (const auto* count = std::get_if<int64_t>(&value); count && *count > samples)
        (void)apply_edits(fewer, {SetParam{id, param.id, samples}});
    }
  }
  return fewer;
}

Result<GradSubject> grad_subject(const Graph& graph, Assets& assets) {
  HW_TRY(const std::string trainer, find_trainer(graph));
  Graph plain = graph;
  HW_CHECK(apply_edits(plain, {SetParam{trainer, "loss_scaling", ParamValue(std::string("none"))}}));
  HW_TRY(const TrainingPlan plan, plan_training(plain, assets, false));
  const Program& program = *plan.program;
  GradSubject subject{plan.program, plan.loss, {}, plan.settings.seed};
  std::map<ValueId, uint32_t> maker;
  for (const Instr& instr : program.instrs)
    for (ValueId out : instr.out) maker[out] = instr.node;
  const auto block = [&](bool is_parameter, std::string node, ValueId value) {
    GradBlock b{is_parameter, std::move(node), program[value].name, value};
    if (const auto found = plan.gradients.find(value); found != plan.gradients.end()) {
      b.gradient = found->second;
      b.unscale = plan.unscale.at(value);
    }
    return b;
  };
  for (const Param& param : program.params)
    if (param.trainable) subject.blocks.push_back(block(true, param.name.substr(0, param.name.find('.')), param.view));
  std::set<ValueId> wires;
  for (const auto& [socket, arg] : plan.sockets)
    if (const Val* value = std::get_if<Val>(&arg); value && *value) wires.insert(value->id);
  for (ValueId value : wires) {
    const bool has_gradient = plan.gradients.contains(value) && value != plan.loss && maker.contains(value);
    if (has_gradient) subject.blocks.push_back(block(false, program.nodes[maker.at(value)], value));
  }
  std::stable_sort(subject.blocks.begin(), subject.blocks.end(),
                   [](const GradBlock& a, const GradBlock& b) { return a.value < b.value; });
  return subject;
}

Result<GradReport> check_gradients(const GradSubject& subject, const GradCheckOptions& options) {
  return Checker(subject, options).run();
}

}  // namespace hw
