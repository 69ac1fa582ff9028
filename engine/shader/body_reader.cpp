#include "engine/shader/body_reader.h"

#include "engine/shader/kernel_source.h"
#include "engine/shader/statement_reader.h"

namespace hw::shader {
namespace {

constexpr std::string_view kRoot = "hw::kernels";

class BodyReader {
 public:
  BodyReader(std::vector<Token> tokens, std::string_view file, Bodies& into)
      : in_(std::move(tokens), file), into_(into) {}

  Status run() {
    while (in_.peek().kind != Token::Kind::end) HW_CHECK(member());
    return scopes_.empty() ? ok() : Status(in_.error("a namespace without its end"));
  }

 private:
  Status member() {
    comment_ = in_.peek().comment;
    if (in_.accept("}")) {
      if (scopes_.empty()) return in_.error("\"}\" that ends nothing");
      scopes_.pop_back();
      return ok();
    }
    if (in_.accept_word("namespace")) return enter();
    if (in_.accept_word("inline")) return constant();
    std::vector<std::string> templates;
    in_.template_types.clear();
    if (in_.accept_word("template")) HW_CHECK(template_parameters(templates));
    if (in_.accept_word("HW_BODY")) return body(std::move(templates));
    return in_.error("\"" + in_.peek().text + "\", which begins neither a body nor a constant");
  }

  Status enter() {
    std::string path;
    do {
      HW_TRY(const std::string name, in_.name("a namespace"));
      if (!path.empty()) path += "::";
      path += name;
    } while (in_.accept("::"));
    scopes_.push_back(scopes_.empty() ? path : scopes_.back() + "::" + path);
    return in_.expect("{");
  }

  // Within hw::kernels.
  Result<std::string> scope() const {
    if (!scopes_.empty() && scopes_.back() == kRoot) return std::string();
    const std::string inside = std::string(kRoot) + "::";
    if (!scopes_.empty() && scopes_.back().starts_with(inside)) return scopes_.back().substr(inside.size());
    return in_.error("what stands outside of hw::kernels");
  }

  Status template_parameters(std::vector<std::string>& names) {
    HW_CHECK(in_.expect("<"));
    do {
      if (!in_.accept_word("class")) return in_.error("a template parameter \"" + in_.peek().text + "\"");
      HW_TRY(std::string name, in_.name("a template parameter"));
      in_.template_types.insert(name);
      names.push_back(std::move(name));
    } while (in_.accept(","));
    return in_.expect(">");
  }

  Status constant() {
    Constant c;
    c.file = in_.file();
    c.line = in_.peek().line;
    HW_TRY(c.scope, scope());
    if (!in_.accept_word("constexpr")) return in_.error("\"inline\" that begins no constant");
    HW_TRY(c.type, read_type(in_));
    HW_TRY(c.name, in_.name("a constant"));
    HW_CHECK(in_.expect("="));
    HW_TRY(c.value, read_expression(in_));
    into_.constants.push_back(std::move(c));
    return in_.expect(";");
  }

  Status body(std::vector<std::string> templates) {
    Body b;
    b.file = in_.file();
    b.line = in_.peek().line;
    b.comment = std::move(comment_);
    b.templates = std::move(templates);
    HW_TRY(b.scope, scope());
    HW_TRY(b.result, read_type(in_));
    HW_TRY(b.name, in_.name("a function"));
    HW_CHECK(in_.expect("("));
    while (!in_.accept(")")) {
      if (!b.parameters.empty()) HW_CHECK(in_.expect(","));
      HW_TRY(Parameter p, parameter());
      b.parameters.push_back(std::move(p));
    }
    HW_TRY(b.block, read_block(in_));
    into_.bodies.push_back(std::move(b));
    return ok();
  }

  Result<Parameter> parameter() {
    Parameter p;
    HW_TRY(p.type, read_type(in_));
    p.reference = in_.accept("&");
    if (in_.peek().kind == Token::Kind::name) p.name = in_.take().text;
    return p;
  }

  TokenReader in_;
  Bodies& into_;
  std::vector<std::string> scopes_;
  std::string comment_;
};

}  // namespace

Status read_bodies(std::string_view source, std::string_view file, Bodies& into) {
  HW_TRY(std::vector<Token> tokens, tokens_of(source, file));
  return BodyReader(std::move(tokens), file, into).run();
}

Result<Bodies> read_all_bodies() {
  Bodies all;
  for (const KernelSource& source : kernel_sources()) HW_CHECK(read_bodies(source.text, source.header, all));
  return all;
}

Result<const Bodies*> all_bodies() {
  static const Result<Bodies> all = read_all_bodies();
  if (!all) return all.error();
  return &*all;
}

}  // namespace hw::shader
