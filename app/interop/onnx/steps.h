// Operators that are made of others: rules that need no nodes.
#pragma once

#include <span>

#include "app/interop/onnx/importer.h"

namespace hw::interop {

/// The steps that one operator is made of, operators of kStepsOpset. Their values have names of their own.
class Steps {
 public:
  using Attributes = std::map<std::string, OnnxAttribute>;
  Steps(const Importer& im, const OnnxNode& n);

  /// Adds one; the name of what it makes.
  std::string add(const std::string& op, std::vector<std::string> inputs, Attributes attributes = {});
  /// The same of one that makes several values.
  std::vector<std::string> add_many(const std::string& op, std::vector<std::string> inputs, Attributes attributes,
                                    size_t outputs);
  std::string constant(Tensor value);
  /// i64 [n].
  std::string integers(const std::vector<int64_t>& values);
  /// A number, in the dtype of `like`.
  std::string number(double value, const std::string& like);
  std::string cast(const std::string& value, DType to);
  std::string reshape(const std::string& value, const std::vector<int64_t>& sizes);
  std::string unsqueeze(const std::string& value, int64_t axis);
  /// Output i of the operator is this.
  void give(size_t i, const std::string& value);

  std::vector<OnnxNode> take() { return std::move(nodes_); }

 private:
  const OnnxNode& of_;
  std::string prefix_;
  std::vector<OnnxNode> nodes_;
};

constexpr int64_t kStepsOpset = 22;

/// The name of input i; "": it is left out.
std::string input(const OnnxNode& n, size_t i);
/// Sizes of input i. Error: one is symbolic.
Result<Dims> fixed_dims(Importer& im, const OnnxNode& n, size_t i);
Result<DType> dtype_of_input(Importer& im, const OnnxNode& n, size_t i);

/// The steps of an operator. Error: there are none, with the reason.
using StepsRule = Result<std::vector<OnnxNode>> (*)(Importer&, const OnnxNode&);

struct StepsRow {
  const char *domain, *op;
  StepsRule rule;
};

std::span<const StepsRow> quantized_steps();
std::span<const StepsRow> fused_steps();
std::span<const StepsRow> attention_steps();
std::span<const StepsRow> recurrent_steps();
std::span<const StepsRow> scatter_steps();
std::span<const StepsRow> roi_steps();
std::span<const StepsRow> bitwise_steps();
std::span<const StepsRow> dft_steps();
std::span<const StepsRow> small_steps();

/// Null: there is none.
StepsRule find_steps(const std::string& domain, const std::string& op);

}  // namespace hw::interop
