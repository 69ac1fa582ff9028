// What the child that parses ONNX hands over: everything comes back as it was, and nothing of it is trusted.
#include "app/interop/onnx/onnx_bytes.h"

#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <numeric>
#include <random>

#include "engine/core/codes.h"
#include "engine/core/same_bits.h"
#include "tests/interop/onnx_models.h"

namespace hw::test::onnx_bytes_test {
namespace {

namespace fs = std::filesystem;
using interop::OnnxGraph;
using interop::OnnxModel;
using interop::OnnxNode;
using interop::StoredTensor;
using ::testing::HasSubstr;

std::string bytes_of(const Result<OnnxModel>& outcome) {
  const int fd = ::memfd_create("test", 0);
  EXPECT_TRUE(interop::write_onnx_bytes(fd, outcome));
  std::string bytes(static_cast<size_t>(::lseek(fd, 0, SEEK_END)), '\0');
  EXPECT_EQ(::pread(fd, bytes.data(), bytes.size(), 0), static_cast<ssize_t>(bytes.size()));
  ::close(fd);
  return bytes;
}

std::shared_ptr<const TensorFile> opened(const fs::path& file) {
  auto open = TensorFile::open(file);
  EXPECT_TRUE(open) << open.error().text();
  return std::make_shared<const TensorFile>(std::move(*open));
}

/// A folder in `temporary` whose path is as long wherever the temporary ones lie: what is handed over has it.
fs::path folder_in(const TempFolder& temporary) {
  constexpr size_t kLength = 160;
  const fs::path outer = fs::canonical(temporary.path());
  const size_t taken = outer.native().size() + 1;
  const fs::path made = outer / std::string(taken < kLength ? kLength - taken : 1, 'd');
  fs::create_directory(made);
  return made;
}

/// A model file, and one beside it, of 4,096 bytes each.
struct Files {
  Files() {
    std::string bytes(4096, '\0');
    std::iota(bytes.begin(), bytes.end(), '\1');
    for (const char* name : {"m.onnx", "w.data"}) write_bytes(folder / name, bytes);
    model = opened(file);
    beside = opened(folder / "w.data");
  }
  Result<OnnxModel> read(std::string_view bytes) const { return interop::read_onnx_bytes(bytes, file, model); }

  TempFolder temporary;
  fs::path folder = folder_in(temporary);
  fs::path file = folder / "m.onnx";
  std::shared_ptr<const TensorFile> model, beside;
};

const interop::OnnxDType& onnx_type(int64_t number) {
  return *interop::find_onnx_dtype(number);
}

OnnxNode sample_node(int depth) {
  OnnxNode node{"name", "Op", "domain", "overload", {"a", "", "c"}, {"d"}, {}, {{"alpha", "beta"}}, "why", 22, {}};
  node.scopes = {{"layer1", "Layer"}, {"layer1.0", ""}};
  node.attributes["integer"] = int64_t{-7};
  node.attributes["real"] = 0.1;
  node.attributes["text"] = std::string("\0\xff text", 7);
  node.attributes["integers"] = std::vector<int64_t>{1, INT64_MIN};
  node.attributes["reals"] = std::vector<double>{-0.0, 1e-310};
  node.attributes["texts"] = std::vector<std::string>{"", "b"};
  node.attributes["tensor"] = Tensor::from_f64(DType::f16, {2, 1}, std::vector<double>{1, 2});
  if (depth == 0) return node;
  OnnxGraph inner;
  inner.name = "inner";
  inner.nodes = {sample_node(depth - 1)};
  node.attributes["graph"] = std::shared_ptr<const OnnxGraph>(std::make_shared<OnnxGraph>(std::move(inner)));
  return node;
}

/// Every member of everything set.
OnnxModel sample(const Files& files) {
  OnnxModel model{21, "producer", {{"other", 3}}, {}, {}};
  OnnxGraph& graph = model.graph;
  graph.name = "g";
  graph.nodes = {sample_node(2), sample_node(0)};
  graph.inputs = {{"x", DType::f32, "FLOAT", std::vector<interop::OnnxDim>{{2, ""}, {-1, "batch"}}, 1},
                  {"s", std::nullopt, "sequence", std::nullopt, 0}};
  graph.outputs = {{"y", DType::boolean, "BOOL", std::vector<interop::OnnxDim>{}, 9}};
  graph.initializers = {{"in memory", floats({3}, {1, 2, 3})},
                        {"none", floats({0, 5}, {})},
                        {"in the model", StoredTensor(files.model, 16, onnx_type(1), {4, 5})},
                        {"beside", StoredTensor(files.beside, 8, onnx_type(7), {2})},
                        {"packed", StoredTensor(files.beside, 3, onnx_type(22), {5})}};
  graph.held_wider = {{"packed", 22}};
  graph.parameters = std::set<std::string>{"in memory", "beside"};
  graph.unread = {{"strings", "Halfwire has no dtype STRING."}};
  model.functions = {
      {"f", "d", "o", {"a"}, {"b"}, {"c"}, {{"c", int64_t{1}}}, {sample_node(1)}, 18, true},
  };
  return model;
}

void expect_same(const interop::OnnxAttribute& a, const interop::OnnxAttribute& b);

void expect_same(const std::map<std::string, interop::OnnxAttribute>& a,
                 const std::map<std::string, interop::OnnxAttribute>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [name, value] : a) {
    ASSERT_TRUE(b.contains(name)) << name;
    expect_same(value, b.at(name));
  }
}

void expect_same(const OnnxNode& a, const OnnxNode& b) {
  EXPECT_EQ(std::tie(a.name, a.op, a.domain, a.overload, a.inputs, a.outputs, a.references, a.unreadable,
                     a.value_number, a.scopes),
            std::tie(b.name, b.op, b.domain, b.overload, b.inputs, b.outputs, b.references, b.unreadable,
                     b.value_number, b.scopes));
  expect_same(a.attributes, b.attributes);
}

void expect_same(const std::vector<interop::OnnxValue>& a, const std::vector<interop::OnnxValue>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(std::tie(a[i].name, a[i].dtype, a[i].type, a[i].number),
              std::tie(b[i].name, b[i].dtype, b[i].type, b[i].number));
    ASSERT_EQ(a[i].dims.has_value(), b[i].dims.has_value());
    ASSERT_EQ(a[i].dims.value_or(std::vector<interop::OnnxDim>{}).size(),
              b[i].dims.value_or(std::vector<interop::OnnxDim>{}).size());
    for (size_t d = 0; a[i].dims && d < a[i].dims->size(); ++d)
      EXPECT_EQ(std::tie((*a[i].dims)[d].size, (*a[i].dims)[d].symbol),
                std::tie((*b[i].dims)[d].size, (*b[i].dims)[d].symbol));
  }
}

void expect_same(const OnnxGraph& a, const OnnxGraph& b) {
  EXPECT_EQ(std::tie(a.name, a.held_wider, a.parameters, a.unread),
            std::tie(b.name, b.held_wider, b.parameters, b.unread));
  ASSERT_EQ(a.nodes.size(), b.nodes.size());
  for (size_t i = 0; i < a.nodes.size(); ++i) expect_same(a.nodes[i], b.nodes[i]);
  expect_same(a.inputs, b.inputs);
  expect_same(a.outputs, b.outputs);
  ASSERT_EQ(a.initializers.size(), b.initializers.size());
  for (const auto& [name, stored] : a.initializers) {
    const StoredTensor& other = b.initializers.at(name);
    EXPECT_EQ(stored.in_memory() == nullptr, other.in_memory() == nullptr) << name;
    EXPECT_EQ(stored.in_file().at, other.in_file().at) << name;
    EXPECT_EQ(stored.in_file().type, other.in_file().type) << name;
    EXPECT_TRUE(same_bits(*stored.read(), *other.read())) << name;
  }
}

void expect_same(const interop::OnnxAttribute& a, const interop::OnnxAttribute& b) {
  ASSERT_EQ(a.index(), b.index());
  std::visit(
      [&](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        const T& other = std::get<T>(b);
        if constexpr (std::is_same_v<T, Tensor>)
          EXPECT_TRUE(same_bits(value, other));
        else if constexpr (std::is_same_v<T, std::shared_ptr<const OnnxGraph>>)
          expect_same(*value, *other);
        else
          EXPECT_EQ(value, other);
      },
      a);
}

TEST(OnnxBytes, ComeBackAsTheyWere) {
  const Files files;
  const OnnxModel model = sample(files);
  const auto back = files.read(bytes_of(model));
  ASSERT_TRUE(back) << back.error().text();
  EXPECT_EQ(std::tie(model.opset, model.producer, model.domains), std::tie(back->opset, back->producer, back->domains));
  expect_same(model.graph, back->graph);
  ASSERT_EQ(back->functions.size(), 1u);
  const interop::OnnxFunction &f = model.functions[0], &g = back->functions[0];
  EXPECT_EQ(std::tie(f.name, f.domain, f.overload, f.inputs, f.outputs, f.attributes, f.opset, f.has_unknown_parts),
            std::tie(g.name, g.domain, g.overload, g.inputs, g.outputs, g.attributes, g.opset, g.has_unknown_parts));
  expect_same(f.defaults, g.defaults);
  ASSERT_EQ(g.nodes.size(), 1u);
  expect_same(f.nodes[0], g.nodes[0]);
  EXPECT_EQ(back->graph.initializers.at("beside").in_file().file, back->graph.initializers.at("packed").in_file().file)
      << "a file is opened once";
  const auto error = files.read(bytes_of(Error{"HW-F003", "w", "r", "m"}));
  ASSERT_FALSE(error);
  EXPECT_EQ(error.error().text(), "HW-F003 at w: r m");
}

TEST(OnnxBytes, EveryCutAndThousandsOfDamagesAreCaught) {
  const Files files;
  const std::string good = bytes_of(sample(files));
  for (size_t n = 0; n < good.size(); ++n) {
    const auto cut = files.read(std::string_view(good).substr(0, n));
    ASSERT_FALSE(cut) << n;
    EXPECT_EQ(cut.error().code, codes::asset_costly) << n;
    EXPECT_THAT(cut.error().where, HasSubstr("m.onnx"));
  }
  EXPECT_FALSE(files.read(good + "x"));
  std::mt19937_64 random(7);
  int read = 0, refused = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string bytes = good;
    const uint64_t values[] = {0, 1, ~0ull, 1ull << 31, 1ull << 32, 1ull << 62, random()};
    const uint64_t value = values[random() % 7];
    const size_t size = size_t{1} << (random() % 4), at = random() % (bytes.size() - size);
    SCOPED_TRACE("round " + std::to_string(i) + ": " + std::to_string(size) + " bytes at " + std::to_string(at) +
                 " of " + std::to_string(bytes.size()) + " are those of " + std::to_string(value));
    std::memcpy(bytes.data() + at, &value, size);
    const auto model = files.read(bytes);
    ++(model ? read : refused);
    if (!model) {
      EXPECT_FALSE(model.error().code.empty() || model.error().reason.empty());
      continue;
    }
    for (const auto& [name, stored] : model->graph.initializers) {
      const auto tensor = stored.read();
      EXPECT_TRUE(tensor || !tensor.error().reason.empty()) << name;
    }
  }
  std::printf("damaged bytes: %d read, %d refused\n", read, refused);
  EXPECT_GT(refused, 1000);
}

TEST(OnnxBytes, GraphsAreAsDeepAsTheParserReadsThem) {
  const Files files;
  OnnxModel model;
  for (const int depth : {interop::kDeepestGraph, interop::kDeepestGraph + 1}) {
    model.graph.nodes = {sample_node(depth)};
    const auto back = files.read(bytes_of(model));
    EXPECT_EQ(static_cast<bool>(back), depth == interop::kDeepestGraph) << depth;
  }
}

/// The error of a model with this weight.
Error refused(const Files& files, StoredTensor weight) {
  OnnxModel model;
  model.graph.initializers["w"] = std::move(weight);
  const auto back = files.read(bytes_of(model));
  EXPECT_FALSE(back);
  return back ? Error{} : back.error();
}

TEST(OnnxBytes, PlacesAreInFilesThatAModelMayName) {
  const Files files;
  const TempFolder elsewhere;
  write_bytes(elsewhere / "secret", std::string(4096, 's'));
  EXPECT_EQ(refused(files, {opened(elsewhere / "secret"), 0, onnx_type(1), {4}}).code, codes::asset_costly);
  fs::create_symlink(elsewhere / "secret", files.folder / "link");
  EXPECT_EQ(refused(files, {opened(files.folder / "link"), 0, onnx_type(1), {4}}).code, codes::asset_costly);
  const fs::path up = files.folder / "../.." / elsewhere.path().filename() / "secret";
  EXPECT_EQ(refused(files, {opened(up), 0, onnx_type(1), {4}}).code, codes::asset_costly);
  // The last element is beyond the end.
  EXPECT_EQ(refused(files, {files.model, 4084, onnx_type(1), {4}}).code, codes::asset_costly);
  EXPECT_EQ(refused(files, {files.beside, ~0ull - 2, onnx_type(22), {4}}).code, codes::asset_costly);
  EXPECT_EQ(refused(files, {files.beside, 0, onnx_type(1), {int64_t{1} << 40, int64_t{1} << 40}}).code,
            codes::asset_costly);
}

/// "new", which lies in the folder, takes the place of `name` after the child has written `bytes`.
void expect_replaced_is_not_read(Files& files, const std::string& bytes, const std::string& name) {
  fs::rename(files.folder / "new", files.folder / name);
  files.model = opened(files.file);  // as the parent has it, that opened it after the child
  const auto back = files.read(bytes);
  ASSERT_FALSE(back) << name;
  EXPECT_EQ(back.error().code, codes::file_unreadable);
  EXPECT_THAT(back.error().where, HasSubstr(name));
  EXPECT_THAT(back.error().reason, HasSubstr("replaced or written over"));
}

TEST(OnnxBytes, AFileThatIsReplacedMeanwhileIsNotRead) {
  for (const char* name : {"m.onnx", "w.data"}) {
    Files files;
    const std::string bytes = bytes_of(sample(files));
    ASSERT_TRUE(files.read(bytes));
    write_bytes(files.folder / "new", std::string(4096, 'n'));
    fs::last_write_time(files.folder / "new", fs::file_time_type::clock::now() + std::chrono::seconds(10));
    expect_replaced_is_not_read(files, bytes, name);
  }
}

TEST(OnnxBytes, AnotherFileOfTheSameSizeAndTimeIsNotRead) {
  for (const char* name : {"m.onnx", "w.data"}) {
    Files files;
    const std::string bytes = bytes_of(sample(files));
    ASSERT_TRUE(files.read(bytes));
    write_bytes(files.folder / "new", std::string(4096, 'n'));
    fs::last_write_time(files.folder / "new", fs::last_write_time(files.folder / name));
    ASSERT_EQ(fs::last_write_time(files.folder / "new"), fs::last_write_time(files.folder / name));
    expect_replaced_is_not_read(files, bytes, name);
  }
}

}  // namespace
}  // namespace hw::test::onnx_bytes_test
