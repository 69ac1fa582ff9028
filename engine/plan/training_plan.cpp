#include "engine/plan/training_plan.h"

#include <algorithm>

#include "engine/core/sizes.h"
#include "engine/graph/check/validate.h"
#include "engine/graph/node_fields.h"
#include "engine/plan/unreached_params.h"
#include "engine/program/check_sizes.h"
#include "engine/program/random_ops.h"

namespace hw {

namespace {

static_assert(update_row(Op::adam_update).states[0] == kFirstMoment &&
              update_row(Op::adam_update).states[1] == kSecondMoment);

/// A parameter to update: its gradient in `program`, then in the program that updates.
struct Work {
  Param param;
  Val gradient, touched;  // touched may be none
  double unscale;
};

std::vector<Work> work_of(const Program& program, const Gradients& gradients) {
  std::vector<Work> work;
  for (const Param& param : program.params) {
    const auto gradient = gradients.of.find(param.view);
    if (!param.trainable || gradient == gradients.of.end()) continue;
    const auto touched = gradients.touched.find(param.view);
    work.push_back({param, gradient->second, touched == gradients.touched.end() ? Val{} : touched->second,
                    gradients.unscale.at(param.view)});
  }
  return work;
}

std::string node_of(const std::string& param) {
  return param.substr(0, param.find('.'));
}

/// Error HW-P001: a group that holds no parameter, which is a wrong name rather than a wish.
Status check_groups(const TrainSettings& s, const std::vector<Work>& work, const std::string& trainer) {
  for (const ParameterGroup& group : s.groups) {
    if (std::any_of(work.begin(), work.end(), [&](const Work& w) { return group.holds(w.param.name); })) continue;
    const std::string example = work.empty() ? "" : ", such as \"" + work.front().param.name + "\"";
    return Error{codes::bad_parameter, trainer + ".parameter_groups",
                 "no parameter that learns has a name like \"" + group.pattern + "\".",
                 "Names are those of node and parameter" + example + "; * stands for any part of one."};
  }
  return ok();
}

/// `scale`: the loss scale's state, or none. Returns TrainingPlan::not_finite; `join`: in one value.
std::vector<ValueId> append_updates(OpBuilder& b, const TrainSettings& s, const std::vector<Work>& work, Val scale,
                                    bool join) {
  b.set_update(true);
  if (scale) {
    std::vector<Val> in{scale};
    for (const Work& w : work) in.push_back(w.gradient);
    b.emit(Op::check_finite, in, LossScaleAttr{});
  }
  Val norm;
  if (s.clip_norm > 0) {
    std::vector<Val> all;
    NormAttr norm_of;
    for (const Work& w : work) {
      all.push_back(w.gradient);
      norm_of.factors.push_back(w.unscale);
    }
    const auto out = b.emit(Op::gradient_norm, all, norm_of);
    if (!out.empty()) norm = out.front();
  }
  const UpdateRow& update = update_row(s.optimiser.update);
  std::vector<Val> counts;
  for (const Work& w : work) {
    const std::string name = w.param.name;
    b.set_node(node_of(name));
    const Val master{w.param.master};
    const Dims dims = b[master].dims;
    // What moves by small shares of itself stays where it is in a narrow dtype: Adam's second moment by 1 - beta2, an
    // average by 1 - ema_decay, both below half a unit in the last place of bf16, 2^-9.
    const DType dtype = info(b[master].dtype).bits < info(DType::f32).bits ? DType::f32 : b[master].dtype;
    UpdateAttr attr;
    attr.beta1 = s.beta1;
    attr.beta2 = s.beta2;
    attr.epsilon = s.epsilon;
    attr.nesterov = s.nesterov && update.op == Op::sgd_update;
    attr.weight_decay = s.decays_all || dims.size() > 1 ? s.weight_decay : 0;
    if (const ParameterGroup* group = group_of(s.groups, name)) {
      attr.rate_scale = group->rate;
      attr.weight_decay = group->weight_decay.value_or(attr.weight_decay);
    }
    attr.decoupled = s.optimiser.decoupled;
    attr.unscale = w.unscale;
    attr.clip_norm = s.clip_norm;
    std::vector<Val> in{Val{w.param.view}, master};
    for (size_t k = 0; k < update.moments; ++k)
      in.push_back(b.state(name + std::string(update.states[k]), dtype, dims));
    attr.has_touched = update.counts && w.touched;
    if (attr.has_touched) in.push_back(b.state(name + kUpdates, DType::u8, {size_product({2, element_count(dims)})}));
    counts.push_back(b.state(name + kNotFinite, DType::f64, {1}));
    in.push_back(counts.back());
    in.push_back(w.gradient);
    if (attr.has_touched) in.push_back(w.touched);
    if (norm) in.push_back(norm);
    attr.guarded = bool(scale);
    if (scale) in.push_back(scale);
    b.emit(update.op, in, attr);
    if (s.ema_decay > 0) {
      std::vector<Val> average{b.state(name + kAverage, dtype, dims), master};
      if (scale) average.push_back(scale);
      b.emit(Op::average_update, average, ScaleAttr{s.ema_decay});
    }
  }
  if (scale) {
    LossScaleAttr attr;
    attr.dynamic = s.loss_scaling == TrainSettings::LossScaling::dynamic;
    attr.interval = s.growth_interval;
    b.emit(Op::loss_scale_update, {scale}, attr);
  }
  if (join && counts.size() > 1) counts = {b.concat(counts, 0)};
  b.set_update(false);
  std::vector<ValueId> ids;
  for (const Val count : counts) ids.push_back(count.id);
  return ids;
}

/// What the updates read of the program of gradients.
class HandOver {
 public:
  HandOver(OpBuilder& gradients, OpBuilder& updates, TrainingPlan& plan)
      : from_(gradients), to_(updates), plan_(plan) {}

  /// `name`: of an input; `sum`: of a state.
  Val hand(Val value, const std::string& name, const std::string& sum) {
    if (plan_.parts() > 1) return summed(value, sum);
    const Value type = from_[value];
    // A gradient may be a constant, and a parameter that another one multiplies.
    if (type.storage == Storage::state) return to_.state(type.name, type.dtype, type.dims);
    for (const auto& [id, tensor] : from_.program().constants)
      if (id == value.id) return to_.constant(tensor, type.name);
    const auto [known, fresh] = handed_.try_emplace(value.id);
    if (!fresh) return known->second;
    known->second = to_.input(name, type.dtype, type.dims);
    plan_.handed.push_back({name, value.id});
    return known->second;
  }

 private:
  Val summed(Val value, const std::string& name) {
    const Value type = from_[value];
    const bool narrow = info(type.dtype).is_float && info(type.dtype).bits < info(DType::f32).bits;
    const DType dtype = narrow ? DType::f32 : type.dtype;
    from_.emit(Op::accumulate, {from_.state(name, dtype, type.dims), value});
    return to_.state(name, dtype, type.dims);
  }

  OpBuilder &from_, &to_;
  TrainingPlan& plan_;
  std::unordered_map<ValueId, Val> handed_;
};

/// Running statistics follow one part of a step after the other. Where other ranks see some of them, the updates do it,
/// from what all have seen.
void hand_statistics(Program& gradients, OpBuilder& updates, TrainingPlan& plan) {
  if (plan.ranks == 1) return;
  const auto follows = [](const Instr& instr) { return instr.op == Op::moments_update; };
  std::map<ValueId, Val> states;
  updates.set_update(true);
  for (uint64_t part = 0; part < plan.parts(); ++part) {
    size_t statistic = 0;
    for (const Instr& instr : gradients.instrs) {
      if (!follows(instr)) continue;
      updates.set_node(gradients.nodes[instr.node]);
      std::vector<Val> in;
      for (const ValueId id : instr.in) {
        const Value& v = gradients[id];
        if (v.storage != Storage::state) {
          in.push_back(updates.input(plan.statistic_of(statistic++, part), v.dtype, v.dims));
          if (part == 0) plan.statistics.push_back(id);
          continue;
        }
        const auto [known, fresh] = states.try_emplace(id);
        if (fresh) known->second = updates.state(v.name, v.dtype, v.dims);
        in.push_back(known->second);
      }
      updates.emit(instr.op, in, instr.attr);
    }
  }
  updates.set_update(false);
  for (const ValueId id : plan.statistics) gradients.outputs.push_back({"statistic", id});
  std::erase_if(gradients.instrs, follows);
}

/// The program of updates; `b` builds that of the gradients.
Result<std::shared_ptr<Program>> make_updates(Program& gradients, OpBuilder& b, std::vector<Work> work, Val scale,
                                              bool join, TrainingPlan& plan) {
  auto program = std::make_shared<Program>();
  OpBuilder updates(*program);
  updates.set_pure(plan.settings.pure);
  HandOver over(b, updates, plan);
  b.set_update(true);
  for (Work& w : work) {
    b.set_node(node_of(w.param.name));
    updates.set_node(node_of(w.param.name));
    w.gradient = over.hand(w.gradient, "grad(" + w.param.name + ")", w.param.name + kSum);
    if (w.touched) w.touched = over.hand(w.touched, "touched(" + w.param.name + ")", w.param.name + kTouchedSum);
    w.unscale /= static_cast<double>(plan.parts());
    const Value view = b[Val{w.param.view}];
    updates.param(w.param.name.substr(w.param.name.find('.') + 1), view.dtype, view.dims, w.param.init);
    HW_CHECK(updates.status());
    w.param = program->params.back();
  }
  b.set_update(false);
  const Val state = scale ? updates.state(b[scale].name, b[scale].dtype, b[scale].dims) : Val{};
  plan.not_finite = append_updates(updates, plan.settings, work, state, join);
  hand_statistics(gradients, updates, plan);
  HW_CHECK(updates.status());
  return program;
}

}  // namespace

int64_t source_samples(const Program& program) {
  int64_t batch = 1;
  for (const Instr& instr : program.instrs) {
    if (const auto* surface = std::get_if<SampleSurfaceAttr>(&instr.attr)) batch = std::max(batch, surface->points);
    if (const auto* picture = std::get_if<SampleImageAttr>(&instr.attr)) batch = std::max(batch, picture->points);
    if (const auto* rows = std::get_if<SampleRowsAttr>(&instr.attr)) batch = std::max(batch, rows->rows);
    if (std::holds_alternative<RandomAttr>(instr.attr)) {
      const Value& random = program[instr.out.front()];
      if (!random.axes.empty() && random.axes.front() == "N") batch = std::max(batch, random.dims.front());
    }
  }
  return batch;
}

void TrainingPlan::set_begun(std::map<std::string, uint64_t> of_parameters) {
  if (begun == of_parameters) return;
  begun = std::move(of_parameters);
  if (!updates) return;
  auto changed = std::make_shared<Program>(*updates);
  for (Instr& instr : changed->instrs) {
    if (!is_optimiser_update(instr.op)) continue;
    const auto of = begun.find((*changed)[instr.in[2]].name);
    std::get<UpdateAttr>(instr.attr).begun = of == begun.end() ? 0 : static_cast<double>(of->second);
  }
  updates = std::move(changed);
}

void TrainingPlan::allow_device_passes() {
  auto allowed = std::make_shared<Program>(*program);
  allowed->any_layout = true;
  allowed->regions = Regions::unless_looked_at;
  program = std::move(allowed);
}

std::vector<std::shared_ptr<const Program>> TrainingPlan::programs() const {
  std::vector<std::shared_ptr<const Program>> all{program};
  if (updates) all.push_back(updates);
  for (const PartSums& sums : part_sums) all.push_back(sums.program);
  return all;
}

std::string TrainingPlan::statistic_of(size_t statistic, uint64_t part) const {
  return "statistic " + std::to_string(statistic) + " of part " + std::to_string(part);
}

bool learns(const TrainingPlan& plan) {
  return std::ranges::any_of(plan.program->params,
                             [&](const Param& p) { return p.trainable && plan.gradients.contains(p.view); });
}

Error learns_nothing(const std::string& trainer, const std::vector<std::string>& unreached) {
  Error error{codes::no_trainer, trainer, "no trainable parameter reaches the loss.",
              "Wire a node with weights (Hash Grid Encoder, MLP, Linear) into it, and unfreeze one that learns."};
  if (unreached.empty()) return error;
  error.reason = "no gradient reaches a trainable parameter.";
  constexpr size_t kMostReported = 2;
  for (size_t i = 0; i < std::min(kMostReported, unreached.size()); ++i) error.reason += " " + unreached[i];
  if (unreached.size() > kMostReported)
    error.reason += " So it is of " + std::to_string(unreached.size() - kMostReported) + " nodes more.";
  error.remedy = "Bypass what ends the gradient, or take the model before it was quantised.";
  return error;
}

std::map<std::string, const Value*> states_of(const TrainingPlan& plan) {
  std::map<std::string, const Value*> all;
  for (const auto& program : plan.programs())
    for (const Value& v : program->values)
      if (v.storage == Storage::state) all[v.name] = &v;
  return all;
}

bool same_structure(const Graph& a, const Graph& b) {
  if (a.nodes().size() != b.nodes().size() || a.links() != b.links()) return false;
  for (auto i = a.nodes().begin(), j = b.nodes().begin(); i != a.nodes().end(); ++i, ++j) {
    const Node &m = i->second, &n = j->second;
    if (!equal_in(NodeFields::computation, m, n)) return false;
    if (m.params == n.params) continue;
    const NodeType* type = Registry::instance().find(m.type);
    if (!type) return false;
    for (const ParamDecl& param : type->decl.params()) {
      if (!param.is_live && param_value(m, param.id) != param_value(n, param.id)) return false;
    }
  }
  return true;
}

Result<TrainingPlan> plan_training(const Graph& graph, Assets& assets, bool update, bool scale_loss, uint64_t ranks,
                                   const GivenValues& given, bool whole) {
  TrainingPlan plan;
  plan.ranks = ranks;
  HW_TRY(plan.trainer, find_trainer(graph));
  HW_CHECK(check_loss(graph, plan.trainer));
  plan.settings = train_settings(*graph.find(plan.trainer));
  if (!scale_loss) plan.settings.loss_scaling = TrainSettings::LossScaling::none;
  for (const auto& [id, node] : graph.nodes()) {
    if (!node.tie.empty()) plan.ties[id] = node.tie;
  }
  LowerOptions options;
  options.pure = plan.settings.pure;
  options.bindings = given;
  const double share = options.share = whole ? 1 / static_cast<double>(plan.parts()) : 1;
  HW_TRY(LoweredLoss of_loss, lower_loss(graph, plan.trainer, std::move(options), assets));
  LoweredGraph& lowered = of_loss.graph;
  // Looking at a step leaves running statistics as they are.
  if (!update) std::erase_if(lowered.program->instrs, [](const Instr& i) { return i.op == Op::moments_update; });
  for (Instr& instr : lowered.program->instrs)
    if (RandomStream* random = random_stream(instr.attr)) random->parts = plan.parts();
  OpBuilder b(*lowered.program);
  HW_TRY(plan.part_sums, take_whole_batch(lowered, b, share, plan.trainer));
  b.set_node(plan.trainer);
  const Val loss_value = of_loss.loss;
  Val scale, factor;
  if (plan.settings.loss_scaling != TrainSettings::LossScaling::none) {
    const auto counts = static_cast<int64_t>(lowered.program->params.size());
    scale = b.state(plan.trainer + kLossScale, DType::f64, {3 + counts});
    factor = b.slice(scale, 0, 0, 1);
  }
  HW_TRY(const Gradients gradients, build_adjoint(b, loss_value, {}, factor));
  for (const auto& [value, gradient] : gradients.of) plan.gradients[value] = gradient.id;
  plan.unscale = gradients.unscale;
  const std::vector<Work> work = work_of(*lowered.program, gradients);
  plan.unreached = unreached_params(*lowered.program, loss_value.id, plan.gradients);
  if (work.empty() && update) return learns_nothing(plan.trainer, plan.unreached);
  if (!work.empty()) HW_CHECK(check_groups(plan.settings, work, plan.trainer));
  for (const Work& w : work) {
    if (scale) plan.scaled.push_back(w.param.name);
    if (update) plan.updated.push_back(w.param.name);
  }
  const bool join = std::all_of(graph.nodes().begin(), graph.nodes().end(),
                                [](const auto& entry) { return entry.second.device.empty(); });
  if (update) {
    HW_TRY(const std::shared_ptr<Program> updates, make_updates(*lowered.program, b, work, scale, join, plan));
    HW_CHECK(check_sizes(*updates));
    pin_nodes(*updates, graph);
    plan.updates = updates;
  }
  HW_CHECK(b.status());
  HW_CHECK(check_sizes(*lowered.program));
  pin_nodes(*lowered.program, graph);
  plan.loss = loss_value.id;
  lowered.program->outputs.push_back({"loss", plan.loss});
  lowered.program->outputs.insert(lowered.program->outputs.end(), plan.handed.begin(), plan.handed.end());
  plan.batch = source_samples(*lowered.program) * static_cast<int64_t>(plan.parts());
  plan.sockets = std::move(lowered.sockets);
  plan.program = lowered.program;
  return plan;
}

}  // namespace hw
