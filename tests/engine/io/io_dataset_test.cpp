// Data sets from folders: what is read, and what is refused with file and reason.
#include <gmock/gmock.h>

#include <limits>

#include "engine/core/codes.h"
#include "engine/core/memory.h"
#include "engine/io/asset/assets.h"
#include "engine/io/dataset/dataset.h"
#include "engine/io/media/image_file.h"
#include "engine/io/tensor/npy.h"
#include "tests/engine/dataset_files.h"
#include "tests/engine/failing_memory.h"
#include "tests/engine/idx_files.h"
#include "tests/engine/io_temp.h"

namespace hw::io_dataset_test {
namespace {

using test::expect_refused;
using test::gzipped;
using test::idx;
using test::load;
using test::PeakMemory;
using test::TempFolder;
using test::write_bytes;
using test::write_idx_set;
using ::testing::HasSubstr;

const DatasetSpec kSpec{{1, 2, 3}, 4};

TEST(Datasets, IdxPlainAndGzipped) {
  for (const bool gz : {false, true}) {
    const TempFolder folder;
    write_idx_set(folder.path(), {5, 3}, {2, 3}, 4);
    if (gz) {
      for (const char* name : {"train-images-idx3-ubyte", "t10k-labels-idx1-ubyte"}) {
        const std::string bytes = test::read_bytes(folder / name);
        std::filesystem::remove(folder / name);
        // In two members, as what was appended to a packed file is.
        write_bytes(folder / (std::string(name) + ".gz"), gzipped(bytes.substr(0, 9)) + gzipped(bytes.substr(9)));
      }
    }
    const auto data = load(folder.path(), kSpec);
    ASSERT_TRUE(data) << data.error().text();
    EXPECT_EQ((*data)->train.x.dims(), (Dims{5, 1, 2, 3}));
    EXPECT_EQ((*data)->test.x.dims(), (Dims{3, 1, 2, 3}));
    EXPECT_EQ((*data)->train.x.as<uint8_t>()[7], test::idx_byte(7));
    EXPECT_EQ((*data)->train.labels.as<int64_t>()[4], 0);
    EXPECT_EQ((*data)->test.labels.as<int64_t>()[2], 2);
  }
}

TEST(Datasets, BrokenIdxFilesAreRefused) {
  const TempFolder folder;
  write_idx_set(folder.path(), {5, 3}, {2, 3}, 4);
  const auto images = folder / "train-images-idx3-ubyte";
  const std::string good = test::read_bytes(images);
  const auto with = [&](const std::string& bytes, const char* reason) {
    write_bytes(images, bytes);
    expect_refused(folder.path(), kSpec, codes::asset_unreadable, reason);
  };
  with("", "cut short");
  with(good.substr(0, 9), "header is cut short");
  with(good.substr(0, good.size() - 1), "asks for more bytes than the file has");
  with(good + "x", "more than its header says");
  with("\x7f" + good.substr(1), "not an IDX file");
  std::string floats = good;
  floats[2] = '\x0d';
  with(floats, "does not hold bytes");
  std::string huge = good;
  huge.replace(4, 12, std::string(12, '\xff'));
  with(huge, "more elements than any memory");
  std::string many = good;
  many.replace(4, 4, std::string("\x10\0\0\0", 4));
  with(many, "more bytes than the file has");
  const std::string packed = gzipped(good);
  with(packed.substr(0, packed.size() / 2), "damaged or cut short");
  std::string flipped = packed;
  flipped[flipped.size() / 2] = static_cast<char>(flipped[flipped.size() / 2] ^ 0x55);
  with(flipped, "damaged or cut short");
  std::string checksum = packed;
  checksum[checksum.size() - 6] = static_cast<char>(checksum[checksum.size() - 6] ^ 0x55);
  with(checksum, "damaged or cut short");
}

TEST(Datasets, WhatDoesNotFitTheGraphIsNamed) {
  const TempFolder folder;
  write_idx_set(folder.path(), {5, 3}, {2, 3}, 4);
  expect_refused(folder.path(), {{1, 3, 2}, 4}, codes::asset_lacks, "its samples are [2, 3]");
  expect_refused(folder.path(), {{1, 2, 3}, 3}, codes::asset_lacks, "label 3 is 3");
  write_bytes(folder / "train-labels-idx1-ubyte", idx({4}));
  expect_refused(folder.path(), kSpec, codes::asset_lacks, "there are labels [4] for 5 samples");
  std::filesystem::remove(folder / "train-labels-idx1-ubyte");
  expect_refused(folder.path(), kSpec, codes::asset_lacks, "labels is missing");
  const auto unlabelled = load(folder.path(), {{1, 2, 3}, 0});
  ASSERT_TRUE(unlabelled) << unlabelled.error().text();
  EXPECT_TRUE((*unlabelled)->train.labels.empty());
  const TempFolder empty;
  expect_refused(empty.path(), kSpec, codes::asset_lacks, "no training samples");
}

TEST(Datasets, NumpyPairs) {
  const TempFolder folder;
  const Tensor x = Tensor::from_f64(DType::f64, {3, 2}, std::vector<double>{1, -2, 3, 4, 5, 6.5});
  ASSERT_TRUE(save_npy(x, folder / "x_train.npy"));
  ASSERT_TRUE(save_npy(Tensor::from_f64(DType::i32, {3}, std::vector<double>{0, 1, 1}), folder / "y_train.npy"));
  const auto data = load(folder.path(), {{2}, 2});
  ASSERT_TRUE(data) << data.error().text();
  EXPECT_EQ((*data)->train.x.dtype(), DType::f32);
  EXPECT_EQ((*data)->train.x.as<float>()[5], 6.5f);
  EXPECT_EQ((*data)->train.labels.as<int64_t>()[2], 1);
  EXPECT_EQ((*data)->test.count(), 0);
}

// A label that is no whole number was a class: NaN the first, a fraction the one below.
TEST(Datasets, LabelsThatAreNoClassesAreNamed) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();
  const TempFolder folder;
  ASSERT_TRUE(save_npy(Tensor::zeros(DType::f32, {4, 2}), folder / "x_train.npy"));
  for (const DType dtype : {DType::f64, DType::f32, DType::f16}) {
    const std::tuple<std::vector<double>, const char*> cases[]{{{0, 1, kNaN, kNaN}, "label 2 is nan"},
                                                               {{0, 0.5, kNaN, 1}, "label 1 is 0.5"},
                                                               {{kInf, 0, 1, 0}, "label 0 is inf"},
                                                               {{0, 1, 1, -1}, "label 3 is -1; 2 classes"},
                                                               {{0, 1, 2, 1}, "label 2 is 2"}};
    for (const auto& [labels, said] : cases) {
      ASSERT_TRUE(save_npy(Tensor::from_f64(dtype, {4}, labels), folder / "y_train.npy"));
      expect_refused(folder.path(), {{2}, 2}, codes::asset_lacks, said, "y_train.npy");
    }
    ASSERT_TRUE(save_npy(Tensor::from_f64(dtype, {4}, std::vector<double>{0, 1, 1, 0}), folder / "y_train.npy"));
    const auto data = load(folder.path(), {{2}, 2});
    ASSERT_TRUE(data) << data.error().text();
    EXPECT_EQ((*data)->train.labels.to_f64(), (std::vector<double>{0, 1, 1, 0}));
  }
}

// Bytes stand for value / 255, other numbers for themselves: splits of either kind must be on one scale.
TEST(Datasets, SplitsOnDifferentScalesAreRefused) {
  const std::vector<double> bytes{0, 51, 102, 255}, shares{0, 0.2, 0.4, 1}, centred{-1.5, 0.2, 0, 1};
  const auto write = [](const TempFolder& folder, DType train, const std::vector<double>& a, DType test,
                        const std::vector<double>& b) {
    for (const auto& [name, dtype, values] : {std::tuple("train", train, a), std::tuple("test", test, b)}) {
      EXPECT_TRUE(save_npy(Tensor::from_f64(dtype, {2, 2}, values), folder / ("x_" + std::string(name) + ".npy")));
      EXPECT_TRUE(save_npy(Tensor::zeros(DType::i64, {2}), folder / ("y_" + std::string(name) + ".npy")));
    }
  };
  const TempFolder folder;
  for (const DType numbers : {DType::f32, DType::f64, DType::i32}) {
    write(folder, DType::u8, bytes, numbers, bytes);
    expect_refused(
        folder.path(), {{2}, 2}, codes::asset_lacks,
        "it holds " + std::string(name(numbers)) + ", taken as they are, from 0 to 255; x_train.npy holds u8",
        "x_test.npy");
  }
  write(folder, DType::f32, bytes, DType::u8, bytes);
  expect_refused(folder.path(), {{2}, 2}, codes::asset_lacks, "x_test.npy holds u8", "x_train.npy");
  write(folder, DType::u8, bytes, DType::f32, centred);
  expect_refused(folder.path(), {{2}, 2}, codes::asset_lacks, "from -1.5 to 1", "x_test.npy");
  write(folder, DType::u8, bytes, DType::f32, shares);
  EXPECT_TRUE(load(folder.path(), {{2}, 2})) << "both on [0, 1]";
  write(folder, DType::f32, bytes, DType::f64, bytes);
  const auto both = load(folder.path(), {{2}, 2});
  ASSERT_TRUE(both) << "both as they are";
  EXPECT_THAT((*both)->warnings, testing::IsEmpty());
}

// Labels of one column are what Keras saves; of more, the error says what to save.
TEST(Datasets, LabelsAreOneASample) {
  const TempFolder folder;
  ASSERT_TRUE(save_npy(Tensor::zeros(DType::f32, {4, 2}), folder / "x_train.npy"));
  ASSERT_TRUE(save_npy(Tensor::from_f64(DType::u8, {4, 1}, std::vector<double>{0, 1, 1, 0}), folder / "y_train.npy"));
  const auto data = load(folder.path(), {{2}, 2});
  ASSERT_TRUE(data) << data.error().text();
  EXPECT_EQ((*data)->train.labels.dims(), (Dims{4}));
  ASSERT_TRUE(save_npy(Tensor::zeros(DType::f32, {4, 2}), folder / "y_train.npy"));
  const auto one_hot = load(folder.path(), {{2}, 2});
  ASSERT_FALSE(one_hot);
  EXPECT_THAT(one_hot.error().remedy, HasSubstr("one-hot"));
  ASSERT_TRUE(save_npy(Tensor::from_f64(DType::f64, {4}, std::vector<double>(4, 1e30)), folder / "y_train.npy"));
  expect_refused(folder.path(), {{2}, 2}, codes::asset_lacks, "label 0 is 1e+30;", "y_train.npy");
  ASSERT_TRUE(save_npy(Tensor::from_f64(DType::i64, {4}, std::vector<double>(4, -1)), folder / "y_train.npy"));
  const auto marked = load(folder.path(), {{2}, 2});
  ASSERT_FALSE(marked);
  EXPECT_THAT(marked.error().remedy, HasSubstr("leave out the rows that have none"));
}

// Numbers of one range in one split and of another in the other are said, whatever their dtypes; small differences of
// two draws are not.
TEST(Datasets, SplitsOnDifferentScalesAreWarnedOf) {
  const TempFolder folder;
  const auto warnings = [&](DType train, double a, DType test, double b, int64_t rows = 64) {
    const auto ramp = [&](double to) {
      std::vector<double> values(static_cast<size_t>(rows) * 2);
      for (size_t k = 0; k < values.size(); ++k)
        values[k] = to * static_cast<double>(k) / static_cast<double>(values.size() - 1);
      return values;
    };
    EXPECT_TRUE(save_npy(Tensor::from_f64(train, {rows, 2}, ramp(a)), folder / "x_train.npy"));
    EXPECT_TRUE(save_npy(Tensor::from_f64(test, {rows, 2}, ramp(b)), folder / "x_test.npy"));
    const auto data = load(folder.path(), {{2}, 0});
    EXPECT_TRUE(data) << data.error().text();
    return data ? (*data)->warnings : std::vector<std::string>{};
  };
  using testing::ElementsAre, testing::IsEmpty;
  EXPECT_THAT(warnings(DType::i32, 65535, DType::f32, 1), ElementsAre(HasSubstr("different scales")));
  EXPECT_THAT(warnings(DType::f32, 1, DType::f32, 255), ElementsAre(HasSubstr("x_test.npy (f32) is 255 at most")));
  EXPECT_THAT(warnings(DType::f32, 1, DType::f64, 255, 1 << 21), ElementsAre(HasSubstr("different scales")));
  EXPECT_THAT(warnings(DType::u8, 1, DType::f32, 1), ElementsAre(HasSubstr("(u8, value / 255)"))) << "a mask";
  EXPECT_THAT(warnings(DType::u8, 255, DType::u8, 1), ElementsAre(HasSubstr("different scales")));
  EXPECT_THAT(warnings(DType::f32, 1, DType::f32, 7), IsEmpty());
  EXPECT_THAT(warnings(DType::u8, 255, DType::f32, 1), IsEmpty());
  EXPECT_THAT(warnings(DType::f32, 1, DType::f32, 0), IsEmpty());
}

TEST(Datasets, PicturesInFolders) {
  const TempFolder folder;
  const auto picture = [](int side, uint8_t level) {
    Image image{side, side, {}};
    for (int i = 0; i < side * side; ++i) image.rgba.insert(image.rgba.end(), {level, level, level, 255});
    return image;
  };
  for (const char* place : {"train/cat", "train/dog", "test/dog"}) std::filesystem::create_directories(folder / place);
  ASSERT_TRUE(save_png(picture(4, 10), folder / "train/cat/a.png"));
  ASSERT_TRUE(save_png(picture(9, 200), folder / "train/dog/b.png"));
  ASSERT_TRUE(save_png(picture(1, 90), folder / "test/dog/c.png"));
  write_bytes(folder / "train/dog/notes.txt", "not a picture");
  const auto data = load(folder.path(), {{1, 2, 2}, 2});
  ASSERT_TRUE(data) << data.error().text();
  EXPECT_EQ((*data)->class_names, (std::vector<std::string>{"cat", "dog"}));
  EXPECT_EQ((*data)->train.x.dims(), (Dims{2, 1, 2, 2}));
  EXPECT_EQ((*data)->train.x.as<uint8_t>()[0], 10);
  EXPECT_EQ((*data)->train.x.as<uint8_t>()[7], 200);
  EXPECT_EQ((*data)->train.labels.as<int64_t>()[1], 1);
  EXPECT_EQ((*data)->test.x.as<uint8_t>()[3], 90);
  EXPECT_EQ((*data)->test.labels.as<int64_t>()[0], 1);
  expect_refused(folder.path(), {{2, 4, 4}, 2}, codes::asset_lacks, "1 or 3 channels");
  expect_refused(folder.path(), {{1, 2, 2}, 1}, codes::asset_lacks, "2 class folders");
  std::filesystem::create_directories(folder / "train/.cache");
  EXPECT_TRUE(load(folder.path(), {{1, 2, 2}, 2}));
  std::filesystem::create_directories(folder / "test/bird");
  expect_refused(folder.path(), {{1, 2, 2}, 3}, codes::asset_lacks, "\"bird\" has no files for training");
  std::filesystem::remove(folder / "test/bird");
  write_bytes(folder / "train/cat/broken.png", "PNG?");
  expect_refused(folder.path(), {{1, 2, 2}, 2}, codes::asset_unreadable, "cannot be read");
}

/// Sizes are known from headers; what is read, and when it is refused, says the file.
TEST(Datasets, OpeningReadsHeadersAlone) {
  const TempFolder folder;
  constexpr int64_t kRows = int64_t{1} << 20;  // of 512 KiB: 512 GiB, a file with holes
  ASSERT_TRUE(save_npy(Tensor::zeros(DType::u8, {1}), folder / "y_train.npy"));
  const auto header_only = [&](const char* name, const char* descr, const std::string& shape, uint64_t bytes) {
    std::string header = std::string("{'descr': '") + descr + "', 'fortran_order': False, 'shape': (" + shape + "), }";
    header.resize(117, ' ');
    header += '\n';
    const std::string front = std::string("\x93NUMPY\x01\0", 8) + static_cast<char>(118) + '\0' + header;
    write_bytes(folder / name, front);
    std::filesystem::resize_file(folder / name, front.size() + bytes);
  };
  header_only("x_train.npy", "<f4", std::to_string(kRows) + ", 131072", static_cast<uint64_t>(kRows) * 131072 * 4);
  const size_t before = resident_memory();
  const auto too_large = open_dataset(*find_dataset(folder.path()), {{131072}, 0});
  ASSERT_FALSE(too_large) << "this machine has less than 512 GiB";
  EXPECT_EQ(too_large.error().code, codes::out_of_memory);
  EXPECT_THAT(too_large.error().where, HasSubstr("x_train.npy"));
  EXPECT_THAT(too_large.error().reason, HasSubstr("512 GiB"));

  const uint64_t rows = machine_memory() / 2 / 4096;  // f32 of half the machine
  header_only("x_train.npy", "<f4", std::to_string(rows) + ", 1024", rows * 4096);
  const auto data = open_dataset(*find_dataset(folder.path()), {{1024}, 0});
  ASSERT_TRUE(data) << data.error().text();
  EXPECT_EQ((*data)->train.count(), static_cast<int64_t>(rows));
  EXPECT_EQ((*data)->train.bytes(), rows * 4096);
  EXPECT_FALSE((*data)->train.is_loaded());
  EXPECT_LT(resident_memory(), before + (size_t{64} << 20)) << "nothing was read";
}

TEST(Datasets, AreHeldOnceAndConvertedInPieces) {
  const TempFolder folder;
  constexpr int64_t kCount = int64_t{6} << 20;  // 48 MiB of f64, 24 of f32
  {
    Tensor x(DType::f64, {kCount / 1024, 1024});
    for (int64_t i = 0; i < kCount; ++i) x.as<double>()[i] = static_cast<double>(i % 1000);
    ASSERT_TRUE(save_npy(x, folder / "x_train.npy"));
  }
  const auto data = open_dataset(*find_dataset(folder.path()), {{1024}, 0});
  ASSERT_TRUE(data) << data.error().text();
  size_t most = 0;
  Status loaded = ok();
  {
    const PeakMemory memory;
    loaded = (*data)->train.load();
    most = memory.bytes();
  }
  ASSERT_TRUE(loaded) << loaded.error().text();
  EXPECT_TRUE((*data)->train.is_loaded());
  EXPECT_EQ((*data)->train.x.as<float>()[kCount - 1], static_cast<float>((kCount - 1) % 1000));
  EXPECT_LT(most, size_t{44} << 20) << "24 MiB and a piece";
  EXPECT_GE(most, size_t{24} << 20) << "the set itself was counted";
}

TEST(Datasets, AreFoundBesideTheGraphAndReadAgainWhenChanged) {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "set");
  write_idx_set(folder / "set", {5, 3}, {2, 3}, 4);
  FileAssets assets(folder.path());
  const auto first = assets.dataset("asset:set", kSpec);
  ASSERT_TRUE(first) << first.error().text();
  EXPECT_EQ(*assets.dataset("set", kSpec), *first) << "the same set by a relative path";
  EXPECT_EQ(*assets.dataset("set/train-images-idx3-ubyte", kSpec), *first) << "named by one of its files";
  const auto other = assets.dataset("set", {{1, 2, 3}, 9});
  ASSERT_TRUE(other);
  EXPECT_NE(*other, *first) << "another specification";
  write_idx_set(folder / "set", {6, 3}, {2, 3}, 4);
  std::filesystem::last_write_time(folder / "set/train-images-idx3-ubyte",
                                   std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
  EXPECT_EQ((*assets.dataset("set", kSpec))->train.count(), 6);
  const auto missing = assets.dataset("asset:no-such-set", kSpec);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, codes::asset_missing);
  EXPECT_THAT(missing.error().remedy, HasSubstr("HALFWIRE_ASSETS"));
}

TEST(Images, AreCachedByPathAndTime) {
  const TempFolder folder;
  ASSERT_TRUE(save_png({1, 1, {10, 20, 30, 255}}, folder / "a.png"));
  FileAssets assets(folder.path());
  const auto first = assets.image("a.png");
  ASSERT_TRUE(first) << first.error().text();
  EXPECT_EQ((*first)->rgba[1], 20);
  EXPECT_EQ(*assets.image("asset:a.png"), *first);
  ASSERT_TRUE(save_png({1, 1, {10, 99, 30, 255}}, folder / "a.png"));
  std::filesystem::last_write_time(folder / "a.png",
                                   std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
  EXPECT_EQ((*assets.image("a.png"))->rgba[1], 99);
  EXPECT_EQ(assets.image("b.png").error().code, codes::asset_missing);
}

}  // namespace
}  // namespace hw::io_dataset_test
