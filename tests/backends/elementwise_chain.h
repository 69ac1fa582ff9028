// Programs of neighbouring elementwise ops, drawn from a seed, which a device may compute as a few kernels.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/core/philox.h"
#include "engine/program/builder.h"
#include "op_cases.h"

namespace hw::test {

/// Some 24 ops of dims [6, 5, 7], between them values that are stretched, of other dims, cast, compared, read again
/// much later, and an op that is not elementwise. Inputs "x" and "row" in `dtype`; `regions`: Program's.
inline std::shared_ptr<const Program> drawn_chain(uint64_t seed, DType dtype, Regions regions) {
  auto program = std::make_shared<Program>();
  program->regions = regions;
  OpBuilder b(*program);
  uint64_t draws = 0;
  const auto below = [&](size_t n) { return philox_block(seed, 0, 0, draws++)[0] % n; };
  const Val row = b.input("row", dtype, {5, 1}), start = b.input("x", dtype, {6, 5, 7});
  std::vector<Val> made{start};
  const auto any = [&] { return made[made.size() - 1 - below(std::min<size_t>(made.size(), 5))]; };
  const auto as = [&](Val v, Val like) { return b[v].dtype == b[like].dtype ? v : b.cast(v, b[like].dtype); };
  constexpr DType kOthers[] = {DType::f32, DType::f16, DType::bf16, DType::f8e4m3, DType::f8e5m2};
  for (int i = 0; i < 24; ++i) {
    const Val x = any();
    switch (below(12)) {
      case 0:
        made.push_back(b.relu(x));
        break;
      case 1:
        made.push_back(b.add(x, as(any(), x)));
        break;
      case 2:
        made.push_back(b.mul(x, as(row, x)));
        break;
      case 3:
        made.push_back(b.scale(x, below(3) == 0 ? 1e-46 : -0.75));  // 0 in f32
        break;
      case 4:
        made.push_back(b.unary(UnaryFn::gelu, x));
        break;
      case 5:
        made.push_back(b.unary(UnaryFn::leaky_relu, x, 0.0));  // 0 · Inf is NaN
        break;
      case 6:
        made.push_back(b.binary(BinaryFn::max, x, as(any(), x)));
        break;
      case 7:
        if (dtype != DType::f64) made.push_back(b.cast(x, kOthers[below(5)]));
        break;
      case 8: {
        const Val y = as(any(), x);
        made.push_back(b.where(b.compare(CompareFn::less, x, y), y, b.sigmoid(x)));
        break;
      }
      case 9:
        made.push_back(b.sub(as(start, x), x));
        break;
      case 10:
        if (below(3) == 0) made.push_back(b.softmax(x, 2));
        break;
      default:
        made.push_back(b.clamp(x, -1.5, 2));
    }
  }
  program->outputs.push_back({"last", made.back().id});
  program->outputs.push_back({"middle", made[made.size() / 2].id});
  return program;
}

/// An executable of it with inputs that go to NaN, Inf, signed zeros and subnormals where `special`.
inline std::unique_ptr<Executable> compiled_chain(Device& device, const std::shared_ptr<const Program>& program,
                                                  bool special, std::span<const ValueId> keep = {}) {
  auto executable = device.compile(program, *device.prepare_states(*program, nullptr, 1, nullptr), keep, {});
  EXPECT_TRUE(executable) << (executable ? "" : executable.error().text());
  for (const Port& input : program->inputs) {
    const Value& v = (*program)[input.value];
    std::vector<double> values = numbers(element_count(v.dims), -3, 3, input.name == "x" ? 1 : 2);
    const double specials[] = {NAN, INFINITY, -INFINITY, 0.0, -0.0, info(v.dtype).min_subnormal, 1e30, -1e30};
    for (size_t i = 0; special && i < values.size(); i += 3) values[i] = specials[i / 3 % std::size(specials)];
    EXPECT_TRUE((*executable)->write_input(input.name, Tensor::from_f64(v.dtype, v.dims, values)));
  }
  return std::move(*executable);
}

/// The same bits, but for NaN: which of two NaN an op hands on, and so its sign, is the compiler's choice.
inline bool same_numbers(const Tensor& a, const Tensor& b) {
  const std::vector<double> x = a.to_f64(), y = b.to_f64();
  return a.dtype() == b.dtype() && a.dims() == b.dims() && std::ranges::equal(x, y, [](double u, double v) {
           return (std::isnan(u) && std::isnan(v)) || std::bit_cast<uint64_t>(u) == std::bit_cast<uint64_t>(v);
         });
}

/// How many ops' kernels say that they are one of several ops'.
inline size_t fused_ops(const Program& program, const Executable& executable) {
  size_t count = 0;
  for (size_t i = 0; i < program.instrs.size(); ++i)
    count += executable.kernel_info(i).implementation.find("ops in a kernel") != std::string::npos;
  return count;
}

}  // namespace hw::test
