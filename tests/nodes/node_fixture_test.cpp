// Whole nodes against numbers that NumPy or PyTorch computed (tests/fixtures/make_fixtures.py), in f64 on ref. That the
// other devices and dtypes agree with ref is what node_values_test.cpp says.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/compare/tolerance.h"
#include "tests/nodes/evaluate.h"

namespace hw::test {
namespace {

using nlohmann::json;

double number_of(const json& j) {
  if (j == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (j == "inf") return std::numeric_limits<double>::infinity();
  if (j == "-inf") return -std::numeric_limits<double>::infinity();
  return j.get<double>();
}

std::vector<double> numbers_of(const json& j) {
  std::vector<double> values;
  for (const json& x : j.at("values")) values.push_back(number_of(x));
  return values;
}

Tensor tensor_of(const json& j) {
  const std::string dtype = j.at("dtype");
  return Tensor::from_f64(dtype == "T" ? DType::f64 : *dtype_from_name(dtype), j.at("dims").get<Dims>(), numbers_of(j));
}

ParamMap params_of(const json& j, const NodeDecl& decl) {
  ParamMap params;
  if (decl.find_param("dtype")) params["dtype"] = std::string("f64");
  for (const auto& [id, value] : j.items()) {
    const ParamDecl* param = decl.find_param(id);
    EXPECT_TRUE(param) << id;
    ParamValue given;
    if (value.is_boolean())
      given = value.get<bool>();
    else if (value.is_number_integer())
      given = value.get<int64_t>();
    else if (value.is_number())
      given = value.get<double>();
    else if (value.is_string())
      given = value.get<std::string>();
    else
      given = value.get<std::vector<double>>();
    const auto checked = check_param(*param, given);
    EXPECT_TRUE(checked) << id << ": " << checked.error().text();
    if (checked) params[id] = *checked;
  }
  return params;
}

void check(const json& j) {
  NodeRun run{.node = j.at("node")};
  const NodeType* type = Registry::instance().find(run.node);
  ASSERT_TRUE(type) << run.node;
  run.params = params_of(j.value("params", json::object()), type->decl);
  run.training = j.value("training", false);
  for (const auto& [socket, tensor] : j.at("inputs").items()) run.inputs[socket] = tensor_of(tensor);
  const json weights = j.value("weights", json::object());
  for (const auto& [weight, tensor] : weights.items()) run.weights[weight] = tensor_of(tensor);
  const std::vector<Tensor> got = evaluate(run);
  const json& expected = j.at("expected");
  ASSERT_EQ(got.size(), expected.size());
  const Tolerance t = tolerance(DType::f64);
  const double factor = j.value("tolerance_factor", 1.0);
  for (size_t k = 0; k < got.size(); ++k) {
    ASSERT_EQ(got[k].dims(), expected[k].at("dims").get<Dims>());
    const std::vector<double> a = got[k].to_f64(), b = numbers_of(expected[k]);
    for (size_t i = 0; i < a.size(); ++i) {
      if (a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) continue;
      ASSERT_LE(std::abs(a[i] - b[i]), factor * (t.absolute + t.relative * std::abs(b[i])))
          << "output " << k << ", element " << i << " is " << a[i] << ", expected " << b[i];
    }
  }
}

TEST(NodeFixtures, AreWhatOthersSay) {
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(HALFWIRE_NODE_FIXTURES)) {
    std::ifstream in(entry.path());
    for (const json& j : json::parse(in)) {
      SCOPED_TRACE(j.at("node").get<std::string>() + ", " + j.at("name").get<std::string>());
      check(j);
      ++count;
    }
  }
  EXPECT_GT(count, 150u);
}

}  // namespace
}  // namespace hw::test
