// Models of ONNX are parsed in a child: what a parser that was taken over can do, what becomes of crashes and hangs,
// and damaged models.
#include <gmock/gmock.h>

#include <random>

#include "app/interop/onnx/parse_onnx.h"
#include "engine/core/codes.h"
#include "tests/interop/onnx_models.h"
#include "tests/models/damage.h"
#include "tests/models/planted.h"
#include "tests/models/planted_actions.h"

namespace hw::test::onnx_child_test {
namespace {

using interop::read_onnx;
using ::testing::HasSubstr;

#if defined(__x86_64__) || defined(__aarch64__)
TEST(OnnxChild, ATakenOverParserReachesNothing) {
  const Planted planted;
  const auto model = read_onnx(planted / "act.onnx");
  ASSERT_TRUE(model) << model.error().text();
  EXPECT_EQ(model->producer, "read the model");
}
#endif

TEST(OnnxChild, WhateverItDoesIsAnErrorThatNamesTheFile) {
  const TempFolder folder;
  write(small_network(), folder / "m.onnx");
  for (const auto& [script, reason] : {std::pair("kill -SEGV $$", "failed on this one (Segmentation fault)"),
                                       {"kill -ABRT $$", "Aborted"},
                                       {"exit 1", "failed"},
                                       {"ulimit -S -t 1; while :; do :; done", "s of processor time"},
                                       {"exit 40", "takes more than"},
                                       {"exit 41", "larger than"},
                                       {"exit 0", "something else"},
                                       {"printf rubbish >&3", "something else"}}) {
    {
      const FakeImporter importer(script);
      const auto model = read_onnx(folder / "m.onnx");
      ASSERT_FALSE(model) << script;
      EXPECT_EQ(model.error().code, codes::asset_costly) << script;
      EXPECT_THAT(model.error().where, HasSubstr("m.onnx"));
      EXPECT_THAT(model.error().reason, HasSubstr(reason)) << script;
      EXPECT_FALSE(model.error().remedy.empty());
    }
    EXPECT_TRUE(read_onnx(folder / "m.onnx")) << "after " << script;
  }
  const Planted planted;
  const auto grown = read_onnx(planted / "memory.onnx");
  ASSERT_FALSE(grown);
  EXPECT_THAT(grown.error().text(), HasSubstr("memory.onnx: reading the model takes more than"));
}

/// Its outcome is in no process's resident memory.
TEST(OnnxChild, WhatItHandsOverFitsFreeMemory) {
  const TempFolder folder;
  write(small_network(), folder / "m.onnx");
  for (const char* then : {"", "; while :; do sleep 0.1; done"}) {
    const FakeImporter importer(std::string("truncate -s 1000T /proc/self/fd/3") + then);
    const auto model = read_onnx(folder / "m.onnx");
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().code, codes::out_of_memory);
    EXPECT_THAT(model.error().where, HasSubstr("m.onnx"));
    EXPECT_THAT(model.error().reason, ::testing::MatchesRegex(".* more than the [0-9]+ MB of memory that are free."));
    EXPECT_FALSE(model.error().remedy.empty());
  }
}

TEST(OnnxChild, WithoutItsProgramNothingIsReadHere) {
  const TempFolder folder;
  write(small_network(), folder / "m.onnx");
  ::setenv("HALFWIRE_IMPORTER", (folder / "none").c_str(), 1);
  const auto missing = read_onnx(folder / "m.onnx");
  ::unsetenv("HALFWIRE_IMPORTER");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, codes::importer_missing);
}

/// The parser's own errors, reported by the child, are what the parser says.
TEST(OnnxChild, ErrorsAreTheParsers) {
  const TempFolder folder;
  onnx::ModelProto model = small_network();
  model.mutable_graph()->mutable_initializer(1)->add_dims(7);
  write(model, folder / "damaged.onnx");
  write_bytes(folder / "empty.onnx", "");
  write_bytes(folder / "text.onnx", "no model");
  onnx::TensorProto& outside = *model.mutable_graph()->mutable_initializer(1);
  outside.set_data_location(onnx::TensorProto::EXTERNAL);
  outside.add_external_data()->set_key("location");
  outside.mutable_external_data(0)->set_value("../../etc/passwd");
  write(model, folder / "outside.onnx");
  outside.mutable_external_data(0)->set_value("w.data");
  write(model, folder / "missing.onnx");
  for (const char* name : {"damaged.onnx", "empty.onnx", "text.onnx", "outside.onnx", "missing.onnx", "none.onnx"}) {
    const auto from_child = read_onnx(folder / name), parsed = interop::parse_onnx(folder / name);
    ASSERT_FALSE(from_child || parsed) << name;
    EXPECT_EQ(from_child.error().text(), parsed.error().text());
    EXPECT_TRUE(from_child.error().code.starts_with("HW-F00")) << from_child.error().text();
  }
}

TEST(OnnxChild, LargeWeightsInTypedFieldsAreHandedOver) {
  const TempFolder folder;
  onnx::ModelProto model = small_network();
  onnx::TensorProto& weight = *model.mutable_graph()->add_initializer();
  constexpr int kMany = 500'000;  // 2 MB; few enough for the child's seconds under sanitizers
  weight.set_name("w");
  weight.set_data_type(onnx::TensorProto::FLOAT);
  weight.add_dims(kMany);
  for (int i = 0; i < kMany; ++i) weight.add_float_data(static_cast<float>(i));
  onnx::TensorProto& whole = *model.mutable_graph()->add_initializer();
  whole.set_name("n");
  whole.set_data_type(onnx::TensorProto::INT64);
  whole.add_dims(kMany);
  for (int i = 0; i < kMany; ++i) whole.add_int64_data(i % 100);  // one byte of the file each
  write(model, folder / "m.onnx");
  const auto read = read_onnx(folder / "m.onnx");
  ASSERT_TRUE(read) << read.error().text();
  const Tensor floats = *read->graph.initializers.at("w").read(), numbers = *read->graph.initializers.at("n").read();
  bool same = true;
  for (int i = 0; i < kMany; ++i)
    same = same && floats.as<float>()[i] == static_cast<float>(i) && numbers.as<int64_t>()[i] == i % 100;
  EXPECT_TRUE(same);
}

/// 200,000 INT4, two to a byte, in the model or beside it: they stay there until they are asked for.
TEST(OnnxChild, LargePackedWeightsStayInTheirFile) {
  const TempFolder folder;
  constexpr int64_t kMany = 200'000;
  std::string packed;
  for (int64_t i = 0; i < kMany; i += 2) packed += static_cast<char>((i % 16) | ((i + 1) % 16) << 4);
  for (const bool beside : {false, true}) {
    onnx::ModelProto model = small_network();
    onnx::TensorProto& weight = *model.mutable_graph()->add_initializer();
    weight.set_name("w");
    weight.set_data_type(22);
    weight.add_dims(kMany);
    if (beside) {
      write_bytes(folder / "w.data", packed);
      weight.set_data_location(onnx::TensorProto::EXTERNAL);
      auto& location = *weight.add_external_data();
      location.set_key("location");
      location.set_value("w.data");
    } else {
      weight.set_raw_data(packed);
    }
    write(model, folder / "m.onnx");
    const auto read = read_onnx(folder / "m.onnx");
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(read->graph.held_wider.at("w"), 22);
    const interop::StoredTensor& stored = read->graph.initializers.at("w");
    EXPECT_FALSE(stored.in_memory());
    EXPECT_EQ(stored.dtype(), DType::i8);
    const auto tensor = stored.read();
    ASSERT_TRUE(tensor) << tensor.error().text();
    bool same = true;
    for (int64_t i = 0; i < kMany; ++i) same = same && tensor->as<int8_t>()[i] == (i % 16 < 8 ? i % 16 : i % 16 - 16);
    EXPECT_TRUE(same);
  }
}

/// In this process many, where a sanitizer sees the parser; as the program reads them some.
TEST(OnnxChild, DamagedModelsAreReadOrNamed) {
  const TempFolder folder;
  const std::string whole = small_network().SerializeAsString();
  std::mt19937 random(7);
  int read = 0, refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string bytes = whole;
    for (uint32_t k = 0; k <= random() % 3 && !bytes.empty(); ++k) damage(bytes, random);
    write_bytes(folder / "m.onnx", bytes);
    const auto model = interop::parse_onnx(folder / "m.onnx");
    ++(model ? read : refused);
    if (round % 50 == 0) {
      const auto from_child = read_onnx(folder / "m.onnx");
      ASSERT_EQ(static_cast<bool>(from_child), static_cast<bool>(model)) << round;
      EXPECT_TRUE(from_child || from_child.error().text() == model.error().text()) << round;
    }
    if (model) continue;
    EXPECT_FALSE(model.error().reason.empty() || model.error().remedy.empty()) << model.error().text();
  }
  std::printf("damaged models: %d read, %d refused\n", read, refused);
  EXPECT_GT(read, 100);
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace hw::test::onnx_child_test
