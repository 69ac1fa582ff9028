#include "app/desktop/document_context.h"

#include <algorithm>

namespace hw::app {
namespace {

std::array<CheckModel*, kChecks.size()> in_order(std::array<CheckModel*, kChecks.size()> checks) {
  std::sort(checks.begin(), checks.end(), [](const CheckModel* a, const CheckModel* b) {
    const auto place = [](const CheckModel* check) {
      return std::find(kChecks.begin(), kChecks.end(), &check->info());
    };
    return place(a) < place(b);
  });
  return checks;
}

}  // namespace

DocumentContext::DocumentContext(Recovery& recovery, QObject* parent)
    : QObject(parent), autosave_(document_, recovery), checks_(in_order({&xray_, &gradientCheck_, &parity_})) {
  add_parts();
  connect(&watch_, &AssetWatch::problemsChanged, this, &DocumentContext::gatherFindings);
  connect(&structure_, &StructureWatch::hintsChanged, this, &DocumentContext::gatherFindings);
  for (CheckModel* check : checks_)
    connect(check, &CheckModel::findingsChanged, this, &DocumentContext::gatherFindings);
  connect(&document_, &Document::allowedChanged, this, [this] { parts_.reload(); });
  connect(&watch_, &AssetWatch::fileChanged, this, [this](const QString& name) {
    parts_.reload();
    Q_EMIT fileReloaded(name, run_.running() || run_.paused());
  });
  connect(&run_, &RunModel::stateChanged, this, &DocumentContext::evaluateNode);
  connect(&document_, &Document::selectionChanged, this, &DocumentContext::evaluateNode);
  connect(&run_, &RunModel::errorChanged, &problems_, &ProblemsModel::setRunError);
  graph_.setInstruments(&instruments_);
  graph_.setHeatMap(&heatMap_);
  graph_.setDevices(&devices_);
  graph_.setPreviews(&previews_, &cardFacts_);
  connect(&run_, &RunModel::changed, &inspector_, [this] { inspector_.setStep(run_.step()); });
  connect(&passMarks_, &PassMarks::changed, &graph_, [this] { graph_.setPasses(passMarks_.texts()); });
  connect(&run_, &RunModel::deviceChanged, &passMarks_, [this] { passMarks_.setDevice(run_.device()); });
  connect(&run_, &RunModel::nodeMsChanged, &graph_, [this] { graph_.setNodeMs(run_.nodeMs()); });
}

bool DocumentContext::groupIsActive() const {
  const QString active = document_.activePath();
  return !active.isEmpty() && !document_.flat().find(active.toStdString());
}

void DocumentContext::add_parts() {
  const auto add_view = [this](WatchedView& view) {
    parts_.add({.busy = [&view] { return view.busy(); }, .reload = [&view] { view.reload(); }});
  };
  const auto add_worker = [this](const auto& worker) {
    if constexpr (requires { worker.busy(); })
      parts_.add({.busy = [&worker] { return worker.busy(); }});
    else
      parts_.add({.busy = [&worker] { return worker.running(); }});
  };
  add_view(field_);
  add_view(picture_);
  add_view(plot_);
  add_view(evaluatedNode_);
  add_view(previews_);
  parts_.add({.busy = [this] { return run_.running() || run_.estimating(); },
              .reload = [this] { run_.reloadFiles(); },
              .leave = [this] { run_.stop(); }});
  parts_.add({.busy = [this] { return passMarks_.busy(); }, .reload = [this] { passMarks_.renew(); }});
  parts_.add({.leave = [this] {  // nothing is looked at any more
    watch({});
    previews_.lookAt({});
  }});
  parts_.add({.busy = [this] { return rewrites_.running(); }, .leave = [this] { rewrites_.cancel(); }});
  for (CheckModel* check : checks_)
    parts_.add({.busy = [check] { return check->running(); }, .leave = [check] { check->cancel(); }});
  parts_.add({.busy = [this] { return badValue_.looking(); }, .leave = [this] { badValue_.cancel(); }});
  parts_.add({.busy = [this] { return graph_.arrangement()->busy(); },
              .leave = [this] { (void)graph_.arrangement()->cancel(); }});
  add_worker(bake_);
  add_worker(jacobian_);
  add_worker(precision_);
  add_worker(onnxExport_);
  add_worker(watch_);
  add_worker(structure_);
  add_worker(*document_.weights());
  for (const TabModel& tab : trainingTabs_) parts_.add(tab.part);
}

void DocumentContext::gatherFindings() {
  std::vector<Diagnostic> all = watch_.problems();
  for (const CheckModel* check : checks_) {
    const std::vector<Diagnostic> found = check->findings();
    all.insert(all.end(), found.begin(), found.end());
  }
  all.insert(all.end(), structure_.hints().begin(), structure_.hints().end());
  problems_.setFindings(all);
  graph_.setFindings(all);
}

void DocumentContext::watch(const QString& what) {
  run_.setInspecting(!what.isEmpty());
  valuesWatched_ = what == QLatin1String("values");
  evaluateNode();
  tensors_.setWatched(valuesWatched_);
  gradients_.setWatched(what == QLatin1String("gradients"));
}

bool DocumentContext::untouched() const {
  return document_.empty() && document_.path().isEmpty() && !document_.modified() && !document_.canRedo();
}

}  // namespace hw::app
