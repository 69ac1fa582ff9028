// Expressions from the command line: derivatives as tables and JSON, gradients by component, the field case.
#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/process.h"

namespace hw {
namespace {

using test::cli;
using test::Outcome;
using ::testing::HasSubstr;

const std::string kRotation = std::string(HALFWIRE_EXAMPLES) + "/rotation.halfwire";

TEST(JacobianCommand, ShowsTheMatrixOfALinearExpression) {
  const Outcome o = cli({"jacobian", kRotation, "--node", "target", "--json"});
  ASSERT_EQ(o.exit, 0) << o.err;
  const auto j = nlohmann::json::parse(o.out);
  EXPECT_EQ(j["samples"], 256);
  ASSERT_EQ(j["blocks"].size(), 1u);
  const std::vector<double> values = j["blocks"][0]["values"], wanted{0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6};
  ASSERT_EQ(values.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(values[i], wanted[i], 1e-6) << i;
}

TEST(JacobianCommand, NamesComponents) {
  const Outcome o = cli({"jacobian", kRotation, "--node", "turn", "--sample", "3"});
  ASSERT_EQ(o.exit, 0) << o.err;
  for (const char* word : {"sample 3 of 256", "dy/dq", "dy/dp", "q.w", "p.z", "y.y"})
    EXPECT_THAT(o.out, HasSubstr(word));
}

// A gradient of vectors is reported component by component: a component that gets none stands out.
TEST(InspectCommand, ShowsGradientsComponentByComponent) {
  const Outcome o = cli({"inspect", kRotation, "--node", "turn", "--grad", "--set",
                         "turn.source=in q: vec4; in p: vec3; y = q.xyz*p; y.y = 2"});
  ASSERT_EQ(o.exit, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("  y       min 2  max 2  mean 2  zeros 0  of 256"));
  const size_t gradient = o.out.find("gradient");
  ASSERT_NE(gradient, std::string::npos);
  for (const char* component : {"    x       min", "    y       min", "    z       min"})
    EXPECT_NE(o.out.find(component, gradient), std::string::npos) << o.out;
}

// The field case, trained: y.x = 2x, y.y = 3x, y.z = 4x with dL/dy = 1 gives 9 for every x, and the check agrees.
TEST(FieldCase, TheGradientOfComponentsIsNineForEveryX) {
  const test::TempFolder folder;
  const std::string graph = (folder / "components.halfwire").string();
  std::ofstream(graph) << R"({"halfwire": 1, "nodes": [
    {"id": "x", "type": "parameter", "params": {"shape": [7], "scale": 1}},
    {"id": "y", "type": "expression"},
    {"id": "total", "type": "sum"},
    {"id": "train", "type": "train", "params": {"steps": 1}}],
    "links": [["x.y", "y.x"], ["y.y", "total.x"], ["total.y", "train.loss"]]})";
  for (const char* dtype : {"f64", "f32", "f16", "bf16"}) {
    for (const char* device : {"ref", "cpu"}) {
      const Outcome o = cli(
          {"inspect", graph, "--node", "x", "--grad", "--device", device, "--set", std::string("x.dtype=") + dtype});
      ASSERT_EQ(o.exit, 0) << o.err;
      const size_t gradient = o.out.find("x.value");
      ASSERT_NE(gradient, std::string::npos) << o.out;
      EXPECT_NE(o.out.find("min 9  max 9  mean 9  std 0", gradient), std::string::npos) << dtype << device << o.out;
    }
  }
  const Outcome checked = cli({"gradcheck", graph});
  EXPECT_EQ(checked.exit, 0) << checked.out << checked.err;
  EXPECT_THAT(checked.out, HasSubstr("no gradient is wrong"));
}

TEST(JacobianCommand, SaysWhatIsWrong) {
  EXPECT_EQ(cli({"jacobian", kRotation, "--node", "nobody"}).exit, 2);
  EXPECT_EQ(cli({"jacobian", kRotation, "--node", "turn", "--sample", "256"}).exit, 2);
  const Outcome o =
      cli({"jacobian", kRotation, "--node", "turn", "--set", "turn.source=in q: vec4; in p: vec3;\ny = p + q"});
  EXPECT_EQ(o.exit, 1);
  EXPECT_THAT(o.err, HasSubstr("HW-X003 at turn.source: line 2, column 7: \"+\" takes two of one size"));
}

}  // namespace
}  // namespace hw
