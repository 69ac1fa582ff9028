// Models that run at any size though an operator's widths, windows or parts follow from it: at each they compute what
// the model with that size as a number does.
#include <gmock/gmock.h>

#include <functional>
#include <limits>

#include "tests/interop/onnx_symbolic.h"

namespace hw::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// One graph of `build(-1)` computes at each size what that of `build(size)` does, of x with these sizes.
void expect_as_fixed(const std::function<onnx::ModelProto(int64_t)>& build, const std::function<Tensor(int64_t)>& x,
                     const std::vector<int64_t>& sizes) {
  const ImportedModel any = whole(build(-1));
  ASSERT_FALSE(any.outputs.empty());
  for (const int64_t size : sizes) {
    SCOPED_TRACE("size " + std::to_string(size));
    EXPECT_EQ(values_of(any, x(size)), values_of(whole(build(size)), x(size)));
  }
}

/// [1, 1, size]: 1, 2, 3, ..
Tensor line(int64_t size) {
  return counting({1, 1, size});
}

/// A convolution of every other element, whose output has half the size, rounded up.
void add_half(onnx::ModelProto& model, const std::string& x, const std::string& y) {
  set_ints(add_node(model, "Conv", {x, "w"}, {y}), "strides", {2, 2});
}

// Twice the half of an odd size is not that size.
TEST(OnnxAnySize, APictureIsResizedToTheSizeOfAnEarlierOne) {
  onnx::ModelProto model = symbolic_model({1, 1, -1, -1}, {"height", "width"});
  add_floats(model, "w", {1, 1, 1, 1}, {1});
  add_half(model, "x", "a");
  add_half(model, "a", "b");
  add_node(model, "Shape", {"a"}, {"size"});
  onnx::NodeProto& resize = add_node(model, "Resize", {"b", "", "", "size"}, {"y"});
  set_text(resize, "coordinate_transformation_mode", "asymmetric");
  set_text(resize, "nearest_mode", "floor");
  const ImportedModel made = whole(model);
  const auto expected = [](int64_t height, int64_t width) {
    const int64_t rows = (height + 1) / 2, columns = (width + 1) / 2;
    Values values;
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c) {
        const int64_t row = r * ((rows + 1) / 2) / rows * 4, column = c * ((columns + 1) / 2) / columns * 4;
        values.push_back(static_cast<double>(row * width + column + 1));
      }
    return values;
  };
  EXPECT_EQ(values_of(made, counting({1, 1, 37, 50})), expected(37, 50)) << "19 x 25, not 20 x 26";
  EXPECT_EQ(values_of(made, counting({1, 1, 32, 40})), expected(32, 40));
}

/// x [1, 1, size], and behind it what `width` says of the size "n": as "padded".
onnx::ModelProto padded(int64_t size, const std::function<void(onnx::ModelProto&)>& width) {
  onnx::ModelProto model = symbolic_model({1, 1, size}, {"seq"});
  add_numbers(model);
  add_integers(model, "no_pads", {0, 0, 0, 0, 0});
  add_node(model, "Shape", {"x"}, {"shape"});
  add_node(model, "Gather", {"shape", "n2"}, {"n"});
  width(model);
  set_int(add_node(model, "Concat", {"no_pads", "width"}, {"pads"}), "axis", 0);
  add_node(model, "Pad", {"x", "pads"}, {"padded"});
  return model;
}

/// To a multiple, as "(m - n % m) % m".
onnx::ModelProto padded_to(int64_t size, int64_t multiple) {
  return padded(size, [&](onnx::ModelProto& model) {
    add_integers(model, "multiple", {multiple});
    add_node(model, "Mod", {"n", "multiple"}, {"rest"});
    add_node(model, "Sub", {"multiple", "rest"}, {"more"});
    add_node(model, "Mod", {"more", "multiple"}, {"width"});
  });
}

TEST(OnnxAnySize, WindowsOfAnAxisThatIsPaddedToTheirMultiple) {
  const auto sums = [](int64_t size) {
    onnx::ModelProto model = padded_to(size, 4);
    add_integers(model, "windows", {-1, 4});
    add_node(model, "Reshape", {"padded", "windows"}, {"of_four"});
    add_node(model, "ReduceSum", {"of_four", "n1"}, {"y"});
    return model;
  };
  expect_as_fixed(sums, line, {3, 4, 5, 8, 30});
  const ImportedModel made = whole(sums(-1));
  EXPECT_THAT(values_of(made, line(5)), ElementsAre(10, 5));
  expect_same_exported(made, line(6));
}

/// By 7 both of the sizes that are tried first, 16 and 23, are padded by 5.
TEST(OnnxAnySize, WhatWasPaddedToAMultipleIsCutToItsSizeAgain) {
  for (const int64_t multiple : {2, 4, 5, 7, 8}) {
    const auto cut = [&](int64_t size) {
      onnx::ModelProto model = padded_to(size, multiple);
      add_node(model, "Neg", {"padded"}, {"less"});
      add_node(model, "Slice", {"less", "n0", "n", "n2"}, {"y"});
      return model;
    };
    SCOPED_TRACE("multiple " + std::to_string(multiple));
    expect_as_fixed(cut, line, {1, 3, 4, 5, 7, 8, 13, 16});
  }
}

TEST(OnnxAnySize, AWidthByTheNegativeOfASize) {
  const auto sums = [](int64_t size) {
    onnx::ModelProto model = padded(size, [](onnx::ModelProto& m) {
      add_node(m, "Neg", {"n"}, {"less"});
      add_node(m, "Mod", {"less", "n4"}, {"width"});
    });
    add_node(model, "Identity", {"padded"}, {"y"});
    return model;
  };
  expect_as_fixed(sums, line, {1, 4, 6, 9});
}

TEST(OnnxAnySize, AWidthThatFillsNoMultipleIsFixed) {
  onnx::ModelProto model = padded(-1, [](onnx::ModelProto& m) { add_node(m, "Mod", {"n", "n4"}, {"width"}); });
  add_node(model, "Identity", {"padded"}, {"y"});
  const auto made = imported(model, {.given = {}, .sizes = {{"seq", 6}}});
  ASSERT_TRUE(made && made->missing.empty());
  EXPECT_EQ(made->fixed.at("seq"), 6);
  EXPECT_THAT(made->fixed_because, HasSubstr("does not fill it to a multiple"));
  EXPECT_THAT(values_of(*made, line(6)), ElementsAre(1, 2, 3, 4, 5, 6, 0, 0));
}

/// -((n - 12288) % 4) with the sign of what is divided: it fills to a multiple up to 12288, and is negative beyond.
TEST(OnnxAnySize, AWidthWhoseSignChangesAtALargeSizeIsFixed) {
  onnx::ModelProto model = padded(-1, [](onnx::ModelProto& m) {
    add_integers(m, "n4096", {4096});
    add_node(m, "Sub", {"n", "n4096"}, {"less1"});
    add_node(m, "Sub", {"less1", "n4096"}, {"less2"});
    add_node(m, "Sub", {"less2", "n4096"}, {"less3"});
    set_int(add_node(m, "Mod", {"less3", "n4"}, {"rest"}), "fmod", 1);
    add_node(m, "Neg", {"rest"}, {"width"});
  });
  add_node(model, "Identity", {"padded"}, {"y"});
  const auto made = imported(model, {.given = {}, .sizes = {{"seq", 6}}});
  ASSERT_TRUE(made && made->missing.empty());
  EXPECT_EQ(made->fixed.at("seq"), 6);
  EXPECT_THAT(values_of(*made, line(6)), ElementsAre(1, 2, 3, 4, 5, 6, 0, 0));
}

/// A picture of which a pool takes half, and a transposed convolution doubles it.
onnx::ModelProto halved_and_doubled() {
  onnx::ModelProto model = symbolic_model({1, 1, -1}, {"seq"});
  add_numbers(model);
  add_floats(model, "w", {1, 1, 2}, {1, 1});
  onnx::NodeProto& pool = add_node(model, "MaxPool", {"x"}, {"small"});
  set_ints(pool, "kernel_shape", {2});
  set_ints(pool, "strides", {2});
  set_ints(add_node(model, "ConvTranspose", {"small", "w"}, {"large"}), "strides", {2});
  for (const char* of : {"x", "large"}) {
    add_node(model, "Shape", {of}, {std::string(of) + "_shape"});
    add_node(model, "Gather", {std::string(of) + "_shape", "n2"}, {std::string(of) + "_size"});
  }
  add_node(model, "Sub", {"x_size", "large_size"}, {"lost"});
  add_integers(model, "no_pads", {0, 0, 0, 0, 0});
  set_int(add_node(model, "Concat", {"no_pads", "lost"}, {"pads"}), "axis", 0);
  add_node(model, "Pad", {"large", "pads"}, {"padded"});
  set_int(add_node(model, "Concat", {"x", "padded"}, {"y"}), "axis", 1);
  return model;
}

// Both sizes that are tried first are odd, of which one element is lost.
TEST(OnnxAnySize, WhatIsTheSameAtOddSizesAloneIsNoConstant) {
  const auto made = imported(halved_and_doubled());
  ASSERT_TRUE(made && made->missing.empty());
  EXPECT_NE(made->fixed_because, "");
  EXPECT_EQ(interop::sizes_text(made->multiples), "seq=2");
  EXPECT_THAT(values_of(*made, line(4)), ElementsAre(1, 2, 3, 4, 2, 2, 4, 4));
}

TEST(OnnxAnySize, BordersOfElements) {
  const auto bordered = [](const std::string& mode) {
    return [=](int64_t size) {
      onnx::ModelProto model = symbolic_model({1, 1, size}, {"seq"});
      add_integers(model, "pads", {0, 0, 2, 0, 0, 1});
      set_text(add_node(model, "Pad", {"x", "pads"}, {"y"}), "mode", mode);
      return model;
    };
  };
  EXPECT_THAT(values_of(whole(bordered("reflect")(-1)), line(4)), ElementsAre(3, 2, 1, 2, 3, 4, 3));
  EXPECT_THAT(values_of(whole(bordered("edge")(-1)), line(4)), ElementsAre(1, 1, 1, 2, 3, 4, 4));
  EXPECT_THAT(values_of(whole(bordered("wrap")(-1)), line(4)), ElementsAre(3, 4, 1, 2, 3, 4, 1));
  for (const char* mode : {"reflect", "edge", "wrap"}) expect_as_fixed(bordered(mode), line, {1, 2, 3, 7});
  for (const char* mode : {"reflect", "edge"}) expect_same_exported(whole(bordered(mode)(-1)), line(5));
}

/// A pool along one axis of any size, by ceil_mode.
onnx::ModelProto pooled(const std::string& op, int64_t kernel, int64_t stride, int64_t pad, bool counts, int64_t size) {
  onnx::ModelProto model = symbolic_model({1, 1, size}, {"seq"});
  onnx::NodeProto& pool = add_node(model, op, {"x"}, {"y"});
  set_ints(pool, "kernel_shape", {kernel});
  set_ints(pool, "strides", {stride});
  set_ints(pool, "pads", {pad, pad});
  set_int(pool, "ceil_mode", 1);
  if (counts) set_int(pool, "count_include_pad", 1);
  return model;
}

TEST(OnnxAnySize, WindowsThatCeilModeAdds) {
  EXPECT_THAT(values_of(whole(pooled("MaxPool", 2, 2, 0, false, -1)), line(5)), ElementsAre(2, 4, 5));
  EXPECT_THAT(values_of(whole(pooled("AveragePool", 2, 2, 0, true, -1)), line(5)), ElementsAre(1.5, 3.5, 5));
  struct Pool {
    int64_t kernel, stride, pad;
    bool too_wide = false;  // for a mean: what is added at the end is more than half a window
  };
  for (const auto& [kernel, stride, pad, too_wide] : {Pool{2, 2, 0}, Pool{3, 2, 0}, Pool{3, 2, 1, true}, Pool{2, 3, 0},
                                                      Pool{2, 3, 1}, Pool{4, 3, 0}, Pool{5, 2, 2, true}}) {
    SCOPED_TRACE(std::to_string(kernel) + " by " + std::to_string(stride) + ", padded by " + std::to_string(pad));
    const auto of = [&](const char* op, bool counts) {
      return [=](int64_t size) { return pooled(op, kernel, stride, pad, counts, size); };
    };
    const std::vector<int64_t> sizes{5, 6, 7, 8, 9, 10, 16};
    expect_as_fixed(of("MaxPool", false), line, sizes);
    expect_as_fixed(of("AveragePool", true), line, sizes);
    const auto mean = imported(pooled("AveragePool", kernel, stride, pad, false, -1));
    ASSERT_TRUE(mean && mean->missing.empty());
    EXPECT_EQ(!mean->fixed.empty(), too_wide) << mean->fixed_because;
    if (!too_wide) expect_as_fixed(of("AveragePool", false), line, sizes);
  }
}

TEST(OnnxAnySize, StepsAlongAnAxis) {
  const auto steps = [](int64_t size) {
    onnx::ModelProto model = symbolic_model({1, 1, size}, {"seq"});
    add_numbers(model);
    add_integers(model, "most", {std::numeric_limits<int64_t>::max()});
    add_node(model, "Slice", {"x", "n1", "most", "n2", "n2"}, {"y"});
    return model;
  };
  expect_as_fixed(steps, line, {2, 3, 6, 7});
  expect_same_exported(whole(steps(-1)), line(6));
}

TEST(OnnxAnySize, ARollWhoseCutIsCountedFromTheEnd) {
  const auto roll = [](int64_t size) {
    onnx::ModelProto model = symbolic_model({1, 1, size}, {"seq"});
    add_numbers(model);
    add_node(model, "Shape", {"x"}, {"shape"});
    add_node(model, "Gather", {"shape", "n2"}, {"n"});
    add_node(model, "Mod", {"n-1", "n"}, {"cut"});
    add_node(model, "Slice", {"x", "cut", "n", "n2"}, {"last"});
    add_node(model, "Slice", {"x", "n0", "cut", "n2"}, {"others"});
    set_int(add_node(model, "Concat", {"last", "others"}, {"y"}), "axis", 2);
    return model;
  };
  expect_as_fixed(roll, line, {2, 3, 8});
}

// The table is shorter than the sizes that are tried first.
TEST(OnnxAnySize, AsManyRowsOfATableAsThereAreTokens) {
  onnx::ModelProto model = symbolic_model({-1, 1}, {"N"});
  add_numbers(model);
  std::vector<float> rows(24);
  std::iota(rows.begin(), rows.end(), 0.0f);
  add_floats(model, "table", {24, 1}, rows);
  add_node(model, "Slice", {"table", "n0", size_of_x(model, "0"), "axis"}, {"part"});
  add_node(model, "Add", {"x", "part"}, {"y"});
  const ImportedModel made = whole(model);
  EXPECT_THAT(values_of(made, floats({3, 1}, {10, 20, 30})), ElementsAre(10, 21, 32));
  EXPECT_EQ(values_of(made, counting({24, 1})).size(), 24u);
  Graph longer = made.graph;
  ASSERT_TRUE(apply_edits(longer, {SetParam{made.inputs.at("x"), "shape", std::vector<double>{25, 1}}}));
  Validator validator;
  validator.reset(longer);
  ASSERT_GT(std::ranges::count(validator.all(), Severity::error, &Diagnostic::severity), 0);
  EXPECT_THAT(validator.all().front().reason, HasSubstr("0 to 25 of an axis of size 24"));
}

TEST(OnnxAnySize, AMaskOfAnySize) {
  onnx::ModelProto model = symbolic_model({-1, -1}, {"seq", "seq"});
  add_node(model, "Shape", {"x"}, {"shape"});
  onnx::AttributeProto& value = *add_node(model, "ConstantOfShape", {"shape"}, {"ones"}).add_attribute();
  value.set_name("value");
  value.set_type(onnx::AttributeProto::TENSOR);
  value.mutable_t()->set_data_type(onnx::TensorProto::BOOL);
  value.mutable_t()->add_dims(1);
  value.mutable_t()->add_int32_data(1);
  set_int(add_node(model, "Trilu", {"ones"}, {"seen"}), "upper", 0);
  add_floats(model, "away", {}, {-1});
  add_node(model, "Where", {"seen", "x", "away"}, {"y"});
  const ImportedModel made = whole(model);
  EXPECT_THAT(values_of(made, counting({2, 2})), ElementsAre(1, -1, 3, 4));
  EXPECT_THAT(values_of(made, counting({3, 3})), ElementsAre(1, -1, -1, 4, 5, -1, 7, 8, 9));
}

/// Element i of a row of x lands where x says, in rows of 4 zeros, or in x itself.
onnx::ModelProto scattered(const std::string& reduction, bool into_x, int64_t batch, int64_t seq) {
  onnx::ModelProto model = symbolic_model({batch, seq}, {"batch", "seq"});
  add_numbers(model);
  set_int(add_node(model, "Cast", {"x"}, {"index"}), "to", onnx::TensorProto::INT64);
  set_int(add_node(model, "Concat", {size_of_x(model, "0"), "n4"}, {"sizes"}), "axis", 0);
  add_node(model, "ConstantOfShape", {"sizes"}, {"zeros"});
  onnx::NodeProto& scatter = add_node(model, "ScatterElements", {into_x ? "x" : "zeros", "index", "x"}, {"y"});
  set_int(scatter, "axis", 1);
  if (!reduction.empty()) set_text(scatter, "reduction", reduction);
  return model;
}

TEST(OnnxAnySize, ElementsAreScatteredIntoRowsOfAnyNumber) {
  const Tensor one = floats({1, 3}, {1, 3, 1}), two = floats({2, 4}, {0, 2, -1, 2, 3, 3, 1, 0});
  EXPECT_THAT(values_of(whole(scattered("add", false, -1, -1)), one), ElementsAre(0, 2, 0, 3));
  for (const char* reduction : {"", "add", "mul", "max", "min"}) {
    SCOPED_TRACE(reduction);
    for (const Tensor* x : {&one, &two}) {
      const Dims dims = x->dims();
      EXPECT_EQ(values_of(whole(scattered(reduction, false, -1, -1)), *x),
                values_of(whole(scattered(reduction, false, dims[0], dims[1])), *x));
    }
    EXPECT_EQ(values_of(whole(scattered(reduction, true, -1, -1)), two),
              values_of(whole(scattered(reduction, true, 2, 4)), two));
  }
}

TEST(OnnxAnySize, BothSidesOfAFlattenedTensor) {
  const auto flat = [](int64_t size) {
    onnx::ModelProto model = symbolic_model({size, size, 3}, {"batch", "seq"});
    set_int(add_node(model, "Flatten", {"x"}, {"y"}), "axis", 1);
    return model;
  };
  const ImportedModel made = whole(flat(-1));
  Graph graph = made.graph;
  ASSERT_TRUE(apply_edits(graph, {SetParam{made.inputs.at("x"), "shape", std::vector<double>{4, 5, 3}}}));
  Validator validator;
  validator.reset(graph);
  const SocketRef y = made.outputs.front().second;
  EXPECT_EQ(validator.output_type(y.node, y.socket)->shape.dims(), (Dims{4, 15}));
}

TEST(OnnxAnySize, AVideoIsSmallWhileItIsTried) {
  onnx::ModelProto model = symbolic_model({-1, 3, -1, -1, -1}, {"batch", "time", "height", "width"});
  add_node(model, "Relu", {"x"}, {"y"});
  EXPECT_EQ(values_of(whole(model), counting({1, 3, 1, 1, 2})), (Values{1, 2, 3, 4, 5, 6}));
}

TEST(OnnxAnySize, SizesBeyondAnyInputAreRefusedWithAWayOut) {
  onnx::ModelProto model = symbolic_model({1, 3, -1, -1}, {"height", "width"});
  add_node(model, "Relu", {"x"}, {"y"});
  const auto made = imported(model, {.given = {}, .sizes = {{"height", 1 << 14}, {"width", 1 << 14}}});
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().text(), HasSubstr("2^28 elements"));
  EXPECT_THAT(made.error().text(), HasSubstr("--size"));
}

}  // namespace
}  // namespace hw::test
