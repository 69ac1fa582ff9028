// NodeDecl: what a node type says of itself: sockets, parameters, documentation. From it come validation, the
// inspector, the CLI's listing, the palette and the tests.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/node/field_use.h"
#include "engine/node/value.h"
#include "engine/node/wire.h"

namespace hw {

/// What an input accepts, or how an output's dtype follows.
struct DTypeRule {
  enum class Kind : uint8_t {
    any,        // input: every storable dtype; output: set by shape()
    one_of,     // input: a fixed list; output: its only entry
    group,      // all sockets of the group carry one dtype; the first linked input decides
    parameter,  // equals the dtype parameter named `name`
  } kind = Kind::any;
  std::vector<DType> dtypes;  // one_of; also limits a group when not empty
  std::string name;           // group or parameter
};

struct SocketDecl {
  std::string id;     // "position": in files; unique among inputs, unique among outputs
  std::string label;  // "Position"
  std::string doc;
  hw::Kind kind = hw::Kind::tensor;
  DTypeRule dtype;
  bool optional = false;
  bool any_kind = false;  // input: takes every wire, whatever `kind`; output: carries what shape() says
  std::string axes;       // names of the axes, for documentation: "N D"
  std::string
      domain;  // output only: the domain variable it provides ("position", "normal", "uv", "pixel", "x"), or empty
  std::optional<double> peak;     // output only: its values lie in [0, peak], as colours do; a PSNR needs one
  std::optional<FieldUse> field;  // input of a viewer only: it shows a field
  std::string upstream_of;  // input only: another input, whose wire must depend on this one's; else HW-G011. No Cast
                            // is placed before it, which would not be upstream

  // Fluent refinement inside declare().
  SocketDecl& labelled(std::string text) { return label = std::move(text), *this; }
  SocketDecl& docs(std::string text) { return doc = std::move(text), *this; }
  SocketDecl& mesh() { return kind = hw::Kind::mesh, *this; }
  SocketDecl& image() { return kind = hw::Kind::image, *this; }
  SocketDecl& dataset() { return kind = hw::Kind::dataset, *this; }
  SocketDecl& of_any_kind() { return any_kind = true, *this; }
  SocketDecl& with_axes(std::string names) { return axes = std::move(names), *this; }
  SocketDecl& dtypes(std::vector<DType> list) { return dtype = {DTypeRule::Kind::one_of, std::move(list), {}}, *this; }
  SocketDecl& dtype_group(std::string group, std::vector<DType> list = {}) {
    return dtype = {DTypeRule::Kind::group, std::move(list), std::move(group)}, *this;
  }
  SocketDecl& dtype_of(std::string parameter) {
    return dtype = {DTypeRule::Kind::parameter, {}, std::move(parameter)}, *this;
  }
  SocketDecl& must_precede(std::string input) { return upstream_of = std::move(input), *this; }
  SocketDecl& may_be_open() { return optional = true, *this; }
  SocketDecl& up_to(double value) { return peak = value, *this; }
  SocketDecl& provides(std::string variable) { return domain = std::move(variable), *this; }
  /// [N, C] of these channels, evaluated where the viewer has values of these domain variables.
  SocketDecl& shows(Channels channels, std::vector<std::string> variables) {
    axes = "N C";
    return field = {channels, std::move(variables)}, *this;
  }
};

/// The float dtypes that every device runs, widest first: what most nodes take.
std::vector<DType> running_floats();

/// A parameter has a value.
struct ParamIs {
  std::string param;
  ParamValue value;
};

/// How the inspector shows a parameter and what values it may have.
struct ParamDecl {
  enum class Type : uint8_t { integer, real, boolean, choice, dtype, path, text, vector } type = Type::real;
  std::string id;
  std::string label;
  std::string doc;
  std::string unit;
  ParamValue value;  // default
  std::optional<double> min, max;
  bool min_exclusive = false;
  bool max_exclusive = false;
  bool is_logarithmic = false;        // slider and drag steps
  std::vector<std::string> choices;   // choice: ids; dtype: names
  bool is_live = false;               // may change while training without lowering again (learning rate)
  bool is_batch = false;              // how many samples a step: a check may run with fewer
  std::optional<int64_t> check_size;  // a size that costs, and changes no formula: a check may run with this at most
  bool is_multiline = false;          // text: of several lines
  int vector_size = 0;                // vector: how many components; 0: any
  std::string group;                  // not empty: shown below this heading, and not on cards
  std::string default_means;          // not empty: what is shown in place of the default value
  std::optional<ParamIs> only_where;  // counts, and is shown, only while another parameter is so

  ParamDecl& labelled(std::string text) { return label = std::move(text), *this; }
  ParamDecl& docs(std::string text) { return doc = std::move(text), *this; }
  ParamDecl& in_unit(std::string text) { return unit = std::move(text), *this; }
  ParamDecl& at_least(double v) { return min = v, *this; }
  ParamDecl& at_most(double v) { return max = v, *this; }
  ParamDecl& range(double lo, double hi) { return min = lo, max = hi, *this; }
  ParamDecl& above(double v) { return min = v, min_exclusive = true, *this; }
  ParamDecl& below(double v) { return max = v, max_exclusive = true, *this; }
  ParamDecl& logarithmic() { return is_logarithmic = true, *this; }
  ParamDecl& live() { return is_live = true, *this; }
  ParamDecl& batch() { return is_batch = true, *this; }
  ParamDecl& checked_with(int64_t most) { return check_size = most, *this; }
  ParamDecl& multiline() { return is_multiline = true, *this; }
  ParamDecl& default_stands_for(std::string text) { return default_means = std::move(text), *this; }
};

/// "integer", "real", "boolean", "choice", "dtype", "path", "text", "vector".
std::string_view name(ParamDecl::Type type);

/// A trainable parameter, for documentation, the inspector and the check of loaded weights.
struct WeightDecl {
  std::string id;            // one that ends in * stands for several: "layer_*"
  std::string dtype_param;   // the dtype parameter that sets its storage dtype
  std::string doc;           // with its shape
  std::string only_if = {};  // a boolean parameter without which the node has no such weight; empty: it always has it
  bool statistics = false;   // running statistics: f32, or f64 where dtype_param is f64; written by the node itself

  /// Whether it is, or stands for, the parameter of this name.
  bool names(std::string_view weight) const;
  /// What the node computes with where dtype_param has this value.
  DType computed_in(DType dtype) const { return !statistics || dtype == DType::f64 ? dtype : DType::f32; }
};

/// What mixed precision does with a node (the lists of PyTorch's autocast): computes it in the low dtype, in f32, in
/// the widest dtype of its inputs, or in that of its input.
enum class Autocast : uint8_t { follow, low, f32, widest };

/// compute: part of the pipeline. train: ends a training pipeline. viewport, picture, plot, view: shows a wire, lowers
/// to nothing. metric: it is measured over a whole split, block by block, see MetricReduction.
enum class Role : uint8_t { compute, train, viewport, picture, plot, view, metric };

/// How a metric's outputs of the blocks of a split become those of the split. mean: of its first output, which is a
/// mean over the samples of a block. largest: all outputs have a row for each of a few samples, the first its score;
/// those of the largest scores are kept.
enum class MetricReduction : uint8_t { mean, largest };

class NodeDecl {
 public:
  // ---- fluent declaration; in a node's declare()
  NodeDecl& title(std::string text) { return title_ = std::move(text), *this; }
  /// "Source", "Encoder", "Layer", "Math", "Shape", "Loss", "Training", "View".
  NodeDecl& category(std::string text) { return category_ = std::move(text), *this; }
  NodeDecl& summary(std::string text) { return summary_ = std::move(text), *this; }  // one sentence
  NodeDecl& doc(std::string text) { return doc_ = std::move(text), *this; }        // shapes, dtypes, formula; Markdown
  NodeDecl& source(std::string text) { return source_ = std::move(text), *this; }  // paper or tool
  NodeDecl& keywords(std::string text) { return keywords_ = std::move(text), *this; }
  NodeDecl& role(Role role) { return role_ = role, *this; }
  NodeDecl& metric(MetricReduction reduction) { return role_ = Role::metric, reduction_ = reduction, *this; }
  /// Draws random numbers; `only_where`: while a parameter is so. Declares the parameters that say from where, see
  /// engine/node/random_params.h: call it after the node's own.
  NodeDecl& random(std::optional<ParamIs> only_where = {});
  NodeDecl& autocast(Autocast rule) { return autocast_ = rule, *this; }  // default: follow

  // The returned reference is good until the next socket or parameter is declared. Labels default to the id in words.
  SocketDecl& input(std::string id);
  SocketDecl& output(std::string id);
  ParamDecl& integer(std::string id, int64_t value);
  ParamDecl& real(std::string id, double value);
  ParamDecl& boolean(std::string id, bool value);
  ParamDecl& choice(std::string id, std::string value, std::vector<std::string> choices);
  /// A dtype choice; `allowed` are those the node can run.
  ParamDecl& dtype(std::string id, DType value, std::vector<DType> allowed);
  ParamDecl& path(std::string id, std::string value);
  ParamDecl& text(std::string id, std::string value);
  ParamDecl& vector(std::string id, std::vector<double> value, int size = 0);
  NodeDecl& weight(std::string id, std::string dtype_param, std::string doc, std::string only_if = {});
  NodeDecl& statistics(std::string id, std::string dtype_param, std::string doc);  // a weight of that kind

  // ---- what was declared
  const std::string& title() const { return title_; }
  const std::string& category() const { return category_; }
  const std::string& summary() const { return summary_; }
  const std::string& doc() const { return doc_; }
  const std::string& source() const { return source_; }
  const std::string& keywords() const { return keywords_; }
  Role role() const { return role_; }
  MetricReduction reduction() const { return reduction_; }  // of a metric
  bool is_random() const { return random_; }                // of one node: node_draws()
  Autocast autocast() const { return autocast_; }
  const std::vector<SocketDecl>& inputs() const { return inputs_; }
  const std::vector<SocketDecl>& outputs() const { return outputs_; }
  const std::vector<ParamDecl>& params() const { return params_; }
  const std::vector<WeightDecl>& weights() const { return weights_; }
  const SocketDecl* find_input(std::string_view id) const;
  const SocketDecl* find_output(std::string_view id) const;
  const ParamDecl* find_param(std::string_view id) const;
  /// The one that names a parameter: "layer_*" for "layer_0" and for itself. Null: none.
  const WeightDecl* find_weight(std::string_view name) const;

 private:
  ParamDecl& add_param(ParamDecl::Type type, std::string id, ParamValue value);
  std::string title_, category_, summary_, doc_, source_, keywords_;
  Role role_ = Role::compute;
  MetricReduction reduction_ = MetricReduction::mean;
  bool random_ = false;
  Autocast autocast_ = Autocast::follow;
  std::vector<SocketDecl> inputs_, outputs_;
  std::vector<ParamDecl> params_;
  std::vector<WeightDecl> weights_;
};

/// A parameter of a node as it stands in its `params`; the default where it is not there. Asserts that it is declared.
const ParamValue& param_value(const NodeDecl& decl, const ParamMap& params, std::string_view id);
/// Whether a parameter counts in a node with these parameters.
bool applies(const ParamDecl& param, const NodeDecl& decl, const ParamMap& params);
/// Whether `value` may be given to `param`: kind (whole numbers are taken for reals), finite, range, choice.
/// Error HW-P001 (`where` = parameter id) with expected and got; else the value in the parameter's own kind.
Result<ParamValue> check_param(const ParamDecl& param, const ParamValue& value);
/// Parses what a user typed or `--set` gives. Error HW-P001.
Result<ParamValue> parse_param(const ParamDecl& param, std::string_view text);

}  // namespace hw
