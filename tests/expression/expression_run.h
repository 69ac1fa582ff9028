// An expression over given inputs as a program of its own, with the gradient of Σ weights · outputs.
#pragma once

#include <gtest/gtest.h>

#include "engine/expression/lowering.h"
#include "engine/expression/source.h"
#include "engine/program/adjoint.h"
#include "tests/engine/program_runner.h"

namespace hw::test {

/// Values and gradients, output by output, input by input.
struct ExpressionResult {
  std::vector<std::vector<double>> outputs, gradients;
  double loss = 0;
};

/// Inputs of an expression: `dims` with the components' axes, in the order of the sockets.
struct ExpressionInput {
  Dims dims;
  std::vector<double> values;
};

class ExpressionRun {
 public:
  /// `batch`: of the outputs. `weights`: 1 everywhere unless `random_weights`.
  ExpressionRun(const std::string& source, const std::vector<ExpressionInput>& inputs, const Dims& batch, DType dtype,
                const std::string& device, bool random_weights) {
    auto compiled = expression::compile(source);
    EXPECT_TRUE(compiled) << (compiled ? "" : compiled.error().text()) << "\n" << source;
    if (!compiled) return;
    EXPECT_EQ(compiled->inputs.size(), inputs.size()) << source;
    if (compiled->inputs.size() != inputs.size()) return;
    OpBuilder b(*program_);
    b.set_node("node");
    for (size_t i = 0; i < inputs.size(); ++i)
      inputs_.push_back(b.input("in" + std::to_string(i), dtype, inputs[i].dims));
    outputs_ = expression::lower(b, *compiled, inputs_, batch, dtype);
    const DType wide = dtype == DType::f64 ? DType::f64 : DType::f32;
    for (const Val y : outputs_) {
      if (!b.status() || !info(b[y].dtype).is_float) continue;
      const auto count = element_count(b[y].dims);
      const auto values =
          random_weights ? numbers(count, -1, 1, y.id) : std::vector<double>(static_cast<size_t>(count), 1);
      const Val part = b.sum_to(b.mul(y, b.constant(Tensor::from_f64(dtype, b[y].dims, values))), {}, wide);
      loss_ = loss_ ? b.add(loss_, part) : part;
    }
    EXPECT_TRUE(b.status()) << b.status().error().text();
    if (!b.status() || !loss_) return;
    auto gradients = build_adjoint(b, loss_, inputs_);
    EXPECT_TRUE(gradients) << gradients.error().text();
    if (!gradients) return;
    for (const Val x : inputs_) {
      const auto found = gradients->of.find(x.id);
      gradients_.push_back(found == gradients->of.end() ? Val{} : found->second);
    }
    for (const auto* list : {&outputs_, &gradients_})
      for (const Val v : *list)
        if (v) program_->outputs.push_back({"kept." + std::to_string(program_->outputs.size()), v.id});
    program_->outputs.push_back({"loss", loss_.id});
    runner_ = std::make_unique<Runner>(program_, device);
    dtype_ = dtype;
  }
  bool ready() const { return runner_ != nullptr; }
  const Program& program() const { return *program_; }

  ExpressionResult at(const std::vector<ExpressionInput>& inputs) {
    for (size_t i = 0; i < inputs.size(); ++i) {
      const Status written = runner_->executable->write_input(
          "in" + std::to_string(i), Tensor::from_f64(dtype_, inputs[i].dims, inputs[i].values));
      EXPECT_TRUE(written) << written.error().text();
    }
    runner_->run();
    ExpressionResult result;
    for (const Val y : outputs_) result.outputs.push_back(runner_->read(y));
    for (size_t i = 0; i < inputs.size(); ++i)
      result.gradients.push_back(gradients_[i] ? runner_->read(gradients_[i])
                                               : std::vector<double>(inputs[i].values.size(), 0.0));
    result.loss = runner_->read(loss_)[0];
    return result;
  }

 private:
  std::shared_ptr<Program> program_ = std::make_shared<Program>();
  std::vector<Val> inputs_, outputs_, gradients_;
  Val loss_;
  DType dtype_ = DType::f64;
  std::unique_ptr<Runner> runner_;
};

}  // namespace hw::test
