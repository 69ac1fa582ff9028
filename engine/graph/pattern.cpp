// Thompson's construction: a text is read once with the set of all places where the expression may be.
#include "engine/graph/pattern.h"

#include <optional>

#include "engine/core/codes.h"

namespace hw {
namespace {

constexpr size_t kMostSteps = 1000;
constexpr int kMostRepeats = 1000, kDeepest = 100;

char32_t folded(char32_t c) {
  return c >= U'A' && c <= U'Z' ? c - U'A' + U'a' : c;
}

std::u32string decoded(std::string_view text) {
  std::u32string out;
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i++]);
    const int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : lead >= 0xc0 ? 1 : 0;
    char32_t c = more == 3 ? lead & 0x07u : more == 2 ? lead & 0x0fu : more == 1 ? lead & 0x1fu : lead;
    for (int k = 0; k < more && i < text.size(); ++k) c = (c << 6) | (static_cast<unsigned char>(text[i++]) & 0x3fu);
    out.push_back(c);
  }
  return out;
}

bool is_word(char32_t c) {
  return (c >= U'a' && c <= U'z') || (c >= U'0' && c <= U'9') || c == U'_';
}

}  // namespace

/// Builds from the end: each part is made knowing the step that follows it.
class PatternParser {
 public:
  explicit PatternParser(std::string_view text) : text_(decoded(text)) {}

  Result<Pattern> run() {
    const auto tree = choice(0);
    if (!tree) return wrong();
    if (at_ < text_.size()) {
      problem_ = "There is a ) without a (.";
      return wrong();
    }
    Pattern pattern;
    steps_ = &pattern.steps_;
    const size_t end = add({Step::What::matched});
    const auto first = build(*tree, end);
    if (!first)
      return Error{codes::expression_size, {}, "The regular expression is too large.", "Use smaller counts in { }."};
    pattern.first_ = *first;
    return pattern;
  }

 private:
  using Step = Pattern::Step;
  struct Tree {
    enum class What : uint8_t { step, sequence, choice, repeat } what = What::sequence;
    Step step = {};
    std::vector<Tree> parts = {};
    int least = 0, most = 0;  // most −1: any number
  };

  Error wrong() const {
    return {codes::expression_syntax, {}, problem_, "Put a \\ before a character that stands for itself."};
  }
  std::optional<Tree> fail(std::string why) {
    problem_ = std::move(why);
    return std::nullopt;
  }
  bool at(char32_t c) const { return at_ < text_.size() && text_[at_] == c; }

  std::optional<Tree> choice(int depth) {
    if (depth > kDeepest) return fail("Too many ( in one another.");
    Tree all{Tree::What::choice};
    do {
      auto one = sequence(depth);
      if (!one) return std::nullopt;
      all.parts.push_back(std::move(*one));
    } while (at(U'|') && ++at_);
    return all;
  }

  std::optional<Tree> sequence(int depth) {
    Tree all{Tree::What::sequence};
    while (at_ < text_.size() && !at(U'|') && !at(U')')) {
      auto part = atom(depth);
      if (!part) return std::nullopt;
      while (at_ < text_.size()) {
        const auto times = count();
        if (!times) break;
        if (!problem_.empty()) return std::nullopt;
        Tree repeat{Tree::What::repeat};
        repeat.least = times->first;
        repeat.most = times->second;
        repeat.parts.push_back(std::move(*part));
        part = std::move(repeat);
      }
      all.parts.push_back(std::move(*part));
    }
    return all;
  }

  /// The * + ? or { } that is next. A { that begins no count stands for itself.
  std::optional<std::pair<int, int>> count() {
    switch (text_[at_]) {
      case U'*':
        return ++at_, std::pair(0, -1);
      case U'+':
        return ++at_, std::pair(1, -1);
      case U'?':
        return ++at_, std::pair(0, 1);
      case U'{':
        break;
      default:
        return std::nullopt;
    }
    size_t i = at_ + 1;
    const auto number = [&]() -> std::optional<int> {
      std::optional<int> value;
      for (; i < text_.size() && text_[i] >= U'0' && text_[i] <= U'9'; ++i)
        value = std::min(value.value_or(0) * 10 + static_cast<int>(text_[i] - U'0'), kMostRepeats + 1);
      return value;
    };
    const auto least = number();
    if (!least) return std::nullopt;
    std::optional<int> most = least;
    if (i < text_.size() && text_[i] == U',') {
      ++i;
      most = number().value_or(-1);
    }
    if (i >= text_.size() || text_[i] != U'}') return std::nullopt;
    at_ = i + 1;
    if (*least > kMostRepeats || *most > kMostRepeats) problem_ = "A count in { } is too large.";
    if (*most >= 0 && *most < *least) problem_ = "The counts in { } are the wrong way round.";
    return std::pair(*least, *most);
  }

  std::optional<Tree> atom(int depth) {
    const char32_t c = text_[at_++];
    switch (c) {
      case U'(': {
        if (text_.compare(at_, 2, U"?:") == 0) at_ += 2;
        auto inner = choice(depth + 1);
        if (!inner) return std::nullopt;
        if (!at(U')')) return fail("A ( is not closed.");
        ++at_;
        return inner;
      }
      case U'[':
        return set();
      case U'.':
        return leaf({Step::What::none_of});
      case U'^':
        return leaf({Step::What::begin});
      case U'$':
        return leaf({Step::What::end});
      case U'*':
      case U'+':
      case U'?':
        return fail("There is nothing to repeat before a *, + or ?.");
      case U'\\': {
        if (at_ == text_.size()) return fail("There is nothing after the last \\.");
        const char32_t named = text_[at_++];
        if (named == U'b') return leaf({Step::What::word_edge});
        if (const auto ranges = named_set(folded(named)))
          return leaf({named == folded(named) ? Step::What::one_of : Step::What::none_of, *ranges});
        return leaf({Step::What::one_of, {{folded(named), folded(named)}}});
      }
      default:
        return leaf({Step::What::one_of, {{folded(c), folded(c)}}});
    }
  }

  static Tree leaf(Step step) {
    Tree tree{Tree::What::step};
    tree.step = std::move(step);
    return tree;
  }
  /// What \d, \w and \s stand for.
  static std::optional<Pattern::Ranges> named_set(char32_t c) {
    switch (c) {
      case U'd':
        return Pattern::Ranges{{U'0', U'9'}};
      case U'w':
        return Pattern::Ranges{{U'a', U'z'}, {U'0', U'9'}, {U'_', U'_'}};
      case U's':
        return Pattern::Ranges{{U' ', U' '}, {U'\t', U'\r'}};
      default:
        return std::nullopt;
    }
  }

  std::optional<Tree> set() {
    Step step{Step::What::one_of};
    if (at(U'^')) {
      step.what = Step::What::none_of;
      ++at_;
    }
    for (bool first = true; !at(U']') || first; first = false) {
      if (at_ >= text_.size()) return fail("A [ is not closed.");
      char32_t low = text_[at_++];
      if (low == U'\\' && at_ < text_.size()) {
        low = text_[at_++];
        if (low != folded(low) && named_set(folded(low))) return fail("\\D, \\W and \\S cannot stand in [ ].");
        if (const auto ranges = named_set(low)) {
          step.ranges.insert(step.ranges.end(), ranges->begin(), ranges->end());
          continue;
        }
      }
      char32_t high = low;
      if (at(U'-') && at_ + 1 < text_.size() && text_[at_ + 1] != U']') {
        high = text_[at_ + 1];
        at_ += 2;
        if (high < low) return fail("A range in [ ] is the wrong way round.");
      }
      step.ranges.push_back({folded(low), folded(high)});
    }
    ++at_;
    return leaf(std::move(step));
  }

  size_t add(Step step) {
    steps_->push_back(std::move(step));
    return steps_->size() - 1;
  }
  size_t split(size_t a, size_t b) {
    Step step{Step::What::split};
    step.next = a;
    step.other = b;
    return add(std::move(step));
  }

  /// The first step of what leads to `next`. Nothing: too large.
  std::optional<size_t> build(const Tree& tree, std::optional<size_t> next) {
    if (steps_->size() > kMostSteps) return std::nullopt;
    switch (tree.what) {
      case Tree::What::step: {
        Step step = tree.step;
        step.next = *next;
        return add(std::move(step));
      }
      case Tree::What::sequence:
        for (auto part = tree.parts.rbegin(); part != tree.parts.rend() && next; ++part) next = build(*part, next);
        return next;
      case Tree::What::choice: {
        std::optional<size_t> all;
        for (const Tree& part : tree.parts) {
          const auto one = build(part, next);
          if (!one) return std::nullopt;
          all = all ? split(*all, *one) : *one;
        }
        return all;
      }
      case Tree::What::repeat: {
        const Tree& part = tree.parts.front();
        const size_t end = *next;
        if (tree.most < 0) {
          const size_t again = split(end, end);
          const auto body = build(part, again);
          if (!body) return std::nullopt;
          (*steps_)[again].next = *body;
          next = again;
        }
        for (int i = tree.least; i < tree.most && next; ++i) {
          const auto body = build(part, next);
          next = body ? std::optional(split(*body, end)) : std::nullopt;
        }
        for (int i = 0; i < tree.least && next; ++i) next = build(part, next);
        return next;
      }
    }
    return next;
  }

  std::u32string text_;
  size_t at_ = 0;
  std::string problem_;
  std::vector<Step>* steps_ = nullptr;
};

Result<Pattern> Pattern::compile(std::string_view expression) {
  return PatternParser(expression).run();
}

bool Pattern::found_in(std::string_view utf8) const {
  std::u32string text = decoded(utf8);
  for (char32_t& c : text) c = folded(c);
  std::vector<size_t> now, then, open;
  std::vector<size_t> seen(steps_.size());  // 1 + the place in the text where a step was last put in
  bool matched = false;
  // With all steps that are reached without reading.
  const auto put = [&](std::vector<size_t>& set, size_t first, size_t at) {
    open.push_back(first);
    while (!open.empty()) {
      const size_t i = open.back();
      open.pop_back();
      if (seen[i] == at + 1) continue;
      seen[i] = at + 1;
      const Step& step = steps_[i];
      const bool before = at > 0 && is_word(text[at - 1]), after = at < text.size() && is_word(text[at]);
      switch (step.what) {
        case Step::What::matched:
          matched = true;
          break;
        case Step::What::split:
          open.push_back(step.other);
          open.push_back(step.next);
          break;
        case Step::What::begin:
          if (at == 0) open.push_back(step.next);
          break;
        case Step::What::end:
          if (at == text.size()) open.push_back(step.next);
          break;
        case Step::What::word_edge:
          if (before != after) open.push_back(step.next);
          break;
        default:
          set.push_back(i);
      }
    }
  };
  for (size_t at = 0; at <= text.size() && !matched; ++at) {
    put(now, first_, at);  // it may begin anywhere
    if (at == text.size()) break;
    then.clear();
    for (const size_t i : now) {
      const Step& step = steps_[i];
      bool listed = false;
      for (const auto& [low, high] : step.ranges) listed = listed || (text[at] >= low && text[at] <= high);
      if (listed == (step.what == Step::What::one_of)) put(then, step.next, at + 1);
    }
    std::swap(now, then);
  }
  return matched;
}

}  // namespace hw
