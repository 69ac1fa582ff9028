// WatchingItem: a scene-graph item that shows a WatchedView, and notifies it when it becomes visible.
#pragma once

#include <QPointer>
#include <QQuickItem>

#include "app/models/watched/watched_view.h"

namespace hw::app {

/// GUI thread, but for updatePaintNode.
class WatchingItem : public QQuickItem {
  Q_OBJECT
  /// Whether the view is visible; the model is idle otherwise.
  Q_PROPERTY(bool watching READ watching WRITE setWatching NOTIFY modelChanged)

 public:
  explicit WatchingItem(QQuickItem* parent = nullptr);
  ~WatchingItem() override;

  bool watching() const { return watching_; }
  void setWatching(bool on);

 Q_SIGNALS:
  void modelChanged();

 protected:
  /// Null: nothing to show.
  WatchedView* view() const { return view_; }
  void setView(WatchedView* view);
  /// The content or the size has changed.
  virtual void refresh() = 0;
  void geometryChange(const QRectF& now, const QRectF& before) override;

 private:
  QPointer<WatchedView> view_;
  bool watching_ = false;
};

}  // namespace hw::app
