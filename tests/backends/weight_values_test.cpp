// What is made of weights alone is kept from run to run, until a weight is written.
#include <gmock/gmock.h>

#include "engine/backend/cpu/runtime/schedule.h"
#include "engine/devices/devices.h"
#include "engine/program/builder.h"
#include "op_cases.h"

namespace hw::test::weight_values_test {
namespace {

/// y = x (2 w)
struct Net {
  Net() {
    OpBuilder b(*forward);
    const Val x = b.input("x", DType::f32, {3, 4});
    const Val w = b.param("w", DType::f32, {4, 5}, {Init::Kind::constant, 1});
    y = b.emit(Op::matmul, {x, b.scale(w, 2)}, MatmulAttr{})[0];
    forward->outputs.push_back({"y", y.id});
    EXPECT_TRUE(b.status()) << b.status().error().text();
  }
  std::shared_ptr<Program> forward = std::make_shared<Program>();
  Val y;
};

TEST(WeightValues, AreThoseThatNothingElseGoesInto) {
  const Net net;
  const std::vector<bool> found = cpu::weight_values(*net.forward);
  EXPECT_EQ(std::ranges::count(found, true), 2) << "the parameter and its double";
  EXPECT_FALSE(found[net.y.id]);
  EXPECT_TRUE(cpu::schedule(*net.forward).front().of_weights);
}

TEST(WeightValues, AreMadeAnewAfterAWeightWasWritten) {
  const Net net;
  const auto device = *make_device("cpu");
  const auto states = *device->prepare_states(*net.forward, nullptr, 1, nullptr);
  const auto e = *device->compile(net.forward, states);
  const auto first = [&] {
    EXPECT_TRUE(e->write_input("x", Tensor::from_f64(DType::f32, {3, 4}, std::vector<double>(12, 1.0))));
    EXPECT_TRUE(e->run({}));
    return e->read(net.y.id)->to_f64().front();
  };
  EXPECT_EQ(first(), 8);
  EXPECT_EQ(first(), 8);
  const std::string name = (*net.forward)[net.forward->params[0].view].name;
  ASSERT_TRUE(states->write(name, Tensor::from_f64(DType::f32, {4, 5}, std::vector<double>(20, 3.0))));
  EXPECT_EQ(first(), 24);
  EXPECT_EQ(first(), 24);
}

}  // namespace
}  // namespace hw::test::weight_values_test
