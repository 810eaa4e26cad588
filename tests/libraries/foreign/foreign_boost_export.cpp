// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BOOST_CLASS_EXPORT registers classes when the program starts, in tables of Boost's library: an
// archive of objects by way of their base class, written on one node, is read on another.
//
// links: -lboost_serialization
#include <omp.h>

#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/archive/text_iarchive.hpp>
#include <boost/archive/text_oarchive.hpp>
#include <boost/serialization/base_object.hpp>
#include <boost/serialization/export.hpp>
#include <boost/serialization/shared_ptr.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>
#include <cstdio>
#include <memory>
#include <sstream>

struct Shape {
  std::string name;
  virtual ~Shape() = default;
  virtual double area() const = 0;
  template <typename Archive>
  void serialize(Archive& archive, unsigned) {
    archive & name;
  }
};
struct Square : Shape {
  int side = 0;
  double area() const override { return side * side; }
  template <typename Archive>
  void serialize(Archive& archive, unsigned) {
    archive& boost::serialization::base_object<Shape>(*this);
    archive & side;
  }
};
struct Strip : Shape {
  std::vector<int> lengths;
  double area() const override {
    double sum = 0;
    for (const int length : lengths) sum += length;
    return sum;
  }
  template <typename Archive>
  void serialize(Archive& archive, unsigned) {
    archive& boost::serialization::base_object<Shape>(*this);
    archive & lengths;
  }
};
BOOST_CLASS_EXPORT(Square)
BOOST_CLASS_EXPORT(Strip)

constexpr int kItems = 12;

template <typename Archive>
std::string written_by(int number) {
  auto square = std::make_shared<Square>();
  square->name = "square " + std::to_string(number);
  square->side = number;
  Strip strip;
  strip.name = "strip";
  strip.lengths.assign(number, 3);
  const std::vector<std::shared_ptr<Shape>> shared{square, square};
  const Shape* const pointer = &strip;
  std::ostringstream text;
  Archive archive(text);
  archive << shared << pointer;
  return text.str();
}

template <typename Archive>
int differences_in(const std::string& text, int number) {
  std::istringstream stream(text);
  Archive archive(stream);
  std::vector<std::shared_ptr<Shape>> shared;
  Shape* pointer = nullptr;
  archive >> shared >> pointer;
  const int differences = (shared[0]->area() != number * number) + (shared[0] != shared[1]) +
                          (shared[0]->name != "square " + std::to_string(number)) +
                          (pointer->area() != 3 * number) + (pointer->name != "strip");
  delete pointer;
  return differences;
}

int main() {
  std::string texts[kItems];
  std::string binaries[kItems];
  int differences = 0;
#pragma omp parallel for schedule(static, 1)
  for (int i = 0; i < kItems; ++i) {
    texts[i] = written_by<boost::archive::text_oarchive>(i);
    binaries[i] = written_by<boost::archive::binary_oarchive>(i);
  }
#pragma omp parallel for schedule(static, 1) reduction(+ : differences)
  for (int i = 0; i < kItems; ++i) {
    const int other = (i + 1) % kItems;
    differences += differences_in<boost::archive::text_iarchive>(texts[other], other);
    differences += differences_in<boost::archive::binary_iarchive>(binaries[other], other);
  }
  std::printf("%d differences\n", differences);
  if (differences == 0) std::puts("ok");
}
