// NodeType and the Registry: everything a file in nodes/ includes.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/codes.h"
#include "engine/node/declaration.h"
#include "engine/program/builder.h"

namespace hw {

/// Typed access to a node's parameters; defaults filled in. Asserts that the id is declared with that type.
class Params {
 public:
  Params(const NodeDecl& decl, const ParamMap& values) : decl_(decl), values_(values) {}
  int64_t integer(std::string_view id) const;
  double real(std::string_view id) const;
  bool boolean(std::string_view id) const;
  const std::string& text(std::string_view id) const;  // choice, path, text
  DType dtype(std::string_view id) const;
  const std::vector<double>& vector(std::string_view id) const;
  const NodeDecl& decl() const { return decl_; }

 private:
  const ParamValue& get(std::string_view id) const;
  const NodeDecl& decl_;
  const ParamMap& values_;
};

/// What shape() sees: the wire types of linked inputs and the parameters.
class ShapeArgs {
 public:
  using In = std::map<std::string, WireType, std::less<>>;
  ShapeArgs(const Params& params, In inputs) : params_(params), in_(std::move(inputs)) {}
  const Params& params() const { return params_; }
  /// Null when nothing is linked: optional inputs only, shape() is not called while a required input is missing.
  const WireType* in(std::string_view socket) const;
  /// For a required input.
  const Shape& shape(std::string_view socket) const;
  DType dtype(std::string_view socket) const;

 private:
  const Params& params_;
  In in_;
};

/// Output wire types in the order of the declared outputs. The validator fills in the dtype of outputs whose rule is a
/// group, a parameter or a single dtype, and `field`.
/// shape() refuses with an Error whose `where` is the id of the socket or parameter at fault (HW-S00x, HW-P001).
using Shapes = std::vector<WireType>;

/// Loads files for nodes; implemented by engine/io. Thread safe.
class Assets {
 public:
  virtual ~Assets() = default;
  /// Cached by path and modification time. `path`: "asset:NAME" or relative to the graph file. Errors HW-A00x.
  virtual Result<std::shared_ptr<const Mesh>> mesh(const std::string& path) = 0;
  virtual Result<std::shared_ptr<const Image>> image(const std::string& path) = 0;
  /// `path`: a folder, or a file in it. Cached by the newest of its files.
  virtual Result<std::shared_ptr<const Dataset>> dataset(const std::string& path, const DatasetSpec& spec) = 0;
};

/// What lower() sees.
class LowerArgs {
 public:
  /// In the order of Kind.
  using Arg =
      std::variant<Val, std::shared_ptr<const Mesh>, std::shared_ptr<const Image>, std::shared_ptr<const Dataset>>;
  using In = std::map<std::string, Arg, std::less<>>;
  LowerArgs(const Params& params, In inputs, Assets& assets)
      : params_(params), in_(std::move(inputs)), assets_(assets) {}
  const Params& params() const { return params_; }
  bool has(std::string_view socket) const { return in_.find(socket) != in_.end(); }
  /// What is linked, of any kind. Asserts that something is.
  const Arg& arg(std::string_view socket) const;
  /// Asserts that the socket is linked and of that kind.
  Val in(std::string_view socket) const;
  std::shared_ptr<const Mesh> mesh(std::string_view socket) const;
  std::shared_ptr<const Image> image(std::string_view socket) const;
  std::shared_ptr<const Dataset> dataset(std::string_view socket) const;
  Assets& assets() const { return assets_; }

 private:
  const Params& params_;
  In in_;
  Assets& assets_;
};

/// One value an output, in the order of the declared outputs. Failures go to OpBuilder::fail.
using Lowered = std::vector<LowerArgs::Arg>;

/// A tensor of an example: uniform in [lo, hi), integers rounded down, bool: the upper half. A mesh, image or data set:
/// the tests' own. `made_of`: not numbers, but what it makes of the inputs before it, in `dtype` and with these sizes.
struct ExampleInput {
  std::string socket;
  DType dtype = DType::f32;
  Dims dims = {};
  std::vector<std::string> axes = {};
  double lo = -1, hi = 1;
  Val (*made_of)(OpBuilder&, const LowerArgs::In& before) = nullptr;
};

/// From these the tests check values against ref on every device and gradients against central differences.
struct Example {
  std::string name;
  std::vector<ExampleInput> inputs = {};
  ParamMap params = {};
  double tolerance_factor = 1;           // multiplies the tolerance of the dtype: √K for a sum of K products
  std::string no_gradient_because = {};  // not empty: gradients are not checked, for this reason
};
using Examples = std::vector<Example>;

/// What a node declares: its type's declaration, or one of its own where its sockets follow its parameters.
class Declaration {
 public:
  Declaration() : Declaration(NodeDecl()) {}  // of nothing known: no sockets
  explicit Declaration(const NodeDecl* of_type) : decl_(of_type) {}
  explicit Declaration(NodeDecl own, Status status = ok())
      : own_(std::make_shared<const NodeDecl>(std::move(own))), decl_(own_.get()), status_(std::move(status)) {}
  /// Sockets are looked at while the Declaration lives: never through a temporary.
  const NodeDecl* operator->() const& { return decl_; }
  const NodeDecl& operator*() const& { return *decl_; }
  const NodeDecl* operator->() && = delete;
  const NodeDecl& operator*() && = delete;
  bool has_output(std::string_view socket) const { return decl_->find_output(socket) != nullptr; }
  /// What is wrong with the parameters that the sockets follow; `where` is the parameter.
  const Status& status() const { return status_; }

 private:
  std::shared_ptr<const NodeDecl> own_;
  const NodeDecl* decl_;
  Status status_ = ok();
};

struct NodeType {
  std::string id;  // the file's stem
  NodeDecl decl;   // with the default parameters
  Result<Shapes> (*shape)(const ShapeArgs&) = nullptr;
  Lowered (*lower)(OpBuilder&, const LowerArgs&) = nullptr;
  Examples (*examples)() = nullptr;
  void (*declare)(NodeDecl&) = nullptr;
  /// Adds the sockets that follow the parameters to what declare() says; null: there are none such. With wrong
  /// parameters it adds what it can, so that wires keep their places, and says what is wrong (`where`: the parameter).
  Status (*sockets)(NodeDecl&, const Params&) = nullptr;

  /// The declaration of a node with these parameters.
  Declaration declared(const ParamMap& params) const;
};

/// All node types, filled before main by HW_NODE; read only afterwards, thread safe.
class Registry {
 public:
  static Registry& instance();
  void add(NodeType type);
  /// Null when there is none.
  const NodeType* find(std::string_view id) const;
  /// Sorted by id.
  const std::map<std::string, NodeType, std::less<>>& all() const { return types_; }

 private:
  std::map<std::string, NodeType, std::less<>> types_;
};

struct NodeRegistration {
  NodeRegistration(const char* id, void (*declare)(NodeDecl&), Result<Shapes> (*shape)(const ShapeArgs&),
                   Lowered (*lower)(OpBuilder&, const LowerArgs&), Examples (*examples)(),
                   Status (*sockets)(NodeDecl&, const Params&) = nullptr);
};

}  // namespace hw

/// At the end of nodes/<category>/<id>.cpp, outside every namespace.
#define HW_NODE(id)                                                                                           \
  static const ::hw::NodeRegistration hw_register_##id(#id, ::hw::nodes::id::declare, ::hw::nodes::id::shape, \
                                                       ::hw::nodes::id::lower, ::hw::nodes::id::examples);

/// The same for a node with a function `sockets` too.
#define HW_ADAPTIVE_NODE(id)                                                                                  \
  static const ::hw::NodeRegistration hw_register_##id(#id, ::hw::nodes::id::declare, ::hw::nodes::id::shape, \
                                                       ::hw::nodes::id::lower, ::hw::nodes::id::examples,     \
                                                       ::hw::nodes::id::sockets);
