// What shape() refuses: the code, the socket or parameter at fault, and both shapes in the words.
#include <gtest/gtest.h>

#include "tests/nodes/evaluate.h"

namespace hw::test {
namespace {

WireType wire(std::vector<Axis> axes, DType dtype = DType::f32) {
  return {.dtype = dtype, .shape = Shape(std::move(axes))};
}

const WireType kMesh{.kind = Kind::mesh};
const WireType kN3 = wire({{"N", 64, ""}, {"C", 3, ""}});
const WireType kN9 = wire({{"N", 64, ""}, {"C", 9, ""}});
const WireType kPicture = wire({{"N", 64, ""}, {"C", 6, ""}, {"H", 6, ""}, {"W", 5, ""}});
const WireType kTokens = wire({{"batch", 2, ""}, {"seq", 6, ""}, {"hidden", 8, ""}});
const WireType kPlanes = wire({{"", 3, ""}, {"C", 4, ""}, {"H", 5, ""}, {"W", 5, ""}});
const WireType kN = wire({{"N", 64, ""}});
const WireType kScalar = wire({});

struct Refusal {
  std::string name, node;
  ShapeArgs::In types;
  ParamMap params;
  std::string code, where;
  std::vector<std::string> words;  // in the reason
};
void PrintTo(const Refusal& r, std::ostream* out) {
  *out << r.name;
}

std::vector<double> list(std::initializer_list<double> values) {
  return values;
}

const std::vector<Refusal> kRefusals{
    {"add_no_broadcast", "add", {{"a", kN3}, {"b", kN9}}, {}, "HW-S003", "b", {"3", "9"}},
    {"mse_size", "mse", {{"prediction", kN9}, {"target", kN3}}, {}, "HW-S002", "target", {"C 9", "C 3", "axis C"}},
    {"mse_rank", "mse", {{"prediction", kN3}, {"target", kN}}, {}, "HW-S001", "target", {"[N 64, C 3]", "[N 64]"}},
    {"l1_size", "l1", {{"prediction", kN9}, {"target", kN3}}, {}, "HW-S002", "target", {"C 9", "C 3", "axis C"}},
    {"entropy_labels",
     "cross_entropy",
     {{"logits", kN9}, {"labels", wire({{"N", 63, ""}}, DType::i64)}},
     {},
     "HW-S002",
     "labels",
     {"[N 64, C 9]", "[N 63]"}},
    {"accuracy_rank", "accuracy", {{"logits", kN}, {"labels", kN}}, {}, "HW-S001", "logits", {"[N 64]"}},
    {"where_condition",
     "where",
     {{"condition", wire({{"N", 5, ""}}, DType::boolean)}, {"a", kN3}, {"b", kN3}},
     {},
     "HW-S003",
     "condition",
     {"5"}},
    {"sum_axis", "sum", {{"x", kN3}}, {{"axes", list({2})}}, "HW-P001", "axes", {"[N 64, C 3]", "[2]"}},
    {"sum_twice", "sum", {{"x", kN3}}, {{"axes", list({1, -1})}}, "HW-P001", "axes", {"once", "[1, -1]"}},
    {"softmax_axis", "softmax", {{"x", kN}}, {{"axis", int64_t{1}}}, "HW-P001", "axis", {"got 1"}},
    {"clip_inside_out", "clip", {{"x", kN}}, {{"min", 2.0}}, "HW-P001", "max", {"got 1"}},
    {"remap_point", "remap", {{"x", kN}}, {{"from_max", 0.0}}, "HW-P001", "from_max", {"got 0"}},
    {"linear_scalar", "linear", {{"x", kScalar}}, {}, "HW-S001", "x", {"scalar"}},
    {"mlp_scalar", "mlp", {{"x", kScalar}}, {}, "HW-S001", "x", {"scalar"}},
    {"mlp_symbolic", "mlp", {{"x", wire({{"N", 4, ""}, {"C", -1, "K"}})}}, {}, "HW-S002", "x", {"K"}},
    {"grid_rank", "hash_grid", {{"x", kN}}, {}, "HW-S001", "x", {"[N D]", "[N 64]"}},
    {"grid_dims", "hash_grid", {{"x", kN9}}, {}, "HW-S002", "x", {"2 or 3", "[N 64, C 9]"}},
    {"grid_too_fine", "hash_grid", {{"x", kN3}}, {{"per_level_scale", 4.0}}, "HW-P001", "per_level_scale", {"2^24"}},
    {"frequency_rank", "frequency", {{"x", kN}}, {}, "HW-S001", "x", {"[N D]", "[N 64]"}},
    {"frequency_symbolic", "frequency", {{"x", wire({{"N", 4, ""}, {"C", -1, "K"}})}}, {}, "HW-S002", "x", {"K"}},
    {"blob_rank", "one_blob", {{"x", kPicture}}, {}, "HW-S001", "x", {"[N D]", "W 5"}},
    {"blob_symbolic", "one_blob", {{"x", wire({{"N", 4, ""}, {"C", -1, "K"}})}}, {}, "HW-S002", "x", {"K"}},
    {"harmonics_rank", "spherical_harmonics", {{"x", kScalar}}, {}, "HW-S001", "x", {"[N D]", "[]"}},
    {"harmonics_dims", "spherical_harmonics", {{"x", kN9}}, {}, "HW-S002", "x", {"size 3", "[N 64, C 9]"}},
    {"box_components", "normalise_aabb", {{"position", kN9}}, {}, "HW-P001", "min", {"9", "[-1, -1, -1]"}},
    {"box_mesh", "normalise_aabb", {{"position", kN9}, {"mesh", kMesh}}, {}, "HW-S002", "position", {"3", "C 9"}},
    {"box_inside_out",
     "normalise_aabb",
     {{"position", kN3}},
     {{"max", list({1, -2, 1})}},
     "HW-P001",
     "max",
     {"[1, -2, 1]"}},
    {"concat_size", "concat", {{"a", kN3}, {"b", wire({{"N", 5, ""}, {"C", 3, ""}})}}, {}, "HW-S002", "b", {"64", "5"}},
    {"concat_rank", "concat", {{"a", kN3}, {"b", kN}}, {}, "HW-S001", "b", {"[N 64, C 3]", "[N 64]"}},
    {"concat_axis", "concat", {{"a", kN}, {"b", kN}}, {{"axis", int64_t{1}}}, "HW-P001", "axis", {"-1 to 0", "got 1"}},
    {"slice_end", "slice", {{"x", kN3}}, {{"end", int64_t{4}}}, "HW-P001", "end", {"size 3"}},
    {"slice_begin", "slice", {{"x", kN3}}, {{"begin", int64_t{3}}}, "HW-P001", "begin", {"size 3"}},
    {"slice_scalar", "slice", {{"x", kScalar}}, {}, "HW-P001", "axis", {"scalar"}},
    {"reshape_count", "reshape", {{"x", kN3}}, {{"shape", list({5, -1})}}, "HW-S002", "shape", {"192", "[5, -1]"}},
    {"reshape_two_open", "reshape", {{"x", kN3}}, {{"shape", list({-1, -1})}}, "HW-P001", "shape", {"one -1"}},
    {"reshape_fraction", "reshape", {{"x", kN3}}, {{"shape", list({0.5, -1})}}, "HW-P001", "shape", {"0.5"}},
    {"reshape_names", "reshape", {{"x", kN3}}, {{"axes", std::string("N C")}}, "HW-P001", "axes", {"names 2", "has 1"}},
    {"constant_large", "constant", {}, {{"shape", list({65536, 65536})}}, "HW-P001", "shape", {"2^28"}},
    {"constant_fraction", "constant", {}, {{"shape", list({1.5})}}, "HW-P001", "shape", {"1.5"}},
    {"transpose_twice", "transpose", {{"x", kN3}}, {{"axes", list({0, -2})}}, "HW-P001", "axes", {"2 axes", "[0, -2]"}},
    {"transpose_rank", "transpose", {{"x", kN3}}, {{"axes", list({0})}}, "HW-P001", "axes", {"[0]"}},
    {"transpose_fraction", "transpose", {{"x", kN3}}, {{"axes", list({0.5, 1})}}, "HW-P001", "axes", {"whole"}},
    {"split_odd", "split", {{"x", kN3}}, {}, "HW-P001", "at", {"size 3", "equal"}},
    {"split_outside", "split", {{"x", kN3}}, {{"at", int64_t{3}}}, "HW-P001", "at", {"at 3", "size 3"}},
    {"stack_rank", "stack", {{"a", kN3}, {"b", kN}}, {}, "HW-S001", "b", {"[N 64, C 3]", "[N 64]"}},
    {"stack_size", "stack", {{"a", kN3}, {"b", kN9}}, {}, "HW-S002", "b", {"C 3", "C 9"}},
    {"stack_axis", "stack", {{"a", kN}, {"b", kN}}, {{"axis", int64_t{2}}}, "HW-P001", "axis", {"-2 to 1", "got 2"}},
    {"pad_axis", "pad", {{"x", kN}}, {{"axes", list({1})}}, "HW-P001", "axes", {"tensor with 1", "[1]"}},
    {"pad_axis_twice", "pad", {{"x", kN3}}, {{"axes", list({1, -1})}}, "HW-P001", "axes", {"once"}},
    {"pad_widths", "pad", {{"x", kN}}, {{"after", list({1, 2})}}, "HW-P001", "after", {"one width", "[1, 2]"}},
    {"flatten_first", "flatten", {{"x", kN}}, {}, "HW-P001", "first", {"axis 1", "1 axes"}},
    {"flatten_turned", "flatten", {{"x", kN3}}, {{"last", int64_t{0}}}, "HW-P001", "last", {"before"}},
    {"matmul_inner", "matmul", {{"a", kN3}, {"b", kN9}}, {}, "HW-S002", "b", {"3", "[N 64, C 9]"}},
    {"matmul_vector", "matmul", {{"a", kN3}, {"b", kN}}, {}, "HW-S001", "b", {"[K, N]", "[N 64]"}},
    {"matmul_scalar", "matmul", {{"a", kScalar}, {"b", kN3}}, {}, "HW-S001", "a", {"[]"}},
    {"matmul_batches",
     "matmul",
     {{"a", wire({{"", 2, ""}, {"", 5, ""}, {"", 7, ""}})}, {"b", wire({{"", 3, ""}, {"", 7, ""}, {"", 5, ""}})}},
     {},
     "HW-S003",
     "b",
     {"2", "3"}},
    {"random_bounds", "random", {}, {{"a", 2.0}}, "HW-P001", "b", {"from 2 to 1"}},
    {"random_deviation",
     "random",
     {},
     {{"b", -1.0}, {"distribution", std::string("normal")}},
     "HW-P001",
     "b",
     {"negative", "-1"}},
    {"random_names", "random", {}, {{"shape", list({4})}}, "HW-P001", "axes", {"names 2", "has 1"}},
    {"parameter_scale", "parameter", {}, {{"scale", -0.5}}, "HW-P001", "scale", {"negative", "-0.5"}},
    {"parameter_size", "parameter", {}, {{"shape", list({65536, 65536})}}, "HW-P001", "shape", {"2^28"}},
    {"train_tensor", "train", {{"loss", kN3}}, {}, "HW-S001", "loss", {"[N 64, C 3]"}},
    {"viewport_channels", "viewport", {{"mesh", kMesh}, {"field", kN9}}, {}, "HW-S002", "field", {"C 9"}},
    {"conv_rank", "conv2d", {{"x", kN3}}, {}, "HW-S001", "x", {"N C H W", "[N 64, C 3]"}},
    {"conv_groups", "conv2d", {{"x", kPicture}}, {{"groups", int64_t{4}}}, "HW-P001", "groups", {"6", "32", "got 4"}},
    {"conv_groups_out",
     "conv2d",
     {{"x", kPicture}},
     {{"groups", int64_t{3}}, {"out_channels", int64_t{4}}},
     "HW-P001",
     "groups",
     {"6", "4 output", "got 3"}},
    {"conv_kernel",
     "conv2d",
     {{"x", kPicture}},
     {{"kernel_size", list({3, 4})}, {"dilation", list({2})}, {"padding", std::string("1 0")}},
     "HW-P001",
     "kernel_size",
     {"5 x 7", "8 x 5"}},
    {"conv_fraction", "conv2d", {{"x", kPicture}}, {{"kernel_size", list({2.5})}}, "HW-P001", "kernel_size", {"[2.5]"}},
    {"conv_three_strides", "conv2d", {{"x", kPicture}}, {{"stride", list({1, 1, 1})}}, "HW-P001", "stride", {"two"}},
    {"conv_no_stride", "conv2d", {{"x", kPicture}}, {{"stride", list({0})}}, "HW-P001", "stride", {"from 1", "[0]"}},
    {"conv_padding",
     "conv2d",
     {{"x", kPicture}},
     {{"padding", std::string("-1")}},
     "HW-P001",
     "padding",
     {"same", "\"-1\""}},
    {"conv_empty",
     "conv2d",
     {{"x", wire({{"N", 2, ""}, {"C", 3, ""}, {"H", 0, ""}, {"W", 5, ""}})}},
     {},
     "HW-S002",
     "x",
     {"H 0"}},
    {"pool_window", "max_pool", {{"x", kPicture}}, {{"kernel_size", list({7})}}, "HW-P001", "kernel_size", {"6 x 5"}},
    {"pool_padding",
     "max_pool",
     {{"x", kPicture}},
     {{"padding", std::string("2")}},
     "HW-P001",
     "padding",
     {"half", "2 x 2", "got 2"}},
    {"transpose_groups",
     "conv_transpose2d",
     {{"x", kPicture}},
     {{"groups", int64_t{5}}},
     "HW-P001",
     "groups",
     {"6", "32 output", "got 5"}},
    {"transpose_output_padding",
     "conv_transpose2d",
     {{"x", kPicture}},
     {{"output_padding", list({2})}},
     "HW-P001",
     "output_padding",
     {"smaller", "got 2"}},
    {"transpose_same",
     "conv_transpose2d",
     {{"x", kPicture}},
     {{"padding", std::string("same")}},
     "HW-P001",
     "padding",
     {"same"}},
    {"transpose_nothing_left",
     "conv_transpose2d",
     {{"x", kPicture}},
     {{"padding", std::string("9")}},
     "HW-P001",
     "padding",
     {"6 x 5"}},
    {"avg_padding",
     "avg_pool",
     {{"x", kPicture}},
     {{"kernel_size", list({3})}, {"padding", std::string("2")}},
     "HW-P001",
     "padding",
     {"half", "3 x 3"}},
    {"adaptive_size",
     "adaptive_avg_pool",
     {{"x", kPicture}},
     {{"output_size", list({0})}},
     "HW-P001",
     "output_size",
     {"from 1", "[0]"}},
    {"global_rank", "global_avg_pool", {{"x", kN3}}, {}, "HW-S001", "x", {"N C H W"}},
    {"upsample_factor", "upsample", {{"x", kPicture}}, {{"factor", list({1.5})}}, "HW-P001", "factor", {"[1.5]"}},
    {"batch_norm_rank", "batch_norm", {{"x", kN}}, {}, "HW-S001", "x", {"N C ..", "[N 64]"}},
    {"group_norm_groups",
     "group_norm",
     {{"x", kPicture}},
     {{"groups", int64_t{4}}},
     "HW-P001",
     "groups",
     {"6", "got 4"}},
    {"layer_norm_scalar", "layer_norm", {{"x", kScalar}}, {}, "HW-S001", "x", {"scalar"}},
    {"rms_norm_scalar", "rms_norm", {{"x", kScalar}}, {}, "HW-S001", "x", {"scalar"}},
    {"patch_size", "patchify", {{"x", kPicture}}, {{"size", int64_t{3}}}, "HW-S002", "x", {"W 5", "3"}},
    {"patch_rank", "patchify", {{"x", kN3}}, {}, "HW-S001", "x", {"[N 64, C 3]"}},
    {"place_rank", "position_embedding", {{"x", kN}}, {}, "HW-S001", "x", {"[N 64]", "seq"}},
    {"attention_rank", "attention", {{"x", kN3}}, {}, "HW-S001", "x", {"[N 64, C 3]"}},
    {"attention_heads", "attention", {{"x", kTokens}}, {{"heads", int64_t{5}}}, "HW-S002", "x", {"8", "5 heads"}},
    {"attention_batch",
     "attention",
     {{"x", kTokens}, {"context", wire({{"batch", 3, ""}, {"seq", 4, ""}, {"hidden", 8, ""}})}},
     {},
     "HW-S002",
     "context",
     {"3", "2"}},
    {"triplane_position",
     "triplane_sampler",
     {{"position", kN9}, {"planes", kPlanes}},
     {},
     "HW-S002",
     "position",
     {"size 3", "C 9"}},
    {"triplane_planes",
     "triplane_sampler",
     {{"position", kN3}, {"planes", kPicture}},
     {},
     "HW-S002",
     "planes",
     {"three", "N 64"}},
    {"mesh_no_file", "mesh_source", {}, {}, "HW-P001", "path", {"no file"}},
};

class ShapeErrors : public testing::TestWithParam<Refusal> {};

TEST_P(ShapeErrors, SayWhatAndWhere) {
  const Refusal& r = GetParam();
  const auto shapes = shapes_of(r.node, r.types, r.params);
  ASSERT_FALSE(shapes) << "taken";
  EXPECT_EQ(shapes.error().code, r.code) << shapes.error().text();
  EXPECT_EQ(shapes.error().where, r.where) << shapes.error().text();
  for (const std::string& word : r.words)
    EXPECT_NE(shapes.error().reason.find(word), std::string::npos) << "\"" << word << "\" in " << shapes.error().text();
}

INSTANTIATE_TEST_SUITE_P(Nodes, ShapeErrors, testing::ValuesIn(kRefusals),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace hw::test
