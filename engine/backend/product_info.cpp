#include "engine/backend/product_info.h"

#include "engine/core/codes.h"
#include "engine/program/builder.h"

namespace hw {

Result<KernelInfo> product_info(Device& device, DType dtype) {
  if (!info(dtype).is_float)
    return Error{codes::unsupported, device.id(), "There are no products of " + std::string(name(dtype)) + ".",
                 "Put a Cast before them."};
  constexpr int64_t kSize = 64;
  const bool stored = info(dtype).storable;
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  const Val x = b.input("x", stored ? dtype : DType::f32, {kSize, kSize});
  b.matmul(x, x, true, stored ? std::nullopt : std::optional(dtype));
  HW_CHECK(b.status());
  HW_TRY(const auto states, device.prepare_states(*program, nullptr, 1, nullptr));
  HW_TRY(const auto executable, device.compile(program, states));
  return executable->kernel_info(0);
}

}  // namespace hw
