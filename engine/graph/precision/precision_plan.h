// PrecisionPlan: a choice of dtypes as ordinary edits, each explained: dtype parameters, weight formats, Cast nodes.
#pragma once

#include "engine/graph/precision/dtype_flow.h"

namespace hw {

struct PrecisionPlan {
  Edits edits;                     // one undo step; empty: nothing is to be done
  std::vector<std::string> notes;  // a line for each cast and each changed node
  /// Those notes that are about constants and bounds that the dtypes do not hold: see keep_numbers.h.
  std::vector<std::string> numbers = {};
};

struct RealiseOptions {
  bool keep_storage = true;  // weights stay stored as they are and are cast on use; else they follow their node
  bool drop_casts = false;   // Casts that change nothing any more are removed
  /// The graph's Outputs keep their dtypes, by Casts before them; else a note says the new one.
  bool keep_outputs = true;
};

/// The edits from the graph as it is to this choice. A wire that already leads through a fitting Cast uses it; wires
/// from one output to one dtype share a Cast. Applied, no wire and no weight clashes, apart from what no Cast can mend.
PrecisionPlan realise(const DtypeFlow& flow, const DtypeChoice& choice, const RealiseOptions& options);

/// Every node whose dtype can be chosen computes in `dtype`, and weights are stored in it; Casts where a node takes or
/// gives only another. Casts that change nothing any more are removed. The graph's Inputs and Outputs change likewise,
/// which the notes say.
PrecisionPlan unify(const Graph& graph, DType dtype);

}  // namespace hw
