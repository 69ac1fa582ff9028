#include "engine/plan/train_settings.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hw {

TrainSettings train_settings(const Node& train) {
  const NodeType* type = Registry::instance().find(train.type);
  const Params p(type->decl, train.params);
  TrainSettings s;
  if (const OptimiserRow* row = find_optimiser(p.text("optimiser"))) s.optimiser = *row;
  const std::string& schedule = p.text("schedule");
  s.schedule = schedule == "cosine"        ? TrainSettings::Schedule::cosine
               : schedule == "exponential" ? TrainSettings::Schedule::exponential
               : schedule == "step"        ? TrainSettings::Schedule::step
               : schedule == "one_cycle"   ? TrainSettings::Schedule::one_cycle
                                           : TrainSettings::Schedule::constant;
  s.learning_rate = p.real("learning_rate");
  s.decay = p.real("decay");
  s.decay_steps = p.integer("decay_steps");
  s.warmup_steps = p.integer("warmup_steps");
  s.beta1 = p.real(s.optimiser.beta1);
  s.beta2 = p.real("beta2");
  s.epsilon = p.real("epsilon");
  s.nesterov = p.boolean("nesterov");
  s.weight_decay = p.real("weight_decay");
  s.decays_all = p.text("decayed") == "all";
  if (auto groups = parse_parameter_groups(p.text("parameter_groups"), "")) s.groups = std::move(*groups);
  s.clip_norm = p.real("clip_norm");
  s.accumulate = p.integer("accumulate");
  const std::string& scaling = p.text("loss_scaling");
  s.loss_scaling = scaling == "static"    ? TrainSettings::LossScaling::fixed
                   : scaling == "dynamic" ? TrainSettings::LossScaling::dynamic
                                          : TrainSettings::LossScaling::none;
  s.loss_scale = p.real("loss_scale");
  s.growth_interval = p.integer("growth_interval");
  s.pure = p.text("master_weights") == "none";
  s.ema_decay = p.real("ema_decay");
  s.use_averaged = p.boolean("use_averaged");
  s.steps = p.integer("steps");
  s.best_weights = p.boolean("best_weights");
  s.patience = p.integer("patience");
  s.evaluate_every = p.integer("evaluate_every");
  s.seed = train_seed(train);
  return s;
}

uint64_t train_seed(const Node& train) {
  const ParamValue seed = param_value(train, "seed");
  const int64_t* number = std::get_if<int64_t>(&seed);
  return number ? static_cast<uint64_t>(*number) : 0;
}

namespace {

/// PyTorch's OneCycleLR, cosine: from 1 / 25 up to 1, then down to 1 / 250,000 at the last step.
double one_cycle(uint64_t step, uint64_t steps, double rise) {
  constexpr double kBegin = 1.0 / 25, kEnd = kBegin / 1e4;
  const double top = rise - 1, last = static_cast<double>(steps) - 1, at = std::min(static_cast<double>(step), last);
  const auto eased = [](double from, double to, double share) {
    return to + (from - to) / 2 * (1 + std::cos(std::numbers::pi * share));
  };
  if (at <= top && top > 0) return eased(kBegin, 1, at / top);
  return last > top ? eased(1, kEnd, (at - top) / (last - top)) : 1;
}

}  // namespace

double learning_rate_at(const TrainSettings& s, uint64_t step, uint64_t steps) {
  if (s.schedule == TrainSettings::Schedule::one_cycle) {
    const double whole = static_cast<double>(steps);
    const double rise = s.warmup_steps > 0 ? std::min(whole, static_cast<double>(s.warmup_steps)) : 0.3 * whole;
    return s.learning_rate * one_cycle(step, steps, rise);
  }
  const double warm =
      s.warmup_steps > 0 ? std::min(1.0, static_cast<double>(step + 1) / static_cast<double>(s.warmup_steps)) : 1.0;
  const double progress = steps > 0 ? std::min(1.0, static_cast<double>(step) / static_cast<double>(steps)) : 0.0;
  double factor = 1;
  switch (s.schedule) {
    case TrainSettings::Schedule::constant:
    case TrainSettings::Schedule::one_cycle:
      break;
    case TrainSettings::Schedule::cosine:
      factor = s.decay + (1 - s.decay) * 0.5 * (1 + std::cos(std::numbers::pi * progress));
      break;
    case TrainSettings::Schedule::exponential:
      factor = std::pow(s.decay, progress);
      break;
    case TrainSettings::Schedule::step:
      factor =
          std::pow(s.decay, static_cast<double>(step / static_cast<uint64_t>(std::max<int64_t>(1, s.decay_steps))));
      break;
  }
  return s.learning_rate * warm * factor;
}

Result<std::string> find_trainer(const Graph& graph) {
  std::string found;
  for (const auto& [id, node] : graph.nodes()) {
    const NodeType* type = Registry::instance().find(node.type);
    if (!type || type->decl.role() != Role::train || node.bypassed) continue;
    if (!found.empty()) {
      return Error{codes::no_trainer, id,
                   "the graph has more than one Train node (\"" + found + "\" and \"" + id + "\").",
                   "Remove or bypass all but one."};
    }
    found = id;
  }
  if (found.empty()) {
    return Error{codes::no_trainer, "", "the graph has no Train node, so there is nothing to run.",
                 "Add a Train node and wire a loss into it."};
  }
  return found;
}

}  // namespace hw
