// Arrangement: where cards lie: laid out by themselves, aligned, distributed.
#pragma once

#include <QObject>
#include <QThreadPool>
#include <stop_token>

#include "engine/graph/edit.h"
#include "engine/layout/align.h"
#include "engine/layout/clusters.h"

namespace hw::app {

class Document;
struct CardLayout;
struct FrameClusters;

/// Each is one undo step. GUI thread; the Document must outlive it.
class Arrangement : public QObject {
  Q_OBJECT
  /// A large graph is being laid out on a thread of its own.
  Q_PROPERTY(bool busy READ busy NOTIFY busyChanged)
  /// Nodes that are selected.
  Q_PROPERTY(int chosen READ chosen NOTIFY chosenChanged)

 public:
  explicit Arrangement(Document& document, QObject* parent = nullptr);
  ~Arrangement() override;

  bool busy() const { return busy_; }
  int chosen() const;
  /// Lays out the selected nodes, where there are two or more, or all; their middle stays. Frames go along with their
  /// content, those that hold other nodes too aside, and fit it. An edit stops it.
  Q_INVOKABLE void arrange();
  /// False: nothing was going on.
  Q_INVOKABLE bool cancel();
  /// "left", "right", "top", "bottom", "middle_x", "middle_y": moves the selected nodes into one line.
  Q_INVOKABLE void align(const QString& line);
  /// Equal gaps between the selected nodes, side by side or one below the other.
  Q_INVOKABLE void distribute(bool alongX);

 Q_SIGNALS:
  void busyChanged();
  void chosenChanged();
  /// All nodes that are shown lie elsewhere now.
  void allArranged();

 private:
  void finish(const CardLayout& cards, const FrameClusters& frames, const layout::Clustered& laid);
  /// Moves what is not there yet, as one step with `more`.
  void move(const QString& text, const CardLayout& cards, const std::vector<layout::Place>& places, bool x, bool y,
            Edits more = {});
  void set_busy(bool busy);

  Document& document_;
  bool busy_ = false;
  std::stop_source stop_;
  QThreadPool work_;
};

}  // namespace hw::app
