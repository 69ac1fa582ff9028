#include "app/models/run/same_run.h"

#include "engine/plan/train_settings.h"
#include "engine/plan/training_plan.h"

namespace hw::app {

bool same_run(const Checkpoint& checkpoint, const Graph& graph, const std::string& device) {
  const auto now = find_trainer(graph), then = find_trainer(checkpoint.graph);
  return now && then && *now == *then && checkpoint.device == device &&
         graph.find(*now)->params == checkpoint.graph.find(*then)->params && same_structure(checkpoint.graph, graph);
}

}  // namespace hw::app
