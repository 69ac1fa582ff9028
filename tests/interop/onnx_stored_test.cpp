// Large weights of a model of ONNX: they stay in their file until somebody asks for them, and are the file's or an
// error.
#include <gmock/gmock.h>

#include <numeric>

#include "engine/core/codes.h"
#include "engine/core/memory.h"
#include "engine/core/same_bits.h"
#include "engine/core/tensor_rows.h"
#include "tests/interop/onnx_models.h"

namespace hw::test::onnx_stored_test {
namespace {

using ::testing::HasSubstr;

constexpr int64_t kRows = 160, kColumns = 130;  // more than 64 KiB of f32, and no multiple of anything

std::vector<float> counting_floats(int64_t count, float from = 0) {
  std::vector<float> values(static_cast<size_t>(count));
  std::iota(values.begin(), values.end(), from);
  return values;
}

std::string bytes_of(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

/// y [1, kColumns] = x [1, kRows] · w.
onnx::ModelProto product_model() {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {1, kRows});
  add_value(*model.mutable_graph()->mutable_output(), "y", {1, kColumns});
  add_node(model, "MatMul", {"x", "w"}, {"y"});
  return model;
}

onnx::TensorProto& add_weight(onnx::ModelProto& model) {
  return add_floats(model, "w", {kRows, kColumns}, counting_floats(kRows * kColumns));
}

/// The weight of the model in `file`, as it is read.
Result<Tensor> weight_in(const std::filesystem::path& file) {
  HW_TRY(const interop::OnnxModel model, interop::read_onnx(file));
  return model.graph.initializers.at("w").read();
}

std::vector<double> expected_weight() {
  const std::vector<float> values = counting_floats(kRows * kColumns);
  return {values.begin(), values.end()};
}

TEST(OnnxStored, LargeWeightsAreInTheFileUntilTheyAreAskedFor) {
  const TempFolder folder;
  for (size_t shift = 0; shift < 4; ++shift) {  // where their bytes begin
    onnx::ModelProto model = product_model();
    add_floats(model, std::string(1 + shift, 'b'), {2}, {1, 2});
    add_weight(model);
    write(model, folder / "m.onnx");
    const auto read = interop::read_onnx(folder / "m.onnx");
    ASSERT_TRUE(read) << read.error().text();
    const auto& initializers = read->graph.initializers;
    ASSERT_EQ(initializers.size(), 2u);
    EXPECT_TRUE(initializers.at(std::string(1 + shift, 'b')).in_memory());
    const interop::StoredTensor& stored = initializers.at("w");
    EXPECT_FALSE(stored.in_memory());
    EXPECT_EQ(stored.dims(), (Dims{kRows, kColumns}));
    const auto tensor = stored.read();
    ASSERT_TRUE(tensor) << tensor.error().text();
    EXPECT_EQ(tensor->to_f64(), expected_weight());
    EXPECT_EQ(stored.read()->data(), tensor->data()) << "what somebody has is not read again";
  }
}

TEST(OnnxStored, ReadingAModelTakesNoMemoryForItsWeights) {
  constexpr int64_t kMany = 32 << 20;  // elements: 128 MiB
  const TempFolder folder;
  {
    onnx::ModelProto model = product_model();
    add_floats(model, "w", {kMany}, counting_floats(kMany));
    write(model, folder / "m.onnx");
  }
  (void)interop::read_onnx(folder / "m.onnx");  // what the first one takes of libraries is not the model's
  const size_t before = resident_memory();
  const auto read = interop::read_onnx(folder / "m.onnx");
  ASSERT_TRUE(read) << read.error().text();
  const size_t after = resident_memory();
  EXPECT_LT(after, before + (16 << 20));
}

TEST(OnnxStored, APartOfAFileBesideTheModelIsRead) {
  const TempFolder folder;
  const std::string bytes = bytes_of(counting_floats(kRows * kColumns));
  for (const size_t offset : {size_t{0}, size_t{4096}, size_t{4097}}) {
    std::ofstream(folder / "w.data", std::ios::binary) << std::string(offset, 'x') << bytes << "behind";
    onnx::ModelProto model = product_model();
    onnx::TensorProto& w = add_weight(model);
    w.clear_raw_data();
    w.set_data_location(onnx::TensorProto::EXTERNAL);
    const std::vector<std::pair<std::string, std::string>> entries{
        {"location", "w.data"}, {"offset", std::to_string(offset)}, {"length", std::to_string(bytes.size())}};
    for (const auto& [key, value] : entries) {
      auto& entry = *w.add_external_data();
      entry.set_key(key);
      entry.set_value(value);
    }
    write(model, folder / "m.onnx");
    const auto read = interop::read_onnx(folder / "m.onnx");
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_FALSE(read->graph.initializers.at("w").in_memory());
    EXPECT_EQ(read->graph.initializers.at("w").read()->to_f64(), expected_weight());
  }
}

TEST(OnnxStored, FieldsThatComeTwiceAreReadAsProtobufReadsThem) {
  const TempFolder folder;
  onnx::ModelProto model = product_model();
  onnx::ModelProto with_weight;
  add_weight(with_weight);
  onnx::ModelProto earlier;  // the same initializer has other bytes before
  *earlier.mutable_graph()->add_initializer() = with_weight.graph().initializer(0);
  const std::string other = bytes_of(counting_floats(kRows * kColumns, 7));
  onnx::TensorProto again;
  again.set_raw_data(bytes_of(counting_floats(kRows * kColumns)));
  earlier.mutable_graph()->mutable_initializer(0)->set_raw_data(other);
  // A tensor of two raw_data: the second counts. It is written by hand, behind the first.
  const std::string tensor = earlier.graph().initializer(0).SerializeAsString() + again.SerializeAsString();
  const auto with_length = [](char tag, const std::string& bytes) {
    std::string made(1, tag);
    for (size_t rest = bytes.size(); made.size() == 1 || rest > 0; rest >>= 7)
      made += static_cast<char>((rest & 127) | (rest > 127 ? 128 : 0));
    return made + bytes;
  };
  const std::string second_graph = with_length(5 << 3 | 2, tensor);
  std::ofstream(folder / "m.onnx", std::ios::binary)
      << model.SerializeAsString() << with_length(7 << 3 | 2, second_graph);  // graphs of one model are one
  onnx::ModelProto whole;
  std::ifstream in(folder / "m.onnx", std::ios::binary);
  ASSERT_TRUE(whole.ParseFromIstream(&in));
  ASSERT_EQ(whole.graph().initializer(0).raw_data(), again.raw_data());
  const auto weight = weight_in(folder / "m.onnx");
  ASSERT_TRUE(weight) << weight.error().text();
  EXPECT_EQ(weight->to_f64(), expected_weight());
}

TEST(OnnxStored, AFileThatEndsTooSoonIsDamaged) {
  const TempFolder folder;
  onnx::ModelProto model = product_model();
  add_weight(model);
  write(model, folder / "m.onnx");
  const auto size = std::filesystem::file_size(folder / "m.onnx");
  for (const uintmax_t left : {size - 1, size - 40'000, size / 2, uintmax_t{100}}) {
    std::filesystem::resize_file(folder / "m.onnx", left);
    const auto read = interop::read_onnx(folder / "m.onnx");
    ASSERT_FALSE(read) << left;
    EXPECT_EQ(read.error().code, codes::file_syntax);
  }
}

TEST(OnnxStored, AModelThatIsWrittenOverBeforeItsWeightsAreReadIsAnError) {
  const TempFolder folder;
  for (const bool shorter : {false, true}) {
    onnx::ModelProto model = product_model();
    add_weight(model);
    write(model, folder / "m.onnx");
    const auto read = interop::read_onnx(folder / "m.onnx");
    ASSERT_TRUE(read) << read.error().text();
    if (shorter) std::filesystem::resize_file(folder / "m.onnx", 4096);
    std::filesystem::last_write_time(
        folder / "m.onnx", std::filesystem::file_time_type::clock::now() + std::chrono::seconds(shorter ? 20 : 10));
    const auto made = interop::import_graph(*read);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().code, codes::file_unreadable);
    EXPECT_THAT(made.error().where, HasSubstr("m.onnx"));
  }
}

TEST(OnnxStored, AnImportedProductHasTheWeightTurned) {
  onnx::ModelProto model = product_model();
  add_weight(model);
  const auto made = imported(model);
  ASSERT_TRUE(made && made->missing.empty());
  ASSERT_EQ(made->weights.size(), 1u);
  const Tensor& weight = made->weights.begin()->second;
  const Tensor whole = floats({kRows, kColumns}, counting_floats(kRows * kColumns));
  EXPECT_TRUE(same_bits(weight, transposed(whole)));
}

/// What is turned twice, by the file and for the Linear, is the file's own.
TEST(OnnxStored, ATableThatIsTurnedBackIsNotCopied) {
  const interop::StoredTensor table(floats({2, 3}, {1, 2, 3, 4, 5, 6}));
  const interop::StoredTensor turned = table.turned();
  EXPECT_EQ(turned.dims(), (Dims{3, 2}));
  EXPECT_EQ(turned.read()->to_f64(), (std::vector<double>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(turned.turned().read()->data(), table.read()->data());
}

TEST(OnnxStored, AHeadThatIsTheTurnedEmbeddingSharesIt) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {4}, onnx::TensorProto::INT64);
  add_value(*model.mutable_graph()->mutable_output(), "y", {4, kRows});
  add_floats(model, "wte.weight", {kRows, kColumns}, counting_floats(kRows * kColumns));
  add_node(model, "Gather", {"wte.weight", "x"}, {"rows"});
  set_ints(add_node(model, "Transpose", {"wte.weight"}, {"turned"}), "perm", {1, 0});
  add_node(model, "MatMul", {"rows", "turned"}, {"y"});
  const auto made = imported(model);
  ASSERT_TRUE(made && made->missing.empty());
  EXPECT_EQ(made->weights.size(), 1u);
  Tensor x(DType::i64, {4});
  std::iota(x.as<int64_t>(), x.as<int64_t>() + 4, 0);
  const std::vector<double> y = values_of(*made, x);
  const std::vector<double> table = expected_weight();
  double wanted = 0;  // row 1 times row 2
  for (size_t i = 0; i < kColumns; ++i) wanted += table[kColumns + i] * table[2 * kColumns + i];
  EXPECT_NEAR(y.at(kRows + 2), wanted, 1e-6 * wanted);
}

TEST(OnnxStored, AFewSparseValuesDoNotTakeAGigabyte) {
  onnx::ModelProto model = onnx_model();
  add_value(*model.mutable_graph()->mutable_input(), "x", {2, 2});
  add_value(*model.mutable_graph()->mutable_output(), "y", {});
  onnx::SparseTensorProto& sparse = *model.mutable_graph()->add_sparse_initializer();
  sparse.mutable_values()->set_name("w");
  sparse.mutable_values()->set_data_type(onnx::TensorProto::FLOAT);
  sparse.mutable_values()->add_dims(1);
  sparse.mutable_values()->add_float_data(5);
  sparse.mutable_indices()->set_data_type(onnx::TensorProto::INT64);
  sparse.mutable_indices()->add_dims(1);
  sparse.mutable_indices()->add_int64_data(0);
  sparse.add_dims(int64_t{1} << 28);
  add_node(model, "Add", {"x", "w"}, {"y"});
  const TempFolder folder;
  write(model, folder / "m.onnx");
  const auto read = interop::read_onnx(folder / "m.onnx");
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_FALSE(read->graph.initializers.contains("w"));
  EXPECT_THAT(read->graph.unread.at("w"), HasSubstr("very large as a whole"));
  sparse.set_dims(0, 1 << 20);  // 4 MiB
  write(model, folder / "m.onnx");
  EXPECT_EQ(interop::read_onnx(folder / "m.onnx")->graph.initializers.at("w").size(), 1 << 20);
}

TEST(TensorRows, MatricesOfAnyElementAreTransposed) {
  for (const DType dtype : {DType::u8, DType::f16, DType::f32, DType::f64})
    for (const Dims& dims : {Dims{1, 1}, Dims{3, 200}, Dims{130, 65}, Dims{64, 64}, Dims{0, 5}}) {
      std::vector<double> values(static_cast<size_t>(element_count(dims)));
      for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 251);
      const Tensor matrix = Tensor::from_f64(dtype, dims, values);
      const Tensor turned = transposed(matrix);
      ASSERT_EQ(turned.dims(), (Dims{dims[1], dims[0]}));
      const std::vector<double> got = turned.to_f64();
      bool same = true;
      for (int64_t r = 0; r < dims[0]; ++r)
        for (int64_t c = 0; c < dims[1]; ++c)
          same = same && got[static_cast<size_t>(c * dims[0] + r)] == values[static_cast<size_t>(r * dims[1] + c)];
      EXPECT_TRUE(same) << name(dtype) << " " << to_string(dims);
    }
}

}  // namespace
}  // namespace hw::test::onnx_stored_test
