#include "engine/rewrite/proven_rewrite.h"

#include <algorithm>

#include "engine/graph/groups/flatten.h"

namespace hw {

Result<ProvenRewrite> prove_rewrite(const Graph& document, const RewriteRule& rule,
                                    std::shared_ptr<const Weights> weights, Assets& assets, Device& device,
                                    const EquivalenceOptions& options) {
  ProvenRewrite proven;
  const Graph flat = flatten(document);
  Validator validator;
  validator.reset(flat);
  proven.places = rule.find(flat, validator);
  if (proven.places.empty()) return proven;
  HW_TRY(proven.made, rewritten(document, proven.places));
  const bool changes = std::ranges::any_of(proven.places, [](const Rewrite& place) { return bool(place.weights); });
  const bool kept = weights || changes;
  if (!weights) {
    std::vector<SocketRef> outputs = final_outputs(flat, validator);
    for (const SameOutput& same : proven.made.same) outputs.push_back(same.before);
    HW_TRY(Weights initial, initial_weights(flat, outputs, assets, device, options.seed));
    weights = std::make_shared<const Weights>(std::move(initial));
  }
  HW_TRY(Weights changed, rewritten_weights(*weights, proven.places));
  const auto after = std::make_shared<const Weights>(std::move(changed));
  HW_TRY(proven.proof, check_equivalence(flat, *weights, flatten(proven.made.graph), *after, proven.places,
                                         proven.made.same, assets, device, options));
  if (kept) proven.weights = after;
  return proven;
}

}  // namespace hw
