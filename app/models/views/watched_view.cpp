#include "app/models/views/watched_view.h"

#include "app/document/task.h"
#include "app/document/text.h"
#include "app/models/run/run_model.h"
#include "engine/plan/train_settings.h"

namespace hw::app {
namespace {

constexpr int kRebuildMs = 16;
constexpr int kWeightsMs = 100;

}  // namespace

WatchedView::WatchedView(Document& document, RunModel& run, std::shared_ptr<Assets> assets, QObject* parent)
    : QObject(parent), document_(document), run_(run), assets_(std::move(assets)) {
  work_.setMaxThreadCount(1);
  rebuildSoon_.setSingleShot(true);
  rebuildSoon_.setInterval(kRebuildMs);
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
  connect(&document, &Document::weightsLoaded, this, weights);
  connect(&run, &RunModel::weightsChanged, this, weights);
  connect(&run, &RunModel::deviceChanged, this, &WatchedView::changed);
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
  if (stale_) {
    rebuild();
  } else {
    drawSoon_.start();
  }
}

void WatchedView::reload() {
  stale_ = true;
  rebuild();
}

void WatchedView::changed() {
  stale_ = true;
  if (watched_ && !rebuildSoon_.isActive()) rebuildSoon_.start();  // a scrub is followed while it goes on
}

void WatchedView::rebuild() {
  if (!watched_ || building_) return;  // accept() comes back here when something changed meanwhile
  stale_ = false;
  rebuildSoon_.stop();
  cancel_ = true;
  const int generation = ++generation_;
  Plan plan = this->plan();
  viewer_ = plan.viewer;
  if (!plan.build) return accept(generation, plan.accept);
  building_ = true;
  Q_EMIT hintChanged();
  start_task(
      work_, this,
      [this, generation, build = std::move(plan.build)] {
        // The destructor waits for this thread.
        QMetaObject::invokeMethod(
            this, [this, generation, take = build()] { accept(generation, take); }, Qt::QueuedConnection);
      },
      [this, generation](const Error& error) { accept(generation, [this, error] { setHint(textOf(error)); }); });
}

void WatchedView::accept(int generation, const Accept& take) {
  building_ = false;
  if (generation == generation_) {
    take();
    draw();
  }
  Q_EMIT hintChanged();
  if (stale_) rebuildSoon_.start();
}

bool WatchedView::beginDrawing() {
  if (!watched_ || building_) return false;
  newer_ = true;
  if (drawing_) return false;
  drawing_ = true;
  newer_ = false;
  cancel_ = false;
  return true;
}

void WatchedView::endDrawing() {
  drawing_ = false;
  if (newer_ && watched_) drawSoon_.start();
}

void WatchedView::setHint(const QString& hint) {
  if (hint == hint_) return;
  hint_ = hint;
  Q_EMIT hintChanged();
}

QString WatchedView::textOf(const Error& error) {
  return error.remedy.empty() ? reason_text(error) : reason_text(error) + QLatin1Char(' ') + to_q(error.remedy);
}

std::shared_ptr<const Weights> WatchedView::weights() const {
  std::shared_ptr<const Weights> weights = run_.snapshot().weights;
  return weights ? weights : document_.weights();
}

uint64_t WatchedView::seed() const {
  const auto trainer = find_trainer(document_.flat());
  return trainer ? train_settings(*document_.flat().find(*trainer)).seed : 0;
}

std::string WatchedView::device() const {
  return to_std(run_.device());
}

}  // namespace hw::app
