#include "app/models/checks/check_worker.h"

#include <algorithm>

#include "engine/graph/node_fields.h"

namespace hw::app {

CheckWorker::CheckWorker(Document& document) : document_(document) {
  thread_.setMaxThreadCount(1);
  connect(&document, &Document::structureChanged, this, &CheckWorker::compare);
  connect(&document, &Document::reset, this, [this] {
    cancel();
    Q_EMIT replaced();
  });
}

CheckWorker::~CheckWorker() {
  cancel();
  thread_.waitForDone();
}

bool CheckWorker::begin() {
  if (running_) return false;
  cancel_ = false;
  setProgress(0);
  setRunning(true);
  return true;
}

void CheckWorker::run(const Work& work) {
  if (cancel_) return setRunning(false);
  thread_.start([this, work, graph = std::make_shared<const Graph>(document_.flat())] {
    const auto progress = [this](double share) {
      QMetaObject::invokeMethod(
          this, [this, share] { setProgress(share); }, Qt::QueuedConnection);
    };
    const Finish finish = work(graph, progress, cancel_);
    // The destructor waits for this thread.
    QMetaObject::invokeMethod(
        this,
        [this, finish] {
          if (!cancel_) finish();
          setRunning(false);
        },
        Qt::QueuedConnection);
  });
}

void CheckWorker::setChecked(std::shared_ptr<const Graph> graph) {
  checked_ = std::move(graph);
  compare();
}

void CheckWorker::compare() {
  const bool stale = checked_ && !computes_the_same(*checked_, document_.flat());
  if (stale == stale_) return;
  stale_ = stale;
  Q_EMIT staleChanged();
}

void CheckWorker::setRunning(bool on) {
  if (on == running_) return;
  running_ = on;
  Q_EMIT runningChanged();
}

void CheckWorker::setProgress(double share) {
  progress_ = share;
  Q_EMIT progressChanged();
}

bool computes_the_same(const Graph& a, const Graph& b) {
  const auto same = [](const auto& x, const auto& y) { return equal_in(kComputed, x.second, y.second); };
  return std::equal(a.nodes().begin(), a.nodes().end(), b.nodes().begin(), b.nodes().end(), same) &&
         a.links() == b.links();
}

}  // namespace hw::app
