#include "app/models/graph/row_refresher.h"

#include <QElapsedTimer>

namespace hw::app {
namespace {

constexpr int kFrameMs = 16;
constexpr qint64 kBudgetNs = 2'000'000;  // of a frame

}  // namespace

RowRefresher::RowRefresher(std::function<int()> count, std::function<void(int)> notify)
    : count_(std::move(count)), notify_(std::move(notify)) {
  frames_.setInterval(kFrameMs);
  QObject::connect(&frames_, &QTimer::timeout, &frames_, [this] { notify_some(); });
}

void RowRefresher::restart() {
  stale_ = count_();
  if (!frames_.isActive()) frames_.start();
}

void RowRefresher::notify_some() {
  QElapsedTimer timer;
  timer.start();
  while (stale_ > 0 && count_() > 0 && timer.nsecsElapsed() < kBudgetNs) {
    --stale_;
    last_ = (last_ + 1) % count_();
    notify_(last_);
  }
  if (stale_ <= 0 || count_() == 0) frames_.stop();
}

}  // namespace hw::app
