// The parameters of a graph and the tensors of a file that may become them, while map_weights pairs them.
#pragma once

#include <set>

#include "engine/graph/weights/map_weights.h"
#include "engine/graph/weights/name_words.h"

namespace hw {

/// The sizes in the file, and whether it is a weight, a bias or a running statistic.
using WeightKind = std::pair<Dims, std::string>;

/// A tensor that may become a parameter.
struct FileTensor {
  Dims dims;
  Words words;  // of its name
  WeightKind kind() const { return {dims, words.back()}; }
};

/// A parameter, with what is known of its tensor so far.
struct WeightRow : MappedWeight {
  std::string expected;   // what the graph says that it is called in files, without kTransposed
  Words words;            // of its name
  Words module_words;     // of the group whose operator its node is; empty: of none
  size_t depth = 0;       // wires of the longest way to its node
  size_t place = 0;       // among the parameters of its node
  bool is_named = false;  // its node: by the user or a tool, not as PyTorch's exporter counts, "node_linear_1"
  bool is_norm = false, is_recurrent = false;
  bool is_table = false;  // of an embedding, or what nodes look rows up in

  bool is_open() const { return by == MappedBy::nothing; }
  std::string node() const { return parameter.substr(0, parameter.rfind('.')); }
  std::string weight() const { return parameter.substr(parameter.rfind('.') + 1); }
  Dims dims_in_file() const { return is_turned ? Dims(dims.rbegin(), dims.rend()) : dims; }
  WeightKind kind() const { return {dims_in_file(), words.back()}; }
};

/// "x^T" becomes "x". False: it is no such name.
bool strip_transposed(std::string& name);

/// Rows as the graph runs; a tensor is left until a row takes it.
class WeightTable {
 public:
  /// `flat`, which outlives it: a flattened graph. `tensors`: by their names in the file; scales, counts of
  /// batches and states of optimisers are no candidates.
  WeightTable(const Graph& flat, const Validator& validator, const std::map<std::string, Tensor>& tensors);

  const Graph& graph() const { return flat_; }
  const std::vector<WeightRow>& rows() const { return rows_; }
  const std::map<std::string, FileTensor>& left() const { return left_; }
  /// Whether the tensor is a candidate, taken or not.
  bool has(const std::string& tensor) const { return all_.contains(tensor); }
  /// Whether every name that the graph expects is that of a tensor that is left.
  bool has_all_expected() const;

  void take(size_t row, const std::string& tensor, MappedBy by);
  /// Whether the row's tensor is its transpose.
  void set_turned(size_t row, bool is_turned) { rows_[row].is_turned = is_turned; }
  /// The row is open again, its tensor left.
  void release(size_t row);

  /// Without the names of a network.
  WeightMapping result() &&;

 private:
  void add_rows(const Validator& validator);
  void add_tensors(const std::map<std::string, Tensor>& tensors);

  const Graph& flat_;
  std::vector<WeightRow> rows_;
  std::map<std::string, FileTensor> left_;
  std::set<std::string> all_;
};

}  // namespace hw
