#include "engine/instrument/gradient_paths.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "engine/backend/value_probe.h"
#include "engine/instrument/format_rounded.h"

namespace hw {
namespace {

constexpr size_t kNone = ~size_t{0};
constexpr size_t kMostOnPath = 4;  // nodes of a path that a sentence names

/// The median of those that are known; the lower one of two in the middle; NaN: none is known.
double median(std::vector<double> values) {
  std::erase_if(values, [](double v) { return std::isnan(v); });
  if (values.empty()) return GradientSize::kUnknown;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// The median of the last looks: `get` picks a size from each.
template <class F>
double recent(const GradientHistory& history, F&& get) {
  std::vector<double> values;
  const size_t count = history.looks.size();
  for (size_t k = count - std::min(count, GradientPaths::kLooks); k < count; ++k)
    values.push_back(get(*history.looks[k]));
  return median(std::move(values));
}

std::string path_text(const GradientVerdict& v, const std::function<std::string(const std::string&)>& name_of) {
  std::vector<std::string> names;
  for (const std::string& node : v.path) names.push_back(name_of(node));
  if (names.size() > kMostOnPath) names = {names.front(), "…", names.back()};
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " → ") + name;
  return text;
}

}  // namespace

std::string to_text(const GradientVerdict& v, const std::function<std::string(const std::string&)>& name_of) {
  using Off = GradientVerdict::Kind;
  const std::string node = name_of(v.node);
  const std::string sampled = v.sampled ? ", of " + grouped(ValueProbe::kSamples) + " sampled" : "";
  switch (v.kind) {
    case Off::not_finite:
      return "Gradient holds Inf or NaN from " + node + " on.";
    case Off::zero:
      return v.path.size() > 1 ? "Gradient is exactly 0 along " + path_text(v, name_of) + ": none passes " + node + "."
                               : "Gradient is exactly 0: none passes " + node + ".";
    case Off::vanishes:
    case Off::explodes: {
      const bool most = std::log(v.node_factor) / std::log(v.factor) >= 0.5;
      return std::string(v.kind == Off::vanishes ? "Gradient vanishes" : "Gradient explodes") + " along " +
             path_text(v, name_of) + ": ×" + format_rounded(v.factor) +
             (most ? ", most of it in " : ", the largest step in ") + node + " (×" + format_rounded(v.node_factor) +
             ")" + sampled + ".";
    }
    case Off::small_updates:
      return "Weights of " + node + " barely move: a step changes them by " + format_rounded(v.factor) +
             " of their size at most" + sampled + ", where about " + format_rounded(kUsualUpdate) + " is usual.";
    case Off::large_updates:
      return "Weights of " + node + " change by " + format_rounded(v.factor) + " of their size in a step" + sampled +
             ", where about " + format_rounded(kUsualUpdate) + " is usual.";
    case Off::lost_updates: {
      const std::string others = v.others > 0 ? ", as are those of " + grouped(static_cast<int64_t>(v.others)) +
                                                    (v.others > 1 ? " other parameters" : " other parameter")
                                              : "";
      return "Updates of " + node + "." + v.parameter + " are lost" + others + ": " +
             std::to_string(std::lround(v.factor * 100)) + " % of them" + sampled +
             " are smaller than half a unit in the last place of " + std::string(name(v.dtype)) +
             ". Keep f32 masters (master_weights f32), or raise the learning rate.";
    }
  }
  return "";
}

GradientPaths::GradientPaths(const TrainingPlan& plan, const GradientSubjects& subjects) {
  const Program& p = *plan.program;
  std::map<ValueId, size_t> wire_of;
  for (size_t k = 0; k < subjects.series.size(); ++k) {
    const GradientSeries& s = subjects.series[k];
    if (s.kind != GradientSeries::Kind::wire) continue;
    const ValueId value = std::get<Val>(plan.sockets.at({s.node, s.name})).id;
    if (wire_of.try_emplace(value, wires_.size()).second)
      wires_.push_back({k, s.node, {}, false, false, s.elements > ValueProbe::kSamples});
  }
  for (size_t k = 0; k < subjects.series.size(); ++k) {
    const GradientSeries& s = subjects.series[k];
    if (s.kind != GradientSeries::Kind::parameter) continue;
    const auto param = std::ranges::find(p.params, s.node + "." + s.name, &Param::name);
    if (param != p.params.end() && info(p[param->master].dtype).bits < info(DType::f32).bits)
      narrow_[k] = p[param->master].dtype;
  }
  // By value: the wires that it is made of inside its node, and whether trainable parameters are among them.
  std::vector<std::set<size_t>> made_of(p.values.size());
  std::vector<bool> of_weights(p.values.size(), false);
  for (const auto& [value, wire] : wire_of) made_of[value] = {wire};
  for (const Param& param : p.params) {
    if (!param.trainable || !plan.gradients.contains(param.view)) continue;
    const auto wire = wire_of.find(param.view);
    if (wire == wire_of.end())
      of_weights[param.view] = true;
    else
      wires_[wire->second].ends = true;
  }
  std::set<size_t> beside_loss;
  for (const Instr& instr : p.instrs) {
    if (instr.backward || instr.update) continue;
    std::set<size_t> from;
    bool weights = false;
    for (const ValueId in : instr.in) {
      if (!plan.gradients.contains(in)) continue;
      from.insert(made_of[in].begin(), made_of[in].end());
      weights = weights || of_weights[in];
    }
    for (const ValueId out : instr.out) {
      if (out == plan.loss) {
        loss_node_ = p.nodes[instr.node];
        beside_loss = from;
      }
      const auto wire = wire_of.find(out);
      if (wire == wire_of.end()) {
        made_of[out] = from;
        of_weights[out] = weights;
        continue;
      }
      wires_[wire->second].node = p.nodes[instr.node];
      wires_[wire->second].ends = weights;
      for (const size_t w : from)
        if (w != wire->second) wires_[w].toward_loss.push_back(wire->second);
    }
  }
  // Numbers that losses are summed from are no part of a path: each begins at the tensor before them.
  std::vector<bool> of_loss(wires_.size(), false);
  bool any = false;  // begins
  for (size_t w = wires_.size(); w-- > 0;) {
    const auto& next = wires_[w].toward_loss;
    const bool beside =
        beside_loss.contains(w) || std::any_of(next.begin(), next.end(), [&](size_t n) { return of_loss[n]; });
    const bool single = subjects.series[wires_[w].series].elements == 1;
    of_loss[w] = single && beside;
    wires_[w].starts = beside && !single;
    any = any || wires_[w].starts;
  }
  for (const size_t w : beside_loss) wires_[w].starts = wires_[w].starts || !any;
}

/// By wire, for some norms: the wire toward the loss from which most of its gradient can come, and where that begins.
struct GradientPaths::Walk {
  std::vector<size_t> next, start;

  Walk(const std::vector<Wire>& wires, const std::vector<double>& norms)
      : next(wires.size(), kNone), start(wires.size(), kNone) {
    for (size_t w = wires.size(); w-- > 0;) {
      if (std::isnan(norms[w])) continue;
      if (wires[w].starts) {
        start[w] = w;
        continue;
      }
      for (const size_t n : wires[w].toward_loss)
        if (start[n] != kNone && (next[w] == kNone || norms[n] > norms[next[w]])) next[w] = n;
      if (next[w] != kNone) start[w] = start[next[w]];
    }
  }
};

void GradientPaths::judge_walks(const std::vector<double>& norms, std::vector<GradientVerdict>& verdicts) const {
  using Off = GradientVerdict::Kind;
  const Walk walk(wires_, norms);
  const auto path_to = [&](size_t wire) {
    std::vector<std::string> path;
    for (size_t w = wire; w != kNone; w = walk.next[w])
      if (path.empty() || path.back() != wires_[w].node) path.push_back(wires_[w].node);
    std::reverse(path.begin(), path.end());
    return path;
  };
  // Where a wire's gradient is bad and that of the wire it comes from is not: the node between them.
  const auto begins = [&](Off kind, bool of_ends, auto&& bad) {
    for (size_t w = wires_.size(); w-- > 0;) {
      if (walk.start[w] == kNone || !bad(norms[w]) || (of_ends && !wires_[w].ends)) continue;
      size_t first = w;
      while (walk.next[first] != kNone && bad(norms[walk.next[first]])) first = walk.next[first];
      const size_t before = walk.next[first];
      verdicts.push_back({kind, path_to(w), norms[w], before == kNone ? loss_node_ : wires_[before].node, norms[w]});
      return;
    }
  };
  begins(Off::not_finite, false, [](double norm) { return std::isinf(norm); });
  begins(Off::zero, true, [](double norm) { return norm == 0; });

  std::optional<GradientVerdict> least, most;
  for (size_t w = wires_.size(); w-- > 0;) {
    if (!wires_[w].ends || walk.start[w] == kNone) continue;
    const double factor = norms[w] / norms[walk.start[w]];
    if (!std::isfinite(factor) || factor <= 0) continue;
    const bool falls = factor < std::min(kVanishes, least ? least->factor : kVanishes);
    const bool rises = factor > std::max(kExplodes, most ? most->factor : kExplodes);
    if (!falls && !rises) continue;
    GradientVerdict verdict{falls ? Off::vanishes : Off::explodes, path_to(w), factor, "", 1, wires_[w].sampled};
    for (size_t at = w; walk.next[at] != kNone; at = walk.next[at]) {
      verdict.sampled = verdict.sampled || wires_[walk.next[at]].sampled;
      const double gain = norms[at] / norms[walk.next[at]];
      if (!verdict.node.empty() && (falls ? gain >= verdict.node_factor : gain <= verdict.node_factor)) continue;
      verdict.node = wires_[walk.next[at]].node;
      verdict.node_factor = gain;
    }
    (falls ? least : most) = std::move(verdict);
  }
  if (least) verdicts.push_back(std::move(*least));
  if (most) verdicts.push_back(std::move(*most));
}

void GradientPaths::judge_lost(const GradientHistory& history, std::vector<GradientVerdict>& verdicts) const {
  if (history.looks.size() < kLeastLooks) return;
  std::vector<GradientVerdict> found;
  for (const auto& [k, dtype] : narrow_) {
    const double share = recent(history, [k = k](const GradientLook& look) { return look.series[k].lost; });
    if (!(share > kMostLost)) continue;
    const GradientSeries& s = history.subjects->series[k];
    GradientVerdict verdict{GradientVerdict::Kind::lost_updates, {s.node}, share, s.node, share};
    verdict.sampled = s.elements > ValueProbe::kSamples;
    verdict.parameter = s.name;
    verdict.dtype = dtype;
    found.push_back(std::move(verdict));
  }
  std::ranges::stable_sort(found, [](const auto& a, const auto& b) { return a.factor > b.factor; });
  if (found.size() > kMostNamed) {
    found[kMostNamed - 1].others = found.size() - kMostNamed;
    found.resize(kMostNamed);
  }
  std::ranges::move(found, std::back_inserter(verdicts));
}

std::vector<GradientVerdict> GradientPaths::judge(const GradientHistory& history) const {
  std::vector<GradientVerdict> verdicts;
  if (history.looks.empty()) return verdicts;
  std::vector<double> norms;
  for (const Wire& wire : wires_)
    norms.push_back(recent(history, [&](const GradientLook& look) { return look.series[wire.series].norm; }));
  judge_walks(norms, verdicts);

  using Off = GradientVerdict::Kind;
  std::optional<GradientVerdict> small, large;
  const std::vector<std::string>& nodes = history.subjects->nodes;
  const auto of_updates = [&](Off kind, const std::string& node, double update) {
    const std::vector<GradientSeries>& all = history.subjects->series;
    const bool sampled = std::any_of(all.begin(), all.end(), [&](const GradientSeries& s) {
      return s.kind == GradientSeries::Kind::parameter && s.node == node && s.elements > ValueProbe::kSamples;
    });
    return GradientVerdict{kind, {node}, update, node, update, sampled};
  };
  const bool settled = history.looks.size() >= kLeastLooks && history.looks.back()->step + 1 >= kSettled;
  for (size_t n = 0; n < nodes.size(); ++n) {
    const double now = recent(history, [n](const GradientLook& look) { return look.nodes[n].update; });
    double ever = -1;
    for (const auto& look : history.looks)
      if (!std::isnan(look->nodes[n].update)) ever = std::max(ever, look->nodes[n].update);
    if (settled && now > std::max(kMostUpdate, large ? large->factor : 0.0))
      large = of_updates(Off::large_updates, nodes[n], now);
    if (history.looks.size() >= kLooks && ever >= 0 && ever < std::min(kLeastUpdate, small ? small->factor : 1.0))
      small = of_updates(Off::small_updates, nodes[n], ever);
  }
  judge_lost(history, verdicts);
  if (small) verdicts.push_back(std::move(*small));
  if (large) verdicts.push_back(std::move(*large));
  return verdicts;
}

}  // namespace hw
