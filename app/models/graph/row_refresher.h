// RowRefresher: notifies of a model's rows whose readings are out of date, a few in each frame, round robin.
#pragma once

#include <QTimer>
#include <functional>

namespace hw::app {

/// For readings that come for all rows at once, faster than all can be drawn. GUI thread.
class RowRefresher {
 public:
  /// `count`: rows of the model now; `notify` is called with each row in its turn.
  RowRefresher(std::function<int()> count, std::function<void(int row)> notify);
  /// All rows are out of date: `notify` gets each in the frames that follow.
  void restart();

 private:
  void notify_some();

  std::function<int()> count_;
  std::function<void(int)> notify_;
  QTimer frames_;
  int stale_ = 0;  // rows that are out of date,
  int last_ = -1;  // after this one
};

}  // namespace hw::app
