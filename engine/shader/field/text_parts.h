// Pieces of text that ops are written with.
#pragma once

#include <string>

#include "engine/shader/term.h"

namespace hw::shader {

inline std::string text(int64_t n) {
  return std::to_string(n);
}
inline std::string number(double value, Scalar type) {
  return constant_term(value, type).text;
}
/// "for (int i = 0; i < 3; ++i) ".
inline std::string loop(const std::string& index, int64_t count) {
  return "for (int " + index + " = 0; " + index + " < " + text(count) + "; ++" + index + ") ";
}
/// Element `index` of a variable of `count` elements; one is no array.
inline std::string place(const std::string& name, int64_t count, const std::string& index) {
  return count == 1 ? name : name + "[" + index + "]";
}

}  // namespace hw::shader
