#include "engine/precision/precision_space.h"

#include <algorithm>
#include <set>

#include "engine/node/dtype_join.h"
#include "engine/plan/train_settings.h"

namespace hw {
namespace {

constexpr size_t kMost = 256;  // configs that are worked out

/// Full precision first, then narrower storage, then f32 with products in bf16: what is narrower costs less.
std::vector<NodePrecision> levels_of(const ChoosableNode& node) {
  const auto has = [](const std::vector<DType>& list, DType d) {
    return std::find(list.begin(), list.end(), d) != list.end();
  };
  DType full = node.now.dtype;
  if (info(full).bits < info(DType::f32).bits && has(node.dtypes, DType::f32)) full = DType::f32;
  std::vector<NodePrecision> levels{{full, {}}};
  for (const DType dtype : {DType::f32, DType::bf16, DType::f16, DType::f8e4m3, DType::f8e5m2}) {
    if (info(dtype).bits < info(full).bits && has(node.dtypes, dtype)) levels.push_back({dtype, {}});
  }
  if (full == DType::f32 && has(node.computes, DType::bf16)) levels.push_back({full, DType::bf16});
  if (std::find(levels.begin(), levels.end(), node.now) == levels.end()) levels.push_back(node.now);
  return levels;
}

void add_cone(const Graph& graph, const std::string& node, std::set<std::string>& cone) {
  if (!graph.find(node) || !cone.insert(node).second) return;
  for (const Link& link : graph.links_into(node)) add_cone(graph, link.from, cone);
  const std::string& owner = graph.find(node)->tie;
  if (!owner.empty()) cone.insert(owner);
}

/// Data: rounding it changes what is learned, not how.
bool is_data(const Graph& graph, const std::string& node) {
  return graph.links_into(node).empty() && Registry::instance().find(graph.find(node)->type)->decl.weights().empty();
}

bool is_narrow(DType dtype) {
  return info(dtype).bits < info(DType::f32).bits;
}

bool has_less_range(DType dtype) {
  return info(dtype).min_normal > info(DType::f32).min_normal;
}

/// What products are rounded to.
DType factors(const NodePrecision& p) {
  return p.compute.value_or(p.dtype);
}

}  // namespace

Result<PrecisionSpace> PrecisionSpace::make(const Graph& graph, const std::string& trainer, bool with_training) {
  PrecisionSpace space(graph, trainer);
  space.with_training_ = with_training;
  space.pure_now_ = train_settings(*graph.find(trainer)).pure;
  std::set<std::string> cone;
  add_cone(graph, trainer, cone);
  for (const ChoosableNode& node : choosable_nodes(graph)) {
    std::vector<NodePrecision> levels = levels_of(node);
    if (cone.contains(node.node) && !is_data(graph, node.node) && levels.size() > 1)
      space.groups_.push_back({node.node, {node.node}, std::move(levels)});
  }
  if (space.groups_.empty())
    return Error{codes::unsupported, trainer, "no node before it has a dtype that could be chosen.",
                 "Layers and encoders have one, such as linear, mlp, conv2d and hash_grid."};
  if (space.count() > kMost) space.merge_types();
  while (space.count() > kMost) {  // all in one
    PrecisionGroup& all = space.groups_.front();
    const PrecisionGroup& next = space.groups_.back();
    all.nodes.insert(all.nodes.end(), next.nodes.begin(), next.nodes.end());
    all.name += " and " + next.name;
    space.groups_.pop_back();
  }
  space.find_present();
  return space;
}

void PrecisionSpace::find_present() {
  const std::vector<ChoosableNode> nodes = choosable_nodes(graph_);
  for (const PrecisionGroup& group : groups_) {
    const auto node =
        std::find_if(nodes.begin(), nodes.end(), [&](const ChoosableNode& n) { return n.node == group.nodes.front(); });
    const auto level = std::find(group.levels.begin(), group.levels.end(), node->now);
    now_.push_back(level == group.levels.end() ? 0 : static_cast<size_t>(level - group.levels.begin()));
  }
}

size_t PrecisionSpace::count() const {
  size_t count = with_training_ ? 2 : 1;
  for (const PrecisionGroup& group : groups_) count *= std::min(group.levels.size(), kMost);
  return std::min(count, kMost * kMost);
}

void PrecisionSpace::merge_types() {
  std::map<std::string, PrecisionGroup> by_type;
  for (PrecisionGroup& group : groups_) {
    const std::string& type = graph_.find(group.nodes.front())->type;
    const auto [entry, fresh] = by_type.try_emplace(type, std::move(group));
    if (fresh) {
      entry->second.name = "all " + type;
    } else {
      entry->second.nodes.push_back(group.nodes.front());
    }
  }
  groups_.clear();
  for (auto& [type, group] : by_type) groups_.push_back(std::move(group));
}

PrecisionConfig PrecisionSpace::full() const {
  return {std::vector<size_t>(groups_.size(), 0), !with_training_ && pure_now_};
}

std::vector<PrecisionConfig> PrecisionSpace::all() const {
  std::vector<PrecisionConfig> configs{full()};
  for (size_t g = 0; g < groups_.size(); ++g) {
    const size_t before = configs.size();
    for (size_t level = 1; level < groups_[g].levels.size(); ++level) {
      for (size_t k = 0; k < before; ++k) {
        PrecisionConfig config = configs[k];
        config.levels[g] = level;
        configs.push_back(std::move(config));
      }
    }
  }
  for (size_t k = 1, before = configs.size(); with_training_ && k < before; ++k) {
    if (!any(configs[k], is_narrow)) continue;
    PrecisionConfig config = configs[k];
    config.pure = true;
    configs.push_back(std::move(config));
  }
  return configs;
}

bool PrecisionSpace::any(const PrecisionConfig& config, bool (*has)(DType)) const {
  for (size_t g = 0; g < groups_.size(); ++g) {
    if (has(groups_[g].levels[config.levels[g]].dtype)) return true;
  }
  return false;
}

PrecisionPlan PrecisionSpace::plan(const PrecisionConfig& config) const {
  std::map<std::string, NodePrecision> nodes;
  for (size_t g = 0; g < groups_.size(); ++g) {
    for (const std::string& node : groups_[g].nodes) nodes[node] = groups_[g].levels[config.levels[g]];
  }
  PrecisionPlan plan = choose_precision(graph_, nodes);
  if (config.pure != pure_now_) {
    plan.edits.push_back(SetParam{trainer_, "master_weights", ParamValue(std::string(config.pure ? "none" : "f32"))});
    plan.notes.push_back(config.pure ? "The optimiser keeps no f32 masters of narrow weights."
                                     : "The optimiser keeps f32 masters of narrow weights.");
  }
  const TrainSettings settings = train_settings(*graph_.find(trainer_));
  if (with_training_ && settings.loss_scaling == TrainSettings::LossScaling::none && any(config, has_less_range)) {
    plan.edits.push_back(SetParam{trainer_, "loss_scaling", ParamValue(std::string("dynamic"))});
    plan.notes.push_back(
        "The loss is scaled, dynamically: small gradients would underflow in a dtype with less range.");
  }
  return plan;
}

std::string PrecisionSpace::text(const PrecisionConfig& config) const {
  std::string text;
  for (size_t g = 0; g < groups_.size(); ++g) {
    text += (text.empty() ? "" : "; ") + groups_[g].name + " " + to_string(groups_[g].levels[config.levels[g]]);
  }
  if (!with_training_ || !any(config, is_narrow)) return text;
  text += config.pure ? "; no masters" : "; f32 masters";
  return any(config, has_less_range) ? text + "; loss scaled" : text;
}

bool PrecisionSpace::is_within(const PrecisionConfig& a, const PrecisionConfig& b) const {
  if (b.pure && !a.pure) return false;
  for (size_t g = 0; g < groups_.size(); ++g) {
    const NodePrecision &x = groups_[g].levels[a.levels[g]], &y = groups_[g].levels[b.levels[g]];
    if (!embeds(x.dtype, y.dtype) || !embeds(factors(x), factors(y))) return false;
  }
  return true;
}

}  // namespace hw
