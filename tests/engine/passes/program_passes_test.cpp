// Passes: the same values with and without each, and what they leave alone.
#include "engine/passes/program_passes.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>

#include "engine/core/codes.h"
#include "engine/field/pass_trace.h"
#include "engine/graph/groups/flatten.h"
#include "engine/graph/lower/lower.h"
#include "engine/io/graph/graph_file.h"
#include "engine/node/example_assets.h"
#include "engine/node/lower_example.h"
#include "engine/plan/reduced_graph.h"
#include "engine/program/product_bias.h"
#include "tests/engine/pass_comparison.h"
#include "tests/engine/program_runner.h"
#include "tests/engine/quad_assets.h"

namespace hw {
namespace {

using test::Runner;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const PassTarget kCpu{"cpu", {}};

struct Case {
  bool transposed = false, biased = false, read_twice = false, batch = false;
  int64_t groups = 1;
  DType dtype = DType::f32;
  std::optional<DType> compute = {};
};

/// x → convolution → batch norm → ReLU, with parameters and statistics that do something.
struct Network {
  explicit Network(const Case& c) {
    OpBuilder b(*program);
    b.set_training(false);
    const auto param = [&](const char* name, DType dtype, Dims dims) {
      return b.param(name, dtype, std::move(dims), {Init::Kind::uniform, 0.5});
    };
    const Val x = b.input("x", c.dtype, {2, 4, 9, 8});
    b.set_node("conv");
    const int64_t out = 6;
    const Val weight =
        param("weight", c.dtype, c.transposed ? Dims{4, out / c.groups, 3, 3} : Dims{out, 4 / c.groups, 3, 3});
    ConvAttr attr;
    attr.groups = c.groups;
    attr.compute = c.compute;
    if (c.transposed) attr.dims = {2, out, 11, 10};
    const Val y = product_with_bias(b, c.transposed ? Op::conv2d_grad_input : Op::conv2d, x, weight,
                                    c.biased ? param("bias", c.dtype, {out}) : Val{}, attr);
    b.set_node("norm");
    const DType wide = c.dtype == DType::f64 ? DType::f64 : DType::f32;
    const Val variance = b.add(param("variance", wide, {1, out}), b.constant(Tensor::from_f64(wide, {}, {{0.75}})));
    const Val rows[] = {param("mean", wide, {1, out}), variance};
    const Val moments = b.concat(rows, 0);
    const Val z = b.emit(Op::batch_norm, {y, moments, param("scale", c.dtype, {out}), param("shift", c.dtype, {out})},
                         BatchNormAttr{1e-3, c.batch})[0];
    result = b.relu(z);
    program->outputs.push_back({"result", result.id});
    if (c.read_twice) program->outputs.push_back({"conv.y", y.id});
    EXPECT_TRUE(b.status()) << b.status().error().text();
  }
  size_t count(Op op, const Program& p) const {
    return static_cast<size_t>(std::ranges::count(p.instrs, op, &Instr::op));
  }
  std::shared_ptr<Program> program = std::make_shared<Program>();
  Val result;
};

std::vector<double> result_of(const std::shared_ptr<const Program>& program, Val result, const std::string& device) {
  Runner r(program, device);
  const Value& x = (*program)[program->inputs[0].value];
  EXPECT_TRUE(r.executable->write_input("x", random_tensor("x", x.dtype, x.dims, -1, 1)));
  r.run();
  return r.read(result);
}

TEST(FoldBatchNorm, KeepsWhatIsComputed) {
  for (const bool transposed : {false, true}) {
    for (const bool biased : {false, true}) {
      for (const DType dtype : {DType::f32, DType::f64}) {
        for (const int64_t groups : {1, 2}) {
          if (transposed && groups > 1) continue;
          const Network network({.transposed = transposed, .biased = biased, .groups = groups, .dtype = dtype});
          const PassedProgram passed = apply_passes(*network.program, kCpu);
          ASSERT_EQ(passed.notes.size(), 1u);
          EXPECT_EQ(passed.notes[0].node + " in " + passed.notes[0].into, "norm in conv");
          EXPECT_EQ(network.count(Op::batch_norm, *passed.program), 0u);
          for (const char* device : {"ref", "cpu"}) {
            const auto with = result_of(passed.program, network.result, device);
            const auto without = result_of(network.program, network.result, device);
            ASSERT_EQ(with.size(), without.size());
            const double tolerance = dtype == DType::f64 ? 1e-13 : 1e-5;  // f32: of sums of 36 terms near 1
            double largest = 0;
            for (size_t i = 0; i < with.size(); ++i) {
              ASSERT_NEAR(with[i], without[i], tolerance) << device << " at " << i;
              largest = std::max(largest, with[i]);
            }
            EXPECT_GT(largest, 0.1);
          }
        }
      }
    }
  }
}

TEST(FoldBatchNorm, LeavesAloneWhatWouldBeAnother) {
  for (const Case& c : {Case{.read_twice = true}, Case{.batch = true}, Case{.dtype = DType::f16},
                        Case{.compute = DType::bf16}, Case{.transposed = true, .groups = 2}}) {
    const Network network(c);
    const PassedProgram passed = apply_passes(*network.program, kCpu);
    EXPECT_THAT(passed.notes, IsEmpty());
    EXPECT_EQ(network.count(Op::batch_norm, *passed.program), 1u);
  }
  const Network network({});
  const ValueId conv = network.program->instrs.front().out[0];
  EXPECT_THAT(apply_passes(*network.program, {"cpu", {{conv}}}).notes, IsEmpty()) << "it must stay readable";
  EXPECT_THAT(apply_passes(*network.program, {"ref", {}}).notes, IsEmpty()) << "the oracle computes what was lowered";
  network.program->devices = {"", "ref", "ref"};
  EXPECT_THAT(apply_passes(*network.program, kCpu).notes, IsEmpty()) << "both are the oracle's";
  network.program->devices = {"", "cpu", "ref"};
  EXPECT_THAT(apply_passes(*network.program, kCpu).notes, IsEmpty()) << "they run on different devices";
}

TEST(ProgramPasses, KeepWhatTheExamplesCompute) {
  test::QuadAssets assets;
  size_t folded = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(HALFWIRE_EXAMPLES)) {
    if (file.path().extension() != ".halfwire" || file.path().stem() == "dtype_clash") continue;  // it has errors
    if (file.path().parent_path().stem() == "mistakes") continue;
    SCOPED_TRACE(file.path().stem());
    const auto document = read_graph(file.path());
    ASSERT_TRUE(document) << document.error().text();
    const Graph graph = flatten(*document);
    Validator validator;
    validator.reset(graph);
    const std::vector<SocketRef> wires = sink_wires(graph, validator);
    if (wires.empty() && file.path().parent_path().stem() != "examples") continue;  // a network that nothing looks at
    ASSERT_THAT(wires, ::testing::Not(IsEmpty()));
    const auto lowered = lower(graph, wires, {}, assets);
    ASSERT_TRUE(lowered) << lowered.error().text();
    std::vector<Val> values;
    for (const SocketRef& wire : wires) {
      values.push_back(std::get<Val>(lowered->sockets.at(wire)));
      lowered->program->outputs.push_back({wire.node, values.back().id});
    }
    folded += test::expect_passes_keep(lowered->program);
    if (!find_trainer(graph)) continue;
    ExampleAssets small;
    const auto planned = plan_training(reduce_graph(graph, 32, true).graph, small);
    ASSERT_TRUE(planned) << planned.error().text();
    test::expect_layouts_keep(*planned);
  }
  EXPECT_EQ(folded, 2u) << "of the autoencoder";
}

TEST(ProgramPasses, AreSwitchedOffByName) {
  const Network network({});
  EXPECT_THAT(apply_passes(*network.program, kCpu, {"fold_batch_norm"}).notes, IsEmpty());
  EXPECT_TRUE(check_passes({"fold_batch_norm"}));
  const Status unknown = check_passes({"fold"});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, codes::bad_usage);
  EXPECT_THAT(unknown.error().remedy, ::testing::HasSubstr("fold_batch_norm"));
}

}  // namespace
}  // namespace hw
