// Recursive descent over the words of a source. A loop's body is parsed once for every value of its counter.
#include <algorithm>
#include <cmath>
#include <map>

#include "engine/core/codes.h"
#include "engine/expression/function.h"
#include "engine/expression/lexer.h"
#include "engine/expression/syntax.h"

namespace hw::expression {
namespace {

constexpr int kMaxLoop = 256;
constexpr std::string_view kWords[] = {"in", "out", "let", "for", "true", "false"};
constexpr const char* kTypes = "Types are float, bool, vec2 to vec4 and mat2 to mat4.";

std::string shown(const Token& token) {
  return token.kind == Token::Kind::end ? "the end" : "\"" + token.text + "\"";
}

class Parser {
 public:
  explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

  Result<std::vector<Statement>> run() {
    while (now().kind != Token::Kind::end) HW_CHECK(statement());
    return std::move(statements_);
  }

 private:
  const Token& now() const { return tokens_[at_]; }
  const Token& next() const { return tokens_[std::min(at_ + 1, tokens_.size() - 1)]; }
  Token take() {
    const Token token = now();
    if (token.kind != Token::Kind::end) ++at_;
    return token;
  }
  bool skip(std::string_view symbol) {
    if (!now().is(symbol)) return false;
    ++at_;
    return true;
  }

  static Error wrong(const Token& token, const std::string& expected, std::string remedy = {}) {
    return error_at(codes::expression_syntax, token.place, "expected " + expected + ", got " + shown(token) + ".",
                    std::move(remedy));
  }
  Status expect(std::string_view symbol, const std::string& where, std::string remedy = {}) {
    if (skip(symbol)) return ok();
    return wrong(now(), "\"" + std::string(symbol) + "\" " + where, std::move(remedy));
  }

  // ---- statements

  Status statement() {
    if (++count_ > kMaxExprs) return too_long(now().place);
    if (skip(";")) return ok();
    if (now().is_word("for")) return loop();
    if (now().is_word("in")) return declaration(Statement::Kind::input);
    if (now().is_word("out")) return declaration(Statement::Kind::output);
    if (now().is_word("let")) return local();
    return assignment();
  }

  Status end_of(const char* what) {
    if (now().kind == Token::Kind::end || now().is("}")) return ok();
    return expect(";", std::string("after ") + what, "Statements end with a semicolon.");
  }

  Result<std::string> fresh_name(const char* what) {
    const Token token = take();
    if (token.kind != Token::Kind::name) return wrong(token, std::string("a name ") + what);
    if (counters_.contains(token.text) || type_named(token.text) ||
        std::ranges::find(kWords, token.text) != std::end(kWords))
      return error_at(codes::expression_name, token.place, "\"" + token.text + "\" is taken and cannot be a name.",
                      "Choose another.");
    return token.text;
  }

  Result<std::optional<Type>> type_after_colon() {
    if (!skip(":")) return std::optional<Type>();
    const Token token = take();
    if (token.kind != Token::Kind::name) return wrong(token, "a type after \":\"", kTypes);
    const auto type = type_named(token.text);
    if (!type) return error_at(codes::expression_name, token.place, "there is no type \"" + token.text + "\".", kTypes);
    return type;
  }

  Status declaration(Statement::Kind kind) {
    take();
    const size_t first = statements_.size();
    if (!counters_.empty())
      return error_at(codes::expression_syntax, now().place, "sockets cannot be declared inside a loop.",
                      "Declare them at the beginning.");
    do {
      const Place place = now().place;
      HW_TRY(std::string name, fresh_name(kind == Statement::Kind::input ? "after \"in\"" : "after \"out\""));
      statements_.push_back({kind, place, std::move(name)});
    } while (skip(","));
    HW_TRY(const std::optional<Type> type, type_after_colon());
    for (size_t i = first; i < statements_.size(); ++i) statements_[i].type = type;
    return end_of("a declaration");
  }

  Status local() {
    take();
    Statement s{Statement::Kind::local, now().place};
    HW_TRY(s.name, fresh_name("after \"let\""));
    HW_TRY(s.type, type_after_colon());
    if (skip("=")) {
      HW_TRY(s.value, expression());
    } else if (!s.type) {
      return wrong(now(), "\"=\" or \":\" after let " + s.name, "Write let a = 1; or let a: vec3;");
    }
    statements_.push_back(std::move(s));
    return end_of("let");
  }

  Status assignment() {
    const size_t begin = at_;
    Statement s{Statement::Kind::assign, now().place};
    if (now().kind != Token::Kind::name)
      return wrong(now(), "a statement", "A statement assigns a value, as in y = 2*x;");
    HW_TRY(s.target, postfix());
    for (const Expr* e = s.target.get(); e->kind != Expr::Kind::name; e = e->args[0].get())
      if (e->kind != Expr::Kind::components && e->kind != Expr::Kind::index)
        return error_at(codes::expression_syntax, s.place, "this is nothing that a value could be given to.",
                        "On the left of \"=\" stands a name, or components of one: y, y.x, m[0][1].");
    const Token op = take();
    if (op.is("=")) {
      HW_TRY(s.value, expression());
    } else if (op.is("+=") || op.is("-=") || op.is("*=") || op.is("/=")) {
      HW_TRY(ExprPtr right, expression());
      const size_t end = at_;
      at_ = begin;  // the target once more, as a value
      HW_TRY(ExprPtr left, postfix());
      at_ = end;
      HW_TRY(s.value, binary(op.place, op.text.substr(0, 1), std::move(left), std::move(right)));
    } else {
      return wrong(op, "\"=\" after what is assigned to",
                   op.is("==") ? "== compares; = assigns." : "A statement assigns a value, as in y = 2*x;");
    }
    statements_.push_back(std::move(s));
    return end_of("an assignment");
  }

  Result<int> bound() {
    const Place place = now().place;
    HW_TRY(const ExprPtr e, expression());
    const auto value = constant(*e);
    if (!value || *value != std::trunc(*value) || std::abs(*value) > 1e6)
      return error_at(codes::expression_size, place, "a loop's bounds must be whole numbers that stand in the text.",
                      "Write for i in 0..4 { .. }.");
    return static_cast<int>(*value);
  }

  // for i in 0..4 { .. }: i = 0, 1, 2, 3.
  Status loop() {
    const Place place = take().place;
    HW_TRY(const std::string counter, fresh_name("after \"for\""));
    if (!now().is_word("in")) return wrong(now(), "\"in\"", "Write for i in 0..4 { .. }.");
    take();
    HW_TRY(const int first, bound());
    HW_CHECK(expect("..", "between a loop's bounds", "Write for i in 0..4 { .. }."));
    HW_TRY(const int last, bound());
    if (last - first < 1 || last - first > kMaxLoop)
      return error_at(codes::expression_size, place,
                      "a loop runs 1 to " + std::to_string(kMaxLoop) + " times; " + std::to_string(first) + ".." +
                          std::to_string(last) + " is " + std::to_string(last - first) + ".",
                      "The upper bound is not part of it.");
    HW_CHECK(expect("{", "around a loop's statements", "Write for i in 0..4 { .. }."));
    const size_t body = at_;
    if (++depth_ > kMaxDepth) return too_deep(place);
    for (int i = first; i < last; ++i) {
      at_ = body;
      counters_[counter] = i;
      while (!now().is("}")) {
        if (now().kind == Token::Kind::end) return wrong(now(), "\"}\" at the end of the loop");
        HW_CHECK(statement());
      }
      if (++count_ > kMaxExprs) return too_long(place);  // an empty body costs time too
    }
    --depth_;
    counters_.erase(counter);
    take();
    return ok();
  }

  // ---- expressions

  static Error too_deep(Place place) {
    return error_at(codes::expression_size, place,
                    "this is nested more than " + std::to_string(kMaxDepth) + " levels deep.",
                    "Give parts of it names with let.");
  }
  static Error too_long(Place place) {
    return error_at(codes::expression_size, place,
                    "with its loops unrolled the source has more than " + std::to_string(kMaxExprs) + " parts.",
                    "Shorten the loops, or use several nodes.");
  }

  Result<ExprPtr> make(Expr::Kind kind, Place place, std::string text, std::vector<ExprPtr> args, double number = 0) {
    if (++count_ > kMaxExprs) return too_long(place);
    auto e = std::make_unique<Expr>();
    e->kind = kind;
    e->place = place;
    e->text = std::move(text);
    e->number = number;
    e->args = std::move(args);
    for (const ExprPtr& arg : e->args) e->depth = std::max(e->depth, arg->depth + 1);
    if (e->depth > kMaxDepth) return too_deep(place);
    return e;
  }

  Result<ExprPtr> binary(Place place, std::string op, ExprPtr left, ExprPtr right) {
    std::vector<ExprPtr> args;
    args.push_back(std::move(left));
    args.push_back(std::move(right));
    return make(Expr::Kind::binary, place, std::move(op), std::move(args));
  }

  Result<ExprPtr> expression() {
    if (++depth_ > kMaxDepth) return too_deep(now().place);
    HW_TRY(ExprPtr condition, level(0));
    if (now().is("?")) {
      const Place place = take().place;
      std::vector<ExprPtr> args;
      args.push_back(std::move(condition));
      for (const char* part : {":", ""}) {
        HW_TRY(ExprPtr side, expression());
        args.push_back(std::move(side));
        if (*part) HW_CHECK(expect(":", "between the two sides of \"?\""));
      }
      HW_TRY(condition, make(Expr::Kind::choose, place, "?", std::move(args)));
    }
    --depth_;
    return condition;
  }

  // Binary operators, loosest first.
  Result<ExprPtr> level(size_t k) {
    static const std::vector<std::string_view> kLevels[] = {{"||"},     {"&&"},    {"==", "!="}, {"<", "<=", ">", ">="},
                                                            {"+", "-"}, {"*", "/"}};
    if (k == std::size(kLevels)) return prefix();
    HW_TRY(ExprPtr left, level(k + 1));
    while (now().kind == Token::Kind::symbol && std::ranges::find(kLevels[k], now().text) != kLevels[k].end()) {
      const Token op = take();
      HW_TRY(ExprPtr right, level(k + 1));
      HW_TRY(left, binary(op.place, op.text, std::move(left), std::move(right)));
    }
    return left;
  }

  Result<ExprPtr> prefix() {
    if (!now().is("-") && !now().is("!") && !now().is("+")) return power();
    if (++depth_ > kMaxDepth) return too_deep(now().place);
    const Token op = take();
    HW_TRY(ExprPtr of, prefix());
    --depth_;
    if (op.is("+")) return of;
    std::vector<ExprPtr> args;
    args.push_back(std::move(of));
    return make(Expr::Kind::unary, op.place, op.text, std::move(args));
  }

  // a ^ b is pow(a, b): tighter than a sign before it, from right to left.
  Result<ExprPtr> power() {
    HW_TRY(ExprPtr base, postfix());
    if (!now().is("^")) return base;
    if (++depth_ > kMaxDepth) return too_deep(now().place);
    const Place place = take().place;
    HW_TRY(ExprPtr exponent, prefix());
    --depth_;
    std::vector<ExprPtr> args;
    args.push_back(std::move(base));
    args.push_back(std::move(exponent));
    return make(Expr::Kind::call, place, "pow", std::move(args));
  }

  Result<ExprPtr> postfix() {
    HW_TRY(ExprPtr e, primary());
    while (now().is(".") || now().is("[")) {
      const Token op = take();
      std::vector<ExprPtr> args;
      args.push_back(std::move(e));
      if (op.is(".")) {
        const Token name = take();
        if (name.kind != Token::Kind::name) return wrong(name, "components after \".\"", "Such as p.x or p.xyz.");
        HW_TRY(e, make(Expr::Kind::components, name.place, name.text, std::move(args)));
      } else {
        HW_TRY(ExprPtr index, expression());
        HW_CHECK(expect("]", "after an index"));
        args.push_back(std::move(index));
        HW_TRY(e, make(Expr::Kind::index, op.place, "[", std::move(args)));
      }
    }
    return e;
  }

  Result<ExprPtr> primary() {
    const Token token = take();
    if (token.kind == Token::Kind::number) return make(Expr::Kind::number, token.place, token.text, {}, token.number);
    if (token.is("(")) {
      HW_TRY(ExprPtr inner, expression());
      HW_CHECK(expect(")", "to close the \"(\" at " + error_at("", token.place, "").where));
      return inner;
    }
    if (token.kind != Token::Kind::name) return wrong(token, "a value");
    if (const auto counter = counters_.find(token.text); counter != counters_.end())
      return make(Expr::Kind::number, token.place, token.text, {}, counter->second);
    if (token.text == "true" || token.text == "false") {
      HW_TRY(ExprPtr truth, make(Expr::Kind::number, token.place, token.text, {}, token.text == "true"));
      truth->type = Type::boolean();
      return truth;
    }
    if (std::ranges::find(kWords, token.text) != std::end(kWords)) return wrong(token, "a value");
    if (!now().is("(")) return make(Expr::Kind::name, token.place, token.text, {});
    take();
    std::vector<ExprPtr> args;
    if (!now().is(")")) {
      do {
        HW_TRY(ExprPtr arg, expression());
        args.push_back(std::move(arg));
      } while (skip(","));
    }
    HW_CHECK(expect(")", "after the arguments of " + token.text));
    return make(Expr::Kind::call, token.place, token.text, std::move(args));
  }

  const std::vector<Token> tokens_;
  size_t at_ = 0, count_ = 0;
  int depth_ = 0;
  std::map<std::string, int, std::less<>> counters_;  // of the loops around
  std::vector<Statement> statements_;
};

}  // namespace

std::optional<double> constant(const Expr& e) {
  if (e.kind == Expr::Kind::number && !e.type.is_boolean()) return e.number;
  if (e.kind == Expr::Kind::unary && e.text == "-") {
    const auto of = constant(*e.args[0]);
    return of ? std::optional(-*of) : std::nullopt;
  }
  if (const Function* f = e.kind == Expr::Kind::call ? find_function(e.text) : nullptr) {
    std::vector<double> args;
    for (const ExprPtr& arg : e.args)
      if (const auto value = constant(*arg)) args.push_back(*value);
    return f->value && args.size() == f->args && e.args.size() == f->args ? std::optional(f->value(args.data()))
                                                                          : std::nullopt;
  }
  if (e.kind != Expr::Kind::binary || e.text.size() != 1) return std::nullopt;
  const auto a = constant(*e.args[0]), b = constant(*e.args[1]);
  if (!a || !b) return std::nullopt;
  switch (e.text[0]) {
    case '+':
      return *a + *b;
    case '-':
      return *a - *b;
    case '*':
      return *a * *b;
    case '/':
      return *a / *b;
    default:
      return std::nullopt;
  }
}

Result<std::vector<Statement>> parse(std::string_view source) {
  if (source.size() > kMaxSource)
    return error_at(codes::expression_size, {},
                    "the source is longer than " + std::to_string(kMaxSource) + " characters.", "Use several nodes.");
  HW_TRY(std::vector<Token> tokens, tokens_of(source));
  return Parser(std::move(tokens)).run();
}

}  // namespace hw::expression
