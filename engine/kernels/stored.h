// Elements of tensors whose dtype is known only when a kernel runs: read as float or double, rounded once on store.
#pragma once

#include "engine/core/convert_bodies.h"
#include "engine/kernels/body.h"

namespace hw::kernels {

/// Memory to read. Every item of a launch takes the same branch.
struct Source {
  DType dtype = DType::f32;
  const void* data = nullptr;

  /// Element i as T = float or double.
  template <class T>
  HW_BODY T at(int64_t i) const {
    return dispatch(dtype, [&](auto stored) {
      using Raw = typename decltype(stored)::Raw;
      return convert_bodies::load_as<T>(stored, static_cast<const Raw*>(data)[i]);
    });
  }
  /// Element i of whole numbers.
  HW_BODY int64_t whole_at(int64_t i) const {
    return dispatch(dtype, [&](auto stored) {
      using Raw = typename decltype(stored)::Raw;
      return static_cast<int64_t>(static_cast<const Raw*>(data)[i]);
    });
  }
};

/// Memory to write.
struct Target {
  DType dtype = DType::f32;
  void* data = nullptr;

  template <class T>
  HW_BODY void put(int64_t i, T value) const {
    dispatch(dtype, [&](auto stored) {
      using Raw = typename decltype(stored)::Raw;
      static_cast<Raw*>(data)[i] = convert_bodies::store_as<T>(stored, value);
    });
  }
  HW_BODY Source source() const { return {dtype, data}; }
};

}  // namespace hw::kernels
