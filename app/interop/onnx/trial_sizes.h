// Sizes of symbolic axes in the two graphs that an import makes side by side, from which it reads what follows from
// them.
#pragma once

#include <set>

#include "app/interop/onnx/model.h"

namespace hw::interop {

/// A symbol of the inputs of a model. Its sizes in the two graphs are such as no other value has by chance: not small,
/// and one of them odd, so that halves rounded down and up are not the same. Of pictures one is 1 more than a multiple
/// of kHalvings, whose halves rounded up stay odd, the other 1 less, whose halves rounded down do.
/// Each attempt tries others.
struct Symbol {
  int64_t size;         // while nothing is given, or where it is fixed
  int64_t here, other;  // in either graph
  std::string name;
  int64_t multiple = 1;  // all its sizes are such of it
};
using Symbols = std::map<std::string, Symbol>;

constexpr int kMostAttempts = 4;

/// Sizes of the symbols of a model's inputs. `asked`: sizes while nothing is given, by their symbols. `attempt`: from
/// 0; later ones are smaller, the last ones other_sizes().
Symbols trial_sizes(const OnnxGraph& graph, const std::map<std::string, int64_t>& asked, int attempt = 0);
/// These symbols as multiples of `multiple`, of which half of it is none.
Symbols in_multiples(Symbols symbols, const std::set<std::string>& these, int64_t multiple);
/// Other sizes, of which one is even and leaves nothing when it is halved, and of which the other is odd: what is
/// computed of them in steps differs. `small`: small ones.
Symbols other_sizes(Symbols symbols, bool small);
/// These sizes, all larger, or smaller, by as many of a power of two: nothing leaves the same rest of them, but where
/// it is divided by that power, of which the two sizes leave other rests.
Symbols shifted_sizes(Symbols symbols, bool smaller);

}  // namespace hw::interop
