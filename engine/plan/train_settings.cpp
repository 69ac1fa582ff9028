#include "engine/plan/train_settings.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hw {

TrainSettings train_settings(const Node& train) {
  const NodeType* type = Registry::instance().find(train.type);
  const Params p(type->decl, train.params);
  TrainSettings s;
  const std::string& optimiser = p.text("optimiser");
  s.optimiser = optimiser == "sgd"     ? TrainSettings::Optimiser::sgd
                : optimiser == "adamw" ? TrainSettings::Optimiser::adamw
                                       : TrainSettings::Optimiser::adam;
  const std::string& schedule = p.text("schedule");
  s.schedule = schedule == "cosine"        ? TrainSettings::Schedule::cosine
               : schedule == "exponential" ? TrainSettings::Schedule::exponential
               : schedule == "step"        ? TrainSettings::Schedule::step
                                           : TrainSettings::Schedule::constant;
  s.learning_rate = p.real("learning_rate");
  s.decay = p.real("decay");
  s.decay_steps = p.integer("decay_steps");
  s.warmup_steps = p.integer("warmup_steps");
  s.beta1 = p.real("beta1");
  s.beta2 = p.real("beta2");
  s.epsilon = p.real("epsilon");
  s.momentum = p.real("momentum");
  s.weight_decay = p.real("weight_decay");
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
  s.evaluate_every = p.integer("evaluate_every");
  s.seed = static_cast<uint64_t>(p.integer("seed"));
  return s;
}

double learning_rate_at(const TrainSettings& s, uint64_t step, uint64_t steps) {
  const double warm =
      s.warmup_steps > 0 ? std::min(1.0, static_cast<double>(step + 1) / static_cast<double>(s.warmup_steps)) : 1.0;
  const double progress = steps > 0 ? std::min(1.0, static_cast<double>(step) / static_cast<double>(steps)) : 0.0;
  double factor = 1;
  switch (s.schedule) {
    case TrainSettings::Schedule::constant:
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
