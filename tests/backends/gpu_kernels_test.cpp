// What an instruction says that it ran is what ran: a product that the library has no kernel for names the sums of our
// own that made it.
#include "engine/train/training_run.h"
#include "host_gpu.h"
#include "op_cases.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"

namespace hw::test {
namespace {

struct TwoProducts {
  std::shared_ptr<Program> program = std::make_shared<Program>();
  Val wide, narrow;
  TwoProducts() {
    OpBuilder b(*program);
    b.set_node("layers");
    const Val x = b.input("x", DType::f32, {8, 16});
    wide = b.matmul(x, b.param("w", DType::f32, {16, 24}, {Init::Kind::uniform, 1, 1}));
    const Val product = b.matmul(wide, b.param("v", DType::f32, {24, 3}, {Init::Kind::uniform, 1, 2}));
    narrow = b.add(product, b.param("b", DType::f32, {3}, {Init::Kind::uniform, 1, 3}));
    program->outputs.push_back({"y", narrow.id});
  }
};

std::vector<std::string> kernels(const Executable& executable, const Program& program) {
  std::vector<std::string> all;
  for (size_t i = 0; i < program.instrs.size(); ++i) all.push_back(executable.kernel_info(i).implementation);
  return all;
}

TEST(GpuKernels, of_products_are_those_that_ran) {
  using Names = std::vector<std::string>;
  const TwoProducts t;
  const auto whole = host_gpu(), lacking = host_gpu({.lacks = [](const gpu::Gemm&g) { return g.m == 3; }});
  for (const auto& [device, last] : {std::pair(whole, "host product"), {lacking, "host loop"}}) {
    auto e = *device->compile(t.program, *device->prepare_states(*t.program, nullptr, 1, nullptr));
    for (int i = 0; i < 4; ++i) {
      ASSERT_TRUE(e->run({}));
      EXPECT_EQ(kernels(*e, *t.program), (Names{"host product", last, last})) << i;
      EXPECT_EQ(e->kernel_info(1).accumulate, DType::f32);
    }
  }
}

TEST(GpuKernels, of_a_training_are_reported_by_node) {
  QuadAssets assets;
  TrainingProgress progress;
  std::vector<std::string> notes;
  const auto device = host_gpu({.lacks = [](const gpu::Gemm&) { return true; }});
  auto run = TrainingRun::make(neural_texture(), device, assets, progress, nullptr, "", true, notes);
  ASSERT_TRUE(run) << run.error().text();
  for (uint64_t step = 0; step < 3; ++step) ASSERT_TRUE((*run)->step(step, 3, nullptr));
  EXPECT_EQ((*run)->node_kernels().at("mlp").forward.implementation, "host loop");
}

}  // namespace
}  // namespace hw::test
