#include "engine/expression/names.h"

#include <algorithm>
#include <numbers>
#include <numeric>

namespace hw::expression {
namespace {

class Uses {
 public:
  std::vector<Use> run(const std::vector<Statement>& statements) {
    for (const Statement& s : statements)
      if (s.kind == Statement::Kind::input || s.kind == Statement::Kind::output) known_.insert(s.name);
    for (const Statement& s : statements) {
      if (s.value) read(*s.value, 0);
      if (s.kind == Statement::Kind::local) known_.insert(s.name);
      if (s.kind == Statement::Kind::assign) assigned(*s.target, 0);
    }
    return std::move(uses_);
  }

 private:
  static int asked(const Expr& e) {
    int most = 0;
    for (const char letter : e.text) most = std::max(most, component_of(letter) + 1);
    return std::max(most, 2);
  }

  void read(const Expr& e, int components) {
    if (e.kind == Expr::Kind::name && !named_number(e.text)) use(e, components, false);
    const bool of_name = e.kind == Expr::Kind::components && e.args[0]->kind == Expr::Kind::name;
    for (const ExprPtr& arg : e.args) read(*arg, of_name ? asked(e) : 0);
  }

  void assigned(const Expr& e, int components) {
    if (e.kind == Expr::Kind::name) return use(e, components, true);
    assigned(*e.args[0], e.kind == Expr::Kind::components && e.args[0]->kind == Expr::Kind::name ? asked(e) : 0);
  }

  void use(const Expr& e, int components, bool assigned) {
    if (known_.contains(e.text)) return;
    const auto found = std::ranges::find(uses_, e.text, &Use::name);
    Use& use = found == uses_.end() ? uses_.emplace_back(Use{e.text, e.place}) : *found;
    // What is read of an output says nothing of its type.
    if (assigned && !use.assigned) {
      use.components = 0;
      use.whole = components == 0;
    }
    if (assigned || !use.assigned) use.components = std::max(use.components, components);
    use.assigned = use.assigned || assigned;
  }

  std::set<std::string> known_;
  std::vector<Use> uses_;
};

size_t distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t other = std::min(row[j], row[j + 1]) + 1, same = diagonal + (a[i] != b[j]);
      diagonal = row[j + 1];
      row[j + 1] = std::min(other, same);
    }
  }
  return row.back();
}

}  // namespace

std::vector<Use> uses_of(const std::vector<Statement>& statements) {
  return Uses().run(statements);
}

int component_of(char letter) {
  for (const std::string_view set : {"xyzw", "rgba"})
    if (const size_t at = set.find(letter); at != std::string_view::npos) return static_cast<int>(at);
  return -1;
}

std::string nearest(std::string_view name, const std::vector<std::string>& known) {
  const size_t allowed = name.size() < 3 ? 1 : 2;
  std::string best;
  size_t least = allowed + 1;
  for (const std::string& candidate : known) {
    if (candidate.size() > name.size() + allowed || name.size() > candidate.size() + allowed) continue;
    const size_t d = distance(name, candidate);
    if (d < least && d < name.size()) least = d, best = candidate;
  }
  return best;
}

std::optional<double> named_number(std::string_view name) {
  if (name == "pi") return std::numbers::pi;
  return std::nullopt;
}

}  // namespace hw::expression
