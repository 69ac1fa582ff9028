// Rewrites: another graph, with other weights, that computes the same.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>

#include "engine/graph/check/validate.h"
#include "engine/graph/edit.h"
#include "engine/graph/lower/lower.h"
#include "engine/plan/weights.h"

namespace hw {

/// An output before a rewrite, and the one that computes the same after it.
struct SameOutput {
  SocketRef before, after;
};

/// One place where a rewrite can be made. Nodes by path of the flattened graph.
struct Rewrite {
  std::string what;                              // "norm_1 into conv_1"
  std::set<std::string> nodes;                   // that it is about; wires between these are replaced by `links`
  Edits edits;                                   // of nodes
  std::vector<Link> links = {};                  // among its nodes, old and new
  std::map<SocketRef, SocketRef> inputs = {};    // wires into the first lead into the second
  std::map<SocketRef, SocketRef> outputs = {};   // whoever reads the first reads the second
  std::vector<SameOutput> compared = {};         // what is equal besides the outputs
  std::function<Status(Weights&)> weights = {};  // changes them; null: they stay. Error HW-F005: one is missing
  std::optional<DType> rounded = {};             // narrower than declared: values on the way are rounded to it
};

struct RewriteRule {
  std::string_view id;       // "fold_batch_norm"
  std::string_view title;    // an act: "Fold Batch Norm"
  std::string_view summary;  // a sentence
  std::string_view source;   // paper or tool
  /// Places that have no node in common. `flat`: without groups; `validator`: of it.
  std::vector<Rewrite> (*find)(const Graph& flat, const Validator& validator);
};
/// In the order they are offered.
std::span<const RewriteRule> rewrite_rules();
/// Error HW-C001: no rule has this id; the reason lists them.
Result<const RewriteRule*> find_rewrite_rule(std::string_view id);

/// What a graph is for: the tensors read by nodes whose outputs have no readers, such as Train. By path.
std::vector<SocketRef> final_outputs(const Graph& flat, const Validator& validator);

/// What the first reader of an output of `before` reads in `after`, where the output itself may be gone. None: nobody
/// reads it, or the reader is gone, too.
std::optional<SocketRef> read_instead(const Graph& before, const Graph& after, const SocketRef& output);

struct RewrittenGraph {
  Edits edits;  // of the document
  Graph graph;  // the document with them
  std::vector<SameOutput> same;
};
/// All places at once. In a group they change its definition, which all instances share that change alike; what it
/// promotes of a node that goes, it promotes no more. Errors: those of document_edits_apart().
Result<RewrittenGraph> rewritten(const Graph& document, std::span<const Rewrite> places);
/// The weights that the rewritten graph takes. Error HW-F005.
Result<Weights> rewritten_weights(Weights weights, std::span<const Rewrite> places);

}  // namespace hw
