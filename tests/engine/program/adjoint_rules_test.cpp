// What the adjoint promises beside the numbers: dtypes, gradient scales, fan-out, sparsity, errors.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/core/codes.h"
#include "engine/program/adjoint.h"
#include "tests/engine/program_runner.h"

namespace hw {
namespace {

const Init kOnes{Init::Kind::constant, 1, 0};

Gradients gradients_of(OpBuilder& b, Val loss, std::span<const Val> wanted = {}) {
  auto g = build_adjoint(b, loss, wanted);
  EXPECT_TRUE(g) << (g ? "" : g.error().text());
  return g ? *g : Gradients{};
}

Op maker(const Program& p, Val v) {
  for (const Instr& i : p.instrs)
    for (ValueId id : i.out)
      if (id == v.id) return i.op;
  ADD_FAILURE() << "no instruction makes it";
  return Op::cast;
}

TEST(AdjointRules, wires_keep_their_dtype_and_parameters_get_their_masters) {
  Program p;
  OpBuilder b(p);
  const Val x = b.input("x", DType::f16, {8, 3});
  b.set_node("linear");
  const Val w = b.param("weight", DType::f16, {5, 3}, kOnes), bias = b.param("bias", DType::f16, {5}, kOnes);
  const Val h = b.matmul(x, w, true), y = b.add(h, bias);
  b.set_node("loss");
  const Val loss = b.mean(b.cast(y, DType::f32));
  const Gradients g = gradients_of(b, loss);
  EXPECT_EQ(b[g.of.at(y.id)].dtype, DType::f16);
  EXPECT_EQ(b[g.of.at(h.id)].dtype, DType::f16);
  EXPECT_EQ(b[g.of.at(w.id)].dtype, DType::f32);
  EXPECT_EQ(maker(p, g.of.at(w.id)), Op::matmul_tn);
  EXPECT_EQ(b[g.of.at(bias.id)].dtype, DType::f32);
  EXPECT_EQ(maker(p, g.of.at(bias.id)), Op::sum_to);
  EXPECT_EQ(b[g.of.at(w.id)].name, "grad(linear.weight)");
  EXPECT_FALSE(g.of.contains(x.id)) << "nobody wanted the input's gradient";
  EXPECT_EQ(g.unscale.at(w.id), 1);
  EXPECT_EQ(b.node(), "loss");
  for (const Instr& i : p.instrs) {
    if (i.op != Op::matmul_tn) continue;
    EXPECT_TRUE(i.backward);
    EXPECT_EQ(p.nodes[i.node], "linear");
  }
}

// 65536 is no f16; what a scalar between the loss and a tensor multiplies is no reason to lose it.
TEST(AdjointRules, the_gradient_of_one_number_is_f32_at_least) {
  Program p;
  OpBuilder b(p);
  const Val w = b.param("weight", DType::f16, {8}, kOnes), one = b.param("one", DType::f16, {1}, kOnes);
  const Val mean = b.mean(w), wide = b.mean(b.cast(w, DType::f64));
  const Val factor = b.constant(Tensor::from_f64(DType::f16, {}, {{3}}));
  const Val root = b.unary(UnaryFn::sqrt, b.mul(mean, factor)), most = b.reduce(ReduceFn::max, w, {}, false);
  const Val loss = b.add(b.add(b.mul(root, most), b.cast(wide, DType::f16)), b.reshape(one, {}));
  const Val scale = b.constant(Tensor::from_f64(DType::f64, {}, {{65536}}));
  const auto g = build_adjoint(b, loss, {}, scale);
  ASSERT_TRUE(g) << g.error().text();
  for (const Val v : {loss, root, mean, most, one}) EXPECT_EQ(b[g->of.at(v.id)].dtype, DType::f32);
  EXPECT_EQ(b[g->of.at(wide.id)].dtype, DType::f64);
  for (const auto& [value, gradient] : g->of) p.outputs.push_back({std::to_string(value), gradient.id});
  test::Runner r(std::make_shared<Program>(p));
  r.run();
  EXPECT_EQ(r.read(g->of.at(loss.id))[0], 65536);
  EXPECT_EQ(r.read(g->of.at(one.id))[0], 65536);
  // loss = √(3 mean) · max + mean + one, with all weights 1.
  const double half_root = std::sqrt(3.0) / 2;
  EXPECT_NEAR(r.read(g->of.at(mean.id))[0] / 65536, half_root, 1e-3);
  EXPECT_NEAR(r.read(g->of.at(w.id))[0] / 65536, (half_root + std::sqrt(3.0) + 1) / 8, 1e-3);
}

// PyTorch's torch.clamp (clamp_backward): min <= x <= max, with bounds in the dtype of x. 0.1 and 0.7 are numbers of
// none.
TEST(AdjointRules, a_clamp_passes_the_gradient_at_its_bounds) {
  for (const char* device : {"ref", "cpu"})
    for (const DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16, DType::f8e4m3, DType::f8e5m2}) {
      auto p = std::make_shared<Program>();
      OpBuilder b(*p);
      const Val x = b.input("x", dtype, {5});
      const Val wanted[] = {x};
      const Gradients g = gradients_of(b, b.sum(b.clamp(b.clamp(x, 0.1, 0.7), -1e6, 1e6), {}), wanted);
      p->outputs.push_back({"gradient", g.of.at(x.id).id});
      test::Runner r(p, device);
      const std::vector<double> at{0, 0.1, 0.5, 0.7, 1};
      ASSERT_TRUE(r.executable->write_input("x", Tensor::from_f64(dtype, {5}, at)));
      r.run();
      EXPECT_EQ(r.read(g.of.at(x.id)), (std::vector<double>{0, 1, 1, 1, 0})) << device << " " << name(dtype);
    }
}

TEST(AdjointRules, wanted_inputs_get_gradients_and_integers_none) {
  Program p;
  OpBuilder b(p);
  const Val x = b.input("x", DType::f32, {4}), k = b.input("k", DType::i32, {4}), away = b.input("z", DType::f32, {4});
  const Val y = b.mul(x, b.cast(k, DType::f32));
  const Val wanted[] = {x, k, away};
  const Gradients g = gradients_of(b, b.mean(y), wanted);
  EXPECT_TRUE(g.of.contains(x.id));
  EXPECT_TRUE(g.of.contains(y.id));
  EXPECT_FALSE(g.of.contains(k.id));
  EXPECT_FALSE(g.of.contains(away.id));
}

TEST(AdjointRules, stop_gradient_stops_it) {
  Program p;
  OpBuilder b(p);
  const Val w = b.param("w", DType::f32, {4}, kOnes), v = b.param("v", DType::f32, {4}, kOnes);
  const Gradients g = gradients_of(b, b.mean(b.mul(b.stop_gradient(w), v)));
  EXPECT_FALSE(g.of.contains(w.id));
  EXPECT_TRUE(g.of.contains(v.id));
}

TEST(AdjointRules, AStoppedValueMayBeAskedForItself) {
  Program p;
  OpBuilder b(p);
  const Val w = b.param("w", DType::f32, {4}, kOnes), stopped = b.stop_gradient(w);
  const Val wanted[] = {stopped};
  const Gradients g = gradients_of(b, b.mean(b.mul(stopped, w)), wanted);
  EXPECT_TRUE(g.of.contains(stopped.id));
  EXPECT_TRUE(g.of.contains(w.id)) << "by the other way";
}

TEST(AdjointRules, frozen_parameters_get_none) {
  Program p;
  OpBuilder b(p);
  const Val w = b.param("w", DType::f32, {4}, kOnes, false), v = b.param("v", DType::f32, {4}, kOnes);
  const Gradients g = gradients_of(b, b.mean(b.mul(w, v)));
  EXPECT_FALSE(g.of.contains(w.id));
  EXPECT_TRUE(g.of.contains(v.id));
}

TEST(AdjointRules, an_op_without_adjoint_on_the_way_is_an_error_not_a_zero) {
  Program p;
  OpBuilder b(p);
  b.set_node("odd");
  const Val w = b.param("w", DType::f32, {4}, kOnes);
  const Val loss = b.emit(Op::gradient_norm, {w}, NormAttr{})[0];
  const auto g = build_adjoint(b, loss);
  ASSERT_FALSE(g);
  EXPECT_EQ(g.error().code, codes::unsupported);
  EXPECT_EQ(g.error().where, "odd");
}

TEST(AdjointRules, the_loss_must_be_one_float) {
  Program p;
  OpBuilder b(p);
  const Val w = b.param("w", DType::f32, {4}, kOnes);
  EXPECT_EQ(build_adjoint(b, w).error().code, codes::size_mismatch);
  EXPECT_EQ(build_adjoint(b, b.cast(b.mean(w), DType::i32)).error().code, codes::dtype_mismatch);
}

// encoder → ×factor → head: what nvdiffrec's hooks do, said as a node.
TEST(GradientScale, unscale_is_reported_at_parameters_before_it_only) {
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  const Val before = b.param("before", DType::f32, {4}, kOnes), after = b.param("after", DType::f32, {4}, kOnes);
  const Val h = b.scale(before, 3);
  const Val y = b.mul(b.gradient_scale(b.gradient_scale(h, 4, true), 32, true), after);
  const Gradients g = gradients_of(b, b.sum_to(y, {}, DType::f32));
  EXPECT_EQ(g.unscale.at(before.id), 1.0 / 128);
  EXPECT_EQ(g.unscale.at(after.id), 1);
  test::Runner r(program);
  r.run();
  EXPECT_EQ(r.read(g.of.at(h.id))[0], 128) << "wires show what is stored";
  EXPECT_EQ(r.read(g.of.at(before.id))[0], 3 * 128);
  EXPECT_EQ(r.read(g.of.at(after.id))[0], 3);
}

TEST(GradientScale, without_unscale_the_gradient_stays_scaled) {
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  const Val w = b.param("w", DType::f32, {4}, kOnes);
  const Gradients g = gradients_of(b, b.sum_to(b.gradient_scale(w, 128, false), {}, DType::f32));
  EXPECT_EQ(g.unscale.at(w.id), 1);
  test::Runner r(program);
  r.run();
  EXPECT_EQ(r.read(g.of.at(w.id))[0], 128);
}

// One parameter on two paths, one of them scaled: the sum must be of like with like, whichever path comes first.
TEST(GradientScale, paths_with_different_factors_meet_rightly) {
  for (const bool scaled_first : {false, true}) {
    for (const double factor : {128.0, 0.25, -2.0}) {
      auto program = std::make_shared<Program>();
      OpBuilder b(*program);
      const Val w = b.param("w", DType::f32, {4}, kOnes);
      const Val h = b.scale(w, 1.5);
      const Val scaled = b.scale(b.gradient_scale(h, factor, true), 2), plain = b.scale(h, 5);
      const Val y = scaled_first ? b.add(scaled, plain) : b.add(plain, scaled);
      const Gradients g = gradients_of(b, b.sum_to(y, {}, DType::f32));
      test::Runner r(program);
      r.run();
      EXPECT_FLOAT_EQ(float(r.read(g.of.at(w.id))[0] * g.unscale.at(w.id)), 1.5f * 7) << factor;
    }
  }
}

TEST(AdjointRules, hash_grid_table_gradient_is_f32_with_a_mask_that_covers_it) {
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  const HashGridAttr grid = make_hash_grid(3, 4, 2, 12, 8, 2, false);
  const Val x = b.constant(Tensor::from_f64(DType::f32, {5, 3}, test::numbers(15, 0, 1, 3)));
  b.set_node("grid");
  const Val t = b.param("table", DType::f16, {grid.table_entries(), 2}, {Init::Kind::uniform, 1, 0});
  const Val y = b.hash_grid(x, t, grid);
  EXPECT_EQ(b[y].dtype, DType::f16);
  const Gradients g = gradients_of(b, b.mean(b.cast(y, DType::f32)));
  ASSERT_TRUE(g.touched.contains(t.id));
  EXPECT_EQ(b[g.of.at(t.id)].dtype, DType::f32);
  EXPECT_EQ(b[g.touched.at(t.id)].dtype, DType::u8);
  test::Runner r(program);
  r.run();
  const auto grad = r.read(g.of.at(t.id)), touched = r.read(g.touched.at(t.id));
  size_t nonzero = 0, blocks = 0;
  for (size_t i = 0; i < grad.size(); ++i) {
    if (grad[i] == 0) continue;
    ++nonzero;
    ASSERT_EQ(touched[i / 16], 1) << i;
  }
  for (double block : touched) blocks += block != 0;
  EXPECT_GT(nonzero, 50u);
  EXPECT_LT(blocks, touched.size() / 2) << "most of the table lies untouched";
}

TEST(AdjointRules, hash_grid_table_gradient_in_f16_stays_so_unless_two_meet) {
  for (const bool twice : {false, true}) {
    Program p;
    OpBuilder b(p);
    HashGridAttr grid = make_hash_grid(2, 2, 2, 8, 4, 2, false);
    grid.gradient = DType::f16;
    const Val x = b.input("x", DType::f32, {5, 2});
    const Val t = b.param("table", DType::bf16, {grid.table_entries(), 2}, kOnes);
    const Val y = b.hash_grid(x, t, grid);
    const Gradients g = gradients_of(b, b.mean(twice ? b.add(y, b.hash_grid(x, t, grid)) : y));
    EXPECT_EQ(b[g.of.at(t.id)].dtype, twice ? DType::f32 : DType::f16);
    EXPECT_EQ(g.touched.contains(t.id), !twice);
  }
}

TEST(AdjointRules, hash_grid_table_gradient_has_no_other_dtype) {
  Program p;
  OpBuilder b(p);
  HashGridAttr grid = make_hash_grid(2, 2, 2, 8, 4, 2, false);
  grid.gradient = DType::bf16;
  b.emit(Op::hash_grid_grad_table, {b.input("x", DType::f32, {5, 2}), b.input("g", DType::f32, {5, 4})}, grid);
  ASSERT_FALSE(b.status());
  EXPECT_NE(b.status().error().reason.find("f32 or f16"), std::string::npos);
}

TEST(AdjointRules, a_table_used_twice_has_no_mask) {
  Program p;
  OpBuilder b(p);
  const HashGridAttr grid = make_hash_grid(2, 2, 2, 8, 4, 2, false);
  const Val x = b.input("x", DType::f32, {5, 2});
  const Val t = b.param("table", DType::f32, {grid.table_entries(), 2}, kOnes);
  const Gradients g = gradients_of(b, b.mean(b.add(b.hash_grid(x, t, grid), b.hash_grid(x, t, grid))));
  EXPECT_TRUE(g.of.contains(t.id));
  EXPECT_FALSE(g.touched.contains(t.id));
}

TEST(Mean, of_many_f16_values_does_not_overflow) {
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  const Val w = b.param("w", DType::f16, {100000}, {Init::Kind::constant, 40000, 0});
  const Val m = b.mean(w);
  EXPECT_EQ(b[m].dtype, DType::f16);
  test::Runner r(program);
  r.run();
  EXPECT_EQ(r.read(m)[0], 40000);
}

}  // namespace
}  // namespace hw
