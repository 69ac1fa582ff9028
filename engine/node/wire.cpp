// Wire types as text.
#include "engine/node/wire.h"

namespace hw {

std::string_view name(Kind kind) {
  return kind == Kind::mesh ? "mesh" : "tensor";
}

std::string to_string(const WireType& type) {
  if (type.kind == Kind::mesh) return "mesh";
  return std::string(name(type.dtype)) + " " + to_string(type.shape);
}

}  // namespace hw
