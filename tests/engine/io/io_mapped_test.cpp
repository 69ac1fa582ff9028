// Mapped files that another program makes shorter, or writes over, while they are read: errors, and no signal.
#include <gmock/gmock.h>

#include <thread>

#include "engine/core/codes.h"
#include "engine/io/file/mapped_file.h"
#include "engine/io/tensor/tensor_file.h"
#include "engine/io/tensor/weights_file.h"
#include "tests/engine/io_temp.h"

namespace hw {
namespace {

using test::TempFolder;
using ::testing::HasSubstr;

constexpr int64_t kCount = 1 << 18;  // f32: 1 MiB

/// Weights of one large tensor, every element 3, without a checksum.
void write_large(const std::filesystem::path& file) {
  WeightsFile w;
  w.tensors["large"] = Tensor::from_f64(DType::f32, {kCount}, std::vector<double>(kCount, 3));
  ASSERT_TRUE(save_weights(w, file));
}

double sum_of(const Tensor& tensor) {
  double sum = 0;
  for (int64_t i = 0; i < tensor.size(); ++i) sum += static_cast<double>(tensor.as<float>()[i]);
  return sum;
}

TEST(MappedFile, OneThatShrinksIsAnError) {
  const TempFolder folder;
  for (const uintmax_t left : {uintmax_t{0}, uintmax_t{4096}, uintmax_t{500'000}, uintmax_t{kCount * 4}}) {
    const auto file = folder / ("w" + std::to_string(left));
    write_large(file);
    auto read = read_weights(file);
    ASSERT_TRUE(read) << read.error().text();
    const Tensor large = read->tensors.at("large");
    EXPECT_TRUE(check_mapped(large.data()));
    std::filesystem::resize_file(file, left);
    EXPECT_LT(sum_of(large), 3.0 * kCount + 1) << "read to its end";
    const Status now = check_mapped(large.data());
    ASSERT_FALSE(now) << left;
    EXPECT_EQ(now.error().code, codes::file_unreadable);
    EXPECT_EQ(now.error().where, file.string());
    EXPECT_THAT(now.error().reason, HasSubstr("became shorter"));
    EXPECT_THAT(now.error().reason, HasSubstr(std::to_string(left)));
    EXPECT_FALSE(now.error().remedy.empty());
    EXPECT_FALSE(copy_mapped(read->tensors, file));
    EXPECT_FALSE(save_weights(*read, folder / "copy")) << "zeros in place of what is lost are nobody's weights";
    EXPECT_FALSE(std::filesystem::exists(folder / "copy"));
    EXPECT_FALSE(check_all_mapped());
  }
}

TEST(MappedFile, OneThatIsWrittenOverIsAnError) {
  const TempFolder folder;
  write_large(folder / "w");
  auto read = read_weights(folder / "w");
  ASSERT_TRUE(read);
  std::fstream in_place(folder / "w", std::ios::in | std::ios::out | std::ios::binary);
  in_place.seekp(300'000);
  in_place << "other";
  in_place.close();
  const Status copied = copy_mapped(read->tensors, folder / "w");
  ASSERT_FALSE(copied);
  EXPECT_THAT(copied.error().reason, HasSubstr("written over"));
}

// A file that is replaced by renaming, or removed, is whole for whoever has it open.
TEST(MappedFile, OneThatIsReplacedDoesNoHarm) {
  const TempFolder folder;
  write_large(folder / "w");
  auto read = read_weights(folder / "w");
  ASSERT_TRUE(read);
  write_large(folder / "w");
  EXPECT_TRUE(check_mapped(read->tensors.at("large").data()));
  std::filesystem::remove(folder / "w");
  EXPECT_EQ(sum_of(read->tensors.at("large")), 3.0 * kCount);
  EXPECT_TRUE(copy_mapped(read->tensors, folder / "w"));
  EXPECT_FALSE(is_mapped(read->tensors.at("large").data()));
  EXPECT_TRUE(check_mapped(read->tensors.at("large").data())) << "a copy is nobody's";
  const void* own = read->tensors.at("large").data();
  EXPECT_TRUE(copy_mapped(read->tensors, folder / "w"));
  EXPECT_EQ(read->tensors.at("large").data(), own) << "what is not mapped is not copied";
}

// Threads read other parts, and what was written here, while the file goes.
TEST(MappedFile, EveryThreadReadsOn) {
  const TempFolder folder;
  write_large(folder / "w");
  auto read = read_weights(folder / "w");
  ASSERT_TRUE(read);
  Tensor large = std::move(read->tensors.at("large"));
  std::vector<std::thread> threads;
  std::atomic<bool> go{false};
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      while (!go) std::this_thread::yield();
      EXPECT_LE(sum_of(large), 3.0 * kCount);
    });
  std::filesystem::resize_file(folder / "w", 100'000);
  go = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(check_mapped(large.data()));
}

// A signal that is no lost page of ours still ends the process.
TEST(MappedFileDeathTest, OtherBusErrorsAreNotSwallowed) {
  const TempFolder folder;
  write_large(folder / "w");
  const auto read = read_weights(folder / "w");
  ASSERT_TRUE(read);
  EXPECT_EXIT(::raise(SIGBUS), ::testing::KilledBySignal(SIGBUS), "");
}

// What a tensor's file has no more when it is read piece by piece.
TEST(MappedFile, WhatIsCopiedSaysSo) {
  const TempFolder folder;
  write_large(folder / "w");
  auto opened = TensorFile::open(folder / "w");
  ASSERT_TRUE(opened);
  std::filesystem::resize_file(folder / "w", 1000);
  const auto small = opened->tensor_at(2000, DType::f32, {10});
  ASSERT_FALSE(small);
  EXPECT_EQ(small.error().code, codes::file_unreadable);
}

}  // namespace
}  // namespace hw
