#include "engine/rewrite/layers.h"
#include "engine/rewrite/rules.h"

namespace hw::rewrites {
namespace {

std::vector<Rewrite> find_dropouts(const Graph& flat, const Validator&) {
  std::vector<Rewrite> found;
  for (const auto& [id, node] : flat.nodes()) {
    if (node.type != "dropout" && node.type != "drop_path") continue;
    if (const auto source = source_of(flat, node))
      found.push_back({.what = id, .nodes = {id}, .edits = {RemoveNode{id}}, .outputs = {{{id, "y"}, *source}}});
  }
  return found;
}

}  // namespace

const RewriteRule remove_dropout{"remove_dropout", "Remove Dropout",
                                 "Dropout and DropPath hand their input on when a graph is evaluated: they go.",
                                 "Srivastava et al. 2014, Dropout", &find_dropouts};

}  // namespace hw::rewrites
