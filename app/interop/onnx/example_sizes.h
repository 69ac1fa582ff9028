// What symbolic sizes of a model are while nothing is given.
#pragma once

#include <set>

#include "app/interop/onnx/model.h"

namespace hw::interop {

/// The symbol of axis `axis` of a graph input: its own, or one made of the input's name where the file has none.
std::string symbol_of(const OnnxValue& input, size_t axis);
/// A size to begin with, by what the symbol says and where the axis stands: 1 for batches, 16 for tokens, 224 for the
/// sides of pictures.
int64_t example_size(const OnnxValue& input, size_t axis);
/// A name for a symbol: of letters, digits and _, other than those in `taken`, among which it is then.
std::string axis_name(const std::string& symbol, std::set<std::string>& taken);

}  // namespace hw::interop
