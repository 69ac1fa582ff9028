#include "engine/expression/place.h"

#include <charconv>

#include "engine/core/codes.h"

namespace hw::expression {

Error error_at(const char* code, Place place, std::string reason, std::string remedy) {
  return {code, std::to_string(place.line) + ":" + std::to_string(place.column), std::move(reason), std::move(remedy)};
}

Error type_error(Place place, std::string reason, std::string remedy) {
  return error_at(codes::expression_type, place, std::move(reason), std::move(remedy));
}

Place place_of(const Error& error) {
  Place place;
  const char* const end = error.where.data() + error.where.size();
  const auto line = std::from_chars(error.where.data(), end, place.line);
  if (line.ptr != end) std::from_chars(line.ptr + 1, end, place.column);
  return place;
}

}  // namespace hw::expression
