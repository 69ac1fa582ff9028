#include "tests/fuzz/random_graph.h"

#include <algorithm>

#include "engine/graph/check/validate.h"
#include "engine/graph/groups/flat_graph.h"
#include "tests/fuzz/random_group.h"
#include "tests/fuzz/random_params.h"

namespace hw::fuzz {
namespace {

constexpr int kMostTries = 12;  // wires that are tried for an input

class Maker {
 public:
  explicit Maker(uint64_t seed) : dice_(seed), is_wild_(seed % 2 == 1) {
    for (const auto& [id, type] : Registry::instance().all()) {
      const bool is_source = type.decl.inputs().empty() && !type.decl.outputs().empty();
      if (type.decl.role() != Role::train) (is_source ? sources_ : others_).push_back(&type);
    }
  }

  Graph make() {
    add_source("parameter");
    const int64_t sources = dice_.below(3), others = 1 + dice_.below(9);
    for (int64_t i = 0; i < sources; ++i) add_source(dice_.chance(0.5) ? "parameter" : dice_.of(sources_)->id);
    for (int64_t i = 0; i < others; ++i) add_node(*dice_.of(others_));
    add_training();
    if (is_wild_) break_rules();
    for (int64_t depth = dice_.chance(0.3) ? 1 + dice_.below(3) : 0; depth > 0; --depth) put_into_group(graph_, dice_);
    return std::move(graph_);
  }

 private:
  ParamMap params_of(const NodeType& type) {
    ParamMap params;
    for (const ParamDecl& p : type.decl.params()) {
      if (is_wild_ && dice_.chance(0.06)) {
        params[p.id] = wild_value(p, dice_);
      } else if (!p.is_live && dice_.chance(0.5)) {
        params[p.id] = fitting_value(p, dice_);
      } else if (p.check_size) {
        params[p.id] = *p.check_size;
      }
    }
    return params;
  }

  void apply(const Edits& edits) {
    if (apply_edits(graph_, edits)) validator_.update(flat_.graph(), flat_.update(graph_, edits));
  }

  /// Puts the node in, also with parameters that no edit would give it: as a file may.
  std::string insert(const NodeType& type, ParamMap params) {
    Node node;
    node.id = graph_.fresh_id(type.id);
    node.type = type.id;
    node.params = std::move(params);
    graph_.add_node(node);
    validator_.update(flat_.graph(), flat_.update(graph_, {AddNode{node}}));
    return node.id;
  }

  bool is_wrong(const std::string& id) const {
    return std::ranges::any_of(validator_.of(id), [](const Diagnostic& d) { return d.severity == Severity::error; });
  }

  void add_source(const std::string& type_id) {
    const NodeType& type = *Registry::instance().find(type_id);
    ParamMap params = params_of(type);
    if (type.decl.find_param("path")) params["path"] = std::string("asset:example");
    const ParamDecl* shape = type.decl.find_param("shape");
    if (shape && dice_.chance(0.9)) {
      std::vector<double> sizes(static_cast<size_t>(dice_.of({1, 2, 2, 2, 3, 4, 4})));
      for (double& size : sizes) size = static_cast<double>(1 + dice_.below(sizes.size() > 2 ? 6 : 12));
      params["shape"] = sizes;
      params.erase("axes");
    }
    const std::string id = insert(type, params);
    if (!is_wild_ && is_wrong(id)) return apply({RemoveNode{id}});
    remember(id);
  }

  void remember(const std::string& id) {
    const Node& node = *graph_.find(id);
    const Declaration declared = Registry::instance().find(node.type)->declared(node.params);
    for (const SocketDecl& output : declared->outputs()) outputs_.push_back({id, output.id});
  }

  void add_node(const NodeType& type) {
    for (int attempt = 0; attempt < 4; ++attempt) {
      const std::string id = insert(type, params_of(type));
      const Declaration declared = type.declared(graph_.find(id)->params);
      for (const SocketDecl& input : declared->inputs())
        if (!input.optional || dice_.chance(0.4)) wire(id, input);
      if (!is_wrong(id) || (is_wild_ && dice_.chance(0.1))) {
        decorate(id, type);
        return remember(id);
      }
      apply({RemoveNode{id}});
    }
  }

  void wire(const std::string& id, const SocketDecl& input) {
    for (int i = 0; i < kMostTries && !outputs_.empty(); ++i) {
      const auto& [from, socket] = dice_.of(outputs_);
      const Link link{from, socket, id, input.id};
      const bool fits = !check_link(graph_, validator_, link);
      if (fits || (is_wild_ && dice_.chance(0.03))) return apply({AddLink{link}});
    }
  }

  /// What the user sets beside parameters and wires.
  void decorate(const std::string& id, const NodeType& type) {
    if (dice_.chance(0.03)) apply({SetFlags{id, false, true}});
    if (dice_.chance(0.03)) apply({SetFrozen{id, true}});
    if (dice_.chance(0.05)) apply({SetDevice{id, dice_.chance(0.8) ? "ref" : "cpu"}});
    if (const auto owners = tie_candidates(graph_, *graph_.find(id)); !owners.empty() && dice_.chance(0.3)) {
      apply({SetTie{id, owners.front()}});
      if (!is_wild_ && is_wrong(id)) apply({SetTie{id, ""}});
    }
    for (const WeightDecl& weight : type.decl.weights()) {
      if (weight.statistics || !dice_.chance(0.05)) continue;
      const DType stored = dice_.of({DType::f32, DType::f16, DType::bf16, DType::f8e4m3});
      apply({SetWeight{id, weight.id, WeightFormat{stored, dice_.chance(0.8), false}}});
      if (!is_wild_ && is_wrong(id)) apply({SetWeight{id, weight.id, std::nullopt}});
    }
  }

  /// A mean over one of the last values, and a Train node.
  void add_training() {
    const NodeType &mean = *Registry::instance().find("mean"), &train = *Registry::instance().find("train");
    const std::string loss = insert(mean, {}), trainer = insert(train, params_of(train));
    for (size_t back = 0; back < outputs_.size(); ++back) {
      const auto& [from, socket] = outputs_[outputs_.size() - 1 - back];
      const Link link{from, socket, loss, "x"};
      if (dice_.chance(0.2) || check_link(graph_, validator_, link)) continue;
      apply({AddLink{link}});
      break;
    }
    apply({AddLink{{loss, "y", trainer, "loss"}}});
  }

  /// A wire anywhere, to sockets that are not there too.
  void break_rules() {
    if (outputs_.empty() || dice_.chance(0.7)) return;
    std::vector<std::string> ids;
    for (const auto& [id, node] : graph_.nodes()) ids.push_back(id);
    const NodeType& to = *dice_.of(others_);
    const std::string socket = to.decl.inputs().empty() ? "x" : dice_.of(to.decl.inputs()).id;
    const auto& [from, from_socket] = dice_.of(outputs_);
    const Link link{from, from_socket, dice_.of(ids), socket};
    if (!graph_.has_link(link)) graph_.add_link(link);
  }

  Dice dice_;
  const bool is_wild_;
  Graph graph_;
  FlatGraph flat_;
  Validator validator_;
  std::vector<const NodeType*> sources_, others_;
  std::vector<std::pair<std::string, std::string>> outputs_;  // node, socket
};

}  // namespace

Graph random_graph(uint64_t seed) {
  return Maker(seed).make();
}

}  // namespace hw::fuzz
