#include "engine/plan/graph_hints.h"

#include <algorithm>
#include <iterator>

#include "engine/graph/check/structure_hints.h"
#include "engine/plan/check_parts.h"

namespace hw {

std::vector<Diagnostic> graph_hints(const Graph& flat, Assets& assets) {
  std::vector<Diagnostic> found = structure_hints(flat);
  std::ranges::move(check_parts(flat, assets), std::back_inserter(found));
  return found;
}

}  // namespace hw
