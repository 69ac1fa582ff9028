#include "app/document/policy_casts.h"

#include <algorithm>

#include "engine/graph/edit_effects.h"
#include "engine/graph/groups/document_edits.h"
#include "engine/graph/groups/flatten.h"
#include "engine/graph/precision/fix.h"

namespace hw::app {

bool asks_for_casts(const Graph& document, const Graph& shown, const Edits& edits) {
  const auto sets_policy = [](const Edit& edit) { return may_change(edit).policy; };
  return (document.precision.policy != Policy::strict || std::ranges::any_of(edits, sets_policy)) &&
         change_dtypes(shown, edits);
}

PrecisionPlan with_policy(const Graph& document, const Edits& edits) {
  Graph after = document;
  if (!apply_edits(after, edits)) return {edits, {}};  // push() says why
  PrecisionPlan plan = policy_plan(flatten(after));
  const auto asked = document_edits(after, plan.edits);
  if (!asked) return {edits, {asked.error().text()}};
  plan.edits = edits;
  plan.edits.insert(plan.edits.end(), asked->begin(), asked->end());
  return plan;
}

}  // namespace hw::app
