#include "app/models/tensors/histogram_map.h"

#include <cmath>

namespace hw::app {

QVariantMap histogram_map(const TensorStatistics& statistics, DType dtype) {
  const DTypeInfo& row = info(dtype);
  QVariantList bins;
  for (const int64_t n : statistics.bins) bins.append(static_cast<qlonglong>(n));
  QVariantMap map{{"first", statistics.first}, {"bins", bins}, {"hasBand", row.is_float}};
  if (row.is_float) {
    map.insert("subnormalFrom", std::log2(row.min_subnormal));
    map.insert("normalFrom", std::log2(row.min_normal));
    map.insert("maximum", std::log2(row.max));
  }
  return map;
}

}  // namespace hw::app
