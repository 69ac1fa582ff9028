#include "app/models/graph/row_turns.h"

#include <QElapsedTimer>

namespace hw::app {
namespace {

constexpr int kFrameMs = 16;
constexpr qint64 kBudgetNs = 2'000'000;  // of a frame

}  // namespace

RowTurns::RowTurns(std::function<int()> count, std::function<void(int)> tell)
    : count_(std::move(count)), tell_(std::move(tell)) {
  frames_.setInterval(kFrameMs);
  QObject::connect(&frames_, &QTimer::timeout, &frames_, [this] { tell_some(); });
}

void RowTurns::restart() {
  stale_ = count_();
  if (!frames_.isActive()) frames_.start();
}

void RowTurns::tell_some() {
  QElapsedTimer timer;
  timer.start();
  while (stale_ > 0 && count_() > 0 && timer.nsecsElapsed() < kBudgetNs) {
    --stale_;
    last_ = (last_ + 1) % count_();
    tell_(last_);
  }
  if (stale_ <= 0 || count_() == 0) frames_.stop();
}

}  // namespace hw::app
