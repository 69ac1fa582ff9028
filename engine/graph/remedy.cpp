#include "engine/graph/remedy.h"

#include "engine/graph/negotiate.h"

namespace hw {

Edits remedy_edits(const Graph& graph, const Remedy& remedy) {
  if (remedy.kind != Remedy::Kind::unify && remedy.kind != Remedy::Kind::negotiate) return remedy.edits;
  Graph before = graph;
  if (!apply_edits(before, remedy.edits)) return {};
  const PrecisionPlan plan = remedy.kind == Remedy::Kind::unify ? unify(before, remedy.dtype) : negotiate(before);
  Edits edits = remedy.edits;
  edits.insert(edits.end(), plan.edits.begin(), plan.edits.end());
  return edits;
}

}  // namespace hw
