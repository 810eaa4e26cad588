// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What program and library have in common: what is defined in here exists in both, and is one.
#pragma once

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

struct Shape {
  virtual ~Shape() = default;
  virtual int sides() const = 0;
};
struct Named {
  virtual ~Named() = default;
  virtual std::string name() const { return "nameless"; }
};
struct Polygon : Shape, Named {
  explicit Polygon(int n);
  int sides() const override { return static_cast<int>(corners.size()); }
  std::string name() const override;
  std::vector<int> corners;
};
struct TooMany : std::runtime_error {
  TooMany(int n) : std::runtime_error("too many"), number(n) {}
  int number;
};

inline int inline_variable = 11;
template <typename T>
struct Holder {
  static inline std::vector<T> values;
};
inline std::vector<int>& local_of_inline() {
  static std::vector<int> local(100, 4);
  return local;
}

std::unique_ptr<Shape> make_polygon(int n);  // throws TooMany
Shape* shared_shape();                       // a static local object of the library
std::vector<int>& local_of_inline_from_library();
int* inline_variable_from_library();
std::vector<int>* holder_from_library();
extern std::map<std::string, int> table;  // made by a constructor
extern int made, destroyed;               // static objects of the library
struct PerThread {
  PerThread();
  std::vector<int> own;
};
extern thread_local PerThread per_thread;
