// OpBuilder and inference: types, names, streams, the sticky error, and every refusal with its code.
#include "engine/program/builder.h"

#include <gtest/gtest.h>

#include "engine/core/codes.h"

namespace hw {
namespace {

const Init kZeros{};

TEST(OpTable, names_follow_the_enum) {
  EXPECT_EQ(info(Op::cast).name, "cast");
  EXPECT_EQ(info(Op::adam_update).name, "adam_update");
  EXPECT_EQ(op_table().size(), size_t(Op::average_update) + 1);
}

TEST(Builder, types_names_and_nodes) {
  Program p;
  OpBuilder b(p);
  const Val x = b.input("x", DType::f16, {8, 3}, {"N", "C"});
  b.set_node("mlp.linear");
  const Val w = b.param("weight", DType::f16, {3, 5}, kZeros);
  const Val y = b.relu(b.matmul(x, w));
  ASSERT_TRUE(b.status());
  EXPECT_EQ(b[y].dtype, DType::f16);
  EXPECT_EQ(b[y].dims, (Dims{8, 5}));
  EXPECT_EQ(b[y].axes, (std::vector<std::string>{"N", "C"}));
  ASSERT_EQ(p.params.size(), 1u);
  EXPECT_EQ(p.params[0].name, "mlp.linear.weight");
  EXPECT_NE(p.params[0].view, p.params[0].master);
  EXPECT_EQ(p[p.params[0].master].dtype, DType::f32);
  EXPECT_EQ(p[p.params[0].master].name, "mlp.linear.weight.master");
  EXPECT_EQ(p.params[0].init.stream, stream_of("mlp.linear.weight"));
  EXPECT_EQ(p.nodes[p.instrs[0].node], "mlp.linear");
  EXPECT_EQ(b.param("weight", DType::f16, {3, 5}, kZeros).id, w.id);
  const Val wide = b.param("bias", DType::f32, {5}, kZeros);
  EXPECT_EQ(p.params[1].master, wide.id);
  EXPECT_EQ(p.instrs[0].op, Op::matmul);
  EXPECT_EQ(p.instrs[0].in, (std::vector<ValueId>{x.id, w.id}));
}

TEST(Builder, the_first_error_sticks_and_names_the_node) {
  Program p;
  OpBuilder b(p);
  b.set_node("mix");
  const Val x = b.input("x", DType::f16, {8, 3}), y = b.input("y", DType::f32, {8, 3});
  const Val bad = b.add(x, y);
  EXPECT_FALSE(bad);
  EXPECT_FALSE(b.relu(bad));
  EXPECT_FALSE(b.mean(bad));
  EXPECT_FALSE(b.matmul(x, x));
  EXPECT_TRUE(p.instrs.empty());
  ASSERT_FALSE(b.status());
  EXPECT_EQ(b.status().error().code, codes::dtype_mismatch);
  EXPECT_EQ(b.status().error().where, "mix");
}

TEST(Builder, dropout_drops_in_training_only_and_never_shares_a_stream) {
  Program p;
  OpBuilder b(p);
  b.set_node("drop");
  const Val x = b.input("x", DType::f32, {8});
  b.set_training(false);
  EXPECT_EQ(b.dropout(x, 0.5).id, x.id);
  b.set_training(true);
  b.dropout(x, 0.5);
  b.dropout(x, 0.5);
  ASSERT_EQ(p.instrs.size(), 2u);
  const uint32_t first = std::get<DropoutAttr>(p.instrs[0].attr).random.stream;
  EXPECT_EQ(first, stream_of("drop"));
  EXPECT_NE(first, std::get<DropoutAttr>(p.instrs[1].attr).random.stream);
}

TEST(Stream, is_fnv_1a) {
  EXPECT_EQ(stream_of(""), 0x811c9dc5u);
  EXPECT_EQ(stream_of("a"), 0xe40c292cu);
  EXPECT_EQ(stream_of("foobar"), 0xbf9cf968u);
}

struct Refusal {
  const char* what;
  Op op;
  std::vector<Value> in;
  Attr attr;
  const char* code;
};

Value v(DType dtype, Dims dims) {
  return {dtype, std::move(dims), {}, Storage::temp, ""};
}

std::vector<Refusal> refusals() {
  const DType h = DType::f16, f = DType::f32, d = DType::f64;
  const HashGridAttr grid = make_hash_grid(3, 2, 2, 8, 4, 2, false);
  const int64_t entries = grid.table_entries();
  UpdateAttr touched;
  touched.has_touched = true;
  return {
      {"dtypes differ", Op::add, {v(h, {2}), v(f, {2})}, {}, codes::dtype_mismatch},
      {"integers", Op::mul, {v(DType::i32, {2}), v(DType::i32, {2})}, {}, codes::dtype_mismatch},
      {"no broadcast", Op::sub, {v(f, {2}), v(f, {3})}, {}, codes::no_broadcast},
      {"cast to tf32", Op::cast, {v(f, {2})}, CastAttr{DType::tf32}, codes::dtype_mismatch},
      {"affine channels", Op::affine, {v(f, {2, 3})}, AffineAttr{{1, 2}, {0, 0}}, codes::size_mismatch},
      {"affine scalar", Op::affine, {v(f, {})}, AffineAttr{{1}, {0}}, codes::rank_mismatch},
      {"clamp bounds", Op::clamp, {v(f, {2})}, ClampAttr{1, 0}, codes::bad_parameter},
      {"dropout 1.5", Op::dropout, {v(f, {2})}, DropoutAttr{1.5, {}}, codes::bad_parameter},
      {"gradient factor 0", Op::gradient_scale, {v(f, {2})}, GradientScaleAttr{0, true}, codes::bad_parameter},
      {"matmul inner", Op::matmul, {v(f, {8, 3}), v(f, {4, 5})}, MatmulAttr{}, codes::size_mismatch},
      {"matmul inner, transposed", Op::matmul, {v(f, {8, 4}), v(f, {4, 5})}, MatmulAttr{true}, codes::size_mismatch},
      {"matmul rank", Op::matmul, {v(f, {8, 3}), v(f, {3})}, MatmulAttr{}, codes::rank_mismatch},
      {"matmul_tn rows", Op::matmul_tn, {v(f, {8, 3}), v(f, {7, 3})}, MatmulAttr{.dtype = f}, codes::size_mismatch},
      {"matmul_tn to integer",
       Op::matmul_tn,
       {v(f, {8, 3}), v(f, {8, 3})},
       MatmulAttr{.dtype = DType::i32},
       codes::dtype_mismatch},
      {"sum_to other size", Op::sum_to, {v(f, {8, 3})}, DimsAttr{{2}, f}, codes::no_broadcast},
      {"broadcast_to smaller", Op::broadcast_to, {v(f, {8, 3})}, DimsAttr{{3}, f}, codes::no_broadcast},
      {"reshape count", Op::reshape, {v(f, {8, 3})}, DimsAttr{{5, 5}, f}, codes::size_mismatch},
      {"concat sizes", Op::concat, {v(f, {8, 3}), v(f, {7, 3})}, AxisAttr{1, 0, 0, 0}, codes::size_mismatch},
      {"concat axis", Op::concat, {v(f, {8, 3}), v(f, {8, 3})}, AxisAttr{2, 0, 0, 0}, codes::rank_mismatch},
      {"slice outside", Op::slice, {v(f, {8, 3})}, AxisAttr{1, 1, 4, 0}, codes::size_mismatch},
      {"pad outside", Op::pad, {v(f, {8, 3})}, AxisAttr{1, 1, 4, 3}, codes::size_mismatch},
      {"grad sizes", Op::relu_grad, {v(f, {8}), v(f, {7})}, {}, codes::size_mismatch},
      {"grid position dtype", Op::hash_grid, {v(h, {8, 3}), v(h, {entries, 2})}, grid, codes::dtype_mismatch},
      {"grid f64 position, f32 table", Op::hash_grid, {v(d, {8, 3}), v(f, {entries, 2})}, grid, codes::dtype_mismatch},
      {"grid dimensions", Op::hash_grid, {v(f, {8, 2}), v(f, {entries, 2})}, grid, codes::size_mismatch},
      {"grid table", Op::hash_grid, {v(f, {8, 3}), v(f, {entries, 1})}, grid, codes::size_mismatch},
      {"norm of integers", Op::gradient_norm, {v(DType::i32, {2})}, {}, codes::dtype_mismatch},
      {"adam sizes",
       Op::adam_update,
       {v(f, {2}), v(f, {2}), v(f, {2}), v(f, {2}), v(f, {3})},
       UpdateAttr{},
       codes::size_mismatch},
      {"adam mask",
       Op::adam_update,
       {v(f, {32}), v(f, {32}), v(f, {32}), v(f, {32}), v(DType::u8, {64}), v(f, {32}), v(DType::u8, {3})},
       touched,
       codes::size_mismatch},
      {"adam counts",
       Op::adam_update,
       {v(f, {32}), v(f, {32}), v(f, {32}), v(f, {32}), v(DType::u8, {32}), v(f, {32}), v(DType::u8, {2})},
       touched,
       codes::size_mismatch},
  };
}

TEST(Infer, refuses_with_a_code_and_a_reason) {
  for (const Refusal& r : refusals()) {
    const auto got = infer(r.op, r.in, r.attr);
    ASSERT_FALSE(got) << r.what;
    EXPECT_EQ(got.error().code, r.code) << r.what;
    EXPECT_EQ(got.error().where, info(r.op).name) << r.what;
    EXPECT_FALSE(got.error().reason.empty()) << r.what;
  }
}

}  // namespace
}  // namespace hw
