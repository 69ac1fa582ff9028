#include "engine/rewrite/rewrite.h"

#include <algorithm>
#include <array>

#include "engine/core/codes.h"
#include "engine/graph/groups/edits_apart.h"
#include "engine/graph/groups/flatten.h"
#include "engine/rewrite/rules.h"

namespace hw {

std::span<const RewriteRule> rewrite_rules() {
  using namespace rewrites;
  static const std::array rules{fold_batch_norm, merge_convs,    linear_to_conv,
                                conv_to_linear,  remove_dropout, mixed_precision};
  return rules;
}

Result<const RewriteRule*> find_rewrite_rule(std::string_view id) {
  const auto rules = rewrite_rules();
  const auto found = std::ranges::find(rules, id, &RewriteRule::id);
  if (found != rules.end()) return &*found;
  std::string known;
  for (const RewriteRule& rule : rules) known += (known.empty() ? "" : ", ") + std::string(rule.id);
  return Error{codes::bad_usage, std::string(id), "there is no such rewrite.", "Use one of: " + known + "."};
}

namespace {

/// The wires between places, and between them and the rest, as they are after the rewrites.
class Rewiring {
 public:
  explicit Rewiring(std::span<const Rewrite> places) {
    for (size_t i = 0; i < places.size(); ++i) {
      for (const std::string& node : places[i].nodes) place_[node] = i;
      inputs_.insert(places[i].inputs.begin(), places[i].inputs.end());
      outputs_.insert(places[i].outputs.begin(), places[i].outputs.end());
      for (const Edit& edit : places[i].edits) {
        if (const auto* gone = std::get_if<RemoveNode>(&edit)) gone_.insert(gone->id);
        if (const auto* added = std::get_if<AddNode>(&edit)) gone_.erase(added->node->id);
      }
    }
  }
  SocketRef output(SocketRef from) const {
    for (auto moved = outputs_.find(from); moved != outputs_.end(); moved = outputs_.find(from)) from = moved->second;
    return from;
  }
  void append(const Graph& flat, Edits& edits) const {
    for (const Link& link : flat.links()) {
      const auto from = place_.find(link.from), to = place_.find(link.to);
      if (from == place_.end() && to == place_.end()) continue;
      if (from != place_.end() && to != place_.end() && from->second == to->second) continue;
      const SocketRef source = output({link.from, link.from_socket});
      const auto moved = inputs_.find({link.to, link.to_socket});
      const SocketRef target = moved == inputs_.end() ? SocketRef{link.to, link.to_socket} : moved->second;
      if (!gone_.contains(target.node))
        edits.push_back(AddLink{{source.node, source.socket, target.node, target.socket}});
    }
  }

 private:
  std::map<std::string, size_t> place_;  // by node
  std::map<SocketRef, SocketRef> inputs_, outputs_;
  std::set<std::string> gone_;
};

}  // namespace

Result<RewrittenGraph> rewritten(const Graph& document, std::span<const Rewrite> places) {
  RewrittenGraph made;
  const Rewiring rewiring(places);
  Edits edits;
  for (const Rewrite& place : places) {
    edits.insert(edits.end(), place.edits.begin(), place.edits.end());
    made.same.insert(made.same.end(), place.compared.begin(), place.compared.end());
    for (const auto& [before, after] : place.outputs) made.same.push_back({before, rewiring.output(after)});
  }
  for (const Rewrite& place : places)
    for (const Link& link : place.links) edits.push_back(AddLink{link});
  rewiring.append(flatten(document), edits);
  HW_TRY(made.edits, document_edits_apart(document, edits));
  made.graph = document;
  HW_CHECK(apply_edits(made.graph, made.edits));
  return made;
}

std::vector<SocketRef> final_outputs(const Graph& flat, const Validator& validator) {
  std::set<SocketRef> found;
  for (const auto& [id, node] : flat.nodes()) {
    if (!flat.links_from(id).empty()) continue;
    for (const Link& link : flat.links_into(id)) {
      const auto wire = validator.output_type(link.from, link.from_socket);
      if (wire && wire->kind == Kind::tensor) found.insert({link.from, link.from_socket});
    }
  }
  return {found.begin(), found.end()};
}

std::optional<SocketRef> read_instead(const Graph& before, const Graph& after, const SocketRef& output) {
  const auto& readers = before.links_from(output.node, output.socket);
  if (readers.empty()) return std::nullopt;
  const auto now = after.links_into(readers.front().to, readers.front().to_socket);
  return now.size() == 1 ? std::optional(SocketRef{now[0].from, now[0].from_socket}) : std::nullopt;
}

Result<Weights> rewritten_weights(Weights weights, std::span<const Rewrite> places) {
  for (const Rewrite& place : places)
    if (place.weights) HW_CHECK(place.weights(weights));
  return weights;
}

}  // namespace hw
