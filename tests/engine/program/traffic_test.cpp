// Bytes that programs move, and the least that they must.
#include "engine/program/traffic.h"

#include <gtest/gtest.h>

#include "engine/program/builder.h"

namespace hw {
namespace {

TEST(Traffic, IsWhatOpsReadAndWrite) {
  Program p;
  OpBuilder b(p);
  const Val x = b.input("x", DType::f32, {10});
  const Val y = b.relu(b.add(x, x));
  p.outputs.push_back({"y", y.id});
  const Traffic t = traffic_of({&p});
  EXPECT_EQ(t.moved, (2 + 2) * 40);  // x is one input of add
  EXPECT_EQ(t.least, 2 * 40);
}

TEST(Traffic, CountsWhatIsPickedFromATable) {
  Program p;
  OpBuilder b(p);
  const Val table = b.state("table", DType::f16, {1000, 4}), index = b.input("index", DType::i32, {3});
  p.outputs.push_back({"y", b.gather(table, index).id});
  EXPECT_EQ(traffic_of({&p}).moved, 3 * 4 * 2 + 3 * 4 + 3 * 4 * 2);
  EXPECT_EQ(traffic_of({&p}).least, traffic_of({&p}).moved);
}

TEST(Traffic, CountsAStateThatProgramsShareOnceAndWhatIsHandedOnAsMoved) {
  Program gradients, updates;
  {
    OpBuilder b(gradients);
    const Val w = b.state("w", DType::f32, {8});
    gradients.outputs.push_back({"grad(w)", b.mul(w, w).id});
  }
  {
    OpBuilder b(updates);
    const Val w = b.state("w", DType::f32, {8}), m = b.state("w#momentum", DType::f32, {8});
    const Val g = b.input("grad(w)", DType::f32, {8});
    updates.instrs.push_back({Op::sgd_update, {w.id, w.id, m.id, g.id}, {}, UpdateAttr{}});
  }
  const Traffic t = traffic_of({&gradients, &updates}, {"grad(w)"});
  EXPECT_EQ(t.moved, 2 * 32 + (2 * 2 + 1) * 32);
  EXPECT_EQ(t.least, 4 * 32);  // w and its momentum, read and written
}

}  // namespace
}  // namespace hw
