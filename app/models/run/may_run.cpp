#include "app/models/run/may_run.h"

#include "app/workspace/notes.h"
#include "engine/graph/check/check_instances.h"
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

}  // namespace hw::app
