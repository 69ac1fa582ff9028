#include "engine/core/dataset.h"

namespace hw {

std::string_view name(Split split) {
  return split == Split::train ? "train" : split == Split::validation ? "validation" : "test";
}

bool DatasetSplit::is_loaded() const {
  if (!source || source->count == 0) return true;
  const std::lock_guard lock(source->mutex);
  return !x.empty();
}

Status DatasetSplit::load() const {
  if (!source || source->count == 0) return ok();
  const std::lock_guard lock(source->mutex);
  if (!x.empty()) return ok();
  DatasetSplit made;
  HW_CHECK(source->read(made));
  labels = std::move(made.labels);
  x = std::move(made.x);
  return ok();
}

}  // namespace hw
