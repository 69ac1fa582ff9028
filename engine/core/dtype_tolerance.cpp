#include "engine/core/dtype_tolerance.h"

namespace hw {

Tolerance tolerance(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return {1e-12, 1e-12};
    case DType::f32:
      return {1.3e-6, 1e-5};
    case DType::tf32:
    case DType::f16:
      return {1e-3, 1e-5};
    case DType::bf16:
      return {1.6e-2, 1e-5};
    case DType::f8e4m3:
    case DType::f8e5m2:
      return {info(dtype).min_subnormal / info(dtype).min_normal / 2, info(dtype).min_subnormal / 2};
    default:
      return {};
  }
}

}  // namespace hw
