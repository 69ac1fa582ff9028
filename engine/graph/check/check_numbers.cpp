#include "engine/graph/check/check_numbers.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <set>

#include "engine/core/held_number.h"
#include "engine/graph/check/lower_alone.h"
#include "engine/graph/check/pass_through.h"
#include "engine/graph/check/validate.h"

namespace hw {
namespace {

constexpr size_t kMostReported = 4;  // numbers of one node

/// What an instruction stores as it stands, without computing with it.
std::vector<double> stored_as_given(const Instr& instr) {
  if (const auto* pad = std::get_if<AxisAttr>(&instr.attr); pad && instr.op == Op::pad) return {pad->fill};
  const auto* function = std::get_if<UnaryAttr>(&instr.attr);
  if (function && instr.op == Op::unary && function->fn == UnaryFn::threshold) return {function->b};
  return {};
}

struct Number {
  double value;
  DType dtype;  // that it is stored in
};

bool looked_at(DType dtype) {
  return dtype != DType::f64 && dtype != DType::boolean;
}

/// Where what is drawn, or a parameter's first numbers, end: the numbers beside an end are none that get lost.
std::vector<Number> drawn_ends(const Program& program) {
  std::vector<Number> ends;
  const auto add = [&](double end, DType dtype) {
    const auto lost = looked_at(dtype) ? unheld(end, dtype) : std::nullopt;
    if (lost && lost->loss == Unheld::Loss::beyond) ends.push_back({end, dtype});
  };
  for (const Instr& instr : program.instrs) {
    const auto* random = std::get_if<RandomAttr>(&instr.attr);
    if (!random) continue;
    add(random->a, random->dtype);
    add(random->b, random->dtype);
  }
  for (const Param& param : program.params) add(param.init.a, program[param.view].dtype);
  return ends;
}

std::vector<Number> given_numbers(const Program& program) {
  std::vector<Number> numbers;
  for (const Instr& instr : program.instrs) {
    if (instr.out.empty() || !looked_at(program[instr.out[0]].dtype)) continue;
    const DType dtype = program[instr.out[0]].dtype;
    for (const double value : stored_as_given(instr)) {
      if (unheld(value, dtype)) numbers.push_back({value, dtype});
    }
  }
  return numbers;
}

bool same(double a, double b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

std::vector<const Instr*> clamps(const Program& program) {
  std::vector<const Instr*> found;
  for (const Instr& instr : program.instrs)
    if (instr.op == Op::clamp && looked_at(program[instr.out[0]].dtype)) found.push_back(&instr);
  return found;
}

/// Bounds as they were given. One beyond the dtype bounds nothing, one that vanishes bounds at 0.
std::vector<Number> rounded_bounds(const Program& program, const Program& twin) {
  std::vector<Number> numbers;
  const auto narrow = clamps(program);
  std::vector<const Instr*> wide;
  for (const Instr& instr : twin.instrs)
    if (instr.op == Op::clamp) wide.push_back(&instr);
  if (narrow.size() != wide.size()) return {};
  for (size_t k = 0; k < narrow.size(); ++k) {
    const DType dtype = program[narrow[k]->out[0]].dtype;
    const auto &there = std::get<ClampAttr>(narrow[k]->attr), &given = std::get<ClampAttr>(wide[k]->attr);
    for (const auto& [bound, rounded] : {std::pair(given.lo, there.lo), std::pair(given.hi, there.hi)}) {
      const auto lost = unheld(bound, dtype);
      if (lost && lost->loss != Unheld::Loss::not_whole && (bound == rounded || same(lost->there, rounded)))
        numbers.push_back({bound, dtype});
    }
  }
  return numbers;
}

/// Constants and bounds as they were given: the node's twin in f64 has them before they were rounded. Others, such as
/// the largest number of a dtype, are no roundings of what the twin has.
std::vector<Number> rounded_numbers(const Node& node, const InputTypes& inputs, const Program& program) {
  const bool any = std::ranges::any_of(program.constants, [](const auto& c) { return looked_at(c.second.dtype()); });
  if (!any && clamps(program).empty()) return {};
  const auto twin = lower_alone_in_f64(node, inputs);
  if (!twin) return {};
  std::vector<Number> numbers = rounded_bounds(program, *twin);
  if (twin->constants.size() != program.constants.size()) return numbers;
  for (size_t c = 0; c < program.constants.size(); ++c) {
    const Tensor &narrow = program.constants[c].second, &wide = twin->constants[c].second;
    if (narrow.dims() != wide.dims() || !looked_at(narrow.dtype())) continue;
    const std::vector<double> there = narrow.to_f64(), given = wide.to_f64();
    for (size_t i = 0; i < given.size() && numbers.size() < kMostReported; ++i) {
      const auto lost = unheld(given[i], narrow.dtype());
      if (lost && same(lost->there, there[i])) numbers.push_back({given[i], narrow.dtype()});
    }
  }
  return numbers;
}

/// The node that a wire comes from, through corners.
const Node* source_of(const Graph& graph, const std::string& node, const std::string& socket) {
  for (auto links = graph.links_into(node, socket); links.size() == 1;) {
    const Node* from = graph.find(links[0].from);
    if (!from || !is_pass_through(*from)) return from;
    links = graph.links_into(from->id);
  }
  return nullptr;
}

/// The numbers of a source that holds nothing else, as the node's casts find them.
std::vector<Number> cast_numbers(const Graph& graph, const Node& node, const Program& program) {
  std::vector<Number> numbers;
  for (const Instr& instr : program.instrs) {
    const auto* cast = std::get_if<CastAttr>(&instr.attr);
    const auto port = std::ranges::find(program.inputs, cast ? instr.in[0] : kNoValue, &Port::value);
    if (!cast || cast->saturate || port == program.inputs.end()) continue;
    const Node* source = source_of(graph, node.id, port->name);
    const NodeType* type = source ? Registry::instance().find(source->type) : nullptr;
    const Declaration declared = type ? type->declared(source->params) : Declaration();
    if (!type || !declared->inputs().empty()) continue;
    const auto made = lower_alone(*source, {});
    if (!made || !made->params.empty() || !made->inputs.empty()) continue;
    for (const auto& [id, tensor] : made->constants)
      for (const double value : tensor.to_f64())
        if (numbers.size() < kMostReported && unheld(value, cast->dtype)) numbers.push_back({value, cast->dtype});
  }
  return numbers;
}

/// Whether a number is written in a text: 1e-8 in "y = x + 0.00000001".
bool is_written_in(const std::string& text, double value) {
  for (const char* at = text.c_str(); *at;) {
    char* end = nullptr;
    const bool begins = std::isdigit(static_cast<unsigned char>(*at)) || *at == '.';
    const double read = begins ? std::strtod(at, &end) : 0;
    if (begins && end != at && read == std::abs(value)) return true;
    at = begins && end != at ? end : at + 1;
  }
  return false;
}

using Place = UnheldNumber::Place;

Place place_of(const Node& node, double value, double other) {
  for (const ParamDecl& param : Registry::instance().find(node.type)->decl.params()) {
    const ParamValue now = param_value(node, param.id);
    if (const auto* real = std::get_if<double>(&now); real && *real == value) return {param.id, other};
    const auto* numbers = std::get_if<std::vector<double>>(&now);
    if (numbers && std::ranges::find(*numbers, value) != numbers->end()) {
      std::vector<double> changed = *numbers;
      std::ranges::replace(changed, value, other);
      return {param.id, std::move(changed)};
    }
    const auto* text = std::get_if<std::string>(&now);
    if (text && param.type == ParamDecl::Type::text && is_written_in(*text, value)) return {param.id, std::nullopt};
  }
  return {};
}

/// The node's own dtype parameter set to the narrowest dtype that holds the number.
std::optional<Remedy> wider(const Node& node, double value) {
  for (const ParamDecl& param : Registry::instance().find(node.type)->decl.params()) {
    if (param.type != ParamDecl::Type::dtype) continue;
    for (const DType dtype : {DType::f32, DType::f64}) {
      const std::string choice(name(dtype));
      if (unheld(value, dtype) || std::ranges::find(param.choices, choice) == param.choices.end()) continue;
      return Remedy{"Keep " + display_name(node) + " in " + choice,
                    {SetParam{node.id, param.id, ParamValue(choice)}},
                    Remedy::Kind::set_dtype};
    }
  }
  return std::nullopt;
}

std::vector<UnheldNumber> findings(const Graph& graph, const Node& node, const InputTypes& inputs,
                                   const Program& program) {
  std::vector<Number> numbers = given_numbers(program);
  std::ranges::move(cast_numbers(graph, node, program), std::back_inserter(numbers));
  std::ranges::move(rounded_numbers(node, inputs, program), std::back_inserter(numbers));
  std::ranges::move(drawn_ends(program), std::back_inserter(numbers));
  std::vector<UnheldNumber> found;
  std::set<double> reported;
  for (const Number& number : numbers) {
    if (reported.size() == kMostReported || !reported.insert(number.value).second) continue;
    const Unheld lost = *unheld(number.value, number.dtype);
    found.push_back({number.value, number.dtype, lost, place_of(node, number.value, lost.nearest)});
  }
  return found;
}

Diagnostic diagnostic(const Node& node, const UnheldNumber& found) {
  const std::string dtype(name(found.dtype));
  const bool other_whole = found.lost.loss == Unheld::Loss::not_whole;
  Diagnostic d;
  d.code = codes::bad_parameter;
  d.severity = other_whole ? Severity::info : Severity::warning;
  d.node = node.id;
  d.socket = found.place.param;
  d.reason = "The number " + to_string(found.lost, found.dtype) + ".";
  if (found.place.with && !other_whole)
    d.remedies.push_back({"Set " + found.place.param + " to the nearest that " + dtype + " holds",
                          {SetParam{node.id, found.place.param, *found.place.with}}});
  if (auto remedy = wider(node, found.value)) d.remedies.push_back(std::move(*remedy));
  return d;
}

}  // namespace

std::vector<Diagnostic> check_numbers(const Graph& graph, const Node& node, const InputTypes& inputs,
                                      const Program& program) {
  std::vector<Diagnostic> all;
  for (const UnheldNumber& found : findings(graph, node, inputs, program)) all.push_back(diagnostic(node, found));
  return all;
}

std::vector<UnheldNumber> unheld_numbers(const Graph& graph, const Validator& validator, const Node& node) {
  const InputTypes inputs = validator.input_types(graph, node);
  const auto program = node.bypassed ? std::nullopt : lower_alone(node, inputs);
  return program ? findings(graph, node, inputs, *program) : std::vector<UnheldNumber>();
}

}  // namespace hw
