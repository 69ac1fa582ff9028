#include "engine/graph/precision/negotiate.h"

#include <algorithm>
#include <set>

#include "engine/node/dtype_join.h"

namespace hw {
namespace {

constexpr size_t kWork = 200'000;  // variables settled in the search for few Casts

/// The least dtypes that lose nothing, and a search among wider ones.
class Negotiation {
 public:
  explicit Negotiation(const Graph& graph) : graph_(graph), flow_(graph), least_(flow_.variables().size()) {
    for (size_t v = 0; v < least_.size(); ++v) least_[v] = own_dtype(flow_.variables()[v]);
  }

  PrecisionPlan run() {
    settle_ties();
    DtypeChoice best = settle(least_);
    size_t fewest = count(best);
    const size_t most = std::clamp<size_t>(kWork / (least_.size() + 1), 4, 400);
    for (size_t tries = 0; fewest > 0 && tries < most;) {
      bool better = false;
      for (const Move& move : moves(best)) {
        if (++tries > most) break;
        DtypeChoice wider = least_;
        for (const size_t v : move.groups) wider[v] = widest(wider[v], move.dtype, v);
        const DtypeChoice choice = settle(wider);
        if (const size_t casts = count(choice); casts < fewest && fits(choice)) {
          least_ = std::move(wider);
          best = choice;
          fewest = casts;
          better = true;
          break;
        }
      }
      if (!better) break;
    }
    return realise(flow_, best, {true, false, false});
  }

 private:
  struct Move {
    std::vector<size_t> groups;
    DType dtype;
  };

  std::optional<DType> widest(std::optional<DType> a, DType b, size_t v) const {
    if (!info(b).is_float) return b;
    if (!a) return b;
    return join(*a, b, flow_.variables()[v].allowed).value_or(*a);
  }

  /// A parameter's own value, widened to weights that are not stored in it and not cast.
  std::optional<DType> own_dtype(const DtypeVariable& variable) const {
    if (variable.param.empty()) return std::nullopt;
    const Node& node = *graph_.find(variable.node);
    DType dtype = variable.declared;
    for (const auto& [name, format] : node.weights) {
      const WeightDecl* decl = Registry::instance().find(node.type)->decl.find_weight(name);
      if (!decl || decl->dtype_param != variable.param || decl->statistics || format.cast) continue;
      dtype = join(dtype, format.dtype, variable.allowed).value_or(dtype);
    }
    return dtype;
  }

  DtypeChoice settle(const DtypeChoice& least) const {
    return flow_.settle([&](size_t v, const std::vector<DType>& inputs) {
      std::optional<DType> dtype = least[v];
      for (const DType in : inputs) dtype = widest(dtype, in, v);
      return dtype;
    });
  }

  /// Nodes that share parameters compute alike.
  void settle_ties() {
    for (size_t round = 0; round < graph_.nodes().size(); ++round) {
      const DtypeChoice choice = settle(least_);
      bool changed = false;
      for (size_t v = 0; v < choice.size(); ++v) {
        const DtypeVariable& variable = flow_.variables()[v];
        const std::string& owner = graph_.find(variable.node)->tie;
        const int other = variable.param.empty() || owner.empty() ? -1 : flow_.variable(owner, variable.param);
        if (other < 0 || !choice[v] || choice[v] == choice[static_cast<size_t>(other)]) continue;
        const auto both = widest(choice[v], choice[static_cast<size_t>(other)].value_or(*choice[v]), v);
        changed = changed || least_[v] != both || least_[static_cast<size_t>(other)] != both;
        least_[v] = least_[static_cast<size_t>(other)] = both;
      }
      if (!changed) return;
    }
  }

  /// Cast nodes that a choice needs: wires from one output to one dtype share one.
  size_t count(const DtypeChoice& choice) const {
    std::set<std::tuple<std::string, std::string, DType>> distinct;
    for (const NeededCast& cast : flow_.casts(choice))
      distinct.insert({cast.link.from, cast.link.from_socket, cast.to});
    return distinct.size();
  }

  /// A wider choice narrows nothing that the least one does not, and changes no node's own dtype.
  bool fits(const DtypeChoice& choice) const {
    const DtypeChoice plain = settle(base());
    size_t narrowing = 0, before = 0;
    for (const NeededCast& cast : flow_.casts(choice)) narrowing += !embeds(cast.from, cast.to);
    for (const NeededCast& cast : flow_.casts(plain)) before += !embeds(cast.from, cast.to);
    for (size_t v = 0; v < choice.size(); ++v) {
      if (!flow_.variables()[v].param.empty() && choice[v] != plain[v]) return false;
    }
    return narrowing <= before;
  }

  DtypeChoice base() const {
    DtypeChoice least = least_;
    for (size_t v = 0; v < least.size(); ++v) {
      if (flow_.variables()[v].param.empty()) least[v].reset();
    }
    return least;
  }

  /// Before each Cast: the group that makes its value computes wider; or all groups behind the same output do.
  std::vector<Move> moves(const DtypeChoice& choice) const {
    std::vector<Move> all;
    for (const NeededCast& cast : flow_.casts(choice)) {
      std::vector<size_t> maker;
      for (size_t v = 0; v < flow_.variables().size(); ++v) {
        const DtypeVariable& variable = flow_.variables()[v];
        if (variable.node == cast.link.from && variable.param.empty()) maker.push_back(v);
      }
      if (maker.empty()) continue;
      all.push_back({maker, cast.to});
      for (const Link& link : graph_.links_into(cast.link.from)) {
        if (auto groups = flow_.groups_behind(link.from, link.from_socket); groups.size() > 1)
          all.push_back({std::move(groups), cast.to});
      }
    }
    return all;
  }

  const Graph& graph_;
  DtypeFlow flow_;
  DtypeChoice least_;
};

}  // namespace

PrecisionPlan negotiate(const Graph& graph) {
  return Negotiation(graph).run();
}

}  // namespace hw
