// A field on any device: the same values within the tolerance of its dtypes, in batches that can be stopped, from the
// device that is given and those that nodes are pinned to.
#include "engine/devices/devices.h"
#include "tests/engine/faulty_device.h"
#include "tests/engine/field_cases.h"

namespace hw::test {
namespace {

class FieldOn : public testing::TestWithParam<const char*> {};

TEST_P(FieldOn, IsThatOfRef) {
  const auto device = make_device(GetParam());
  if (!device && device.error().code == codes::no_gpu) GTEST_SKIP() << device.error().text();
  ASSERT_TRUE(device) << device.error().text();
  expect_fields_of_ref([] { return *make_device(GetParam()); });
}

INSTANTIATE_TEST_SUITE_P(Devices, FieldOn, testing::Values("ref", "cpu", "cuda:0"),
                         [](const auto& device) { return std::string(device.param).substr(0, 4); });

TEST(Field, IsMadeByTheDeviceThatIsGiven) {
  const Graph graph = graph_of_fields();
  for (const FieldCase& wire : kFields) {
    const auto wanted = field_values(graph, wire, *make_device("ref")),
               sound = field_values(graph, wire, faulty_device(Fault::none, 0)),
               stale = field_values(graph, wire, faulty_device(Fault::stale, 0));
    ASSERT_TRUE(wanted && sound && stale);
    EXPECT_EQ(count_apart(*sound, *wanted, wire.narrowest), 0u) << wire.from.node;
    EXPECT_GT(count_apart(*stale, *wanted, wire.narrowest), 0u) << wire.from.node;
  }
}

/// `graph` with these nodes pinned to a device.
Graph pinned(Graph graph, const std::vector<std::string>& nodes, const std::string& device) {
  for (const std::string& id : nodes) EXPECT_TRUE(apply_edits(graph, {SetDevice{id, device}}));
  return graph;
}

TEST(Field, RunsNodesWhereTheyArePinned) {
  const FieldCase& wire = kFields[1];
  const Graph graph = graph_of_fields();
  const auto cpu = field_values(graph, wire, *make_device("cpu")), ref = field_values(graph, wire, *make_device("ref"));
  ASSERT_TRUE(cpu && ref);
  ASSERT_NE(*cpu, *ref) << "or their bits show nothing";

  const auto all =
      field_values(pinned(graph, {"normalise_aabb", "waves", "colours"}, "ref"), wire, *make_device("cpu"));
  ASSERT_TRUE(all) << all.error().text();
  EXPECT_EQ(*all, *ref);

  std::vector<std::string> asked;
  const auto some = field_values(pinned(graph, {"waves"}, "ref"), wire,
                                 make_placed_device(*make_device("cpu"), [&](const std::string& id) {
                                   asked.push_back(id);
                                   return make_device(id);
                                 }));
  ASSERT_TRUE(some) << some.error().text();
  EXPECT_EQ(count_apart(*some, *ref, wire.narrowest), 0u);
  EXPECT_EQ(asked, std::vector<std::string>{"ref"});

  const auto absent = field_values(pinned(graph, {"waves", "colours"}, "cuda:99"), wire, *make_device("cpu"));
  ASSERT_TRUE(absent) << absent.error().text();
  EXPECT_EQ(*absent, *cpu);
}

/// The cpu, which calls `hook` before each run.
class HookedDevice : public Device {
 public:
  explicit HookedDevice(std::function<void()> hook) : hook_(std::move(hook)) {}
  std::string id() const override { return cpu_->id(); }
  std::string description() const override { return cpu_->description(); }
  bool supports(Op op, std::span<const DType> dtypes) const override { return cpu_->supports(op, dtypes); }
  Result<std::shared_ptr<States>> prepare_states(const Program& program, std::shared_ptr<States> states, uint64_t seed,
                                                 std::vector<std::string>* made) override {
    return cpu_->prepare_states(program, std::move(states), seed, made);
  }
  Result<std::unique_ptr<Executable>> compile(std::shared_ptr<const Program> program, std::shared_ptr<States> states,
                                              std::span<const ValueId> keep,
                                              std::span<const SharedInput> shared) override {
    if (refuses_) return Error{codes::out_of_memory, "", "There is no memory.", ""};
    HW_TRY(auto made, cpu_->compile(std::move(program), std::move(states), keep, shared));
    return std::unique_ptr<Executable>(std::make_unique<Hooked>(std::move(made), hook_));
  }
  bool refuses_ = false;

 private:
  struct Hooked : Executable {
    Hooked(std::unique_ptr<Executable> executable, std::function<void()> h)
        : on(std::move(executable)), hook(std::move(h)) {}
    Status write_input(const std::string& name, const Tensor& tensor) override { return on->write_input(name, tensor); }
    Status run(const StepInputs& step, ValueProbe* probe) override {
      hook();
      return on->run(step, probe);
    }
    Result<Tensor> read(ValueId value) const override { return on->read(value); }
    const std::vector<double>& timings() const override { return on->timings(); }
    void reset_timings() override { on->reset_timings(); }
    KernelInfo kernel_info(size_t instr) const override { return on->kernel_info(instr); }
    size_t temp_bytes() const override { return on->temp_bytes(); }
    std::unique_ptr<Executable> on;
    std::function<void()> hook;
  };
  std::shared_ptr<Device> cpu_ = *make_device("cpu");
  std::function<void()> hook_;
};

constexpr size_t kPoints = 100;

Result<std::vector<float>> evaluate(FieldEvaluator& field, const std::atomic<bool>* cancel) {
  const std::vector<std::array<float, 3>> points(kPoints, {0.25f, 0.5f, 0});
  return field.evaluate(points, points, cancel);
}

Result<std::shared_ptr<FieldEvaluator>> colour_on(std::shared_ptr<Device> device) {
  return FieldEvaluator::make(graph_of_fields(), {{"sigmoid", "y"}, {Channels::color, {"position", "normal"}}},
                              std::make_shared<QuadAssets>(), std::move(device), 32);
}

TEST(Field, IsEvaluatedInBatchesAndStopsBetweenThem) {
  int runs = 0, last = 100;
  std::atomic<bool> cancel{false};
  const auto field = colour_on(std::make_shared<HookedDevice>([&] { cancel = ++runs >= last; }));
  ASSERT_TRUE(field) << field.error().text();
  ASSERT_TRUE((*field)->set_weights(nullptr, 0));
  const auto whole = evaluate(**field, &cancel);
  ASSERT_TRUE(whole) << whole.error().text();
  EXPECT_EQ(runs, 4) << "100 points in blocks of 32";
  runs = 0;
  last = 2;
  const auto stopped = evaluate(**field, &cancel);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, codes::cancelled);
  EXPECT_EQ(runs, 2);
  cancel = false;
  runs = 0;
  last = 100;
  const auto again = evaluate(**field, &cancel);
  ASSERT_TRUE(again);
  EXPECT_EQ(*again, *whole);
}

TEST(Field, ThatADeviceHasNoRoomForCanBePreparedAgain) {
  const auto device = std::make_shared<HookedDevice>([] {});
  const auto field = colour_on(device);
  ASSERT_TRUE(field) << field.error().text();
  device->refuses_ = true;
  const Status refused = (*field)->set_weights(nullptr, 0);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, codes::out_of_memory);
  device->refuses_ = false;
  ASSERT_TRUE((*field)->set_weights(nullptr, 0));
  EXPECT_TRUE(evaluate(**field, nullptr));
}

TEST(Field, IsWhatTheViewerDeclares) {
  const Graph graph = graph_of_fields();
  const auto field = field_into(graph, *graph.find("viewport"));
  ASSERT_TRUE(field);
  EXPECT_EQ(field->from, (SocketRef{"sigmoid", "y"}));
  EXPECT_EQ(field->use.channels, Channels::color);
  EXPECT_EQ(field->use.variables, (std::vector<std::string>{"position", "normal"}));
  EXPECT_FALSE(field_into(graph, *graph.find("mlp"))) << "it shows nothing";
}

TEST(Field, OfOtherChannelsIsRefused) {
  const auto refused =
      field_values(graph_of_fields(), {{"distance", "y"}, Channels::color, DType::f32}, *make_device("cpu"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, codes::size_mismatch);
  EXPECT_EQ(refused.error().where, "distance.y");
  EXPECT_EQ(refused.error().reason, "axis C must have size 3 (red, green, blue), got [32, 1].");

  Graph graph = graph_of_fields();
  ASSERT_TRUE(apply_edits(
      graph, {RemoveLink{link("sigmoid.y", "viewport.field")}, AddLink{link("distance.y", "viewport.field")}}));
  EXPECT_NE(problems(graph).find("axis C must have size 3 (red, green, blue)"), std::string::npos) << problems(graph);
}

}  // namespace
}  // namespace hw::test
