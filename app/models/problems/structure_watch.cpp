#include "app/models/problems/structure_watch.h"

#include "app/document/task.h"
#include "engine/plan/graph_hints.h"

namespace hw::app {
namespace {

constexpr int kStructureLookMs = 250;

}  // namespace

StructureWatch::StructureWatch(Document& document, std::shared_ptr<Assets> assets, QObject* parent)
    : QObject(parent), document_(document), assets_(std::move(assets)) {
  work_.setMaxThreadCount(1);
  lookSoon_.setSingleShot(true);
  lookSoon_.setInterval(kStructureLookMs);
  connect(&lookSoon_, &QTimer::timeout, this, &StructureWatch::look);
  for (const auto change : {&Document::structureChanged, &Document::reset})
    connect(&document, change, this, [this] { lookSoon_.start(); });
  lookSoon_.start();
}

StructureWatch::~StructureWatch() {
  work_.waitForDone();
}

void StructureWatch::look() {
  if (working_) {
    again_ = true;
    return;
  }
  if (document_.flat().nodes().size() > kMostNodes) return set({});
  working_ = true;
  start_task(
      work_, this,
      [this, graph = document_.flat()] {
        std::vector<Diagnostic> found = graph_hints(graph, *assets_);
        // The destructor waits for this thread.
        QMetaObject::invokeMethod(
            this,
            [this, hints = std::move(found)] {
              working_ = false;
              set(hints);
              if (std::exchange(again_, false)) look();
            },
            Qt::QueuedConnection);
      },
      [this](const Error&) { working_ = false; });  // what was known stays; the next change looks again
}

void StructureWatch::set(std::vector<Diagnostic> hints) {
  if (hints == hints_) return;
  hints_ = std::move(hints);
  Q_EMIT hintsChanged();
}

}  // namespace hw::app
