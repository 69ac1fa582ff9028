#include "engine/expression/type.h"

namespace hw::expression {

std::string name(Type type) {
  switch (type.kind) {
    case Type::Kind::scalar:
      return "float";
    case Type::Kind::boolean:
      return "bool";
    case Type::Kind::vector:
      return "vec" + std::to_string(type.size);
    case Type::Kind::matrix:
      return "mat" + std::to_string(type.size);
  }
  return {};
}

std::optional<Type> type_named(std::string_view text) {
  if (text == "float") return Type{};
  if (text == "bool") return Type::boolean();
  if (text.size() != 4 || text[3] < '2' || text[3] > '4') return std::nullopt;
  const int size = text[3] - '0';
  if (text.starts_with("vec")) return Type::vector(size);
  if (text.starts_with("mat")) return Type::matrix(size);
  return std::nullopt;
}

}  // namespace hw::expression
