// Nodes with devices of their own: how a program is split, what goes between the parts, and that the split is not seen
// in the numbers.
#include "engine/backend/placement.h"

#include <gmock/gmock.h>

#include "engine/backend/placed_states.h"
#include "engine/backend/value_probe.h"
#include "engine/devices/devices.h"
#include "engine/devices/temp_estimate.h"
#include "engine/train/session.h"
#include "engine/train/training_run.h"
#include "tests/engine/graph_builder.h"
#include "tests/engine/program_runner.h"
#include "tests/engine/quad_assets.h"

namespace hw {
namespace {

/// "cpu" with further devices "b" and "c", which compute as it does and share nothing with it; "ref" is there, too.
std::shared_ptr<Device> cpu_and_others() {
  return make_placed_device(*make_device("cpu"), [](const std::string& id) -> Result<std::shared_ptr<Device>> {
    if (id == "b" || id == "c") return make_device("cpu");
    return make_device(id);
  });
}

void pin(Program& program, const std::string& node, const std::string& device) {
  program.devices.resize(program.nodes.size());
  const auto at = std::find(program.nodes.begin(), program.nodes.end(), node);
  ASSERT_NE(at, program.nodes.end()) << node;
  program.devices[static_cast<size_t>(at - program.nodes.begin())] = device;
}

/// x → one → two → three → four, and x → aside: elementwise, each a node.
struct Chain {
  std::shared_ptr<Program> program = std::make_shared<Program>();
  Val x, one, two, three, four, aside;
  Chain() {
    OpBuilder b(*program);
    x = b.input("x", DType::f32, {100, 3});
    const auto on = [&](const char* node) { b.set_node(node); };
    on("one"), one = b.sigmoid(x);
    on("two"), two = b.scale(one, 3);
    on("three"), three = b.relu(b.sub(two, one));
    on("four"), four = b.mul(three, one);
    on("aside"), aside = b.sigmoid(b.scale(x, -2));
    for (const Val v : {three, four, aside}) program->outputs.push_back({"", v.id});
  }
  Tensor input() const { return Tensor::from_f64(DType::f32, {100, 3}, test::numbers(300, -2, 2, 4)); }
};

std::unique_ptr<Executable> compiled(const std::shared_ptr<Program>& program, Device& device) {
  const auto states = device.prepare_states(*program, nullptr, 1, nullptr);
  EXPECT_TRUE(states) << (states ? "" : states.error().text());
  auto executable = device.compile(program, *states);
  EXPECT_TRUE(executable) << (executable ? "" : executable.error().text());
  return std::move(*executable);
}

TEST(Placement, SegmentsAreFewAndInOrder) {
  Chain c;
  EXPECT_FALSE(is_pinned(*c.program, "cpu"));
  pin(*c.program, "two", "b");
  EXPECT_TRUE(is_pinned(*c.program, "cpu"));
  EXPECT_FALSE(is_pinned(*c.program, "b")) << "all of them run there, then";
  EXPECT_TRUE(is_pinned(*c.program, "c"));
  const auto cut = segments_of(*c.program, "cpu", {});
  ASSERT_TRUE(cut) << cut.error().text();
  const std::vector<Segment>& segments = *cut;
  ASSERT_EQ(segments.size(), 3u) << "what stands aside joins one of the others";
  EXPECT_EQ(segments[0].device, "cpu");
  EXPECT_EQ(segments[1].device, "b");
  EXPECT_EQ(segments[1].incoming, std::vector<ValueId>{c.one.id});
  EXPECT_THAT(segments[2].incoming, testing::UnorderedElementsAre(c.one.id, c.two.id));
  size_t instrs = 0;
  for (const Segment& s : segments) instrs += s.instrs.size();
  EXPECT_EQ(instrs, c.program->instrs.size());
}

TEST(Placement, TheSplitIsNotSeenInTheNumbers) {
  const Chain whole;
  const auto plain = compiled(whole.program, **make_device("cpu"));
  ASSERT_TRUE(plain->write_input("x", whole.input()));
  ASSERT_TRUE(plain->run({}));
  EXPECT_TRUE(plain->transfers().empty());
  const std::vector<std::map<std::string, std::string>> pins = {
      {{"two", "b"}},
      {{"one", "b"}},
      {{"four", "b"}},
      {{"one", "b"}, {"three", "b"}},
      {{"two", "b"}, {"three", "c"}},
      {{"one", "c"}, {"two", "b"}, {"three", "c"}, {"four", "b"}, {"aside", "c"}},
      {{"one", "b"}, {"two", "b"}, {"three", "b"}, {"four", "b"}, {"aside", "b"}},
  };
  for (const auto& pinned : pins) {
    Chain c;
    for (const auto& [node, device] : pinned) pin(*c.program, node, device);
    const auto split = compiled(c.program, *cpu_and_others());
    ASSERT_TRUE(split->write_input("x", c.input()));
    EXPECT_EQ(split->write_input("y", c.input()).error().code, codes::unknown_socket);
    for (int run = 0; run < 2; ++run) ASSERT_TRUE(split->run({}));
    for (const Val v : {c.x, c.three, c.four, c.aside})
      EXPECT_EQ(split->read(v.id)->to_f64(), plain->read(v.id)->to_f64()) << c.program->nodes[v.id];
    for (size_t i = 0; i < c.program->instrs.size(); ++i)
      EXPECT_THAT(split->kernel_info(i).implementation, testing::HasSubstr("cpu"));
    EXPECT_GT(split->temp_bytes(), 0u);
  }
}

TEST(Placement, AValueGoesToADeviceOnceAndIsCounted) {
  Chain c;
  pin(*c.program, "two", "b");
  pin(*c.program, "four", "c");
  const auto split = compiled(c.program, *cpu_and_others());
  ASSERT_TRUE(split->write_input("x", c.input()));
  for (int run = 0; run < 3; ++run) ASSERT_TRUE(split->run({}));
  std::map<std::pair<std::string, std::string>, std::set<ValueId>> went;
  for (const Transfer& t : split->transfers()) {
    EXPECT_TRUE((went[{t.from, t.to}].insert(t.value).second)) << "counted together";
    EXPECT_NE(t.from, t.to) << "what stays on a device goes nowhere";
    EXPECT_EQ(t.bytes, 100u * 3 * 4);
    EXPECT_EQ(t.times, 3u);
    EXPECT_GT(t.seconds, 0);
  }
  EXPECT_EQ((went[{"cpu", "b"}]), std::set<ValueId>{c.one.id});
  EXPECT_EQ((went[{"b", "cpu"}]), std::set<ValueId>{c.two.id});
  EXPECT_EQ((went[{"cpu", "c"}]), (std::set<ValueId>{c.one.id, c.three.id}));
  split->reset_timings();
  for (const Transfer& t : split->transfers()) EXPECT_EQ(t.times, 0u);
}

TEST(Placement, RefInTheMidstIsWithinRoundingOfTheCpu) {
  Chain whole, c;
  const auto plain = compiled(whole.program, **make_device("cpu"));
  ASSERT_TRUE(plain->write_input("x", whole.input()));
  ASSERT_TRUE(plain->run({}));
  pin(*c.program, "two", "ref");
  pin(*c.program, "three", "ref");
  const auto split = compiled(c.program, **make_device("cpu"));
  ASSERT_TRUE(split->write_input("x", c.input()));
  ASSERT_TRUE(split->run({}));
  const auto a = plain->read(whole.four.id)->to_f64(), b = split->read(c.four.id)->to_f64();
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-5 + 1.3e-6 * std::abs(a[i]));
  size_t on_ref = 0;
  for (size_t i = 0; i < c.program->instrs.size(); ++i) on_ref += split->kernel_info(i).implementation == "ref";
  EXPECT_EQ(on_ref, 3u);
}

/// Sigmoids one behind the other, each a node; every second has a device of its own.
std::shared_ptr<Program> alternating(size_t count, const std::string& device) {
  auto program = std::make_shared<Program>();
  OpBuilder b(*program);
  Val y = b.input("x", DType::f32, {2});
  for (size_t i = 0; i < count; ++i) {
    b.set_node("n" + std::to_string(i));
    y = b.sigmoid(y);
    if (i % 2) pin(*program, "n" + std::to_string(i), device);
  }
  program->outputs.push_back({"y", y.id});
  return program;
}

TEST(Placement, AsManyPartsAsThereMayBeRun) {
  const auto split = compiled(alternating(kMostSegments, "b"), *cpu_and_others());
  const auto whole = compiled(alternating(kMostSegments, ""), *cpu_and_others());
  const Tensor x = Tensor::from_f64(DType::f32, {2}, std::vector<double>{-1, 2});
  std::vector<std::vector<double>> y;
  for (const auto* e : {&split, &whole}) {
    ASSERT_TRUE((*e)->write_input("x", x));
    ASSERT_TRUE((*e)->run({}));
    y.push_back((*e)->read(kMostSegments)->to_f64());
  }
  EXPECT_EQ(y[0], y[1]);
  EXPECT_EQ(split->transfers().size(), kMostSegments - 1);
}

TEST(Placement, TooManyPartsAreRefusedBeforeAnyIsMade) {
  const auto program = alternating(1600, "ref");
  const auto device = *make_device("cpu");
  const auto estimate = estimate_temp_bytes("cpu", *program);
  const auto prepared = device->prepare_states(*program, nullptr, 1, nullptr);
  const auto compiled = device->compile(program, nullptr);
  ASSERT_FALSE(estimate);
  ASSERT_FALSE(prepared);
  ASSERT_FALSE(compiled);
  for (const Error& e : {estimate.error(), prepared.error(), compiled.error()}) {
    EXPECT_EQ(e.code, codes::no_device);
    EXPECT_THAT(e.reason, testing::HasSubstr("1600 parts"));
    EXPECT_THAT(e.remedy, testing::HasSubstr("one device"));
  }
}

/// The cpu, where each run asks to cancel, before or after the ops.
class Impatient : public Device {
 public:
  Impatient(std::atomic<bool>& cancel, bool before) : cancel_(cancel), before_(before) {}
  std::string id() const override { return "b"; }
  std::string description() const override { return ""; }
  bool supports(Op op, std::span<const DType> dtypes) const override { return cpu_->supports(op, dtypes); }
  Result<std::shared_ptr<States>> prepare_states(const Program& program, std::shared_ptr<States> states, uint64_t seed,
                                                 std::vector<std::string>* made) override {
    return cpu_->prepare_states(program, std::move(states), seed, made);
  }
  Result<std::unique_ptr<Executable>> compile(std::shared_ptr<const Program> program, std::shared_ptr<States> states,
                                              std::span<const ValueId> keep, std::span<const SharedInput>) override {
    HW_TRY(auto real, cpu_->compile(std::move(program), std::move(states), keep));
    return std::unique_ptr<Executable>(new Asking(std::move(real), cancel_, before_));
  }

 private:
  struct Asking : Executable {
    Asking(std::unique_ptr<Executable> e, std::atomic<bool>& c, bool b) : real(std::move(e)), cancel(c), before(b) {}
    Status write_input(const std::string& name, const Tensor& t) override { return real->write_input(name, t); }
    Status run(const StepInputs& step, ValueProbe* probe) override {
      if (before) cancel = true;
      Status ran = real->run(step, probe);
      cancel = true;
      return ran;
    }
    Result<Tensor> read(ValueId value) const override { return real->read(value); }
    const std::vector<double>& timings() const override { return real->timings(); }
    void reset_timings() override { real->reset_timings(); }
    KernelInfo kernel_info(size_t instr) const override { return real->kernel_info(instr); }
    size_t temp_bytes() const override { return real->temp_bytes(); }
    std::unique_ptr<Executable> real;
    std::atomic<bool>& cancel;
    const bool before;
  };
  const std::shared_ptr<Device> cpu_ = *make_device("cpu");
  std::atomic<bool>& cancel_;
  const bool before_;
};

TEST(Placement, CancelBetweenAndWithinSegments) {
  for (const bool within : {true, false}) {
    Chain c;
    pin(*c.program, "two", "b");
    std::atomic<bool> cancel{false};
    const auto device = make_placed_device(*make_device("cpu"), [&](const std::string&) {
      return Result<std::shared_ptr<Device>>(std::make_shared<Impatient>(cancel, within));
    });
    const auto split = compiled(c.program, *device);
    ASSERT_TRUE(split->write_input("x", c.input()));
    StepInputs step;
    step.cancel = &cancel;
    EXPECT_EQ(split->run(step).error().code, codes::cancelled);
    size_t arrived = 0;
    for (const Transfer& t : split->transfers()) arrived += t.times;
    EXPECT_EQ(arrived, 1u) << "what goes back is not handed over any more";
    EXPECT_TRUE(split->run({})) << "usable afterwards";
  }
}

/// A node on `device` that writes a state of so many numbers.
Program writer(int64_t numbers, const std::string& device) {
  Program program;
  OpBuilder b(program);
  const Val s = b.state("s", DType::f64, {numbers});
  program.nodes = {"", "n"};
  program.devices = {"", device};
  program.instrs.push_back({Op::loss_scale_update, {s.id}, {}, LossScaleAttr{}, 1, false, true});
  return program;
}

TEST(Placement, AStateThatComesBackInOtherSizesIsMadeAnew) {
  const auto device = cpu_and_others();
  auto states = device->prepare_states(writer(3, ""), nullptr, 1, nullptr);
  ASSERT_TRUE(states);
  ASSERT_TRUE((*states)->write("s", Tensor::from_f64(DType::f64, {3}, std::vector<double>{1, 2, 3})));
  for (const auto& [numbers, pin] : {std::pair<int64_t, const char*>{4, "b"}, {3, ""}}) {
    std::vector<std::string> made;
    states = device->prepare_states(writer(numbers, pin), *states, 1, &made);
    ASSERT_TRUE(states);
    EXPECT_EQ(made, std::vector<std::string>{"s"});
    EXPECT_EQ((*states)->read("s").to_f64(), std::vector<double>(static_cast<size_t>(numbers), 0.0));
  }
}

TEST(Placement, AStateThatOthersWriteToIsReadEachTime) {
  const auto device = cpu_and_others();
  const auto states = *device->prepare_states(writer(3, ""), nullptr, 1, nullptr);
  auto reader = std::make_shared<Program>();
  OpBuilder b(*reader);
  b.set_node("n");
  const Val twice = b.scale(b.state("s", DType::f64, {3}), 2);
  ASSERT_TRUE(b.status()) << b.status().error().text();
  reader->outputs.push_back({"twice", twice.id});
  pin(*reader, "n", "b");
  const auto shared = device->prepare_states(*reader, states, 1, nullptr);
  ASSERT_TRUE(shared);
  const auto e = device->compile(reader, *shared);
  ASSERT_TRUE(e) << e.error().text();
  for (const double x : {1.0, 5.0}) {
    ASSERT_TRUE(states->write("s", Tensor::from_f64(DType::f64, {3}, std::vector<double>(3, x))));
    ASSERT_TRUE((*e)->run({}));
    EXPECT_EQ((*e)->read(twice.id)->to_f64(), std::vector<double>(3, 2 * x));
  }
}

TEST(Placement, ADeviceThatIsNotHereIsNamedWithTheNode) {
  Chain c;
  pin(*c.program, "two", "abacus:3");
  const auto device = *make_device("cpu");
  const auto refused = device->compile(c.program, nullptr);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, codes::no_device);
  EXPECT_EQ(refused.error().where, "two");
  EXPECT_THAT(refused.error().reason, testing::HasSubstr("abacus:3"));
  EXPECT_THAT(refused.error().remedy, testing::HasSubstr("graph's device"));
}

TEST(Placement, AProbeSeesWhatItSeesOnOneDevice) {
  const auto look = [](bool pinned) {
    Chain c;
    if (pinned) pin(*c.program, "two", "b"), pin(*c.program, "aside", "c");
    const auto e = compiled(c.program, *cpu_and_others());
    EXPECT_TRUE(e->write_input("x", c.input()));
    ValueProbe probe(*c.program, {c.one.id, c.two.id, c.three.id, c.aside.id});
    probe.begin(1, 0);
    EXPECT_TRUE(e->run({}, &probe));
    std::vector<double> seen;
    for (size_t k = 0; k < 4; ++k) {
      const ValueLook l = probe.look(k);
      seen.insert(seen.end(), {static_cast<double>(l.count), l.smallest, l.largest});
      const auto sample = probe.sample(k).to_f64();
      seen.insert(seen.end(), sample.begin(), sample.end());
    }
    return seen;
  };
  EXPECT_EQ(look(false), look(true));
}

// ---- training

struct Steps {
  std::vector<double> losses;
  std::map<std::string, std::vector<double>> states;
  std::vector<TransferReading> transfers;
};

Steps steps(const Graph& graph, const std::shared_ptr<Device>& device, TrainingProgress& progress, int count) {
  test::QuadAssets assets;
  std::vector<std::string> notes;
  auto run = TrainingRun::make(graph, device, assets, progress, nullptr, "", true, notes);
  EXPECT_TRUE(run) << (run ? "" : run.error().text());
  EXPECT_TRUE(notes.empty());
  Steps s;
  for (int i = 0; i < count; ++i) {
    const auto loss = (*run)->step(progress.step++, 100, nullptr);
    EXPECT_TRUE(loss) << (loss ? "" : loss.error().text());
    s.losses.push_back(*loss);
  }
  for (const auto& [name, tensor] : (*run)->read_states()) s.states[name] = tensor.to_f64();
  s.transfers = (*run)->transfers();
  return s;
}

Graph pinned(Graph graph, const std::map<std::string, std::string>& pins) {
  for (const auto& [node, device] : pins) EXPECT_TRUE(apply_edits(graph, {SetDevice{node, device}}));
  return graph;
}

TEST(PinnedTraining, ASplitStepHasTheSameBits) {
  const std::vector<ParamMap> settings = {
      {},
      {{"loss_scaling", std::string("dynamic")}, {"loss_scale", 1024.0}, {"clip_norm", 0.5}},
      {{"accumulate", int64_t{3}}, {"ema_decay", 0.9}},
      {{"accumulate", int64_t{2}}, {"loss_scaling", std::string("static")}, {"loss_scale", 128.0}},
  };
  for (const ParamMap& params : settings) {
    Graph graph = test::neural_texture();
    for (const auto& [param, value] : params) {
      const auto set = apply_edits(graph, {SetParam{"train", param, value}});
      ASSERT_TRUE(set) << set.error().text();
    }
    TrainingProgress one;
    const Steps whole = steps(graph, cpu_and_others(), one, 6);
    EXPECT_TRUE(whole.transfers.empty());
    for (const std::map<std::string, std::string>& pins : std::vector<std::map<std::string, std::string>>{
             {{"mlp", "b"}},
             {{"hash_grid", "b"}},
             {{"hash_grid", "b"}, {"mlp", "c"}, {"mse", "b"}},
             {{"train", "b"}, {"surface_sampler", "c"}},
         }) {
      TrainingProgress other;
      const Steps split = steps(pinned(graph, pins), cpu_and_others(), other, 6);
      EXPECT_EQ(split.losses, whole.losses);
      EXPECT_EQ(split.states, whole.states);
      EXPECT_FALSE(split.transfers.empty());
      for (const TransferReading& t : split.transfers) EXPECT_NE(t.from, t.to) << t.value;
    }
  }
}

TEST(PinnedTraining, ParametersLiveWithTheNodeThatTrainsThem) {
  const Graph graph = pinned(test::neural_texture(), {{"mlp", "b"}});
  TrainingProgress progress;
  steps(graph, cpu_and_others(), progress, 1);
  const auto* placed = dynamic_cast<const PlacedStates*>(progress.states.get());
  ASSERT_NE(placed, nullptr);
  for (const auto& [name, place] : placed->placements())
    EXPECT_EQ(place, name.starts_with("mlp.") ? "b" : "cpu") << name;
  EXPECT_TRUE(std::ranges::any_of(placed->names(), [](const std::string& n) { return n.ends_with("#adam_m"); }));
}

TEST(PinnedTraining, APinThatComesAndGoesKeepsWeightsAndMoments) {
  const Graph plain = test::neural_texture();
  TrainingProgress one, other;
  const Steps whole = steps(plain, cpu_and_others(), one, 6);
  std::vector<double> losses;
  for (const std::map<std::string, std::string>& pins :
       std::vector<std::map<std::string, std::string>>{{}, {{"mlp", "b"}}, {{"mlp", "c"}, {"hash_grid", "b"}}}) {
    const Steps two = steps(pinned(plain, pins), cpu_and_others(), other, 2);
    losses.insert(losses.end(), two.losses.begin(), two.losses.end());
  }
  EXPECT_EQ(losses, whole.losses);
}

TEST(PinnedTraining, TiedParametersGoToTheOtherDeviceEachStep) {
  const Graph graph = test::built(
      {AddNode{test::node("x", "constant", {{"shape", std::vector<double>{4, 3}}})},
       AddNode{test::node("target", "constant", {{"shape", std::vector<double>{4, 3}}, {"value", 0.5}})},
       AddNode{test::node("a", "linear", {{"out_features", int64_t{3}}})},
       AddNode{test::node("b", "linear", {{"out_features", int64_t{3}}})}, AddNode{test::node("mse", "mse")},
       AddNode{test::node("train", "train")}, AddLink{test::link("x.y", "a.x")}, AddLink{test::link("a.y", "b.x")},
       AddLink{test::link("b.y", "mse.prediction")}, AddLink{test::link("target.y", "mse.target")},
       AddLink{test::link("mse.loss", "train.loss")}, SetTie{"b", "a"}});
  TrainingProgress one, other;
  const Steps whole = steps(graph, cpu_and_others(), one, 5);
  const Steps split = steps(pinned(graph, {{"a", "b"}, {"b", "c"}}), cpu_and_others(), other, 5);
  EXPECT_EQ(split.losses, whole.losses);
  EXPECT_EQ(split.states, whole.states);
  EXPECT_TRUE(std::ranges::any_of(split.transfers, [](const TransferReading& t) {
    return t.value == "a.weight" && t.node.empty() && t.from == "b" && t.to == "c" && t.bytes == 36;
  }));
}

TEST(PinnedTraining, ASessionSaysWhatWentWhere) {
  Graph graph = pinned(test::neural_texture(), {{"mlp", "ref"}});
  ASSERT_TRUE(apply_edits(graph, {SetParam{"surface_sampler", "points", ParamValue(int64_t{64})}}));
  const auto train = [](const Graph& g, uint64_t count) {
    Session session(std::make_shared<test::QuadAssets>(), nullptr);
    session.start(g, "cpu", count);
    session.wait();
    return session.snapshot();
  };
  const auto split = train(graph, 5), whole = train(without_pins(graph), 5);
  ASSERT_EQ(split->state, RunState::finished) << (split->error ? split->error->text() : "");
  ASSERT_EQ(split->losses->size(), 5u);
  for (size_t i = 0; i < 5; ++i) EXPECT_NEAR((*split->losses)[i], (*whole->losses)[i], 2e-3 * (*whole->losses)[i]);
  EXPECT_TRUE(whole->transfers.empty());
  EXPECT_EQ(split->node_kernels.at("mlp").forward.implementation, "ref");
  EXPECT_NE(split->node_kernels.at("hash_grid").forward.implementation, "ref");
  const auto find = [&](const std::string& value, const std::string& from) -> const TransferReading* {
    for (const TransferReading& t : split->transfers)
      if (t.value == value && t.from == from && t.to != from) return &t;
    return nullptr;
  };
  const TransferReading *in = find("cast.y", "cpu"), *out = find("mlp.y", "ref"), *back = find("grad(cast.y)", "ref");
  ASSERT_TRUE(in && out && back);
  EXPECT_EQ(in->to, "ref");
  EXPECT_EQ(in->node, "cast");
  EXPECT_EQ(in->bytes, 64 * 8 * 4);
  EXPECT_GT(in->ms, 0);
}

TEST(PinnedTraining, ACheckpointGoesOnToTheSameBits) {
  const Graph graph = pinned(test::neural_texture(), {{"mlp", "ref"}, {"mse", "ref"}});
  Graph small = graph;
  ASSERT_TRUE(apply_edits(small, {SetParam{"surface_sampler", "points", ParamValue(int64_t{64})}}));
  std::shared_ptr<const Checkpoint> middle;
  Session first(std::make_shared<test::QuadAssets>(), nullptr);
  first.checkpoint_every(3, [&](std::shared_ptr<const Checkpoint> c) {
    if (c->step == 3) middle = std::move(c);
  });
  first.start(small, "cpu", 6);
  first.wait();
  ASSERT_TRUE(middle);
  Session second(std::make_shared<test::QuadAssets>(), nullptr);
  second.load_checkpoint(middle);
  second.start(small, "cpu");
  second.wait();
  const auto a = first.snapshot(), b = second.snapshot();
  ASSERT_FALSE(b->error) << b->error->text();
  EXPECT_EQ(*a->losses, *b->losses);
  for (const auto& [name, tensor] : *a->weights) EXPECT_EQ(tensor.to_f64(), b->weights->at(name).to_f64()) << name;
}

}  // namespace
}  // namespace hw
