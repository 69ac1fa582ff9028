#include "app/plots/watching_item.h"

namespace hw::app {

WatchingItem::WatchingItem(QQuickItem* parent) : QQuickItem(parent) {
  setFlag(ItemHasContents);
}

WatchingItem::~WatchingItem() {
  if (view_ && watching_) view_->setWatched(false);
}

void WatchingItem::setView(WatchedView* view) {
  if (view == view_) return;
  if (view_) {
    view_->disconnect(this);
    view_->setWatched(false);
  }
  view_ = view;
  if (view_) {
    connect(view_, &WatchedView::contentChanged, this, &WatchingItem::refresh);
    view_->setWatched(watching_);
  }
  refresh();
  Q_EMIT modelChanged();
}

void WatchingItem::setWatching(bool on) {
  if (on == watching_) return;
  watching_ = on;
  if (view_) view_->setWatched(on);
  Q_EMIT modelChanged();
}

void WatchingItem::geometryChange(const QRectF& now, const QRectF& before) {
  QQuickItem::geometryChange(now, before);
  refresh();
}

}  // namespace hw::app
