#include "engine/expression/check.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/core/codes.h"
#include "engine/expression/check_call.h"
#include "engine/expression/names.h"

namespace hw::expression {
namespace {

using Role = Variable::Role;

constexpr std::string_view kLetters = "xyzw";

class Checker {
 public:
  explicit Checker(std::vector<Statement> statements) : statements_(std::move(statements)) {}

  Result<Checked> run() {
    HW_CHECK(declare());
    for (Statement& s : statements_) {
      if (s.kind == Statement::Kind::local) HW_CHECK(local(s));
      if (s.kind == Statement::Kind::assign) HW_CHECK(assign(s));
    }
    if (out_.outputs.empty())
      return error_at(codes::expression_unset, {}, "nothing is assigned, so there is no output.",
                      "Assign a value, as in y = 2*x;");
    for (const int v : out_.outputs) HW_CHECK(is_set(v, every(type(v)), variable(v).place, "goes out"));
    return std::move(out_);
  }

 private:
  Variable& variable(int v) { return out_.variables[static_cast<size_t>(v)]; }
  Type type(int v) { return variable(v).type; }
  std::vector<bool>& set(int v) { return set_[static_cast<size_t>(v)]; }
  static std::vector<int> every(Type type) {
    std::vector<int> all(static_cast<size_t>(type.components()));
    std::iota(all.begin(), all.end(), 0);
    return all;
  }

  int add(Role role, const std::string& name, std::optional<Type> type, Place place) {
    const int v = static_cast<int>(out_.variables.size());
    out_.variables.push_back({role, name, type.value_or(Type{}), place});
    typed_.push_back(type.has_value());
    set_.emplace_back(static_cast<size_t>(type.value_or(Type{}).components()), role == Role::input);
    scope_[name] = v;
    if (role == Role::input) out_.inputs.push_back(v);
    if (role == Role::output) out_.outputs.push_back(v);
    return v;
  }

  // Sockets: those declared, then those that the uses of names ask for.
  Status declare() {
    for (const Statement& s : statements_) {
      if (s.kind != Statement::Kind::input && s.kind != Statement::Kind::output) continue;
      const bool in = s.kind == Statement::Kind::input;
      if (find_function(s.name)) return is_function(s.name, s.place);
      if (scope_.contains(s.name))
        return error_at(codes::expression_name, s.place, "\"" + s.name + "\" is declared twice.",
                        "An input may be assigned to; for what goes out choose another name.");
      add(in ? Role::input : Role::output, s.name, in ? std::optional(s.type.value_or(Type{})) : s.type, s.place);
    }
    const bool inputs = !out_.inputs.empty(), outputs = !out_.outputs.empty();
    for (const Use& use : uses_of(statements_)) {
      const auto vector = use.components > 0 && !use.whole ? std::optional(Type::vector(use.components)) : std::nullopt;
      if (use.assigned ? outputs : inputs) {
        if (use.assigned) return unknown_target(use);
        continue;  // reported where it is read
      }
      if (find_function(use.name))
        return error_at(codes::expression_name, use.place, "\"" + use.name + "\" is a function and cannot be a name.",
                        use.assigned ? "Choose another name." : "Give it arguments: " + usage(use.name) + ".");
      if (use.assigned)
        add(Role::output, use.name, vector, use.place);
      else
        add(Role::input, use.name, vector.value_or(Type{}), use.place);
    }
    for (const auto* sockets : {&out_.inputs, &out_.outputs})
      if (sockets->size() > kMaxSockets)
        return error_at(codes::expression_size, variable((*sockets)[kMaxSockets]).place,
                        "there are more than " + std::to_string(kMaxSockets) + " " +
                            (sockets == &out_.inputs ? "inputs." : "outputs."),
                        "Pack them into vectors, or use several nodes.");
    return ok();
  }

  static std::string usage(const std::string& name) { return std::string(find_function(name)->usage); }
  static Error is_function(const std::string& name, Place place) {
    return error_at(codes::expression_name, place, "\"" + name + "\" is a function and cannot be a name.",
                    "Choose another name.");
  }

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& [name, v] : scope_) all.push_back(name);
    return all;
  }

  Error unknown_target(const Use& use) const {
    const std::string meant = nearest(use.name, names());
    return error_at(
        codes::expression_name, use.place, "\"" + use.name + "\" is not declared, but other outputs are.",
        meant.empty() ? "Declare it with out, or with let if it is not to go out." : "Did you mean \"" + meant + "\"?");
  }

  Status is_set(int v, const std::vector<int>& components, Place place, const char* doing) {
    const Type t = type(v);
    for (const int c : components) {
      if (set(v)[static_cast<size_t>(c)] && typed_[static_cast<size_t>(v)]) continue;
      std::string what = variable(v).name;
      if (t.is_vector()) what += std::string(".") + kLetters[static_cast<size_t>(c)];
      if (t.is_matrix()) what += "[" + std::to_string(c / t.size) + "][" + std::to_string(c % t.size) + "]";
      const std::string text = name(t);
      return error_at(codes::expression_unset, place,
                      what + " " + doing + ", but nothing is assigned to it" +
                          (std::string_view(doing) == "is read" ? " before." : "."),
                      variable(v).role == Role::output && t.components() == 1
                          ? "If it comes from a wire, declare it: in " + variable(v).name + ";"
                          : "Assign to it first, or to all of it: " + variable(v).name + " = " + text + "(0);");
    }
    return ok();
  }

  Status local(Statement& s) {
    if (s.value) HW_CHECK(expression(*s.value));
    if (const auto taken = scope_.find(s.name); taken != scope_.end() && variable(taken->second).role != Role::local)
      return error_at(codes::expression_name, s.place,
                      "\"" + s.name + "\" is an " + (variable(taken->second).role == Role::input ? "input" : "output") +
                          " already.",
                      "Choose another name.");
    if (find_function(s.name)) return is_function(s.name, s.place);
    if (s.type && s.value && !(*s.type == s.value->type))
      return type_error(s.value->place,
                        "\"" + s.name + "\" is a " + name(*s.type) + ", the value a " + name(s.value->type) + ".");
    const int v = add(Role::local, s.name, s.value ? s.value->type : *s.type, s.place);
    if (s.value) put(v, {}, std::move(s.value));
    return ok();
  }

  void put(int v, std::vector<int> target, ExprPtr value) {
    if (target.empty()) set(v).assign(set(v).size(), true);
    for (const int c : target) set(v)[static_cast<size_t>(c)] = true;
    out_.steps.push_back({v, std::move(target), std::move(value)});
  }

  Status assign(Statement& s) {
    HW_CHECK(expression(*s.value));
    Expr* root = s.target.get();
    while (root->kind != Expr::Kind::name) root = root->args[0].get();
    const auto found = scope_.find(root->text);
    if (found == scope_.end())
      return error_at(codes::expression_name, root->place, "\"" + root->text + "\" cannot be assigned to.",
                      "Choose another name.");
    const int v = root->variable = found->second;
    if (root == s.target.get()) {
      if (!typed_[static_cast<size_t>(v)]) {
        variable(v).type = s.value->type;
        typed_[static_cast<size_t>(v)] = true;
        set(v).resize(static_cast<size_t>(type(v).components()));
      }
      if (!(type(v) == s.value->type)) return does_not_fit(s, root->text, type(v));
      put(v, {}, std::move(s.value));
      return ok();
    }
    if (!typed_[static_cast<size_t>(v)])
      return type_error(s.target->place, "\"" + root->text + "\" has no type yet.",
                        "Declare it: out " + root->text + ": mat3;");
    root->type = type(v);
    HW_CHECK(access(*s.target, false));
    std::vector<int> target = flat(*s.target);
    std::vector<int> sorted = target;
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) != sorted.end())
      return type_error(s.target->place, "a component stands twice on the left of \"=\".", "Name each once.");
    if (!(s.target->type == s.value->type)) return does_not_fit(s, "the left side", s.target->type);
    put(v, std::move(target), std::move(s.value));
    return ok();
  }

  static Error does_not_fit(const Statement& s, const std::string& what, Type wanted) {
    const Type got = s.value->type;
    std::string remedy;
    if (wanted.is_vector() && got.is_scalar())
      remedy = "For the same in every component write " + name(wanted) + "(..).";
    if (wanted.is_scalar() && got.is_vector()) remedy = "Take a component: (..).x, or length(..).";
    if (wanted.is_scalar() && got.is_boolean()) remedy = "For 0 or 1 write float(..).";
    return type_error(s.value->place,
                      (what == "the left side" ? what : "\"" + what + "\"") + " is a " + name(wanted) +
                          ", the value a " + name(got) + ".",
                      remedy);
  }

  // ---- expressions

  // `whole`: the value is used, so what it is made of must be set.
  Status expression(Expr& e, bool whole = true) {
    switch (e.kind) {
      case Expr::Kind::number:
        return ok();
      case Expr::Kind::name:
        return read_name(e, whole);
      case Expr::Kind::components:
      case Expr::Kind::index:
        return access(e, whole);
      default:
        for (const ExprPtr& arg : e.args) HW_CHECK(expression(*arg));
        return e.kind == Expr::Kind::call ? check_call(e, names()) : check_operator(e);
    }
  }

  Status read_name(Expr& e, bool whole) {
    const auto found = scope_.find(e.text);
    if (found == scope_.end()) {
      if (const auto value = named_number(e.text)) {
        e.kind = Expr::Kind::number;
        e.number = *value;
        return ok();
      }
      const std::string meant = nearest(e.text, names());
      return error_at(codes::expression_name, e.place, "\"" + e.text + "\" is not known here.",
                      meant.empty() ? "Declare it: in " + e.text + ";" : "Did you mean \"" + meant + "\"?");
    }
    e.variable = found->second;
    e.type = type(e.variable);
    return whole ? is_set(e.variable, every(e.type), e.place, "is read") : ok();
  }

  static bool is_access(const Expr& e) { return e.kind == Expr::Kind::components || e.kind == Expr::Kind::index; }

  // e.x or e[i], of a variable or of any value.
  Status access(Expr& e, bool whole) {
    Expr& of = *e.args[0];
    if (of.kind != Expr::Kind::name || of.variable < 0) HW_CHECK(expression(of, false));
    HW_CHECK(e.kind == Expr::Kind::components ? pick_letters(e) : pick_index(e));
    if (!whole) return ok();
    const Expr* root = &of;
    while (is_access(*root)) root = root->args[0].get();
    return root->kind == Expr::Kind::name ? is_set(root->variable, flat(e), root->place, "is read") : ok();
  }

  // Which components of the variable at its root an access means.
  std::vector<int> flat(const Expr& e) {
    if (e.kind == Expr::Kind::name) return every(type(e.variable));
    const std::vector<int> of = flat(*e.args[0]);
    std::vector<int> picked;
    for (const int c : e.picked) picked.push_back(of[static_cast<size_t>(c)]);
    return picked;
  }

  Status pick_letters(Expr& e) {
    const Type of = e.args[0]->type;
    if (!of.is_vector())
      return type_error(e.place, "a " + name(of) + " has no component \"" + e.text + "\".",
                        of.is_matrix() ? "Rows and elements of a matrix: m[0], m[0][1]."
                                       : "Only vectors have: declare it as in p: vec3;");
    size_t positions = 0, colours = 0;
    for (const char letter : e.text) {
      const int c = component_of(letter);
      positions += kLetters.find(letter) != std::string_view::npos;
      colours += c >= 0 && kLetters.find(letter) == std::string_view::npos;
      if (c < 0 || c >= of.size)
        return error_at(codes::expression_name, e.place,
                        "a " + name(of) + " has no component \"" + std::string(1, letter) + "\".",
                        "It has " + std::string(kLetters.substr(0, static_cast<size_t>(of.size))) + " (or " +
                            std::string("rgba").substr(0, static_cast<size_t>(of.size)) + ").");
      e.picked.push_back(c);
    }
    if (positions > 0 && colours > 0)
      return error_at(codes::expression_name, e.place, "\"" + e.text + "\" mixes xyzw and rgba.", "Use one of them.");
    if (e.text.size() > 4)
      return error_at(codes::expression_size, e.place, "\"" + e.text + "\" has more than 4 components.", "");
    e.type = e.text.size() == 1 ? Type{} : Type::vector(static_cast<int>(e.text.size()));
    return ok();
  }

  Status pick_index(Expr& e) {
    const Type of = e.args[0]->type;
    if (!of.is_vector() && !of.is_matrix())
      return type_error(e.place, "a " + name(of) + " cannot be indexed.", "Declare it as a vec or mat.");
    const auto index = constant(*e.args[1]);
    if (!index)
      return error_at(codes::expression_size, e.args[1]->place, "an index must be a number that stands in the text.",
                      "Or the counter of a loop: for i in 0..3 { .. }.");
    if (*index != std::trunc(*index) || *index < 0 || *index >= of.size)
      return error_at(codes::expression_size, e.args[1]->place,
                      "an index of a " + name(of) + " goes from 0 to " + std::to_string(of.size - 1) + ".", "");
    const int k = static_cast<int>(*index), count = of.is_matrix() ? of.size : 1;
    for (int i = 0; i < count; ++i) e.picked.push_back(k * count + i);
    e.type = of.is_matrix() ? Type::vector(of.size) : Type{};
    return ok();
  }

  std::vector<Statement> statements_;
  Checked out_;
  std::vector<bool> typed_;             // by variable: its type is known
  std::vector<std::vector<bool>> set_;  // by variable: which components are
  std::map<std::string, int> scope_;
};

}  // namespace

Result<Checked> check(std::vector<Statement> statements) {
  return Checker(std::move(statements)).run();
}

}  // namespace hw::expression
