#include "app/cli/commands/evaluation.h"

#include <cstdio>

#include "app/cli/options/device_choice.h"

namespace hw::cli {

Result<Evaluation> prepare_evaluation(const Graph& graph, Assets& assets, std::span<const SocketRef> wanted,
                                      const EvaluationChoice& how) {
  HW_TRY(std::shared_ptr<Device> device, choose_device(how.device));
  HW_TRY(Evaluation made,
         Evaluation::make(graph, wanted, assets, std::move(device),
                          {.given = how.inputs, .passes_off = how.passes_off, .pinned = PinnedNodes::required}));
  for (const PassNote& note : made.notes())
    std::fprintf(stderr, "note: %s is computed in %s (%s)\n", note.node.c_str(), note.into.c_str(),
                 std::string(note.pass).c_str());
  HW_CHECK(made.set_weights(how.weights.get(), how.seed, how.partial_weights ? Lacking::initial : Lacking::refused));
  return made;
}

Result<std::vector<Tensor>> evaluate(const Graph& graph, Assets& assets, std::span<const SocketRef> wanted,
                                     const EvaluationChoice& how) {
  HW_TRY(Evaluation evaluation, prepare_evaluation(graph, assets, wanted, how));
  HW_CHECK(evaluation.run());
  return evaluation.read_all();
}

}  // namespace hw::cli
