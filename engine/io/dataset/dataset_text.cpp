// Text as a data set: windows of characters.
#include <algorithm>
#include <map>
#include <numeric>

#include "engine/core/codes.h"
#include "engine/core/utf8.h"
#include "engine/io/dataset/dataset.h"
#include "engine/io/file/file_bytes.h"

namespace hw {
namespace {

constexpr uint64_t kMostBytes = 1u << 30;

/// Without byte order marks; every line end as \n, as Python opens texts.
Result<std::u32string> read_text(const std::vector<std::filesystem::path>& files) {
  std::u32string all;
  for (const std::filesystem::path& file : files) {
    HW_TRY(const std::string text, read_file_bytes(file, kMostBytes, codes::asset_unreadable));
    const size_t begin = all.size();
    for (size_t at = 0; at < text.size();) {
      const auto character = next_character(text, at);
      if (!character)
        return Error{codes::asset_unreadable, file.string(), "byte " + std::to_string(at) + " is no UTF-8.",
                     "Save the file as UTF-8."};
      const bool line_end = *character == U'\n' && all.size() > begin && text[at - 2] == '\r';
      if (line_end || (*character == U'\ufeff' && all.size() == begin)) continue;
      all.push_back(*character == U'\r' ? U'\n' : *character);
    }
  }
  return all;
}

DatasetSplit windows(std::u32string_view text, const std::map<char32_t, int64_t>& number_of, int64_t length,
                     int64_t stride) {
  const auto size = static_cast<int64_t>(text.size());
  Tensor tokens(DType::f32, {size});
  for (int64_t i = 0; i < size; ++i)
    tokens.as<float>()[i] = static_cast<float>(number_of.at(text[static_cast<size_t>(i)]));
  auto source = std::make_shared<SplitSource>();
  source->count = size < length ? 0 : (size - length) / stride + 1;
  source->dtype = DType::f32;
  source->sample_bytes = tokens.bytes();
  source->read = [tokens = std::move(tokens)](DatasetSplit& into) {
    into.x = tokens;
    return ok();
  };
  return {{}, {}, std::move(source), stride};
}

}  // namespace

Status open_text(const DatasetFiles& files, const DatasetSpec& spec, Dataset& into) {
  const std::string place = files.folder.string();
  const auto lacks = [&](std::string reason, std::string remedy) {
    return Error{codes::asset_lacks, place, std::move(reason), std::move(remedy)};
  };
  if (spec.sample.size() != 1)
    return lacks("samples of a text are [characters], the graph expects " + to_string(spec.sample) + ".",
                 "Set the sample sizes of the Dataset node to the characters in a row, for example [65].");
  HW_TRY(std::u32string train, read_text(files.train.by_class.front()));
  std::u32string test;
  if (files.test.empty()) {
    const size_t kept = train.size() - train.size() / 10;
    test = train.substr(kept);
    train.resize(kept);
  } else {
    HW_TRY(test, read_text(files.test.by_class.front()));
  }
  std::map<char32_t, int64_t> number_of;
  for (const auto* text : {&train, &test})
    for (const char32_t character : *text) number_of.emplace(character, 0);
  if (static_cast<int64_t>(number_of.size()) > spec.classes)
    return lacks(
        "the text has " + std::to_string(number_of.size()) + " different characters; the graph expects " +
            std::to_string(spec.classes) + ".",
        "Set the number of classes of the Dataset node, and the sizes of what has a vector or a score for each.");
  int64_t number = 0;
  for (auto& [character, its] : number_of) {
    its = number++;
    into.class_names.push_back(utf8(character));
  }
  const int64_t length = spec.sample[0];
  std::u32string held;
  if (spec.validation > 0) {
    const auto all = static_cast<double>(train.size());
    held = train.substr(static_cast<size_t>(all * (1 - spec.validation)));
    train.resize(train.size() - held.size());
    if (static_cast<int64_t>(held.size()) < length)
      return lacks("the validation split would have " + std::to_string(held.size()) + " characters; a sample has " +
                       std::to_string(length) + ".",
                   "Hold out a larger share, or use shorter samples.");
  }
  if (static_cast<int64_t>(train.size()) < length)
    return lacks("the text has " + std::to_string(train.size()) + " characters for training; a sample has " +
                     std::to_string(length) + ".",
                 "Use a longer text, or shorter samples.");
  into.train = windows(train, number_of, length, 1);
  if (!held.empty()) into.validation = windows(held, number_of, length, length);
  into.test = windows(test, number_of, length, length);
  return ok();
}

}  // namespace hw
