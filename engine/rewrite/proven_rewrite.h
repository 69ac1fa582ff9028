// A rewrite at every place of a document, with its proof.
#pragma once

#include "engine/rewrite/equivalence.h"

namespace hw {

struct ProvenRewrite {
  std::vector<Rewrite> places;  // empty: the rule fits nowhere, and all else is empty
  RewrittenGraph made;
  std::shared_ptr<const Weights> weights;  // of the rewritten graph; null: there were none, and it needs none
  Equivalence proof;
};

/// `weights`: of the document; null: it has none, and its initial ones for the seed are used, and kept where the rule
/// changes weights. Blocks. Errors: those of rewritten() and check_equivalence().
Result<ProvenRewrite> prove_rewrite(const Graph& document, const RewriteRule& rule,
                                    std::shared_ptr<const Weights> weights, Assets& assets, Device& device,
                                    const EquivalenceOptions& options);

}  // namespace hw
