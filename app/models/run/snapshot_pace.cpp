#include "app/models/run/snapshot_pace.h"

#include <utility>

namespace hw::app {
namespace {

constexpr int kEveryMs = 80;
constexpr int kRatesEveryMs = 500;

}  // namespace

SnapshotPace::SnapshotPace(std::function<bool()> urgent, QObject* parent)
    : QObject(parent), urgent_(std::move(urgent)) {
  age_.start();
  ratesAge_.start();
  soon_.setSingleShot(true);
  connect(&soon_, &QTimer::timeout, this, &SnapshotPace::due);
}

void SnapshotPace::note() {
  if (pending_.exchange(true)) return;
  QMetaObject::invokeMethod(this, &SnapshotPace::look, Qt::QueuedConnection);
}

void SnapshotPace::look() {
  pending_ = false;
  const auto age = static_cast<int>(age_.elapsed());
  if (age >= kEveryMs || urgent_()) {
    Q_EMIT due();
  } else if (!soon_.isActive()) {
    soon_.start(kEveryMs - age);
  }
}

void SnapshotPace::taken() {
  soon_.stop();
  age_.restart();
}

bool SnapshotPace::ratesDue(bool urgent) {
  if (ratesAge_.elapsed() < kRatesEveryMs && !urgent) return false;
  ratesAge_.restart();
  return true;
}

}  // namespace hw::app
