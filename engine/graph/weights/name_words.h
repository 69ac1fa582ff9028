// The words in the names of parameters and tensors, and how two names compare by them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hw {

using Words = std::vector<std::string>;  // runs of letters in lower case, and of digits

/// "Layer1.0/conv_1.gamma": layer 1 0 conv 1 weight. Keras's, JAX's and TensorFlow's words for a weight, a bias and
/// running statistics are PyTorch's; but not "kernel", whose axes are in another order.
Words words_of(std::string_view name);

/// PyTorch numbers the layers of one recurrent module, "lstm.weight_ih_l0_reverse": lstm 0 weight ih reverse. The
/// number of the only layer is left out.
Words without_layer(Words words, bool is_only);

/// The words from `begin` on as one text.
std::string text_of(const Words& words, size_t begin = 0);

/// The order of names with numbers as numbers: layer2 before layer10.
bool comes_before(const Words& a, const Words& b);

/// The words of `part` are among those of `whole`, in their order, the last being the last of both.
bool is_part_of(const Words& part, const Words& whole);

/// They are not the same, but are where numbers do not count.
bool differ_in_numbers(const Words& a, const Words& b);

/// "encoder.weight_ih_l1_reverse" as PyTorch names what its recurrent modules have.
struct RecurrentName {
  std::string module, part;  // "encoder", "weight_ih_reverse"
  size_t layer = 0;
};
/// Nothing: it is no such name.
std::optional<RecurrentName> recurrent_name(const std::string& tensor);

}  // namespace hw
