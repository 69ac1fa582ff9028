// A rewrite of an open graph, proven to compute the same, and written to a file of its own.
#pragma once

#include <filesystem>

#include "app/workspace/open_graph.h"
#include "engine/rewrite/proven_rewrite.h"

namespace hw::workspace {

struct RulePlaces {
  const RewriteRule* rule;  // not null; lives as long as the program
  size_t places;            // where it fits
};
/// Every rule, in the order they are offered. `flat`: without groups and without errors.
std::vector<RulePlaces> places_of_rules(const Graph& flat);

/// At which places, and how that is proven.
struct RewriteRequest {
  const RewriteRule* rule = nullptr;       // not null; at every place
  std::shared_ptr<const Weights> weights;  // of the graph; null: initial ones for the seed
  std::shared_ptr<Device> device;          // used by nobody else meanwhile
  EquivalenceOptions proof = {};
};
/// Without places where the rule fits nowhere. The graph has no errors. Notes: initial weights stood in. Blocks.
/// Errors: those of hw::prove_rewrite.
Result<ProvenRewrite> prove_rewrite(const OpenGraph& loaded, const RewriteRequest& request, Notes& notes);

/// Writes a graph that was made of `loaded`, and its weights beside it: the files, in this order weights, graph.
/// Weights that lie there are set aside, with a note. `option`: which names the file. Errors: those of
/// set_weights_aside and save_document; HW-F002, also where weights lie there that the graph, which has none, would be
/// taken to have.
Result<std::vector<std::filesystem::path>> save_rewritten(const OpenGraph& loaded, const ProvenRewrite& proven,
                                                          const std::filesystem::path& file, const std::string& option,
                                                          Notes& notes);

}  // namespace hw::workspace
