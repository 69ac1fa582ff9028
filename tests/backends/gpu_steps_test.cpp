// Steps on the cuda device follow one another without the host between: on a driver in host memory that does its work
// only when somebody waits for it, they give the numbers of one that waits at every step.
#include <algorithm>

#include "engine/backend/gpu/gpu_executable.h"
#include "engine/devices/devices.h"
#include "engine/train/session.h"
#include "engine/train/training_run.h"
#include "host_gpu.h"
#include "host_rows.h"
#include "op_cases.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/quad_assets.h"

namespace hw::test {
namespace {

Graph texture(const ParamMap& train = {}) {
  Graph graph = neural_texture();
  Edits edits{SetParam{"surface_sampler", "points", int64_t{65}}, SetParam{"mlp", "width", int64_t{16}}};
  for (const auto& [name, value] : train) edits.push_back(SetParam{"train", name, value});
  const auto applied = apply_edits(graph, edits);
  EXPECT_TRUE(applied) << (applied ? "" : applied.error().text());
  return graph;
}

/// Its loss is not finite after a few steps.
Graph diverging() {
  Graph graph = texture({{"optimiser", std::string("sgd")}, {"learning_rate", 100.0}});
  EXPECT_TRUE(apply_edits(graph, {AddLink{link("mlp.y", "mse.prediction")}}));
  return graph;
}

/// A training on a driver of its own.
struct Training {
  std::shared_ptr<HostDriver> driver;
  QuadAssets assets;
  TrainingProgress progress;
  std::unique_ptr<TrainingRun> run;

  Training(const Graph& graph, bool lazy)
      : driver(std::make_shared<HostDriver>(HostDriver::Options{.resident = 10, .lazy = lazy})) {
    std::vector<std::string> notes;
    auto made = TrainingRun::make(graph, gpu::make_device_on(driver), assets, progress, nullptr, "", true, notes);
    EXPECT_TRUE(made) << (made ? "" : made.error().text());
    if (made) run = std::move(*made);
  }
  std::vector<StepOutcome> advance(uint64_t first, uint64_t count) {
    for (uint64_t step = first; step < first + count; ++step) {
      const Status status = run->advance(step, 1000, nullptr);
      EXPECT_TRUE(status) << (status ? "" : status.error().text());
    }
    auto all = run->outcomes();
    EXPECT_TRUE(all) << (all ? "" : all.error().text());
    return all ? std::move(*all) : std::vector<StepOutcome>{};
  }
};

void expect_same_states(const Training& a, const Training& b) {
  const auto x = a.run->read_states(), y = b.run->read_states();
  ASSERT_EQ(x.size(), y.size());
  for (const auto& [name, tensor] : x) EXPECT_TRUE(same_bits(tensor, y.at(name))) << name;
}

TEST(GpuSteps, read_their_losses_back_in_one_go_and_wait_for_nothing) {
  Training behind(texture(), true), waiting(texture(), false);
  ASSERT_TRUE(behind.run && waiting.run);
  ASSERT_TRUE(behind.run->is_asynchronous());
  behind.advance(0, 3);  // the first two are timed
  HostDriver& driver = *behind.driver;
  driver.events.clear();
  const size_t downloads = driver.downloads;
  for (uint64_t step = 3; step < 33; ++step) ASSERT_TRUE(behind.run->advance(step, 1000, nullptr));
  EXPECT_EQ(driver.downloads, downloads);
  EXPECT_EQ(std::count(driver.events.begin(), driver.events.end(), "wait"), 0);
  EXPECT_EQ(std::count(driver.events.begin(), driver.events.end(), "replay"), 2 * 30) << "gradients and updates";
  EXPECT_EQ(driver.most_queued, 2 * gpu::GpuExecutable::kAhead);
  const auto all = *behind.run->outcomes();
  EXPECT_EQ(driver.downloads, downloads + 2) << "of losses, and of what the updates count";
  ASSERT_EQ(all.size(), 30u);
  for (uint64_t step = 0; step < 33; ++step) {
    const auto loss = waiting.run->step(step, 1000, nullptr);
    ASSERT_TRUE(loss) << loss.error().text();
    if (step < 3) continue;
    EXPECT_EQ(all[step - 3].step, step);
    EXPECT_EQ(all[step - 3].loss, *loss) << step;
  }
  EXPECT_NE(all.front().loss, all.back().loss);
  expect_same_states(behind, waiting);
}

TEST(GpuSteps, of_micro_batches_give_the_mean_of_each) {
  const Graph graph = texture({{"accumulate", int64_t{3}}});
  Training behind(graph, true), waiting(graph, false);
  ASSERT_TRUE(behind.run && waiting.run);
  const auto all = behind.advance(0, 12);
  ASSERT_EQ(all.size(), 12u);
  for (uint64_t step = 0; step < 12; ++step) EXPECT_EQ(all[step].loss, *waiting.run->step(step, 1000, nullptr));
  expect_same_states(behind, waiting);
}

TEST(GpuSteps, name_the_first_whose_loss_is_not_finite) {
  const Graph graph = diverging();
  Training behind(graph, true), waiting(graph, false);
  ASSERT_TRUE(behind.run && waiting.run);
  uint64_t failed = 0;
  std::optional<Error> expected;
  std::vector<double> losses;
  for (; !expected; ++failed) {
    const auto loss = waiting.run->step(failed, 1000, nullptr);
    if (loss)
      losses.push_back(*loss);
    else
      expected = loss.error();
    ASSERT_LT(failed, 50u);
  }
  ASSERT_GT(failed, 3u) << "steps that are replayed";
  const auto all = behind.advance(0, failed + 20);
  ASSERT_EQ(all.size(), failed);
  for (size_t step = 0; step + 1 < failed; ++step) {
    EXPECT_FALSE(all[step].error);
    EXPECT_EQ(all[step].loss, losses[step]);
  }
  ASSERT_TRUE(all.back().error);
  EXPECT_EQ(all.back().step, failed - 1);
  EXPECT_EQ(all.back().error->code, codes::not_finite);
  EXPECT_EQ(all.back().error->text(), expected->text());
}

TEST(GpuSteps, report_what_each_did_to_the_loss_scale) {
  const Graph graph =
      texture({{"loss_scaling", std::string("dynamic")}, {"loss_scale", 0x1p40}, {"growth_interval", int64_t{2}}});
  Training behind(graph, true), waiting(graph, false);
  ASSERT_TRUE(behind.run && waiting.run);
  const auto all = behind.advance(0, 40);
  ASSERT_EQ(all.size(), 40u);
  size_t skipped = 0;
  for (uint64_t step = 0; step < 40; ++step) {
    ASSERT_TRUE(waiting.run->advance(step, 1000, nullptr));
    const StepOutcome one = waiting.run->outcomes()->front();
    ASSERT_TRUE(one.loss_scale && all[step].loss_scale);
    EXPECT_EQ(all[step].loss_scale->scale, one.loss_scale->scale) << step;
    EXPECT_EQ(all[step].loss_scale->skipped, one.loss_scale->skipped) << step;
    EXPECT_EQ(all[step].loss_scale->param, one.loss_scale->param) << step;
    EXPECT_EQ(all[step].loss_scale->step, step);
    EXPECT_EQ(all[step].loss, one.loss) << step;
    skipped += one.loss_scale->skipped ? 1 : 0;
  }
  EXPECT_GT(skipped, 0u);
  EXPECT_LT(skipped, 40u);
  expect_same_states(behind, waiting);
}

TEST(GpuSteps, that_fail_on_the_gpu_say_so_when_they_are_asked) {
  Training behind(texture(), true);
  ASSERT_TRUE(behind.run);
  behind.advance(0, 3);
  behind.driver->fail_after(60, Error{"HW-R005", "cuda", "cudaGraphLaunch: unspecified launch failure.", ""});
  std::optional<Error> error;
  for (uint64_t step = 3; step < 40 && !error; ++step)
    if (const Status status = behind.run->advance(step, 1000, nullptr); !status) error = status.error();
  if (const auto all = behind.run->outcomes(); !error && !all) error = all.error();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, "HW-R005");
  EXPECT_FALSE(behind.run->advance(40, 1000, nullptr));
}

TEST(GpuSteps, with_batches_from_the_host_keep_each_batch_until_it_was_read) {
  const auto driver = std::make_shared<HostDriver>(HostDriver::Options{.resident = 10, .lazy = true});
  Rows gpu(*gpu::make_device_on(driver), DType::u8, true), cpu(**make_device("cpu"), DType::u8, true);
  const std::pair<uint64_t, uint64_t> runs[] = {{7, 0},  {7, 1},  {7, 2},  {7, 3},  {7, 4},  {7, 5}, {7, 9},
                                                {7, 10}, {8, 11}, {8, 12}, {8, 12}, {8, 13}, {8, 14}};
  std::vector<Tensor> expected;
  for (const auto& [seed, step] : runs) {
    gpu.run(seed, step);
    ASSERT_TRUE(gpu.executable->queue_readback(gpu.out.x.id));
    cpu.run(seed, step);
    expected.push_back(*cpu.executable->read(cpu.out.x.id));
  }
  EXPECT_EQ(driver->downloads, 0u);
  EXPECT_EQ(driver->most_queued, 2u);  // the batch after next needs the place of the one before
  const auto got = *gpu.executable->take_readbacks();
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_TRUE(same_bits(got[i], expected[i])) << i;
}

TEST(GpuSteps, queue_what_is_large_and_more_than_fits) {
  for (const int64_t size : {int64_t{1}, int64_t{3000}, int64_t{40000}}) {
    auto program = std::make_shared<Program>();
    OpBuilder b(*program);
    const Val y = b.scale(b.input("x", DType::f32, {size}), 2);
    program->outputs.push_back({"y", y.id});
    const auto device = host_gpu({.lazy = true});
    auto e = *device->compile(program, *device->prepare_states(*program, nullptr, 1, nullptr));
    EXPECT_EQ(e->queue_readback(y.id).error().code, "HW-R002") << "nothing ran yet";
    constexpr int kRuns = 5000;
    const int runs = size == 1 ? kRuns : 20;
    for (int i = 0; i < runs; ++i) {
      ASSERT_TRUE(e->write_input("x", Tensor::from_f64(DType::f32, {size}, std::vector<double>(size_t(size), i))));
      ASSERT_TRUE(e->run({}));
      ASSERT_TRUE(e->queue_readback(y.id));
    }
    const auto all = *e->take_readbacks();
    ASSERT_EQ(all.size(), size_t(runs));
    for (int i = 0; i < runs; ++i) ASSERT_EQ(all[size_t(i)].to_f64().back(), 2.0 * i);
    EXPECT_TRUE(e->take_readbacks()->empty());
  }
}

TEST(GpuSteps, share_their_time_out_when_it_is_asked_for) {
  Training behind(texture(), true);
  ASSERT_TRUE(behind.run);
  behind.advance(0, 20);
  double ms = 0;
  for (const auto& [node, of_node] : behind.run->node_ms()) ms += of_node;
  EXPECT_GT(ms, 0);
}

// ---- sessions

std::shared_ptr<const RunSnapshot> trained(const Graph& graph, const std::shared_ptr<Device>& device, uint64_t steps) {
  Session session(std::make_shared<QuadAssets>(), nullptr,
                  [&](const std::string&) -> Result<std::shared_ptr<Device>> { return device; });
  session.start(graph, "cuda:0", steps);
  session.wait();
  return session.snapshot();
}

TEST(GpuSession, has_the_loss_of_every_step) {
  const Graph graph = texture({{"evaluate_every", int64_t{7}}});
  const auto behind = trained(graph, host_gpu({.lazy = true}), 60), waiting = trained(graph, host_gpu(), 60);
  ASSERT_FALSE(behind->error) << behind->error->text();
  EXPECT_EQ(behind->state, RunState::finished);
  EXPECT_EQ(behind->step, 60u);
  EXPECT_EQ(*behind->losses, *waiting->losses);
  EXPECT_EQ(behind->losses->size(), 60u);
  ASSERT_TRUE(behind->weights && waiting->weights);
  for (const auto& [name, tensor] : *behind->weights)
    EXPECT_TRUE(same_bits(tensor, waiting->weights->at(name))) << name;
}

TEST(GpuSession, ends_at_the_first_loss_that_is_not_finite) {
  const Graph graph = diverging();
  const auto behind = trained(graph, host_gpu({.lazy = true}), 500);
  ASSERT_EQ(behind->state, RunState::failed);
  ASSERT_TRUE(behind->error);
  EXPECT_EQ(behind->error->code, codes::not_finite);
  Training one(graph, false);
  uint64_t good = 0;
  while (one.run->step(good, 500, nullptr)) ++good;
  EXPECT_EQ(behind->step, good);
  EXPECT_EQ(behind->losses->size(), good);
  EXPECT_NE(behind->error->reason.find("step " + std::to_string(good + 1) + " "), std::string::npos)
      << behind->error->reason;
}

TEST(GpuSession, takes_checkpoints_and_orders_between_steps) {
  const Graph graph = texture();
  Session session(std::make_shared<QuadAssets>(), nullptr,
                  [](const std::string&) -> Result<std::shared_ptr<Device>> { return host_gpu({.lazy = true}); });
  std::vector<std::shared_ptr<const Checkpoint>> kept;
  session.checkpoint_every(8, [&](std::shared_ptr<const Checkpoint> c) { kept.push_back(std::move(c)); });
  session.start(graph, "cuda:0", 20, true);
  session.step_once();
  session.wait();
  EXPECT_EQ(session.snapshot()->step, 1u);
  EXPECT_EQ(session.snapshot()->losses->size(), 1u);
  session.resume();
  session.wait();
  EXPECT_EQ(session.snapshot()->step, 20u);
  ASSERT_FALSE(kept.empty());
  Training one(graph, false);
  const auto all = one.advance(0, 20);
  for (const auto& c : kept) {
    ASSERT_EQ(c->losses.size(), c->step);
    for (size_t k = 0; k < c->losses.size(); ++k) EXPECT_EQ(c->losses[k], static_cast<float>(all[k].loss));
  }
  EXPECT_TRUE(std::ranges::any_of(kept, [](const auto& c) { return c->step == 16; }));
}

}  // namespace
}  // namespace hw::test
