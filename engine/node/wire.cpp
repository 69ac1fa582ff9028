// Wire types as text.
#include "engine/node/wire.h"

namespace hw {

std::string_view name(Kind kind) {
  constexpr std::string_view names[] = {"tensor", "mesh", "image", "data set"};
  return names[static_cast<size_t>(kind)];
}

std::string to_string(const WireType& type) {
  if (type.kind == Kind::dataset) return std::string(name(type.kind)) + " " + to_string(type.shape);
  if (type.kind != Kind::tensor) return std::string(name(type.kind));
  return std::string(name(type.dtype)) + " " + to_string(type.shape);
}

}  // namespace hw
