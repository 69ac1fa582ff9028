#include "app/canvas/kept_views.h"

namespace hw::app {

const KeptViews::View* KeptViews::find(const QObject* graph, const QString& level) const {
  const auto found = views_.constFind({graph, level});
  return found == views_.cend() ? nullptr : &*found;
}

void KeptViews::forget(const QObject* graph) {
  views_.removeIf([graph](const auto& view) { return view.key().first == graph; });
}

}  // namespace hw::app
