// Sources that nobody would write: cut, spliced and changed at random. Each compiles or says what is wrong; what
// compiles lowers to ops and has its adjoint.
#include <gtest/gtest.h>

#include <random>

#include "engine/expression/lowering.h"
#include "engine/expression/source.h"
#include "engine/program/adjoint.h"

namespace hw::expression {
namespace {

constexpr const char* kSeeds[] = {
    "y.x = 2*x; y.y = 3*x; y.z = 4*x",
    "in q: vec4; in v: vec3; let u = normalize(q); let t = 2*cross(u.xyz, v); r = v + u.w*t + cross(u.xyz, t)",
    "in m: mat3; in p: vec3; let a = m*m; a[1] = m[0]; y = a*p; d = dot(y, p); g = a - transpose(m)",
    "in x; in c: bool; let near = x > -0.3 && !(x > 0.4); y = near || c ? x*x : mix(3, x, smoothstep(-1, 1, x))",
    "in p: vec3; for i in 0..3 { for j in 0..2 { p[i] += p[j]*pow(p.x, i) } } out y: mat2; y = mat2(p.x, 1, p.yz.x, "
    "2e-3)",
    "# comment\nout y, z: vec2; y.yx = select(x < .5, vec2(1), vec2(x, pi)); // more\nz = clamp(y, -1, step(y.x, 2)) / "
    "3",
};
constexpr const char* kWords[] = {"(",   ")",   "[",    "]",    "{",    "}",    ".",    ",",    ";",
                                  ":",   "?",   "=",    "==",   "+=",   "..",   "!",    "&&",   "-",
                                  "*",   "in ", "out ", "let ", "for ", "vec3", "mat2", "x",    "y",
                                  ".xy", "[0]", "1e9",  "true", "sin(", "\n",   "#",    "\xff", "\xc3"};

std::string mutated(std::mt19937& random) {
  const auto below = [&](size_t n) { return n == 0 ? 0 : random() % n; };
  std::string text = kSeeds[below(std::size(kSeeds))];
  for (size_t n = 1 + below(3); n-- > 0;) {
    const size_t at = below(text.size() + 1), length = std::min(below(12), text.size() - at);
    switch (below(5)) {
      case 0:
        text.erase(at, length);
        break;
      case 1:
        text.insert(at, kWords[below(std::size(kWords))]);
        break;
      case 2:
        text.insert(at, text.substr(below(text.size() + 1), below(20)));
        break;
      case 3:
        if (at < text.size()) text[at] = static_cast<char>(random() & 0xff);
        break;
      default:
        text.replace(at, length, kWords[below(std::size(kWords))]);
    }
  }
  return text;
}

// Whatever compiles can be lowered: the check leaves nothing to fail.
void expect_lowers(const std::string& text, const Checked& source) {
  Program program;
  OpBuilder b(program);
  std::vector<Val> inputs;
  for (const Socket& socket : sockets_of(source).inputs) {
    Dims dims{5};
    dims.insert(dims.end(), static_cast<size_t>(socket.type.axes()), socket.type.size);
    inputs.push_back(b.input(socket.name, socket.type.is_boolean() ? DType::boolean : DType::f32, dims));
  }
  const std::vector<Val> outputs = lower(b, source, inputs, {5}, DType::f32);
  ASSERT_TRUE(b.status()) << b.status().error().text() << "\n" << text;
  Val loss;
  for (const Val y : outputs) {
    if (!info(b[y].dtype).is_float) continue;
    const Val sum = b.sum_to(y, {}, DType::f32);
    loss = loss ? b.add(loss, sum) : sum;
  }
  if (!loss) return;
  const auto gradients = build_adjoint(b, loss, inputs);
  EXPECT_TRUE(gradients) << gradients.error().text() << "\n" << text;
}

TEST(ExpressionFuzz, EverySourceCompilesOrSaysWhatIsWrong) {
  std::mt19937 random(20240501);
  size_t compiled = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::string text = mutated(random);
    const auto source = compile(text);
    (void)guessed_sockets(text);
    if (!source) {
      const Error& error = source.error();
      ASSERT_TRUE(error.code.starts_with("HW-X")) << error.text() << "\n" << text;
      ASSERT_FALSE(error.reason.empty());
      const Place place = place_of(error);
      ASSERT_TRUE(place.line >= 1 && place.column >= 1) << error.where;
      ASSERT_LE(static_cast<size_t>(place.column), text.size() + 1) << error.where << "\n" << text;
      continue;
    }
    ++compiled;
    expect_lowers(text, *source);
  }
  EXPECT_GT(compiled, 500u);  // the mutations reach past the parser
  EXPECT_LT(compiled, 19000u);
}

TEST(ExpressionFuzz, DepthAndSizeAreBounded) {
  const auto repeated = [](const std::string& text, size_t count) {
    std::string all;
    for (size_t i = 0; i < count; ++i) all += text;
    return all;
  };
  const auto loops = [&](int count) {
    std::string all;
    for (int i = 0; i < count; ++i) all += "for i" + std::to_string(i) + " in 0..1 { ";
    return all + "y = x;" + repeated("}", static_cast<size_t>(count));
  };
  const std::string deep[] = {
      "y = " + repeated("(", 5000) + "x" + repeated(")", 5000),
      "y = " + repeated("-", 9000) + "x",
      "y = x" + repeated("+x", 5000),
      "y = " + repeated("sin(", 3000) + "x" + repeated(")", 3000),
      "y = " + repeated("x ? ", 3000) + "x",
      "y = " + repeated("x > 0 ? 1 : ", 900) + "x",
      "y = v" + repeated(".xy", 4000),
      loops(200),
      "for i in 0..256 { for j in 0..256 { for k in 0..256 { } } } y = x",
      "for i in 0..256 { " + repeated("let a: mat4; ", 1000) + "} y = x",
      "y = x; for i in 0..256 { for j in 0..256 { y += x } }",
      repeated("y = x; ", 3000),
  };
  for (const std::string& source : deep) {
    const auto compiled = compile(source);
    ASSERT_FALSE(compiled) << source.substr(0, 60);
    EXPECT_EQ(compiled.error().code, "HW-X005") << compiled.error().text() << "\n" << source.substr(0, 60);
  }
  std::string sum = "y = x";
  for (int i = 0; i < 90; ++i) sum += "+x";
  EXPECT_TRUE(compile(sum));
}

}  // namespace
}  // namespace hw::expression
