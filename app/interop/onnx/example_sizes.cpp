#include "app/interop/onnx/example_sizes.h"

#include <algorithm>
#include <cctype>

namespace hw::interop {
namespace {

constexpr int64_t kBatch = 1, kTokens = 16, kPicture = 224, kVolume = 32;

bool says(const std::string& symbol, std::initializer_list<const char*> words) {
  std::string lower = symbol;
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::ranges::any_of(words, [&](const char* word) { return lower.find(word) != lower.npos; });
}

}  // namespace

std::string symbol_of(const OnnxValue& input, size_t axis) {
  const std::string& symbol = (*input.dims)[axis].symbol;
  return symbol.empty() ? input.name + "_" + std::to_string(axis) : symbol;
}

int64_t example_size(const OnnxValue& input, size_t axis) {
  const std::string& symbol = (*input.dims)[axis].symbol;
  const size_t rank = input.dims->size();
  if (says(symbol, {"batch"})) return kBatch;
  if (says(symbol, {"seq", "len", "token", "time", "frame"})) return kTokens;
  if (says(symbol, {"height", "width"})) return kPicture;
  if (axis == 0) return kBatch;
  return rank == 4 && axis >= 2 ? kPicture : rank == 5 && axis >= 2 ? kVolume : kTokens;
}

std::string axis_name(const std::string& symbol, std::set<std::string>& taken) {
  std::string name;
  for (const char c : symbol)
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') name += c;
  if (name.empty()) name = "axis";
  std::string unique = name;
  for (int i = 2; !taken.insert(unique).second; ++i) unique = name + "_" + std::to_string(i);
  return unique;
}

}  // namespace hw::interop
