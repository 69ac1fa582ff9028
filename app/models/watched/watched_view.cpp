#include "app/models/watched/watched_view.h"

#include "app/document/task.h"
#include "app/document/text.h"
#include "app/document/without_commands.h"
#include "app/models/run/run_model.h"
#include "app/workspace/viewers.h"

namespace hw::app {
namespace {

constexpr int kRebuildMs = 16;
constexpr int kWeightsMs = 100;
constexpr int kPatienceMs = 250;

}  // namespace

WatchedView::WatchedView(Document& document, RunModel& run, std::shared_ptr<Assets> assets, QObject* parent)
    : QObject(parent), document_(document), run_(run), assets_(std::move(assets)) {
  work_.setMaxThreadCount(1);
  patience_ = kPatienceMs;
  planning_.start();
  rebuildSoon_.setSingleShot(true);
  connect(&rebuildSoon_, &QTimer::timeout, this, &WatchedView::rebuild);
  drawSoon_.setSingleShot(true);
  drawSoon_.setInterval(kWeightsMs);
  connect(&drawSoon_, &QTimer::timeout, this, [this] { draw(); });
  connect(&document, &Document::structureChanged, this, &WatchedView::changed);
  connect(&document, &Document::reset, this, &WatchedView::changed);
  connect(&document, &Document::fileChanged, this, &WatchedView::changed);
  connect(&document, &Document::selectionChanged, this, [this] {
    const Node* active = document_.flat().find(to_std(document_.activePath()));
    if (active && document_.activePath() != viewer_ && shows(*active)) changed();
  });
  const auto weights = [this] {
    newer_ = true;
    if (watched_ && !drawSoon_.isActive()) drawSoon_.start();
  };
  connect(document.weights(), &DocumentWeights::loaded, this, weights);
  connect(&run, &RunModel::weightsChanged, this, weights);
  connect(&run, &RunModel::deviceChanged, this, &WatchedView::changed);
  connect(&run, &RunModel::stateChanged, this, &WatchedView::follow);
  connect(run.evaluation(), &Evaluation::liveChanged, this, &WatchedView::follow);
  connect(run.evaluation(), &Evaluation::asked, this, [this] {
    ++changes_;
    due_ = true;
    rebuild();
  });
}

void WatchedView::end() {
  cancel_ = true;
  work_.waitForDone();
}

void WatchedView::setWatched(bool on) {
  if (on == watched_) return;
  watched_ = on;
  run_.setWeightsWanted(on);
  if (!on) return;
  if (stale()) {
    rebuild();
  } else {
    drawSoon_.start();
  }
}

void WatchedView::reload() {
  ++files_;
  changed();
}

void WatchedView::changed() {
  ++changes_;
  due_ = follows() || known();
  if (!due_) return void(Q_EMIT hintChanged());
  // A scrub is followed while it goes on; the first edit at once.
  if (watched_ && !rebuildSoon_.isActive()) rebuildSoon_.start(planning_.hasExpired(kRebuildMs) ? 0 : kRebuildMs);
}

void WatchedView::refresh() {
  if (older()) return;
  ++changes_;
  due_ = true;
  rebuild();
}

bool WatchedView::follows() const {
  return run_.evaluation()->live() || run_.running();
}

void WatchedView::follow() {
  if (!older() || !follows()) return;
  due_ = true;
  rebuild();
  Q_EMIT hintChanged();
}

QString WatchedView::hint() const {
  if (!older()) return hint_;
  return tr("Not evaluated since the last change: Live is off. Run > Evaluate evaluates it.");
}

void WatchedView::rebuild() {
  if (!watched_ || !due_ || building_) return;  // accept() comes back here when something changed meanwhile
  // A hand that scrubs is faster than most drawings: stopped by each edit, none would ever be seen.
  if (drawing_ && !taken_) {
    if (!drawingAge_.hasExpired(patience_)) return rebuildSoon_.start(kRebuildMs);
    patience_ *= 2;
  }
  planned_ = changes_;
  planning_.start();
  rebuildSoon_.stop();
  cancel_ = true;
  built_ = false;
  ++generation_;
  Plan plan = this->plan();
  viewer_ = plan.viewer;
  if (!plan.build) return accept(plan.accept, true);
  building_ = true;
  Q_EMIT hintChanged();
  start_task(
      work_, this,
      [this, build = std::move(plan.build)] {
        // The destructor waits for this thread.
        QMetaObject::invokeMethod(
            this, [this, take = build()] { accept(take, true); }, Qt::QueuedConnection);
      },
      [this](const Error& error) { accept([this, error] { setHint(textOf(error)); }, false); });
}

void WatchedView::accept(const Accept& take, bool built) {
  building_ = false;
  built_ = built;
  take();
  if (built_) draw();
  if (!drawing_) shown_ = planned_;
  Q_EMIT hintChanged();
  if (stale()) rebuildSoon_.start(kRebuildMs);
}

void WatchedView::startDrawing(Drawing drawing) {
  if (!watched_ || !built_) return;
  newer_ = true;
  if (drawing_) return;
  drawing_ = true;
  taken_ = false;
  newer_ = false;
  cancel_ = false;
  drawingAge_.start();
  start_task(
      work_, this,
      [this, generation = generation_, drawing = std::move(drawing)] {
        // The destructor waits for this thread.
        const auto post = [this](auto call) { QMetaObject::invokeMethod(this, call, Qt::QueuedConnection); };
        const Status drawn = drawing(
            [&](Accept take) { post([this, generation, take = std::move(take)] { this->take(generation, take); }); });
        post([this, generation, drawn] { endDrawing(generation, drawn); });
      },
      [this, generation = generation_](const Error& error) { endDrawing(generation, error); });
}

void WatchedView::take(int generation, const Accept& take) {
  if (generation != generation_) return;
  taken_ = true;
  patience_ = kPatienceMs;
  shown_ = planned_;
  take();
  Q_EMIT contentChanged();
  if (stale()) rebuild();
}

void WatchedView::endDrawing(int generation, const Status& drawn) {
  drawing_ = false;
  if (generation == generation_) setHint(drawn ? QString() : textOf(drawn.error()));
  if (newer_ && watched_) drawSoon_.start();
}

void WatchedView::setHint(const QString& hint) {
  if (hint == hint_) return;
  hint_ = hint;
  Q_EMIT hintChanged();
}

QString WatchedView::textOf(const Error& error) {
  return without_commands(error.remedy.empty() ? reason_text(error)
                                               : reason_text(error) + QLatin1Char(' ') + to_q(error.remedy));
}

std::shared_ptr<const Weights> WatchedView::weights() const {
  std::shared_ptr<const Weights> weights = run_.snapshot().weights;
  return weights ? weights : document_.weights()->tensors();
}

uint64_t WatchedView::seed() const {
  return workspace::weights_seed(document_.flat());
}

uint64_t WatchedView::weightsVersion() {
  std::shared_ptr<const Weights> now = weights();
  if (now != versioned_) {
    versioned_ = std::move(now);
    ++weightsVersion_;
  }
  return weightsVersion_;
}

ForwardMode WatchedView::mode() const {
  return run_.evaluation()->training() ? ForwardMode::training : ForwardMode::evaluation;
}

std::string WatchedView::device() const {
  return to_std(run_.device());
}

}  // namespace hw::app
