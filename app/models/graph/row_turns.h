// RowTurns: tells rows of a model that they are out of date, a few a frame and in turn.
#pragma once

#include <QTimer>
#include <functional>

namespace hw::app {

/// For readings that come for all rows at once, faster than all can be drawn. GUI thread.
class RowTurns {
 public:
  /// `count`: rows of the model now; `tell` tells of one of them.
  RowTurns(std::function<int()> count, std::function<void(int row)> tell);
  /// All rows are out of date; each is told in the frames that follow.
  void restart();

 private:
  void tell_some();

  std::function<int()> count_;
  std::function<void(int)> tell_;
  QTimer frames_;
  int stale_ = 0;  // rows that are out of date,
  int last_ = -1;  // after this one
};

}  // namespace hw::app
