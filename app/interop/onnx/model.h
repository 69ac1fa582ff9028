// OnnxModel: what stands in an .onnx file, as plain data. No protobuf beyond read_model.cpp and write_model.cpp.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "app/interop/onnx/dtypes.h"
#include "app/interop/onnx/stored_tensor.h"

namespace hw::interop {

struct OnnxGraph;

using OnnxAttribute = std::variant<int64_t, double, std::string, std::vector<int64_t>, std::vector<double>,
                                   std::vector<std::string>, Tensor, std::shared_ptr<const OnnxGraph>>;

/// A module or function that operators belong to.
struct OnnxScope {
  std::string path;  // in the model: "layer1.0"
  std::string kind;  // the name of its class or function, "BasicBlock"; "": not known
  bool operator==(const OnnxScope&) const = default;
};

struct OnnxNode {
  std::string name, op, domain, overload;    // domain "": ai.onnx; overload: which of the functions of this name
  std::vector<std::string> inputs, outputs;  // names of values; "": left out
  std::map<std::string, OnnxAttribute> attributes;
  std::map<std::string, std::string> references;  // in a function: attributes that are those of the call, by its names
  std::string unreadable;                         // why an attribute is not here; "": all are
  int64_t value_number = 0;                       // of the dtype of an attribute that is a tensor; 0: none is
  std::vector<OnnxScope> scopes = {};             // that it lies in, from the outermost; what PyTorch writes

  /// Attributes by name; `otherwise` where there is none of that name and kind.
  int64_t integer(const std::string& attribute, int64_t otherwise) const;
  double real(const std::string& attribute, double otherwise) const;
  std::string text(const std::string& attribute, const std::string& otherwise) const;
  std::vector<int64_t> integers(const std::string& attribute) const;
  std::vector<double> reals(const std::string& attribute) const;
  const Tensor* tensor(const std::string& attribute) const;
  bool has(const std::string& attribute) const { return attributes.contains(attribute); }
};

/// A size of −1 has a symbol, or is not known at all.
struct OnnxDim {
  int64_t size = -1;
  std::string symbol;
};

struct OnnxValue {
  std::string name;
  std::optional<DType> dtype;                // none: a dtype that Halfwire does not have, or no tensor
  std::string type;                          // what it is called in ONNX: "FLOAT", "UINT32", "sequence"
  std::optional<std::vector<OnnxDim>> dims;  // none: the rank is not known
  int64_t number = 0;                        // of its dtype in ONNX; 0: no tensor
};

struct OnnxGraph {
  std::string name;
  std::vector<OnnxNode> nodes;
  std::vector<OnnxValue> inputs, outputs;
  std::map<std::string, StoredTensor> initializers;  // large ones lie in the file until they are asked for
  std::map<std::string, int64_t> held_wider;         // initializers of dtypes that wider ones hold: the dtypes' numbers
  std::optional<std::set<std::string>> parameters;   // names of initializers that are such, where the file says
  std::map<std::string, std::string> unread;         // initializers of dtypes that Halfwire does not have: why
};

/// A local function: a group.
struct OnnxFunction {
  std::string name, domain, overload;
  std::vector<std::string> inputs, outputs, attributes;
  std::map<std::string, OnnxAttribute> defaults;  // of attributes that a call may leave out
  std::vector<OnnxNode> nodes;
  int64_t opset = 0;               // of ai.onnx
  bool has_unknown_parts = false;  // of a newer format, such as defaults of its attributes
};

struct OnnxModel {
  int64_t opset = 0;  // of ai.onnx
  std::string producer;
  std::map<std::string, int64_t> domains;  // the others
  OnnxGraph graph;
  std::vector<OnnxFunction> functions;
};

/// Reads a file and the external data beside it, in a child process (parse_onnx.h). Weights keep their dtype; large
/// ones are read later, of the files as they are open now. Errors: HW-F001 (cannot be read; external data outside the
/// file's folder; written over meanwhile), HW-F003 (no ONNX, or damaged; the place is named), HW-A004 (crash, time,
/// memory: the file is named), HW-A005, HW-R001. Blocks; thread safe.
Result<OnnxModel> read_onnx(const std::filesystem::path& file);
/// One TensorProto, as in the ONNX backend tests (input_0.pb), in this process: for files of one's own. Errors HW-F001,
/// HW-F003.
Result<Tensor> read_onnx_tensor(const std::filesystem::path& file);

/// Bytes that a file may have: protobuf's own limit.
constexpr uint64_t kMostOnnxBytes = (uint64_t{1} << 31) - 1;
constexpr int kDeepestGraph = 64;  // graphs in graphs that are read

/// An attribute of a function's operator that is the call's has a value of its kind as well. Without graphs in graphs.
/// Atomic. Error HW-F002, also of more than `most` bytes in all.
Status write_onnx(const OnnxModel& model, const std::filesystem::path& file, uint64_t most = kMostOnnxBytes);

}  // namespace hw::interop
