// ONNX files as plain data, in this process.
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include "app/interop/onnx/newer_fields.h"
#include "app/interop/onnx/parse_onnx.h"
#include "app/interop/onnx/proto.h"
#include "app/interop/onnx/read_tensor.h"
#include "app/interop/onnx/scopes.h"
#include "app/interop/onnx/split_model.h"
#include "engine/core/codes.h"
#include "engine/core/utf8.h"
#include "engine/io/file/file_bytes.h"

namespace hw::interop {
namespace {

namespace fs = std::filesystem;

// Numbers of newer fields: NodeProto.overload; FunctionProto.attribute_proto, .value_info, .overload, .metadata_props.
constexpr int kNodeOverload = 8, kFunctionDefaults = 11, kFunctionOverload = 13;
const std::set<int> kFunctionFields{kFunctionDefaults, 12, kFunctionOverload, 14};

std::string first_of(const std::vector<std::string>& values) {
  return values.empty() ? "" : as_utf8(values.front());
}

template <class Field>
std::vector<std::string> names(const Field& field) {
  std::vector<std::string> all;
  for (const std::string& name : field) all.push_back(as_utf8(name));
  return all;
}

std::string domain_of(const std::string& domain) {
  return domain == "ai.onnx" ? "" : as_utf8(domain);
}

class Reader {
 public:
  Reader(const fs::path& file, std::shared_ptr<const TensorFile> open)
      : file_(file.string()), files_(file, std::move(open)) {}

  /// `initializers`: of its graph, that `proto` has not.
  Result<OnnxModel> model(const onnx::ModelProto& proto, std::vector<SplitTensor> initializers) {
    OnnxModel made;
    made.producer = proto.producer_name();
    for (const auto& set : proto.opset_import()) {
      if (set.domain().empty() || set.domain() == "ai.onnx")
        made.opset = set.version();
      else
        made.domains[as_utf8(set.domain())] = set.version();
    }
    if (made.opset == 0) made.opset = 1;
    if (!proto.has_graph()) return damaged(file_, "there is no graph in it.");
    HW_TRY(made.graph, graph(proto.graph(), 0, std::move(initializers)));
    for (const auto& f : proto.functions()) {
      OnnxFunction function{as_utf8(f.name()),
                            domain_of(f.domain()),
                            first_of(newer_field(f, kFunctionOverload)),
                            names(f.input()),
                            names(f.output()),
                            names(f.attribute()),
                            {},
                            {},
                            made.opset,
                            false};
      OnnxNode defaults;
      for (const std::string& bytes : newer_field(f, kFunctionDefaults)) {
        onnx::AttributeProto attribute;
        if (!attribute.ParseFromString(bytes)) return damaged(f.name(), "a default of its attributes cannot be read.");
        HW_CHECK(add_attribute(attribute, 0, defaults));
      }
      function.defaults = std::move(defaults.attributes);
      for (const int number : unknown_fields(f))
        function.has_unknown_parts = function.has_unknown_parts || !kFunctionFields.contains(number);
      if (!defaults.unreadable.empty()) function.has_unknown_parts = true;
      for (const auto& set : f.opset_import())
        if (set.domain().empty() || set.domain() == "ai.onnx") function.opset = set.version();
      for (const auto& n : f.node()) {
        HW_TRY(OnnxNode node, this->node(n, 0));
        function.nodes.push_back(std::move(node));
      }
      made.functions.push_back(std::move(function));
    }
    return made;
  }

 private:
  static OnnxValue value(const onnx::ValueInfoProto& v) {
    OnnxValue made{as_utf8(v.name()), {}, "", {}};
    if (!v.type().has_tensor_type()) {
      made.type = v.type().has_sequence_type() ? "sequence" : v.type().has_map_type() ? "map" : "no tensor";
      return made;
    }
    const auto& t = v.type().tensor_type();
    made.dtype = dtype_of(t.elem_type());
    made.number = t.elem_type();
    made.type = onnx_name(t.elem_type());
    if (!t.has_shape()) return made;
    made.dims.emplace();
    for (const auto& d : t.shape().dim())
      made.dims->push_back({d.has_dim_value() ? d.dim_value() : -1, as_utf8(d.dim_param())});
    return made;
  }

  Result<OnnxNode> node(const onnx::NodeProto& n, int depth) {
    OnnxNode made{as_utf8(n.name()),
                  as_utf8(n.op_type()),
                  domain_of(n.domain()),
                  first_of(newer_field(n, kNodeOverload)),
                  names(n.input()),
                  names(n.output()),
                  {},
                  {},
                  "",
                  0,
                  scopes_of(n)};
    for (const auto& a : n.attribute()) HW_CHECK(add_attribute(a, depth, made));
    return made;
  }

  Status add_attribute(const onnx::AttributeProto& a, int depth, OnnxNode& made) {
    const std::string name = as_utf8(a.name());
    if (!a.ref_attr_name().empty()) {
      made.references[name] = as_utf8(a.ref_attr_name());
      return ok();
    }
    OnnxAttribute& to = made.attributes[name];
    switch (a.type()) {
      case onnx::AttributeProto::INT:
        to = static_cast<int64_t>(a.i());
        break;
      case onnx::AttributeProto::FLOAT:
        to = static_cast<double>(a.f());
        break;
      case onnx::AttributeProto::STRING:
        to = a.s();
        break;
      case onnx::AttributeProto::INTS:
        to = std::vector<int64_t>(a.ints().begin(), a.ints().end());
        break;
      case onnx::AttributeProto::FLOATS:
        to = std::vector<double>(a.floats().begin(), a.floats().end());
        break;
      case onnx::AttributeProto::STRINGS:
        to = std::vector<std::string>(a.strings().begin(), a.strings().end());
        break;
      case onnx::AttributeProto::TENSOR: {
        auto tensor = tensor_of(a.t(), files_);
        if (tensor) {
          to = std::move(*tensor);
          made.value_number = a.t().data_type();
        } else {
          made.unreadable = "its attribute " + name + ": " + tensor.error().reason;
        }
        break;
      }
      case onnx::AttributeProto::GRAPH: {
        if (depth >= kDeepestGraph) return damaged(made.name, "its graphs lie too deep in each other.");
        HW_TRY(OnnxGraph inner, graph(a.g(), depth + 1));
        to = std::shared_ptr<const OnnxGraph>(std::make_shared<OnnxGraph>(std::move(inner)));
        break;
      }
      default:
        made.attributes.erase(name);
        made.unreadable = "its attribute " + name + " is of a kind that is not read.";
    }
    return ok();
  }

  Result<OnnxGraph> graph(const onnx::GraphProto& g, int depth, std::vector<SplitTensor> initializers = {}) {
    OnnxGraph made;
    made.name = as_utf8(g.name());
    made.parameters = parameters_of(g);
    const auto add = [&](const onnx::TensorProto& t, Result<StoredTensor> tensor) -> Status {
      const std::string name = as_utf8(t.name());
      if (tensor) {
        made.initializers[name] = std::move(*tensor);
        if (find_onnx_dtype(t.data_type())->is_held_wider()) made.held_wider[name] = t.data_type();
        return ok();
      }
      if (tensor.error().code != codes::dtype_mismatch) return tensor.error();
      made.unread[name] = tensor.error().reason;
      return ok();
    };
    for (SplitTensor& t : initializers) {
      HW_CHECK(add(t.proto, stored_tensor_of(t.proto, files_, t.raw)));
      t.proto.Clear();  // typed fields are not held twice
    }
    for (const auto& t : g.initializer()) HW_CHECK(add(t, stored_tensor_of(t, files_)));
    for (const auto& t : g.sparse_initializer()) {
      auto tensor = dense(t, files_, sparse_);
      HW_CHECK(add(t.values(), tensor ? Result<StoredTensor>(std::move(*tensor)) : tensor.error()));
    }
    for (const auto& v : g.input()) made.inputs.push_back(value(v));
    for (const auto& v : g.output()) made.outputs.push_back(value(v));
    for (const auto& n : g.node()) {
      HW_TRY(OnnxNode node, this->node(n, depth));
      made.nodes.push_back(std::move(node));
    }
    lend_scopes(g, made);
    return made;
  }

  std::string file_;
  ModelFiles files_;
  SparseBytes sparse_;
};

template <class Proto>
Status parse(const std::string& bytes, const std::string& file, Proto& into) {
  google::protobuf::io::ArrayInputStream stream(bytes.data(), static_cast<int>(bytes.size()));
  google::protobuf::io::CodedInputStream coded(&stream);
  coded.SetRecursionLimit(4 * kDeepestGraph);
  if (into.ParseFromCodedStream(&coded) && coded.ConsumedEntireMessage()) return ok();
  return damaged(file, "it is no ONNX file, or a damaged one.");
}

template <class T>
T of_kind(const OnnxNode& node, const std::string& name, T otherwise) {
  const auto found = node.attributes.find(name);
  if (found == node.attributes.end()) return otherwise;
  const T* value = std::get_if<T>(&found->second);
  return value ? *value : otherwise;
}

}  // namespace

int64_t OnnxNode::integer(const std::string& attribute, int64_t otherwise) const {
  return of_kind(*this, attribute, otherwise);
}
double OnnxNode::real(const std::string& attribute, double otherwise) const {
  return of_kind(*this, attribute, otherwise);
}
std::string OnnxNode::text(const std::string& attribute, const std::string& otherwise) const {
  return of_kind(*this, attribute, otherwise);
}
std::vector<int64_t> OnnxNode::integers(const std::string& attribute) const {
  return of_kind(*this, attribute, std::vector<int64_t>{});
}
std::vector<double> OnnxNode::reals(const std::string& attribute) const {
  return of_kind(*this, attribute, std::vector<double>{});
}
const Tensor* OnnxNode::tensor(const std::string& attribute) const {
  const auto found = attributes.find(attribute);
  return found == attributes.end() ? nullptr : std::get_if<Tensor>(&found->second);
}

Result<OnnxModel> parse_onnx(const fs::path& file) {
  HW_TRY(const uint64_t size, size_of_file(file));
  if (size == 0) return damaged(file.string(), "the file is empty.");
  onnx::ModelProto proto;
  if (size <= kMostOnnxBytes) {
    HW_TRY(TensorFile opened, TensorFile::open(file));
    const auto open = std::make_shared<const TensorFile>(std::move(opened));
    if (auto split = split_model(*open)) {
      HW_CHECK(parse(split->rest, file.string(), proto));
      return Reader(file, open).model(proto, std::move(split->initializers));
    }
  }
  HW_TRY(const std::string bytes, read_file_bytes(file, kMostOnnxBytes, codes::file_unreadable));
  HW_CHECK(parse(bytes, file.string(), proto));
  return Reader(file, nullptr).model(proto, {});
}

Result<Tensor> read_onnx_tensor(const fs::path& file) {
  HW_TRY(const std::string bytes, read_file_bytes(file, kMostOnnxBytes, codes::file_unreadable));
  onnx::TensorProto proto;
  HW_CHECK(parse(bytes, file.string(), proto));
  ModelFiles files(file);
  return tensor_of(proto, files);
}

}  // namespace hw::interop
