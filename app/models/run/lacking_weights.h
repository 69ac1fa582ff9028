// LackingWeights: how many parameters of the present graph have no value in the weights that were loaded.
#pragma once

#include <memory>

#include "app/document/after_edits.h"
#include "engine/plan/weights.h"

namespace hw::app {

/// Lives on the GUI thread; lowers the graph on a thread of its own, after each edit.
class LackingWeights : public QObject {
  Q_OBJECT

 public:
  /// `weights`: asked for at each count; null: nothing is counted. `document` outlives it.
  LackingWeights(const Document& document, std::function<std::shared_ptr<const Weights>()> weights,
                 QObject* parent = nullptr);

  /// 0 until it is known.
  size_t count() const { return count_; }
  /// The weights have changed: schedules another count.
  void renew();

 Q_SIGNALS:
  void changed();

 private:
  void set(size_t count);

  size_t count_ = 0;
  AfterEdits analysis_;
};

}  // namespace hw::app
