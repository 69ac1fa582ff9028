// X-ray: planted losses of precision are found where they arise; what follows only inherits them.
#include "engine/precision/xray.h"

#include <gmock/gmock.h>

#include <cmath>

#include "engine/program/builder.h"
#include "engine/program/widen_program.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/program_runner.h"
#include "tests/engine/quad_assets.h"

namespace hw::xray_test {
namespace {

using test::built;
using test::link;
using test::node;

const std::string kF16 = "f16", kF32 = "f32";

XrayReport rayed(const Graph& graph, const XrayOptions& options = {}) {
  test::QuadAssets assets;
  const auto report = xray(graph, assets, options);
  EXPECT_TRUE(report) << report.error().text();
  return report ? *report : XrayReport{};
}

const XrayItem& item(const XrayReport& report, const std::string& name) {
  static const XrayItem none;
  for (const XrayItem& i : report.items)
    if (i.name == name) return i;
  ADD_FAILURE() << "no " << name;
  return none;
}

/// Numbers in [1, 2) as f16, plus 1024, minus 1024: the sum keeps no bit below 1.
Graph absorbed() {
  const auto big = [](const std::string& id) { return node(id, "constant", {{"value", 1024.0}, {"dtype", kF16}}); };
  return built({AddNode{node("x", "random", {{"a", 1.0}, {"b", 2.0}, {"shape", std::vector<double>{64, 3}}})},
                AddNode{node("narrow", "cast", {{"to", kF16}})}, AddNode{big("up")}, AddNode{big("down")},
                AddNode{node("add", "add")}, AddNode{node("sub", "sub")}, AddNode{node("wide", "cast", {{"to", kF32}})},
                AddLink{link("x.y", "narrow.x")}, AddLink{link("narrow.y", "add.a")}, AddLink{link("up.y", "add.b")},
                AddLink{link("add.y", "sub.a")}, AddLink{link("down.y", "sub.b")}, AddLink{link("sub.y", "wide.x")}});
}

TEST(Xray, NodesRunOnTheirOwnDevicesWithAndWithoutATrainer) {
  for (Graph graph : {absorbed(), test::neural_texture()}) {
    const bool trains = graph.find("mlp");
    ASSERT_TRUE(apply_edits(graph, {SetDevice{trains ? "mlp" : "add", "abacus"}}));
    test::QuadAssets assets;
    const auto report = xray(graph, assets, {});
    ASSERT_FALSE(report) << trains;
    EXPECT_EQ(report.error().code, codes::no_device);
    EXPECT_EQ(report.error().where, trains ? "mlp" : "add");
  }
}

TEST(Xray, ARoundingIsIntroducedWhereItHappensAndInheritedAfter) {
  const XrayReport report = rayed(absorbed());
  EXPECT_FALSE(report.training);
  const XrayItem &narrow = item(report, "narrow.y"), &add = item(report, "add.y"), &sub = item(report, "sub.y");
  // Casts and sums round once.
  for (const XrayItem* i : {&narrow, &add}) {
    EXPECT_GT(i->introduced.max_ulps, 0.4) << i->name;
    EXPECT_LE(i->introduced.max_ulps, 0.5) << i->name;
  }
  EXPECT_EQ(narrow.inherited.max_ulps, 0);
  // The difference is exact (Sterbenz), yet nothing is left of the numbers: half an ULP of 1024 against numbers near 1.
  EXPECT_EQ(sub.introduced.max_ulps, 0);
  EXPECT_GT(sub.inherited.max_relative, 0.25);
  EXPECT_LE(sub.inherited.max_relative, 0.5 + 0x1p-11);
  EXPECT_LT(sub.total.bits_left, 4);
  EXPECT_GT(sub.bits_lost, 6);
  ASSERT_TRUE(report.steepest);
  EXPECT_EQ(report.items[*report.steepest].name, "sub.y");
  const XrayItem& wide = item(report, "wide.y");
  EXPECT_EQ(wide.introduced.max_ulps, 0);
  EXPECT_EQ(wide.total.relative, sub.total.relative);
  // Worst elements: the value is f16(reference), made of the inputs that are named.
  ASSERT_EQ(add.worst_introduced.size(), 3u);
  const XrayElement& worst = add.worst_introduced.front();
  ASSERT_EQ(worst.inputs.size(), 2u);
  EXPECT_EQ(worst.inputs[0].first, "narrow.y");
  EXPECT_EQ(worst.reference, worst.inputs[0].second + 1024);
  EXPECT_EQ(worst.inputs[1].second, 1024);
  EXPECT_EQ(worst.value, std::nearbyint(worst.reference));
  EXPECT_EQ(worst.error.ulps, add.introduced.max_ulps);
}

TEST(Xray, ACancellationInsideANodeIsThatNodesOwn) {
  // y = x − f16(1.001 x) in two products of one node: rounding the second to f16 leaves a tenth of the result.
  const Graph graph =
      built({AddNode{node("x", "random", {{"a", 1.0}, {"b", 2.0}, {"shape", std::vector<double>{64, 1}}})},
             AddNode{node("narrow", "cast", {{"to", kF16}})},
             AddNode{node("mlp", "mlp",
                          {{"width", int64_t{2}},
                           {"hidden_layers", int64_t{1}},
                           {"out_features", int64_t{1}},
                           {"activation", std::string("none")},
                           {"dtype", kF16}})},
             AddNode{node("wide", "cast", {{"to", kF32}})}, AddLink{link("x.y", "narrow.x")},
             AddLink{link("narrow.y", "mlp.x")}, AddLink{link("mlp.y", "wide.x")}});
  auto weights = std::make_shared<Weights>();
  const std::vector<double> first{1, 1.001}, second{1, -1};
  (*weights)["mlp.layer_0"] = Tensor::from_f64(DType::f16, {2, 1}, first);
  (*weights)["mlp.layer_1"] = Tensor::from_f64(DType::f16, {1, 2}, second);
  for (const char* shadow : {"cpu", "ref"}) {
    XrayOptions options;
    options.weights = weights;
    options.shadow = shadow;
    const XrayReport report = rayed(graph, options);
    ASSERT_TRUE(report.worst);
    EXPECT_EQ(report.items[*report.worst].name, "mlp.y") << shadow;
    const XrayItem &mlp = item(report, "mlp.y"), &wide = item(report, "wide.y");
    EXPECT_GT(mlp.introduced.relative, 0.05);
    EXPECT_LT(mlp.introduced.bits_left, 4.5);
    EXPECT_LT(mlp.inherited.relative, 0.001) << "a linear map hands its inputs' relative error on";
    EXPECT_EQ(wide.introduced.max_ulps, 0);
    EXPECT_GT(wide.inherited.relative, 0.05);
  }
  // Against masters the rounding of the weights counts too: f16(1.001) is 1 + 2^-10.
  XrayOptions options;
  options.weights = weights;
  auto master = Tensor::from_f64(DType::f32, {2, 1}, first);
  options.states["mlp.layer_0.master"] = master;
  EXPECT_LT(item(rayed(graph, options), "mlp.y").inherited.relative, 0.001);
  options.masters = true;
  const XrayItem with_masters = item(rayed(graph, options), "mlp.y");
  EXPECT_NEAR(with_masters.inherited.relative, (0.001 - 0x1p-10) / 0.001, 0.001);
}

TEST(Xray, F32StaysWithinItsRounding) {
  Graph graph = test::neural_texture();
  ASSERT_TRUE(apply_edits(graph, {SetParam{"hash_grid", "dtype", ParamValue(kF32)},
                                  SetParam{"surface_sampler", "points", ParamValue(int64_t{512})}}));
  const XrayReport report = rayed(graph);
  EXPECT_TRUE(report.training);
  EXPECT_GT(report.items.size(), 12u);
  for (const XrayItem& i : report.items) {
    EXPECT_EQ(i.introduced.not_finite, 0) << i.name;
    // The grid's coordinates x · 128 + 0.5 are f32: a place in a cell is known to 128 · 2^-24, twice for two corners.
    EXPECT_LT(i.introduced.relative, i.node == "hash_grid" ? 256 * 0x1p-24 : 1.3e-6) << i.name;
    EXPECT_LT(i.total.relative, 1e-4) << i.name;
    if (i.node == "surface_sampler") {
      EXPECT_EQ(i.total.max_ulps, 0) << i.name;
    }
  }
  EXPECT_GT(item(report, "mlp.y").introduced.relative, 0);
  EXPECT_GT(item(report, "grad(hash_grid.table)").total.relative, 0);
}

TEST(Xray, ShadowsOfCpuAndRefAgree) {
  Graph graph = test::neural_texture();
  ASSERT_TRUE(apply_edits(graph, {SetParam{"surface_sampler", "points", ParamValue(int64_t{64})}}));
  XrayOptions options;
  const XrayReport cpu = rayed(graph, options);
  options.shadow = "ref";
  const XrayReport ref = rayed(graph, options);
  ASSERT_EQ(cpu.items.size(), ref.items.size());
  for (size_t k = 0; k < cpu.items.size(); ++k) {
    EXPECT_NEAR(cpu.items[k].introduced.relative, ref.items[k].introduced.relative, 1e-12) << cpu.items[k].name;
    EXPECT_NEAR(cpu.items[k].total.relative, ref.items[k].total.relative, 1e-12) << cpu.items[k].name;
  }
}

TEST(Xray, RandomNumbersAreTheSameBitsInTheShadow) {
  for (const char* distribution : {"uniform", "normal"}) {
    for (const std::string& dtype : {kF32, kF16}) {
      const Graph graph = built({AddNode{node("x", "random",
                                              {{"distribution", std::string(distribution)},
                                               {"shape", std::vector<double>{1000}},
                                               {"axes", std::string("N")},
                                               {"dtype", dtype}})},
                                 AddNode{node("y", "relu")}, AddLink{link("x.y", "y.x")}});
      XrayOptions options;
      options.step = 3;
      const XrayReport report = rayed(graph, options);
      ASSERT_EQ(report.items.size(), 2u);
      for (const XrayItem& i : report.items) EXPECT_EQ(i.total.max_ulps, 0) << i.name;
      EXPECT_FALSE(report.worst);
    }
  }
}

TEST(Xray, DropoutHasOneMask) {
  const Graph graph = built({AddNode{node("p", "parameter", {{"shape", std::vector<double>{4000}}})},
                             AddNode{node("drop", "dropout", {{"p", 0.3}})},
                             AddNode{node("zero", "constant", {{"shape", std::vector<double>{4000}}, {"value", 0.0}})},
                             AddNode{node("mse", "mse")}, AddNode{node("train", "train")},
                             AddLink{link("p.y", "drop.x")}, AddLink{link("drop.y", "mse.prediction")},
                             AddLink{link("zero.y", "mse.target")}, AddLink{link("mse.loss", "train.loss")}});
  const XrayReport report = rayed(graph);
  EXPECT_LE(item(report, "drop.y").introduced.max_ulps, 1.5);
  EXPECT_LE(item(report, "grad(p.value)").total.max_relative, 1e-6);
}

TEST(Xray, AGradientThatUnderflowsIsFoundInTheBackwardPass) {
  const Graph graph =
      built({AddNode{node("p", "parameter",
                          {{"shape", std::vector<double>{4}}, {"init", std::string("constant")}, {"scale", 1.0}})},
             AddNode{node("narrow", "cast", {{"to", kF16}})}, AddNode{node("wide", "cast", {{"to", kF32}})},
             AddNode{node("tiny", "constant", {{"value", 1e-9}})}, AddNode{node("mul", "mul")},
             AddNode{node("zero", "constant", {{"shape", std::vector<double>{4}}, {"value", -1.0}})},
             AddNode{node("mse", "mse")}, AddNode{node("train", "train")}, AddLink{link("p.y", "narrow.x")},
             AddLink{link("narrow.y", "wide.x")}, AddLink{link("wide.y", "mul.a")}, AddLink{link("tiny.y", "mul.b")},
             AddLink{link("mul.y", "mse.prediction")}, AddLink{link("zero.y", "mse.target")},
             AddLink{link("mse.loss", "train.loss")}});
  const XrayReport report = rayed(graph);
  const XrayItem& lost = item(report, "grad(narrow.y)");
  EXPECT_EQ(lost.node, "wide");
  EXPECT_TRUE(lost.backward);
  EXPECT_EQ(lost.dtype, DType::f16);
  EXPECT_EQ(lost.introduced.relative, 1);
  EXPECT_EQ(lost.introduced.bits_left, 0);
  ASSERT_TRUE(report.worst);
  EXPECT_EQ(report.items[*report.worst].name, "grad(narrow.y)");
  const XrayItem& after = item(report, "grad(p.value)");
  EXPECT_EQ(after.introduced.relative, 0);
  EXPECT_EQ(after.inherited.relative, 1);
}

TEST(Xray, AnOverflowCountsAsNotFinite) {
  const Graph graph = built({AddNode{node("x", "constant", {{"value", 7e4}, {"shape", std::vector<double>{2}}})},
                             AddNode{node("narrow", "cast", {{"to", kF16}})}, AddLink{link("x.y", "narrow.x")}});
  const XrayReport report = rayed(graph);
  EXPECT_EQ(item(report, "narrow.y").introduced.not_finite, 2);
  EXPECT_EQ(item(report, "narrow.y").introduced.bits_left, 0);
  ASSERT_TRUE(report.worst);
}

TEST(Xray, WhatItRefuses) {
  test::QuadAssets assets;
  EXPECT_EQ(xray(Graph{}, assets, {}).error().code, codes::unknown_node);
  XrayOptions options;
  options.weights = std::make_shared<Weights>();
  EXPECT_EQ(xray(test::neural_texture(), assets, options).error().code, codes::weights_mismatch);
  options = {};
  options.device = "gpu";
  EXPECT_EQ(xray(test::neural_texture(), assets, options).error().code, codes::bad_usage);
  const std::atomic<bool> cancel = true;
  options = {};
  options.cancel = &cancel;
  EXPECT_EQ(xray(test::neural_texture(), assets, options).error().code, codes::cancelled);
}

TEST(RoundingErrors, UlpsAreThoseOfTheDtype) {
  EXPECT_EQ(ulp_at(1, DType::f16), 0x1p-10);
  EXPECT_EQ(ulp_at(1.999, DType::f16), 0x1p-10);
  EXPECT_EQ(ulp_at(-2, DType::bf16), 0x1p-6);
  EXPECT_EQ(ulp_at(1e-9, DType::f16), 0x1p-24) << "subnormals";
  EXPECT_EQ(ulp_at(0, DType::f32), 0x1p-149);
  EXPECT_EQ(ulp_at(1e300, DType::f32), 0x1p104) << "beyond the largest: as at the largest";
  EXPECT_EQ(ulp_at(400, DType::f8e4m3), 32);
  EXPECT_EQ(error_of(1 + 0x1p-10, 1, DType::f16).ulps, 1);
  EXPECT_EQ(error_of(NAN, NAN, DType::f16).ulps, 0);
  EXPECT_TRUE(std::isinf(error_of(NAN, 1, DType::f16).ulps));
  // A cast is within half an ULP for every dtype, whatever the number.
  for (const DType dtype : {DType::f16, DType::bf16, DType::f8e4m3, DType::f8e5m2}) {
    for (const double scale : {1e-6, 1e-3, 1.0, 100.0}) {
      const Tensor exact = Tensor::from_f64(DType::f64, {4096}, test::numbers(4096, -scale, scale, 5));
      const Tensor narrow = exact.to(dtype);
      const RoundingError e = compare(narrow, exact, dtype);
      EXPECT_LE(e.max_ulps, 0.5) << name(dtype) << " " << scale;
      if (scale >= 1) {
        EXPECT_GT(e.max_ulps, 0.4);
      }
      EXPECT_EQ(worst_elements(narrow, exact, dtype, 2).size(), 2u);
    }
  }
}

TEST(RoundingErrors, WhatIsNotFiniteOnBothSidesIsNotPerfect) {
  const auto of = [](std::vector<double> value, std::vector<double> reference) {
    const Dims dims{static_cast<int64_t>(value.size())};
    return compare(Tensor::from_f64(DType::f32, dims, value), Tensor::from_f64(DType::f64, dims, reference),
                   DType::f32);
  };
  const RoundingError all = of({NAN, INFINITY}, {NAN, INFINITY});
  EXPECT_EQ(all.not_finite_on_both, 2);
  EXPECT_EQ(all.not_finite, 0);
  EXPECT_EQ(all.bits_left, 0);
  EXPECT_TRUE(all.has_not_finite());
  const RoundingError some = of({NAN, 1}, {NAN, 1});
  EXPECT_EQ(some.not_finite_on_both, 1);
  EXPECT_EQ(some.bits_left, 24);
  EXPECT_EQ(of({INFINITY, 1}, {-INFINITY, 1}).not_finite, 1);
  EXPECT_FALSE(of({1}, {1}).has_not_finite());
}

TEST(WidenProgram, KeepsIdsAndMakesEveryFloatF64) {
  Program p;
  OpBuilder b(p);
  b.set_node("n");
  const Val w = b.param("w", DType::f16, {3, 3}, {Init::Kind::uniform, 1});
  const Val x = b.random({.dims = {5, 3}, .dtype = DType::bf16});
  const Val y = b.cast(b.matmul(b.cast(x, DType::f16), w, true), DType::f32);
  const Val best = b.argmax(y, 1);
  b.set_node("sum");
  const Val total = b.sum_to(y, {}, DType::f32);
  const auto twin = widen_program(p);
  ASSERT_TRUE(twin) << twin.error().text();
  EXPECT_EQ((*twin->program)[best.id].dtype, DType::i64);
  for (const Val v : {w, x, y, total}) EXPECT_EQ((*twin->program)[v.id].dtype, DType::f64);
  Program rounding = p;
  for (Instr& instr : rounding.instrs)
    if (auto* attr = std::get_if<MatmulAttr>(&instr.attr)) attr->compute = DType::tf32;
  const auto plain = widen_program(rounding);
  ASSERT_TRUE(plain);
  for (const Instr& instr : plain->program->instrs)
    if (const auto* attr = std::get_if<MatmulAttr>(&instr.attr)) {
      EXPECT_FALSE(attr->compute);
    }
  ASSERT_EQ(twin->drawn.size(), 1u);
  EXPECT_EQ(twin->drawn[0].value, x.id);
  test::Runner real(std::make_shared<Program>(p)), shadow(twin->program);
  real.run();
  ASSERT_TRUE(shadow.executable->write_input(twin->drawn[0].name, real.executable->read(x.id)->to(DType::f64)));
  ASSERT_TRUE(shadow.states->write("n.w", real.states->read("n.w").to(DType::f64)));
  shadow.run();
  const auto narrow = real.read(y), wide = shadow.read(y);
  EXPECT_NE(narrow, wide);
  for (size_t i = 0; i < wide.size(); ++i) EXPECT_NEAR(narrow[i], wide[i], 0.01);
  const CutProgram cut = cut_at_nodes(*twin->program);
  ASSERT_EQ(cut.boundary.size(), 1u) << "y goes from n to sum";
  EXPECT_EQ(cut.boundary[0].value, y.id);
}

TEST(Xray, LooksAtGradientsAsTrainingStoresThem) {
  Graph graph = test::neural_texture();
  const XrayReport plain = rayed(graph);
  ASSERT_TRUE(apply_edits(
      graph, {SetParam{"train", "loss_scaling", std::string("dynamic")}, SetParam{"train", "loss_scale", 4096.0}}));
  const XrayReport scaled = rayed(graph);
  const XrayItem &before = item(plain, "grad(hash_grid.features)"), &after = item(scaled, "grad(hash_grid.features)");
  EXPECT_EQ(before.gradient_scale, 1);
  EXPECT_EQ(after.gradient_scale, 4096);
  EXPECT_EQ(item(scaled, "mlp.y").gradient_scale, 1) << "the forward pass is as it is";
  EXPECT_LT(after.introduced.relative, before.introduced.relative) << "fewer f16 gradients are subnormal";
  ASSERT_FALSE(after.worst_introduced.empty() || before.worst_introduced.empty());
  // A checkpoint's scale counts, not the one that a run begins with.
  XrayOptions options;
  const int64_t parameters = 2 + 3;  // of the grid and the MLP, at most
  for (int64_t k = 1; k <= parameters; ++k) {
    std::vector<double> state(static_cast<size_t>(3 + k), 0.0);
    state[0] = 512;
    options.states["train#loss_scale"] = Tensor::from_f64(DType::f64, {3 + k}, state);
    test::QuadAssets assets;
    const auto report = xray(graph, assets, options);
    if (!report) continue;  // another number of parameters
    EXPECT_EQ(item(*report, "grad(hash_grid.features)").gradient_scale, 512);
    return;
  }
  ADD_FAILURE() << "the state fitted no number of parameters";
}

}  // namespace
}  // namespace hw::xray_test
