#include "app/models/run/may_run.h"

#include "app/workspace/notes.h"
#include "engine/core/codes.h"
#include "engine/graph/check/check_instances.h"
#include "engine/graph/weights/fit_weights.h"
#include "engine/plan/train_settings.h"

namespace hw::app {
namespace {

Error refusal(const Diagnostic& d, const QString& remedy) {
  Error error = workspace::error_of(d);
  error.remedy = remedy.toStdString();
  return error;
}

}  // namespace

Status may_run(const Document& document) {
  const auto trainer = find_trainer(document.flat());
  if (!trainer) return trainer.error();
  // Training would make weights that the next save puts in their place.
  if (!document.weights()->problems().empty())
    return refusal(document.weights()->problems().front(),
                   QObject::tr("Its remedies are in Problems; or move the weights' file away."));
  if (const Diagnostic* blocking = document.validator().blocking(document.flat(), *trainer))
    return refusal(*blocking, QObject::tr("Its remedies are in Problems."));
  const auto instances = blocking_instances(document.graph(), document.flat(), *trainer);
  if (!instances.empty()) return refusal(instances.front(), QObject::tr("Its remedies are in Problems."));
  return ok();
}

Status may_resume(const Document& document, const Checkpoint& from) {
  const Graph& graph = document.flat();
  HW_TRY(const std::string trainer, find_trainer(graph));
  if (const uint64_t seed = train_seed(*graph.find(trainer)); seed != from.seed) {
    return Error{codes::weights_mismatch, trainer + ".seed",
                 "the checkpoint was made with seed " + std::to_string(from.seed) + ", the graph has " +
                     std::to_string(seed) + ".",
                 "Set the Train node's seed to " + std::to_string(from.seed) + "."};
  }
  std::vector<Diagnostic> misfits = fit_weights(graph, document.validator(), from.states).problems;
  std::erase_if(misfits, [](const Diagnostic& d) { return d.code != codes::weights_mismatch; });
  if (misfits.empty()) return ok();
  Error error = as_error(misfits);
  error.remedy = QObject::tr("Resume with the graph and the settings that were trained.").toStdString();
  return error;
}

}  // namespace hw::app
