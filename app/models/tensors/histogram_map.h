// A histogram of magnitudes and the dtype's band, as QML items take it.
#pragma once

#include <QVariantMap>

#include "engine/core/tensor_statistics.h"

namespace hw::app {

/// {first, bins, hasBand, subnormalFrom, normalFrom, maximum}: exponents of 2, and TensorStatistics' bins.
QVariantMap histogram_map(const TensorStatistics& statistics, DType dtype);

}  // namespace hw::app
