#include "app/desktop/document_context.h"

#include <algorithm>

#include "app/document/document_assets.h"

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
    : QObject(parent),
      autosave_(document_, recovery),
      assets_(assets_of(document_)),
      run_(document_, assets_),
      inputs_(document_, *run_.evaluation()),
      devices_(document_, run_),
      instruments_(run_),
      gradientFlow_(document_, run_),
      splitResults_(document_, run_),
      graph_(document_),
      passMarks_(document_, assets_, run_.device()),
      inspector_(document_),
      evaluatedNode_(document_, run_, assets_),
      previews_(document_, run_, assets_),
      cardFacts_(document_, run_, previews_),
      tensors_(run_, &evaluatedNode_, TensorModel::What::values),
      gradients_(run_, nullptr, TensorModel::What::gradients),
      problems_(document_),
      field_(document_, run_, assets_),
      picture_(document_, run_, assets_),
      plot_(document_, run_, assets_),
      view_(document_),
      bake_(field_),
      xray_(document_, run_, assets_),
      instrumentsHeat_(instruments_),
      xrayHeat_(xray_),
      heatMap_({&instrumentsHeat_, &xrayHeat_}),
      badValue_(document_, run_, assets_),
      jacobian_(document_, run_, assets_),
      gradientCheck_(document_, assets_),
      parity_(document_, run_, assets_),
      checks_(in_order({&xray_, &gradientCheck_, &parity_})),
      precision_(document_, run_, assets_),
      rewrites_(document_, run_, assets_),
      weightMap_(document_, run_),
      onnxExport_(document_, assets_),
      watch_(document_, assets_),
      structure_(document_, assets_) {
  connect(&watch_, &AssetWatch::problemsChanged, this, &DocumentContext::gatherFindings);
  connect(&structure_, &StructureWatch::hintsChanged, this, &DocumentContext::gatherFindings);
  for (CheckModel* check : checks_)
    connect(check, &CheckModel::findingsChanged, this, &DocumentContext::gatherFindings);
  const auto reload = [this] {
    field_.reload();
    picture_.reload();
    plot_.reload();
    evaluatedNode_.reload();
    previews_.reload();
    run_.reloadFiles();
    passMarks_.renew();
  };
  connect(&document_, &Document::allowedChanged, this, reload);
  connect(&watch_, &AssetWatch::fileChanged, this, [this, reload](const QString& name) {
    reload();
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

void DocumentContext::leave() {
  run_.stop();
  watch({});
  previews_.lookAt({});
  rewrites_.cancel();
  for (CheckModel* check : checks_) check->cancel();
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

bool DocumentContext::quiet() const {
  return !run_.running() && !run_.estimating() && !passMarks_.busy() && !field_.busy() && !picture_.busy() &&
         !plot_.busy() && !evaluatedNode_.busy() && !previews_.busy() && !bake_.running() && !jacobian_.running() &&
         !precision_.running() && !onnxExport_.busy() && !rewrites_.running() && !watch_.busy() && !structure_.busy() &&
         !document_.weights()->busy() &&
         std::none_of(checks_.begin(), checks_.end(), [](const CheckModel* check) { return check->running(); });
}

}  // namespace hw::app
