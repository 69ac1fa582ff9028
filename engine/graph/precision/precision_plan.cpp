#include "engine/graph/precision/precision_plan.h"

#include <algorithm>

#include "engine/graph/insert_cast.h"
#include "engine/graph/precision/keep_numbers.h"
#include "engine/node/dtype_join.h"

namespace hw {
namespace {

std::string text(DType dtype) {
  return std::string(name(dtype));
}

std::string arrow(DType from, DType to) {
  return text(from) + " → " + text(to) + ": " + cast_effect(from, to);
}

/// Fresh ids while edits are collected, before any is applied.
class Ids {
 public:
  explicit Ids(const Graph& graph) : graph_(graph) {}
  std::string cast() {
    std::string id;
    do {
      id = next_ == 1 ? "cast" : "cast_" + std::to_string(next_);
      ++next_;
    } while (graph_.find(id));
    return id;
  }

 private:
  const Graph& graph_;
  int next_ = 1;
};

class Realiser {
 public:
  Realiser(const DtypeFlow& flow, const DtypeChoice& choice, const RealiseOptions& options)
      : flow_(flow),
        graph_(flow.graph()),
        options_(options),
        choice_(with_outputs(choice)),
        ids_(graph_),
        room_(graph_) {}

  PrecisionPlan run() {
    for (size_t v = 0; v < flow_.variables().size(); ++v) {
      const DtypeVariable& variable = flow_.variables()[v];
      if (!variable.param.empty() && choice_[v]) set(variable, *choice_[v]);
    }
    if (options_.drop_casts) find_idle_casts();
    for (const NeededCast& cast : flow_.casts(choice_)) place(cast);
    for (const std::string& id : idle_) remove(id);
    return std::move(plan_);
  }

 private:
  void set(const DtypeVariable& variable, DType now) {
    const Node& node = *graph_.find(variable.node);
    if (now != variable.declared) {
      plan_.edits.push_back(SetParam{node.id, variable.param, ParamValue(text(now))});
      if (node.type != "cast")
        plan_.notes.push_back(node.id + " computes in " + text(now) + ", before in " + text(variable.declared) + ".");
    }
    const NodeType& type = *Registry::instance().find(node.type);
    for (const WeightDecl& weight : type.decl.weights()) {
      if (weight.dtype_param != variable.param || !has_weight(node, weight) || !node.tie.empty()) continue;
      std::vector<std::string> with_format;
      for (const auto& [name, format] : node.weights) {
        if (name != weight.id && weight.names(name)) with_format.push_back(name);
      }
      with_format.push_back(weight.id);
      for (const std::string& name : with_format) store(node, weight, name, variable.declared, now);
    }
  }

  /// How a weight is to be stored, and what to say of it; no format: in what the node computes with.
  struct Storing {
    std::optional<WeightFormat> format;
    std::string note;
  };

  /// `old`: its format so far, or null.
  Storing storing(const WeightDecl& decl, const WeightFormat* old, DType before, DType now) const {
    const DType stored = old ? old->dtype : decl.computed_in(before), asked = decl.computed_in(now);
    const Storing as_before{old ? std::optional(*old) : std::nullopt, ""};
    if (stored == asked) {
      if (!old || !old->convert) return {};
      return {WeightFormat{asked, false, true}, ""};
    }
    if (!decl.statistics && options_.keep_storage) {
      return {WeightFormat{stored, true, old && old->convert},
              " stays stored in " + text(stored) + " and is cast on use, " + arrow(stored, asked) + "."};
    }
    if (!old) return as_before;
    const std::string how =
        decl.statistics ? " is kept in " + text(asked) + ", which it is updated in" : " is stored in " + text(asked);
    return {WeightFormat{asked, false, true}, how + "; what is loaded is converted, " + arrow(stored, asked) + "."};
  }

  /// Makes one weight, or a family of them, fit its node.
  void store(const Node& node, const WeightDecl& decl, const std::string& weight, DType before, DType now) {
    const WeightFormat* old = weight_format(node, weight);
    Storing as = storing(decl, old, before, now);
    // Without a format of its own it would have its family's.
    const auto family = weight == decl.id ? node.weights.end() : node.weights.find(decl.id);
    if (!as.format && family != node.weights.end() && storing(decl, &family->second, before, now).format)
      as.format = WeightFormat{decl.computed_in(now), false, false};
    if (old ? as.format == *old : !as.format) return;
    plan_.edits.push_back(SetWeight{node.id, weight, as.format});
    if (!as.note.empty()) plan_.notes.push_back(node.id + "." + weight + as.note);
  }

  void find_idle_casts() {
    for (const auto& [id, node] : graph_.nodes()) {
      if (node.type != "cast" || node.bypassed) continue;
      const auto& in = graph_.links_into(id);
      if (in.size() != 1) continue;
      const auto carried = flow_.output(choice_, in[0].from, in[0].from_socket);
      if (carried && carried == flow_.output(choice_, id, "y")) idle_.push_back(id);
    }
  }

  /// Where a wire really comes from, behind Casts that go.
  Link source_of(Link link) const {
    while (std::find(idle_.begin(), idle_.end(), link.from) != idle_.end()) {
      const Link before = graph_.links_into(link.from)[0];
      link.from = before.from;
      link.from_socket = before.from_socket;
    }
    return link;
  }

  void remove(const std::string& id) {
    for (const Link& link : graph_.links_from(id)) {
      const bool moved = std::find(cast_.begin(), cast_.end(), link) != cast_.end();
      if (!moved && std::find(idle_.begin(), idle_.end(), link.to) == idle_.end())
        plan_.edits.push_back(AddLink{source_of(link)});
    }
    plan_.edits.push_back(RemoveNode{id});
    plan_.notes.push_back(id + " is removed: it changes nothing any more.");
  }

  void place(const NeededCast& needed) {
    if (std::find(idle_.begin(), idle_.end(), needed.link.to) != idle_.end()) return;
    const Link link = source_of(needed.link);
    const auto key = std::make_tuple(link.from, link.from_socket, needed.to);
    auto cast = made_.find(key);
    if (cast == made_.end()) {
      std::string id = existing(link, needed.to);
      if (id.empty()) {
        id = ids_.cast();
        Node node = cast_between(graph_, link, needed.to, id);
        room_.take(node);
        plan_.edits.push_back(AddNode{std::move(node)});
        plan_.edits.push_back(AddLink{{link.from, link.from_socket, id, "x"}});
      }
      cast = made_.emplace(key, id).first;
    }
    plan_.edits.push_back(AddLink{{cast->second, "y", link.to, link.to_socket}});
    plan_.notes.push_back(cast->second + " from " + link.from + "." + link.from_socket + " to " + link.to + "." +
                          link.to_socket + ", " + arrow(needed.from, needed.to) + ".");
    cast_.push_back(needed.link);
  }

  /// A Cast to `to` that the output already feeds.
  std::string existing(const Link& source, DType to) const {
    for (const Link& link : graph_.links_from(source.from, source.from_socket)) {
      const Node* node = graph_.find(link.to);
      if (!node || node->type != "cast" || node->bypassed || link.to == source.to) continue;
      if (std::find(idle_.begin(), idle_.end(), link.to) != idle_.end()) continue;
      if (flow_.output(choice_, link.to, "y") == to) return link.to;
    }
    return {};
  }

  /// The choice, with the dtypes of the graph's Outputs as they are where these are kept.
  DtypeChoice with_outputs(const DtypeChoice& choice) {
    DtypeChoice all = choice;
    const DtypeChoice before = flow_.present();
    for (const size_t v : flow_.graph_outputs()) {
      if (!choice[v] || !before[v] || choice[v] == before[v]) continue;
      if (options_.keep_outputs)
        all[v] = before[v];
      else
        plan_.notes.push_back(flow_.variables()[v].node + " gives " + text(*choice[v]) + ", before " +
                              text(*before[v]) + ".");
    }
    return all;
  }

  const DtypeFlow& flow_;
  const Graph& graph_;
  const RealiseOptions& options_;
  PrecisionPlan plan_;
  const DtypeChoice choice_;
  Ids ids_;
  std::vector<std::string> idle_;  // Casts that go
  std::vector<Link> cast_;         // wires that got a Cast
  std::map<std::tuple<std::string, std::string, DType>, std::string> made_;
  Room room_;
};

}  // namespace

PrecisionPlan realise(const DtypeFlow& flow, const DtypeChoice& choice, const RealiseOptions& options) {
  PrecisionPlan plan = Realiser(flow, choice, options).run();
  keep_numbers(flow.graph(), plan);
  return plan;
}

PrecisionPlan unify(const Graph& graph, DType dtype) {
  const DtypeFlow flow(graph);
  const std::vector<bool> useful = flow.useful_in(dtype);
  const DtypeChoice choice = flow.settle([&](size_t v, const std::vector<DType>& inputs) -> std::optional<DType> {
    const DtypeVariable& variable = flow.variables()[v];
    const auto& allowed = variable.allowed;
    // Whole numbers and masks are no precision: token ids stay token ids.
    if (!variable.param.empty() && !info(variable.declared).is_float) return variable.declared;
    const bool can = allowed.empty() || std::find(allowed.begin(), allowed.end(), dtype) != allowed.end();
    if (!variable.param.empty()) return can ? dtype : variable.declared;
    const bool any_float = std::any_of(inputs.begin(), inputs.end(), [](DType d) { return info(d).is_float; });
    if (!any_float) return std::nullopt;
    // What only looks at a wire takes it as it is.
    const bool one = std::all_of(inputs.begin(), inputs.end(), [&](DType d) { return d == inputs.front(); });
    if ((!variable.has_outputs || !useful[v]) && one) return inputs.front();
    return can ? dtype : inputs.front();
  });
  return realise(flow, choice, {false, true, false});
}

}  // namespace hw
