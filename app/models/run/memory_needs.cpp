#include "app/models/run/memory_needs.h"

#include "app/document/task.h"
#include "app/document/text.h"
#include "engine/plan/memory_estimate.h"
#include "engine/plan/train_settings.h"

namespace hw::app {
namespace {

constexpr int kSoonMs = 400;

QString text_of(const MemoryByPlace& estimates) {
  QStringList places;
  for (const auto& [place, m] : estimates) {
    const bool only_host = estimates.size() == 1 && place.empty();
    const QString total = to_q(memory_text(m.total()));
    places +=
        QObject::tr("%1 (parameters %2, optimiser %3, activations %4, data %5, copies of weights %6)")
            .arg(only_host ? total
                           : QObject::tr("%1 on %2").arg(total, place.empty() ? QObject::tr("the host") : to_q(place)),
                 to_q(memory_text(m.parameters)), to_q(memory_text(m.optimiser)), to_q(memory_text(m.activations)),
                 to_q(memory_text(m.data)), to_q(memory_text(m.copies)));
  }
  return places.join(QObject::tr("; "));
}

}  // namespace

MemoryNeeds::MemoryNeeds(const Document& document, std::shared_ptr<Assets> assets, QString device, QObject* parent)
    : QObject(parent), document_(document), assets_(std::move(assets)), device_(std::move(device)) {
  work_.setMaxThreadCount(1);
  soon_.setSingleShot(true);
  soon_.setInterval(kSoonMs);
  connect(&soon_, &QTimer::timeout, this, &MemoryNeeds::estimate);
  for (const auto change : {&Document::structureChanged, &Document::reset})
    connect(&document, change, this, &MemoryNeeds::renew);
}

MemoryNeeds::~MemoryNeeds() {
  work_.waitForDone();
}

void MemoryNeeds::setDevice(const QString& device) {
  device_ = device;
  renew();
}

void MemoryNeeds::setText(const QString& text) {
  if (std::exchange(text_, text) != text) Q_EMIT changed();
}

void MemoryNeeds::estimate() {
  if (busy_) {
    again_ = true;
    return;
  }
  const auto trainer = find_trainer(document_.flat());
  if (!trainer || document_.validator().blocking(document_.flat(), *trainer)) return setText({});
  busy_ = true;
  start_task(
      work_, this,
      [this, graph = document_.flat(), device = to_std(device_)] {
        const auto found = estimate_memory_by_place(graph, *assets_, device);
        const QString text = found ? text_of(*found) : QString();
        // The destructor waits for this thread.
        QMetaObject::invokeMethod(
            this,
            [this, text] {
              busy_ = false;
              setText(text);
              if (std::exchange(again_, false)) estimate();
            },
            Qt::QueuedConnection);
      },
      [this](const Error&) { busy_ = false; });
}

}  // namespace hw::app
