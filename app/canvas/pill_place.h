// Where the words on a wrong wire stand: on it where there is room, else beside it, and never over a card while there
// is another place.
#pragma once

#include <QSizeF>
#include <functional>

#include "app/models/cards/wire_curve.h"

namespace hw::app {

struct PillPlace {
  QRectF pill;
  QPointF at;  // the place of the wire that it belongs to
};

/// Screen pixels. `taken`: whether something lies there.
PillPlace place_pill(const WireCurve& wire, QSizeF size, const std::function<bool(const QRectF&)>& taken);

}  // namespace hw::app
