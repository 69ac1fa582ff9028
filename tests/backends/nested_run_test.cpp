// Runs inside the body of parallel_for or parallel_tasks: on the one thread, with the scratch of one, the same bits.
#include <gtest/gtest.h>

#include <cstring>

#include "engine/compare/scoped_thread_count.h"
#include "engine/core/parallel.h"
#include "engine/devices/devices.h"
#include "engine/passes/program_passes.h"
#include "engine/program/builder.h"
#include "op_cases.h"

namespace hw::test::nested_run_test {
namespace {

/// Convolutions of so many pictures, joined to what follows them where there are parts; sums over all of them.
struct Net {
  explicit Net(int64_t pictures) {
    auto program = std::make_shared<Program>();
    OpBuilder b(*program);
    ConvAttr same;
    same.pad_begin = same.pad_end = {1, 1};
    const Val x = b.input("x", DType::f32, {pictures, 48, 30, 30});
    const Val weight = b.param("weight", DType::f32, {48, 48, 3, 3}, {Init::Kind::uniform, 0.2});
    const Val conv = b.emit(Op::conv2d, {x, weight}, same)[0];
    const Val act = b.relu(b.add(x, b.scale(conv, 0.5)));
    ConvAttr back = same;
    back.dims = b[weight].dims;
    y = act;
    slope = b.emit(Op::conv2d_grad_weight, {x, act}, back)[0];
    EXPECT_TRUE(b.status()) << b.status().error().text();
    for (const Val v : {y, slope}) program->outputs.push_back({"out" + std::to_string(v.id), v.id});
    passed = apply_passes(*program, {"cpu", {}}).program;
    const auto device = *make_device("cpu");
    executable = *device->compile(passed, *device->prepare_states(*passed, nullptr, 1, nullptr));
    const Dims& dims = (*passed)[x.id].dims;
    EXPECT_TRUE(
        executable->write_input("x", Tensor::from_f64(DType::f32, dims, numbers(element_count(dims), -1, 1, 3))));
  }
  std::vector<Tensor> run() {
    EXPECT_TRUE(executable->run({}));
    return {*executable->read(y.id), *executable->read(slope.id)};
  }

  std::shared_ptr<const Program> passed;
  std::unique_ptr<Executable> executable;
  Val y, slope;
};

TEST(NestedRun, TakesTheScratchOfOneThreadAndHasTheSameBits) {
  const ScopedThreadCount scope(3);
  for (const int64_t pictures : {1, 7}) {
    std::vector<std::vector<Tensor>> nested(2);
    std::vector<std::unique_ptr<Net>> nets(2);
    for (auto& net : nets) net = std::make_unique<Net>(pictures);
    const size_t compiled = nets[0]->executable->temp_bytes();
    parallel_tasks(2, 2, [&](int64_t k) { nested[static_cast<size_t>(k)] = nets[static_cast<size_t>(k)]->run(); });
    EXPECT_EQ(nets[0]->executable->temp_bytes(), compiled);
    const std::vector<Tensor> plain = nets[0]->run();
    EXPECT_GT(nets[0]->executable->temp_bytes(), compiled) << "of three threads";
    parallel_for(2, [&](int64_t k) {
      if (k == 0) nested.push_back(nets[0]->run());
    });
    for (const std::vector<Tensor>& made : nested)
      for (size_t i = 0; i < plain.size(); ++i)
        EXPECT_EQ(std::memcmp(made[i].data(), plain[i].data(), plain[i].bytes()), 0) << pictures << ", " << i;
  }
}

}  // namespace
}  // namespace hw::test::nested_run_test
