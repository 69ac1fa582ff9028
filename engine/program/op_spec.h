// OpSpec: what every op must have beside its kernels. One row of ops.def an op.
#pragma once

#include "engine/program/dtype_rules.h"
#include "engine/program/op_sources.h"
#include "engine/program/program.h"
#include "engine/program/rounding.h"
#include "engine/program/tiling.h"
#include "engine/program/work.h"

namespace hw {

class AdjointContext;
namespace infer_rules {
struct Args;
}

/// The outputs' dtypes, sizes and axes, from the inputs' and the attributes: engine/program/infer_rules.h.
using InferRule = Result<std::vector<Value>> (*)(const infer_rules::Args&);
/// Appends the ops that compute the gradients of the inputs: engine/program/adjoint_rules.h.
using AdjointRule = void (*)(AdjointContext&);
/// The rule of an op through which no gradient can pass: on the way to a loss it is an error.
inline constexpr AdjointRule kNoGradient = nullptr;

/// A field without a default: a row that lacks it does not compile.
template <class T>
class Required {
 public:
  constexpr Required(T value) : value_(value) {}
  constexpr operator T() const { return value_; }
  constexpr const T* operator->() const { return &value_; }

 private:
  T value_;
};

/// The fields stand in this order in a row. The last three are for some ops alone.
struct OpSpec {
  Required<InferRule> infer;
  Required<AdjointRule> adjoint;
  Required<DTypesRule> dtypes;
  Required<TilingRules> tiling;
  Required<SourcesRule> sources;
  Required<Rounding> rounding;
  /// Multiplications and additions of a matrix product or convolution; null for other ops.
  ProductsRule products = nullptr;
  /// It may have a third input: product_bias.h.
  bool takes_bias = false;
  /// How many of its first inputs, all states, it writes: 0 but for updates.
  int writes = 0;
};

const OpSpec& spec(Op op);

/// Whether the op takes the dtypes of its inputs, then of its outputs, and so many inputs. Which ops a device has
/// kernels for, the device reports: Device::supports.
bool takes_dtypes(Op op, std::span<const DType> dtypes);

}  // namespace hw
