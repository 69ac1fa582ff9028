#include "engine/gradient/grad_device.h"

#include <cstdio>

#include "engine/instrument/product_rate.h"

namespace hw {

GradDevice grad_device(const Program& program) {
  constexpr double kMostOnRef = 2e6;  // products of one run
  double products = 0;
  for (const auto& [node, of_node] : products_by_node(program)) products += of_node;
  char run[64];
  std::snprintf(run, sizeof run, "A run takes %.3g multiplications and additions", products);
  const std::string takes = run;
  if (products <= kMostOnRef) return {"ref", takes + ": few enough for ref, which has formulas of its own."};
  return {"cpu", takes + ": too many for ref, which has formulas of its own and is slow."};
}

}  // namespace hw
