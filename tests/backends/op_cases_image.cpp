// Cases of the ops on pictures and of the normalisations.
#include "op_cases.h"

namespace hw::test {
namespace {

// The sizes that an op makes of x.
Dims output_dims(Op op, const Dims& x, const Attr& attr) {
  const Value in{DType::f32, x, {}, Storage::temp, ""};
  const auto out = infer(op, std::span(&in, 1), attr);
  EXPECT_TRUE(out) << (out ? "" : out.error().text());
  return out ? out->front().dims : Dims{};
}

}  // namespace

void add_image_cases(std::vector<OpCase>& all) {
  struct Form {
    const char* name;
    Dims x, weight;
    ConvAttr attr;
  };
  const auto attr = [](Pair stride, Pair dilation, Pair begin, Pair end, int64_t groups) {
    return ConvAttr{stride, dilation, begin, end, groups, {}, DType::f32};
  };
  const Form forms[] = {{"3x3", {37, 16, 14, 14}, {32, 16, 3, 3}, attr({1, 1}, {1, 1}, {1, 1}, {1, 1}, 1)},
                        {"first layer", {19, 1, 28, 27}, {16, 1, 5, 5}, attr({1, 1}, {1, 1}, {2, 2}, {2, 2}, 1)},
                        {"rgb stride 2", {3, 3, 31, 17}, {8, 3, 7, 7}, attr({2, 2}, {1, 1}, {3, 3}, {3, 3}, 1)},
                        {"odd", {5, 7, 9, 5}, {3, 7, 3, 2}, attr({2, 1}, {1, 1}, {0, 1}, {2, 0}, 1)},
                        {"dilated", {2, 4, 13, 11}, {6, 4, 3, 3}, attr({1, 2}, {2, 3}, {2, 3}, {2, 3}, 1)},
                        {"dilated, wide", {3, 17, 5, 40}, {6, 17, 3, 3}, attr({1, 1}, {2, 1}, {2, 1}, {0, 1}, 1)},
                        {"one column", {9, 32, 4, 1}, {16, 32, 3, 3}, attr({2, 2}, {1, 1}, {0, 1}, {1, 1}, 1)},
                        {"groups", {4, 6, 8, 8}, {9, 2, 3, 3}, attr({1, 1}, {1, 1}, {1, 1}, {1, 1}, 3)},
                        {"depthwise", {3, 16, 10, 12}, {16, 1, 3, 3}, attr({1, 1}, {1, 1}, {1, 1}, {1, 1}, 16)},
                        {"1x1", {6, 17, 5, 5}, {33, 17, 1, 1}, attr({1, 1}, {1, 1}, {0, 0}, {0, 0}, 1)},
                        {"1x1, odd", {2, 18, 13, 30}, {3, 18, 1, 1}, attr({1, 1}, {1, 1}, {0, 0}, {0, 0}, 1)},
                        {"all of it", {2, 3, 4, 6}, {5, 3, 4, 6}, attr({1, 1}, {1, 1}, {0, 0}, {0, 0}, 1)},
                        {"wide padding", {1, 2, 3, 3}, {2, 2, 2, 2}, attr({3, 3}, {1, 1}, {4, 5}, {3, 6}, 1)},
                        {"large weight", {3, 160, 5, 7}, {96, 160, 3, 3}, attr({1, 2}, {1, 1}, {1, 1}, {0, 1}, 1)},
                        {"no pictures", {0, 2, 3, 3}, {4, 2, 2, 2}, attr({1, 1}, {1, 1}, {0, 0}, {0, 0}, 1)}};
  for (const Form& f : forms) {
    ConvAttr a = f.attr;
    Dims y{f.x[0], f.weight[0], 0, 0};
    for (size_t d : {0, 1})
      y[d + 2] = window_count(f.x[d + 2], f.weight[d + 2], a.stride[d], a.dilation[d], a.pad_begin[d] + a.pad_end[d]);
    const std::string biased = std::string(f.name) + ", bias";
    all.push_back({Op::conv2d, f.name, {f.x, f.weight}, a, -1, 1});
    all.push_back({Op::conv2d, biased, {f.x, f.weight, {f.weight[0]}}, a, -1, 1});
    a.dims = f.x;
    all.push_back({Op::conv2d_grad_input, biased, {y, f.weight, {f.x[1]}}, a, -1, 1});
    all.push_back({Op::conv2d_grad_input, f.name, {y, f.weight}, a, -1, 1});
    a.dims = f.weight;
    all.push_back({Op::conv2d_grad_weight, f.name, {f.x, y}, a, -1, 1});
  }
  for (DType compute : {DType::tf32, DType::f16, DType::bf16, DType::f8e4m3, DType::f8e5m2}) {
    const std::string in = "in " + std::string(name(compute));
    const Dims x{7, 8, 6, 5}, weight{12, 8, 3, 3}, y{7, 12, 6, 5};
    ConvAttr a = attr({1, 1}, {1, 1}, {1, 1}, {1, 1}, 1);
    a.compute = compute;
    all.push_back({Op::conv2d, in, {x, weight}, a, -1, 1});
    a.dims = x;
    all.push_back({Op::conv2d_grad_input, in, {y, weight}, a, -1, 1});
    a.dims = weight;
    all.push_back({Op::conv2d_grad_weight, in, {x, y}, a, -1, 1});
  }
  const auto pool = [&](const char* name, Dims x, PoolAttr a) {
    const Dims y = output_dims(Op::max_pool, x, a);
    all.push_back({Op::max_pool, name, {x}, a});
    a.dims = x;
    all.push_back({Op::max_pool_grad, name, {y, x}, a, -2, 2});
  };
  pool("halves", {37, 16, 28, 28}, {{2, 2}, {2, 2}});
  pool("odd", {3, 2, 7, 5}, {{3, 2}, {2, 1}, {1, 0}, {1, 1}});
  pool("overlapping", {2, 5, 6, 9}, {{3, 3}, {1, 1}, {1, 1}, {1, 1}});
  pool("rows between windows", {2, 18, 9, 7}, {{2, 2}, {3, 3}});
  pool("one picture", {1, 18, 11, 7}, {{3, 3}, {2, 2}, {1, 1}, {1, 1}});
  pool("all of it", {1, 1, 4, 6}, {{4, 6}, {1, 1}});
  pool("no pictures", {0, 3, 4, 4}, {{2, 2}, {2, 2}});
  const auto average = [&](const char* name, Dims x, PoolAttr a) {
    const Dims y = output_dims(Op::avg_pool, x, a);
    all.push_back({Op::avg_pool, name, {x}, a, -2, 2});
    a.dims = x;
    all.push_back({Op::avg_pool_grad, name, {y}, a, -2, 2});
  };
  average("halves", {37, 16, 28, 28}, {{2, 2}, {2, 2}});
  average("rows between windows", {2, 18, 9, 7}, {{2, 2}, {3, 3}});
  average("one picture", {1, 18, 11, 7}, {{3, 3}, {2, 2}, {1, 1}, {1, 1}});
  average("padding counted", {3, 2, 7, 5}, {{3, 2}, {2, 1}, {1, 0}, {1, 1}});
  average("padding left out", {3, 2, 7, 5}, {{3, 2}, {2, 1}, {1, 0}, {1, 1}, false});
  average("global", {5, 7, 6, 9}, {.adaptive = true});
  average("adaptive", {2, 3, 7, 5}, {.adaptive = true, .size = {3, 4}});
  average("adaptive, larger", {2, 3, 4, 3}, {.adaptive = true, .size = {6, 3}});
  const auto resize = [&](const char* name, Dims x, ResizeAttr a) {
    const Dims y = output_dims(Op::resize, x, a);
    all.push_back({Op::resize, name, {x}, a, -2, 2});
    a.dims = x;
    all.push_back({Op::resize_grad, name, {y}, a, -2, 2});
  };
  using Kind = ResizeAttr::Kind;
  resize("nearest", {7, 5, 9, 6}, {Kind::nearest, false, {18, 18}});
  resize("nearest, smaller", {2, 1, 9, 6}, {Kind::nearest, false, {4, 5}});
  resize("bilinear", {7, 5, 9, 6}, {Kind::bilinear, false, {18, 24}});
  resize("bilinear, odd", {1, 2, 5, 7}, {Kind::bilinear, false, {8, 3}});
  resize("corners", {3, 2, 5, 4}, {Kind::bilinear, true, {10, 12}});
  resize("corners of one", {1, 1, 3, 1}, {Kind::bilinear, true, {1, 4}});
}

void add_norm_cases(std::vector<OpCase>& all) {
  for (const Dims& x : {Dims{37, 16, 7, 5}, Dims{2, 3, 4, 4}, Dims{300, 9}, Dims{2, 5}, Dims{1, 3, 6}}) {
    const std::string name = to_string(x);
    const Dims c{x[1]}, moments{2, x[1]};
    all.push_back({Op::channel_moments, name, {x}, {}, -2, 2});
    for (bool batch : {true, false}) {
      const BatchNormAttr attr{1e-3, batch};
      const std::string own = name + (batch ? "" : " fixed");
      all.push_back({Op::batch_norm, own, {x, moments, c, c}, attr, -2, 2});
      all.push_back({Op::batch_norm_grad_sums, own, {x, x, moments}, attr, -2, 2});
      all.push_back({Op::batch_norm_grad_input, own, {x, x, moments, c, moments}, attr, -2, 2});
    }
  }
  all.push_back({Op::moments_update, "biased", {{5}, {5}, {2, 5}}, MomentsAttr{0.1, 1}});
  all.push_back({Op::moments_update, "unbiased", {{33}, {33}, {2, 33}}, MomentsAttr{0.25, 1.5}});
  const auto group = [&](const char* name, Dims x, GroupNormAttr a) {
    const Dims c{a.channels};
    all.push_back({Op::group_norm, name, {x, c, c}, a, -2, 2});
    all.push_back({Op::group_norm_grad_input, name, {x, x, c}, a, -2, 2});
    all.push_back({Op::group_norm_grad_sums, name, {x, x}, a, -2, 2});
  };
  group("layer", {300, 33}, {33, 33, 1, 1e-5});
  group("layer of tokens", {4, 7, 16}, {16, 16, 1, 1e-5});
  group("layer of a vector", {12}, {12, 12, 1, 1e-5});
  group("groups", {19, 6, 5, 4}, {3 * 20, 6, 20, 1e-5});
  group("one group", {2, 3, 4, 4}, {48, 3, 16, 1e-3});
  group("each channel", {3, 4, 5, 3}, {15, 4, 15, 1e-5});
  group("groups without pictures", {50, 8}, {4, 8, 1, 1e-5});
  group("no rows", {0, 8}, {8, 8, 1, 1e-5});
}

}  // namespace hw::test
