// The one dispatcher over dtypes: calls a generic lambda with the storage type of a dtype.
#pragma once

#include <cassert>
#include <cstdint>

#include "engine/core/compat.h"
#include "engine/core/dtype.h"

namespace hw {

/// A dtype as a type. `Raw` holds one stored element: the number itself, or the bit pattern of a narrow float.
template <DType D, class RawType>
struct Stored {
  static constexpr DType dtype = D;
  using Raw = RawType;
};

/// Calls f(Stored<dtype, Raw>{}) and returns its result. Asserts that dtype is storable.
template <class F>
HW_HD decltype(auto) dispatch(DType dtype, F&& f) {
  switch (dtype) {
    case DType::f64:
      return f(Stored<DType::f64, double>{});
    case DType::tf32:
      assert(!"tf32 is never stored");
      [[fallthrough]];
    case DType::f32:
      return f(Stored<DType::f32, float>{});
    case DType::f16:
      return f(Stored<DType::f16, uint16_t>{});
    case DType::bf16:
      return f(Stored<DType::bf16, uint16_t>{});
    case DType::f8e4m3:
      return f(Stored<DType::f8e4m3, uint8_t>{});
    case DType::f8e5m2:
      return f(Stored<DType::f8e5m2, uint8_t>{});
    case DType::i8:
      return f(Stored<DType::i8, int8_t>{});
    case DType::u8:
      return f(Stored<DType::u8, uint8_t>{});
    case DType::i32:
      return f(Stored<DType::i32, int32_t>{});
    case DType::i64:
      return f(Stored<DType::i64, int64_t>{});
    case DType::boolean:
      return f(Stored<DType::boolean, uint8_t>{});
  }
  assert(!"no such dtype");
  return f(Stored<DType::f64, double>{});
}

}  // namespace hw
