// Every registered node: documented, with examples that its own rules accept, refusing bad parameters.
#include <gtest/gtest.h>

#include <cctype>
#include <limits>
#include <set>

#include "tests/nodes/node_case.h"

namespace hw {
namespace {

using Type = ParamDecl::Type;

class NodeDeclaration : public testing::TestWithParam<std::string> {
 protected:
  const NodeType& type() const { return *Registry::instance().find(GetParam()); }
  const NodeDecl& decl() const { return type().decl; }
};

std::vector<std::string> node_ids() {
  std::vector<std::string> ids;
  for (const auto& [id, type] : Registry::instance().all()) ids.push_back(id);
  return ids;
}

TEST_P(NodeDeclaration, IsDocumented) {
  const std::set<std::string> categories{"Source", "Encoder", "Layer", "Math", "Shape", "Loss", "Training", "View"};
  EXPECT_TRUE(categories.contains(decl().category())) << decl().category();
  EXPECT_FALSE(decl().title().empty());
  EXPECT_FALSE(decl().keywords().empty());
  EXPECT_FALSE(decl().source().empty());
  EXPECT_GE(decl().doc().size(), 40u) << decl().doc();
  ASSERT_FALSE(decl().summary().empty());
  EXPECT_EQ(decl().summary().back(), '.');
  for (const auto* sockets : {&decl().inputs(), &decl().outputs()})
    for (const SocketDecl& socket : *sockets) EXPECT_FALSE(socket.label.empty()) << socket.id;
  for (const ParamDecl& param : decl().params()) EXPECT_FALSE(param.label.empty()) << param.id;
}

TEST_P(NodeDeclaration, RulesNameWhatIsDeclared) {
  for (const auto* sockets : {&decl().inputs(), &decl().outputs()}) {
    for (const SocketDecl& socket : *sockets) {
      if (socket.dtype.kind != DTypeRule::Kind::parameter) continue;
      const ParamDecl* param = decl().find_param(socket.dtype.name);
      ASSERT_TRUE(param) << socket.id << " follows " << socket.dtype.name;
      EXPECT_EQ(param->type, Type::dtype);
    }
  }
  for (const WeightDecl& weight : decl().weights()) {
    const ParamDecl* param = decl().find_param(weight.dtype_param);
    ASSERT_TRUE(param) << weight.id;
    EXPECT_EQ(param->type, Type::dtype);
  }
}

TEST_P(NodeDeclaration, DefaultsAreValid) {
  for (const ParamDecl& param : decl().params()) {
    const auto checked = check_param(param, param.value);
    ASSERT_TRUE(checked) << checked.error().text();
    EXPECT_EQ(*checked, param.value) << param.id;
    const auto parsed = parse_param(param, to_string(param.value));
    ASSERT_TRUE(parsed) << parsed.error().text();
    EXPECT_EQ(*parsed, param.value) << param.id;
  }
}

TEST_P(NodeDeclaration, HasExamplesThatItAccepts) {
  const Examples examples = type().examples();
  ASSERT_FALSE(examples.empty());
  std::set<std::string> names;
  bool any_gradient = false, any_tensor_input = false;
  for (const Example& example : examples) {
    EXPECT_TRUE(names.insert(example.name).second) << "two examples named " << example.name;
    for (const char c : example.name) EXPECT_TRUE(std::isalnum(c) || c == '_') << example.name;
    any_gradient |= example.no_gradient_because.empty();
    std::set<std::string> given;
    const Declaration declared = type().declared(example.params);
    EXPECT_TRUE(declared.status()) << declared.status().error().text();
    for (const ExampleInput& input : example.inputs) {
      const SocketDecl* socket = declared->find_input(input.socket);
      ASSERT_TRUE(socket) << input.socket;
      EXPECT_TRUE(given.insert(input.socket).second) << input.socket;
      any_tensor_input |= socket->kind == Kind::tensor;
    }
    for (const SocketDecl& socket : declared->inputs())
      EXPECT_TRUE(socket.optional || given.contains(socket.id)) << example.name << " lacks " << socket.id;
    for (const auto& [id, value] : example.params) {
      const ParamDecl* param = decl().find_param(id);
      ASSERT_TRUE(param) << id;
      const auto checked = check_param(*param, value);
      EXPECT_TRUE(checked) << checked.error().text();
    }
  }
  if (any_tensor_input && !decl().outputs().empty() && !any_gradient) {
    for (const Example& example : examples)
      EXPECT_FALSE(test::passes_gradient({"", &type(), example}))
          << example.name << ": no example of a differentiable node lets its gradient be checked";
  }
}

// Values that must be refused, whatever the node is.
std::vector<ParamValue> bad_values(const ParamDecl& p) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  switch (p.type) {
    case Type::integer:
    case Type::real: {
      std::vector<ParamValue> values{nan, inf, -inf, true, std::string("many"), std::vector<double>{1}};
      if (p.type == Type::integer) values.insert(values.end(), {0.5, 1e300});
      if (p.min) values.push_back(p.min_exclusive ? *p.min : *p.min - 1);
      if (p.max) values.push_back(p.max_exclusive ? *p.max : *p.max * 2 + 1);
      return values;
    }
    case Type::boolean:
      return {int64_t{1}, 1.0, std::string("true")};
    case Type::choice:
    case Type::dtype:
      return {std::string("no such choice"), std::string(), int64_t{0}, true};
    case Type::path:
    case Type::text:
      return {int64_t{1}, nan, false};
    case Type::vector: {
      const auto size = static_cast<size_t>(p.vector_size > 0 ? p.vector_size : 3);
      std::vector<ParamValue> values{std::vector<double>(size, nan), std::vector<double>(size, inf), 1.0,
                                     std::string("1")};
      if (p.vector_size > 0) values.push_back(std::vector<double>(size + 1, 0.0));
      return values;
    }
  }
  return {};
}

TEST_P(NodeDeclaration, BadParametersAreRefused) {
  for (const ParamDecl& param : decl().params()) {
    for (const ParamValue& bad : bad_values(param)) {
      const auto checked = check_param(param, bad);
      ASSERT_FALSE(checked) << param.id << " took " << to_string(bad);
      EXPECT_EQ(checked.error().code, codes::bad_parameter);
      EXPECT_EQ(checked.error().where, param.id);
      EXPECT_FALSE(checked.error().remedy.empty());
      const std::string got = to_string(bad);
      if (got.empty()) continue;
      EXPECT_NE(checked.error().reason.find("got " + got), std::string::npos) << checked.error().text();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Nodes, NodeDeclaration, testing::ValuesIn(node_ids()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace hw
