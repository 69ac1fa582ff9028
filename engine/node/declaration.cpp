// Declaring sockets and parameters, and finding them again.
#include "engine/node/declaration.h"

#include <algorithm>
#include <cassert>
#include <cctype>

namespace hw {
namespace {

// "per_level_scale" → "Per level scale".
std::string in_words(std::string id) {
  std::ranges::replace(id, '_', ' ');
  if (!id.empty()) id[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(id[0])));
  return id;
}

template <class T>
const T* find(const std::vector<T>& list, std::string_view id) {
  const auto it = std::ranges::find(list, id, &T::id);
  return it == list.end() ? nullptr : &*it;
}

SocketDecl& add_socket(std::vector<SocketDecl>& list, std::string id) {
  assert(!find(list, id) && "socket ids are unique among inputs and among outputs");
  SocketDecl& socket = list.emplace_back();
  socket.label = in_words(id);
  socket.id = std::move(id);
  return socket;
}

}  // namespace

std::string_view name(ParamDecl::Type type) {
  constexpr std::string_view names[] = {"integer", "real", "boolean", "choice", "dtype", "path", "text", "vector"};
  return names[static_cast<size_t>(type)];
}

std::vector<DType> running_floats() {
  std::vector<DType> list;
  for (const DTypeInfo& row : dtype_table())
    if (row.is_float && row.storable && row.runs) list.push_back(row.dtype);
  return list;
}

SocketDecl& NodeDecl::input(std::string id) {
  return add_socket(inputs_, std::move(id));
}

SocketDecl& NodeDecl::output(std::string id) {
  return add_socket(outputs_, std::move(id));
}

ParamDecl& NodeDecl::add_param(ParamDecl::Type type, std::string id, ParamValue value) {
  assert(!find_param(id) && "parameter ids are unique");
  ParamDecl& param = params_.emplace_back();
  param.type = type;
  param.label = in_words(id);
  param.id = std::move(id);
  param.value = std::move(value);
  return param;
}

ParamDecl& NodeDecl::integer(std::string id, int64_t value) {
  return add_param(ParamDecl::Type::integer, std::move(id), value);
}

ParamDecl& NodeDecl::real(std::string id, double value) {
  return add_param(ParamDecl::Type::real, std::move(id), value);
}

ParamDecl& NodeDecl::boolean(std::string id, bool value) {
  return add_param(ParamDecl::Type::boolean, std::move(id), value);
}

ParamDecl& NodeDecl::choice(std::string id, std::string value, std::vector<std::string> choices) {
  ParamDecl& param = add_param(ParamDecl::Type::choice, std::move(id), std::move(value));
  param.choices = std::move(choices);
  return param;
}

ParamDecl& NodeDecl::dtype(std::string id, DType value, std::vector<DType> allowed) {
  ParamDecl& param = add_param(ParamDecl::Type::dtype, std::move(id), std::string(name(value)));
  for (const DType dtype : allowed) param.choices.emplace_back(name(dtype));
  return param;
}

ParamDecl& NodeDecl::path(std::string id, std::string value) {
  return add_param(ParamDecl::Type::path, std::move(id), std::move(value));
}

ParamDecl& NodeDecl::text(std::string id, std::string value) {
  return add_param(ParamDecl::Type::text, std::move(id), std::move(value));
}

ParamDecl& NodeDecl::vector(std::string id, std::vector<double> value, int size) {
  ParamDecl& param = add_param(ParamDecl::Type::vector, std::move(id), std::move(value));
  param.vector_size = size;
  return param;
}

NodeDecl& NodeDecl::random(std::optional<ParamIs> only_where) {
  assert((!only_where || find_param(only_where->param)) && "the node's own parameters are declared before");
  constexpr double kMost = 0x1p53;
  constexpr const char* kHeading = "Random numbers";
  random_ = true;
  integer("random_seed", -1)
      .labelled("Seed")
      .docs("Draws from this seed, whatever seed the Train node has.")
      .range(-1, kMost)
      .default_stands_for("the run's");
  integer("random_step", 0)
      .labelled("Step")
      .docs("Draws at every step what step N of a run draws, counted from 1: the same mask, the same samples.")
      .range(0, kMost)
      .default_stands_for("the run's");
  text("random_stream", "")
      .labelled("Stream")
      .docs("A name. Nodes with the same name, seed and step draw the same numbers. Without one: the node's id.")
      .default_stands_for("its own");
  for (size_t k = params_.size() - 3; k < params_.size(); ++k) {
    params_[k].group = kHeading;
    params_[k].only_where = only_where;
  }
  return *this;
}

NodeDecl& NodeDecl::weight(std::string id, std::string dtype_param, std::string doc, std::string only_if) {
  assert((only_if.empty() || find_param(only_if)) && "parameters are declared before the weights that hang on them");
  weights_.push_back({std::move(id), std::move(dtype_param), std::move(doc), std::move(only_if)});
  return *this;
}

NodeDecl& NodeDecl::statistics(std::string id, std::string dtype_param, std::string doc) {
  weights_.push_back({std::move(id), std::move(dtype_param), std::move(doc), {}, true});
  return *this;
}

bool WeightDecl::names(std::string_view weight) const {
  if (!id.ends_with('*')) return weight == id;
  return weight.starts_with(std::string_view(id).substr(0, id.size() - 1));
}

const ParamValue& param_value(const NodeDecl& decl, const ParamMap& params, std::string_view id) {
  if (const auto given = params.find(id); given != params.end()) return given->second;
  const ParamDecl* param = decl.find_param(id);
  assert(param && "a node reads only the parameters it declares");
  return param->value;
}

bool applies(const ParamDecl& param, const NodeDecl& decl, const ParamMap& params) {
  const auto& needed = param.only_where;
  return !needed || param_value(decl, params, needed->param) == needed->value;
}

const SocketDecl* NodeDecl::find_input(std::string_view id) const {
  return find(inputs_, id);
}

const SocketDecl* NodeDecl::find_output(std::string_view id) const {
  return find(outputs_, id);
}

const ParamDecl* NodeDecl::find_param(std::string_view id) const {
  return find(params_, id);
}

const WeightDecl* NodeDecl::find_weight(std::string_view name) const {
  const auto it = std::ranges::find_if(weights_, [&](const WeightDecl& weight) { return weight.names(name); });
  return it == weights_.end() ? nullptr : &*it;
}

}  // namespace hw
