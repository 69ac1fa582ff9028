// What a training needs is held against the memory that it is to lie in: that of each GPU, and the host's.
#include "engine/devices/devices.h"
#include "engine/plan/memory_estimate.h"
#include "engine/train/training_run.h"
#include "host_gpu.h"
#include "host_rows.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"

namespace hw::test::gpu_room_test {
namespace {

constexpr size_t kRoomMiB = size_t{1} << 20;

std::shared_ptr<Device> placed(const std::string& base, const std::shared_ptr<Device>& gpu) {
  return make_placed_device(base == "cpu" ? *make_device("cpu") : gpu,
                            [gpu](const std::string& id) -> Result<std::shared_ptr<Device>> {
                              if (id == "cuda:0") return gpu;
                              return make_device(id);
                            });
}

Status started(const Graph& graph, const std::shared_ptr<Device>& device) {
  QuadAssets assets;
  TrainingProgress progress;
  std::vector<std::string> notes;
  auto run = TrainingRun::make(graph, device, assets, progress, nullptr, "", true, notes);
  if (!run) return run.error();
  HW_CHECK((*run)->step(0, 1, nullptr));
  return ok();
}

Graph with_pin(Graph graph, const std::string& node, const std::string& device) {
  EXPECT_TRUE(apply_edits(graph, {SetDevice{node, device}}));
  return graph;
}

TEST(GpuRoom, is_what_the_gpu_has_free_not_the_host) {
  const Graph graph = neural_texture();
  const Status refused = started(graph, host_gpu({.capacity = kRoomMiB}));
  ASSERT_FALSE(refused);
  const Error& e = refused.error();
  EXPECT_EQ(e.code, codes::out_of_memory);
  EXPECT_EQ(e.where, "mlp");
  EXPECT_NE(e.reason.find(" on cuda:0 ("), std::string::npos) << e.reason;
  EXPECT_NE(e.reason.find("1.0 MiB is free there"), std::string::npos) << e.reason;
  EXPECT_NE(e.remedy.find("another device"), std::string::npos) << e.remedy;
  EXPECT_TRUE(started(graph, *make_device("cpu"))) << "the cpu has room";
  EXPECT_TRUE(started(graph, host_gpu({.capacity = 64 * kRoomMiB})));
}

TEST(GpuRoom, may_be_more_than_the_host_has) {
  Graph huge = neural_texture();
  ASSERT_TRUE(
      apply_edits(huge, {SetParam{"surface_sampler", "points", int64_t{1} << 16},
                         SetParam{"mlp", "width", int64_t{1} << 15}, SetParam{"mlp", "hidden_layers", int64_t{64}}}));
  QuadAssets assets;
  const auto plan = plan_training(huge, assets);
  ASSERT_TRUE(plan) << plan.error().text();
  const Status on_host = check_memory(*plan, **make_device("cpu"), nullptr);
  ASSERT_FALSE(on_host);
  EXPECT_EQ(on_host.error().code, codes::out_of_memory);
  EXPECT_NE(on_host.error().reason.find("is free."), std::string::npos) << on_host.error().reason;
  const Status on_gpu = check_memory(*plan, *host_gpu({.capacity = size_t{1} << 60}), nullptr);
  EXPECT_TRUE(on_gpu) << on_gpu.error().text();
}

TEST(GpuRoom, is_asked_of_the_device_that_a_node_has_for_itself) {
  const Graph graph = with_pin(neural_texture(), "mlp", "cuda:0");
  const Status small = started(graph, placed("cpu", host_gpu({.capacity = 64 * 1024})));
  ASSERT_FALSE(small);
  EXPECT_EQ(small.error().code, codes::out_of_memory);
  EXPECT_NE(small.error().reason.find(" on cuda:0 ("), std::string::npos) << small.error().text();
  EXPECT_TRUE(started(graph, placed("cpu", host_gpu({.capacity = 64 * kRoomMiB}))));
  // The heavy node is away from a small GPU.
  const auto plan_of = [](const Graph& g) {
    QuadAssets assets;
    return *plan_training(g, assets);
  };
  Graph wide = neural_texture();
  ASSERT_TRUE(apply_edits(wide, {SetParam{"mlp", "width", int64_t{512}}}));
  const auto gpu = placed("cuda:0", host_gpu({.capacity = 6 * kRoomMiB}));
  EXPECT_FALSE(check_memory(plan_of(wide), *gpu, nullptr));
  const Status away = check_memory(plan_of(with_pin(wide, "mlp", "cpu")), *gpu, nullptr);
  EXPECT_TRUE(away) << away.error().text();
}

TEST(GpuRoom, counts_what_each_part_keeps_where_it_is) {
  QuadAssets assets;
  const Graph graph = neural_texture();
  const auto places = [&](const Graph& g) { return *estimate_memory_by_place(g, assets, "cuda:0"); };
  const MemoryByPlace whole = places(graph), split = places(with_pin(graph, "mlp", "cpu"));
  ASSERT_EQ(whole.size(), 1u);
  EXPECT_EQ(whole.begin()->first, "cuda:0");
  ASSERT_EQ(split.size(), 2u);
  EXPECT_EQ(split.at("").parameters + split.at("cuda:0").parameters, whole.at("cuda:0").parameters);
  EXPECT_EQ(split.at("").optimiser + split.at("cuda:0").optimiser, whole.at("cuda:0").optimiser);
  EXPECT_GT(split.at("").parameters, 0u);
  EXPECT_GT(split.at("cuda:0").parameters, split.at("").parameters) << "the table";
}

TEST(GpuRoom, of_batches_that_are_sent_is_taken_on_the_host) {
  const Rows rows(*host_gpu(), DType::u8, true);
  TrainingPlan plan;
  plan.program = rows.program;
  const size_t batch = 4 * (15 + sizeof(int64_t)), all = 165 + 11 * sizeof(int64_t);
  const auto resident = host_gpu(), streamed = host_gpu({.resident = 10});
  const auto stays = *estimate_memory_by_place(plan, "cuda:0", resident.get());
  EXPECT_EQ(stays.at("cuda:0").data, all);
  EXPECT_EQ(stays.at("").data, all) << "as it was read";
  const auto sent = *estimate_memory_by_place(plan, "cuda:0", streamed.get());
  EXPECT_EQ(sent.at("cuda:0").data, 3 * batch);
  EXPECT_EQ(sent.at("").data, all + 2 * batch);
}

TEST(GpuRoom, of_a_run_that_goes_on_is_that_of_the_run_before) {
  Graph graph = neural_texture();
  ASSERT_TRUE(apply_edits(graph, {SetParam{"surface_sampler", "points", int64_t{8192}}}));
  QuadAssets assets;
  std::vector<std::string> notes;
  const auto measured = std::make_shared<HostDriver>();
  {
    TrainingProgress progress;
    const auto run =
        TrainingRun::make(graph, gpu::make_device_on(measured), assets, progress, nullptr, "", true, notes);
    ASSERT_TRUE(run && (*run)->step(0, 9, nullptr));
  }
  const size_t taken = measured->used();
  ASSERT_EQ(taken, 0u);
  const size_t needed = estimate_memory(graph, assets, "cuda:0")->total();
  const auto driver = std::make_shared<HostDriver>(HostDriver::Options{.capacity = needed + needed / 2});
  TrainingProgress progress;
  for (int again = 0; again < 3; ++again) {
    const auto run = TrainingRun::make(graph, gpu::make_device_on(driver), assets, progress, nullptr, "", true, notes);
    ASSERT_TRUE(run) << again << ": " << run.error().text();
    ASSERT_TRUE((*run)->step(progress.step++, 9, nullptr));
    EXPECT_LT(driver->memory()->free, needed) << "beside this one there is no room for another";
  }
}

TEST(GpuRoom, for_all_values_at_once_is_asked_for_before_a_watch) {
  QuadAssets assets;
  const auto plan = *plan_training(neural_texture(), assets);
  const Status refused = check_all_values(plan.programs(), *host_gpu({.capacity = kRoomMiB}), nullptr);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, codes::out_of_memory);
  EXPECT_NE(refused.error().reason.find("cuda:0"), std::string::npos);
  EXPECT_TRUE(check_all_values(plan.programs(), *host_gpu({.capacity = 256 * kRoomMiB}), nullptr));
  EXPECT_TRUE(check_all_values(plan.programs(), **make_device("cpu"), nullptr));
}

// ---- one device by two names

TEST(GpuNames, a_pin_to_cuda_is_one_to_the_gpu_that_the_graph_runs_on) {
  QuadAssets assets;
  const Graph graph = with_pin(neural_texture(), "mlp", "cuda");
  EXPECT_EQ(graph.find("mlp")->device, "cuda:0");
  const auto device = placed("cuda:0", host_gpu());
  TrainingProgress progress;
  std::vector<std::string> notes;
  const auto run = TrainingRun::make(graph, device, assets, progress, nullptr, "", true, notes);
  ASSERT_TRUE(run) << run.error().text();
  ASSERT_TRUE((*run)->step(0, 2, nullptr));
  EXPECT_TRUE((*run)->transfers().empty());
  EXPECT_TRUE((*run)->is_asynchronous()) << "nothing is placed";
  EXPECT_EQ(estimate_memory_by_place(graph, assets, "cuda")->size(), 1u);
}

}  // namespace
}  // namespace hw::test::gpu_room_test
