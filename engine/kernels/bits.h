// Numbers as their bits and back. What reads the other bodies as text knows these by name.
#pragma once

#include <cstdint>
#include <cstring>

#include "engine/kernels/body.h"

namespace hw::kernels::math {

HW_BODY uint32_t bits_of(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
HW_BODY uint64_t bits_of(double x) {
  uint64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
HW_BODY float float_of(uint32_t bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}
HW_BODY double double_of(uint64_t bits) {
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

}  // namespace hw::kernels::math
