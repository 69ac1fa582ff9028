// Parameter values as text.
#include "engine/node/value.h"

#include <array>
#include <charconv>

namespace hw {
namespace {

// The shortest text that reads back as the same number.
std::string text_of(double value) {
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

struct Printer {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return text_of(value); }
  std::string operator()(const std::string& value) const { return value; }
  std::string operator()(const std::vector<double>& values) const {
    std::string text = "[";
    for (size_t i = 0; i < values.size(); ++i) text += (i ? ", " : "") + text_of(values[i]);
    return text + "]";
  }
};

}  // namespace

std::string to_string(const ParamValue& value) {
  return std::visit(Printer{}, value);
}

}  // namespace hw
