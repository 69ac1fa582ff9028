#include "app/interop/onnx/trial_sizes.h"

#include <algorithm>

#include "app/interop/onnx/example_sizes.h"

namespace hw::interop {
namespace {

constexpr int64_t kLeastTrial = 16, kTrials[] = {29, 31, 37, 41, 43, 47, 53, 59};  // of symbolic sizes that are small
constexpr int64_t kSteps[] = {7, 17, 13, 11, 19, 23, 29, 31};  // that they are larger in the other graph
constexpr int64_t kPicture = 128, kHalvings = 64;              // sides that layers halve, up to six times
constexpr int64_t kPictureSteps[] = {3, 4, 1, 2,
                                     5, 6, 7, 8};  // in kHalvings; sides behind batch and channels are small
// Where those above are too large, for a memory or a table, smaller ones: of all but pictures, then of these, too.
constexpr int64_t kFewTrials[] = {13, 11, 7, 17, 19, 23, 9, 10}, kFewSteps[] = {4, 8, 6, 2, 12, 14, 16, 18};
constexpr int64_t kFewHalvings = 16, kFewPictureSteps[] = {3, 1, 2, 4, 5, 6, 7, 8};

}  // namespace

Symbols trial_sizes(const OnnxGraph& graph, const std::map<std::string, int64_t>& asked, int attempt) {
  if (attempt == kMostAttempts - 1) return other_sizes(trial_sizes(graph, asked), false);
  Symbols symbols;
  std::set<std::string> names;
  for (const SymbolicSize& symbolic : symbolic_sizes(graph)) {
    const std::string& symbol = symbolic.symbol;
    const auto given = asked.find(symbol);
    const int64_t size = given == asked.end() ? symbolic.example.size : given->second;
    const size_t i = symbols.size();
    int64_t here = size < kLeastTrial ? kTrials[i % std::size(kTrials)] : size;
    int64_t other = here + kSteps[i % std::size(kSteps)];
    const int64_t halvings = attempt < 2 ? kHalvings : kFewHalvings;
    if (size >= kPicture) {
      here = (attempt < 2 ? size / halvings : 2) * halvings + 1;
      const auto& steps = attempt < 2 ? kPictureSteps : kFewPictureSteps;
      other = here + halvings * steps[i % std::size(steps)] - 2;
    } else if (attempt > 0) {
      const size_t next = i + static_cast<size_t>(attempt) - 1;
      here = kFewTrials[next % std::size(kFewTrials)];
      other = here + kFewSteps[next % std::size(kFewSteps)];
    }
    symbols[symbol] = {size, here, other, axis_name(symbol, names)};
  }
  return symbols;
}

Symbols in_multiples(Symbols symbols, const std::set<std::string>& these, int64_t multiple) {
  // Halves of them are no trial sizes of the other symbols.
  for (size_t i = symbols.size(); const std::string& name : these) {
    Symbol& symbol = symbols.at(name);
    const int64_t here = kTrials[i % std::size(kTrials)], step = kSteps[i % std::size(kSteps)];
    symbol.here = multiple * here;
    symbol.other = multiple * (here + step);
    symbol.multiple = multiple;
    ++i;
  }
  return symbols;
}

Symbols other_sizes(Symbols symbols, bool small) {
  constexpr int64_t kEven[] = {12, 8, 16, 10, 14, 18, 20, 22}, kOddSteps[] = {9, 5, 11, 15, 3, 13, 7, 17};
  for (size_t i = 0; auto& [name, symbol] : symbols) {
    const size_t k = i++ % std::size(kEven);
    const int64_t unit = symbol.multiple;
    int64_t here = symbol.here / unit;
    if (unit == 1 && here > kPicture) {
      const int64_t halvings = small ? kFewHalvings : kHalvings;
      const bool is_even = here % halvings == 0;  // as other sizes of other ones
      here = (small ? 2 : here / halvings) * halvings + (is_even ? 4 : 0);
      symbol.here = here;
      symbol.other = here + halvings * kPictureSteps[k] + 3;
      continue;
    }
    here = small ? kEven[k] : (here + 3) / 4 * 4;
    symbol.here = unit * here;
    symbol.other = unit * (here + kOddSteps[k]);
  }
  return symbols;
}

Symbols shifted_sizes(Symbols symbols, bool smaller) {
  constexpr int64_t kShift = 8;
  for (auto& [name, symbol] : symbols) {
    const int64_t shift = symbol.multiple == 1 && symbol.here > kPicture ? kHalvings : symbol.multiple * kShift;
    if (smaller && std::min(symbol.here, symbol.other) <= shift) continue;
    symbol.here += smaller ? -shift : shift;
    symbol.other += smaller ? -shift : shift;
  }
  return symbols;
}

}  // namespace hw::interop
