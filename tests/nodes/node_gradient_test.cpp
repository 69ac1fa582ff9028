// Every registered node × example: adjoints against central differences, in f64 on ref.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/program/adjoint.h"
#include "tests/nodes/node_case.h"

namespace hw::test {
namespace {

constexpr double kStep = 1e-6, kAbsolute = 1e-5, kRelative = 1e-3;
constexpr size_t kAllUpTo = 256;  // larger tensors: kDirections, and kElements of the largest gradient and at random
constexpr size_t kDirections = 16, kElements = 16;
constexpr double kMaxKinks = 0.05;  // share of the checks that may fall on a kink

bool close(double a, double b) {
  return std::abs(a - b) <= kAbsolute + kRelative * std::abs(b);
}

// loss = Σ outputs · fixed random weights, as f64.
Val loss_of(LoweredCase& lowered) {
  OpBuilder& b = *lowered.builder;
  Val loss;
  for (const Val output : lowered.tensor_outputs()) {
    const std::string seed = "weights of output " + std::to_string(output.id);
    const Val weights = b.constant(random_tensor(seed, DType::f64, b[output].dims, -1, 1));
    const Val sum = b.sum_to(b.mul(b.cast(output, DType::f64), weights), {}, DType::f64);
    loss = loss ? b.add(loss, sum) : sum;
  }
  return loss;
}

// A tensor the loss depends on: how to write it, its values, its gradient.
struct Variable {
  std::string name;
  bool is_state = false;
  Dims dims = {};
  std::vector<double> values = {}, gradient = {};
};

// The loss as a function of the variables.
class Loss {
 public:
  static Result<Loss> make(const NodeCase& c) {
    Loss loss;
    loss.lowered_ = lower_case(c);
    loss.value_ = loss_of(loss.lowered_);
    HW_CHECK(loss.lowered_.builder->status());
    const Val keep[] = {loss.value_};
    HW_TRY(loss.running_, start(loss.lowered_, "ref", keep));
    return loss;
  }

  // At variable + step · direction.
  double at(const Variable& v, const std::vector<double>& direction, double step) {
    std::vector<double> moved = v.values;
    for (size_t i = 0; i < moved.size(); ++i) moved[i] += step * direction[i];
    write(v, moved);
    if (const Status ran = running_.run(); !ran) ADD_FAILURE() << ran.error().text();
    const auto loss = running_.executable->read(value_.id);
    write(v, v.values);
    if (loss) return loss->to_f64()[0];
    ADD_FAILURE() << loss.error().text();
    return std::nan("");
  }

 private:
  void write(const Variable& v, const std::vector<double>& values) {
    const Tensor tensor = Tensor::from_f64(DType::f64, v.dims, values);
    const Status written =
        v.is_state ? running_.states->write(v.name, tensor) : running_.executable->write_input(v.name, tensor);
    if (!written) ADD_FAILURE() << written.error().text();
  }
  LoweredCase lowered_;
  RunningCase running_;
  Val value_;
};

// Inputs and parameters with their gradients from the adjoint; a variable without a path to the loss gets zeros.
Result<std::vector<Variable>> gradients_by_adjoint(const NodeCase& c) {
  LoweredCase lowered = lower_case(c);
  const Val loss = loss_of(lowered);
  HW_CHECK(lowered.builder->status());
  HW_TRY(const Gradients gradients, build_adjoint(*lowered.builder, loss, lowered.input_values));
  std::vector<Val> keep{loss};
  for (const auto& [value, gradient] : gradients.of) keep.push_back(gradient);
  HW_TRY(RunningCase running, start(lowered, "ref", keep));
  HW_CHECK(running.run());

  std::vector<Variable> variables;
  const auto add = [&](Variable v, ValueId id, const Tensor& values) -> Status {
    v.dims = values.dims();
    v.values = values.to_f64();
    v.gradient.assign(v.values.size(), 0.0);
    if (const auto found = gradients.of.find(id); found != gradients.of.end()) {
      HW_TRY(const Tensor gradient, running.executable->read(found->second.id));
      v.gradient = gradient.to_f64();
    }
    variables.push_back(std::move(v));
    return ok();
  };
  for (size_t i = 0; i < lowered.inputs.size(); ++i)
    if (info(lowered.inputs[i].second.dtype()).is_float)
      HW_CHECK(add({lowered.inputs[i].first}, lowered.input_values[i].id, lowered.inputs[i].second));
  for (const Param& param : lowered.program->params) {
    if (!param.trainable) continue;
    HW_CHECK(add({param.name, true}, param.view, running.states->read(param.name)));
  }
  return variables;
}

// Directions in which a variable is checked: unit vectors, and for large ones random vectors of length 1 too.
std::vector<std::vector<double>> directions_of(const Variable& v) {
  const size_t size = v.values.size();
  std::vector<size_t> elements(size);
  std::iota(elements.begin(), elements.end(), size_t{0});
  std::vector<std::vector<double>> directions;
  if (size > kAllUpTo) {
    for (size_t k = 0; k < kDirections; ++k) {
      auto random = random_tensor(v.name + std::to_string(k), DType::f64, v.dims, -1, 1).to_f64();
      const double length = std::sqrt(std::inner_product(random.begin(), random.end(), random.begin(), 0.0));
      for (double& x : random) x /= length;
      directions.push_back(std::move(random));
    }
    std::ranges::sort(elements, std::greater{}, [&](size_t i) { return std::abs(v.gradient[i]); });
    for (size_t k = kElements; k < 2 * kElements; ++k) elements[k] = elements[k * 2654435761u % size];
    elements.resize(2 * kElements);
  }
  for (const size_t i : elements) {
    std::vector<double> unit(size, 0.0);
    unit[i] = 1;
    directions.push_back(std::move(unit));
  }
  return directions;
}

class NodeGradient : public testing::TestWithParam<NodeCase> {};

TEST_P(NodeGradient, AgreesWithCentralDifferences) {
  auto variables = gradients_by_adjoint(GetParam());
  ASSERT_TRUE(variables) << variables.error().text();
  ASSERT_FALSE(variables->empty()) << "nothing to differentiate by: give a reason in no_gradient_because";
  auto loss = Loss::make(GetParam());
  ASSERT_TRUE(loss) << loss.error().text();
  size_t checks = 0, kinks = 0;
  for (const Variable& v : *variables) {
    double largest = 0;
    for (const auto& direction : directions_of(v)) {
      const double here = loss->at(v, direction, 0);
      const double right = (loss->at(v, direction, kStep) - here) / kStep;
      const double left = (here - loss->at(v, direction, -kStep)) / kStep;
      const double adjoint = std::inner_product(direction.begin(), direction.end(), v.gradient.begin(), 0.0);
      ++checks;
      largest = std::max(largest, std::abs(left + right) / 2);
      if (close(adjoint, (left + right) / 2)) continue;
      // At a kink (ReLU at 0, a clamp's edge, a cell of the hash grid, equal maxima of a window) the adjoint is that of
      // one of the two sides.
      const bool is_kink = !close(left, right) && (close(adjoint, left) || close(adjoint, right));
      ASSERT_TRUE(is_kink) << v.name << ", check " << checks << ": adjoint " << adjoint << ", differences " << left
                           << " and " << right;
      ++kinks;
    }
    EXPECT_GT(largest, 1e-3) << v.name << " changes nothing: the check says nothing of it";
  }
  EXPECT_LE(static_cast<double>(kinks), kMaxKinks * static_cast<double>(checks)) << kinks << " of " << checks;
}

INSTANTIATE_TEST_SUITE_P(Nodes, NodeGradient, testing::ValuesIn(gradient_cases()),
                         [](const auto& test) { return case_name(test.param); });

}  // namespace
}  // namespace hw::test
