// Mending all dtype clashes of a graph, and of weights loaded into it, by one kind of remedy.
#pragma once

#include "engine/graph/precision/precision_plan.h"
#include "engine/graph/weights/fit_weights.h"

namespace hw {

struct Fix {
  Remedy::Kind kind = Remedy::Kind::negotiate;  // insert_cast, unify or negotiate
  DType dtype = DType::f32;                     // unify: to which
};

/// "insert-cast", "negotiate" or "unify=DTYPE". Error HW-C001.
Result<Fix> parse_fix(const std::string& text);

/// Changes `document`, in groups their definitions. insert_cast: each clash by its own Cast; of a parameter that no
/// wire can be cast for, on use, and of running statistics on loading. unify: weights that fitted before are converted
/// on loading. Returns a line for each remedy, cast and changed node. `weights` may be empty.
Result<std::vector<std::string>> fix_clashes(Graph& document, const Fix& fix,
                                             const std::map<std::string, Tensor>& weights);

/// The edits that a flattened graph's own policy asks for now; none when it is strict.
PrecisionPlan policy_plan(const Graph& graph);

}  // namespace hw
