// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects made on other nodes: virtual functions, virtual bases, dynamic_cast, typeid, exceptions
// with objects inside, functions in std::function, shared and weak pointers that all threads copy.

#include <omp.h>

#include <any>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <utility>
#include <variant>
#include <vector>

#include "../check.h"

namespace {

constexpr int kObjects = 60;

struct Named {
  std::string name;
  explicit Named(std::string text) : name(std::move(text)) {}
  virtual ~Named() = default;
};
struct Shape : virtual Named {
  Shape() : Named("a shape") {}
  virtual long area() const = 0;
};
struct Coloured : virtual Named {
  int colour = 0;
  Coloured() : Named("a colour") {}
  virtual int shade() const { return colour; }
};
struct Square final : Shape, Coloured {
  long side;
  explicit Square(long s) : Named("square " + std::to_string(s)), side(s) {
    colour = static_cast<int>(s) % 7;
  }
  long area() const override { return side * side; }
};
struct Line final : Shape {
  explicit Line(long length) : Named("line " + std::to_string(length)) {}
  long area() const override { return 0; }
};

std::unique_ptr<Named> made(int i) {
  if (i % 3 == 0) return std::make_unique<Line>(i);
  return std::make_unique<Square>(i);
}

void classes() {
  std::vector<std::unique_ptr<Named>> objects(kObjects);
#pragma omp parallel
  {
#pragma omp for schedule(static, 1)
    for (int i = 0; i < kObjects; ++i) objects[i] = made(i);
#pragma omp for schedule(static, 7)
    for (int i = 0; i < kObjects; ++i) {
      const Named& object = *objects[i];
      EXPECT((typeid(object) == typeid(Line)) == (i % 3 == 0), "Object %d is a %s.", i,
             typeid(object).name());
      const auto* shape = dynamic_cast<const Shape*>(&object);
      const auto* coloured = dynamic_cast<const Coloured*>(&object);
      EXPECT(shape != nullptr && shape->area() == (i % 3 == 0 ? 0L : long{i} * i), "Object %d.", i);
      EXPECT((coloured == nullptr) == (i % 3 == 0), "Object %d has a colour or not.", i);
      EXPECT(coloured == nullptr || coloured->shade() == i % 7, "Object %d has colour %d.", i,
             coloured->shade());
      EXPECT(object.name == (i % 3 == 0 ? "line " : "square ") + std::to_string(i), "It is %s.",
             object.name.c_str());
    }
#pragma omp for schedule(dynamic, 3)
    for (int i = 0; i < kObjects; ++i) objects[i].reset();
  }
}

void shared_pointers() {
  static int destroyed = 0;
  struct Counted {
    int value;
    explicit Counted(int v) : value(v) {}
    ~Counted() {
#pragma omp atomic
      ++destroyed;
    }
  };
  std::shared_ptr<Counted> common = std::make_shared<Counted>(42);
  std::weak_ptr<Counted> observer = common;
  std::vector<std::shared_ptr<Counted>> own(kObjects);
  long sum = 0;
#pragma omp parallel reduction(+ : sum)
  {
    std::shared_ptr<Counted> mine = common;  // counted by all nodes at once
    for (int round = 0; round < 50; ++round) {
      const std::shared_ptr<Counted> another = observer.lock();
      sum += another != nullptr ? another->value : 0;
      mine = another;
    }
#pragma omp for schedule(static, 1)
    for (int i = 0; i < kObjects; ++i) own[i] = i % 4 == 0 ? mine : std::make_shared<Counted>(i);
#pragma omp barrier
#pragma omp for schedule(static, 5)
    for (int i = 0; i < kObjects; ++i) {
      EXPECT(own[i]->value == (i % 4 == 0 ? 42 : i), "Object %d holds %d.", i, own[i]->value);
      own[i] = nullptr;
    }
  }
  EXPECT(sum == 42L * 50 * omp_get_max_threads(), "The sum is %ld.", sum);
  EXPECT(common.use_count() == 1, "There are %ld owners.", common.use_count());
  common.reset();
  EXPECT(observer.expired(), "Somebody owns it still.");
  EXPECT(destroyed == kObjects - kObjects / 4 + 1, "%d objects were destroyed.", destroyed);
}

struct Refused : std::runtime_error {
  std::vector<int> which;
  Refused(const std::string& why, std::vector<int> numbers)
      : std::runtime_error(why), which(std::move(numbers)) {}
};

// An exception that one thread keeps and another one throws again, and functions that carry objects
// along.
void kept_exceptions_and_functions() {
  std::vector<std::exception_ptr> kept(kObjects);
  std::vector<std::function<std::string(int)>> functions(kObjects);
  std::vector<std::variant<int, std::string>> variants(kObjects);
  std::vector<std::any> things(kObjects);
#pragma omp parallel
  {
#pragma omp for schedule(static, 1)
    for (int i = 0; i < kObjects; ++i) {
      try {
        throw Refused("number " + std::to_string(i), std::vector<int>(i + 1, i));
      } catch (...) {
        kept[i] = std::current_exception();
      }
      functions[i] = [text = std::string(i + 20, 'x'), i](int more) {
        return text + std::to_string(i + more);
      };
      if (i % 2 == 0) {
        variants[i] = i;
      } else {
        variants[i] = "odd " + std::to_string(i);
      }
      things[i] = std::pair<int, std::string>(i, "thing");
    }
#pragma omp for schedule(static, 7)
    for (int i = 0; i < kObjects; ++i) {
      try {
        std::rethrow_exception(kept[i]);
      } catch (const Refused& refused) {
        EXPECT(refused.what() == "number " + std::to_string(i), "It says %s.", refused.what());
        EXPECT(static_cast<int>(refused.which.size()) == i + 1 && refused.which.back() == i,
               "It carries %zu.", refused.which.size());
      }
      kept[i] = nullptr;
      EXPECT(functions[i](5) == std::string(i + 20, 'x') + std::to_string(i + 5), "%s",
             functions[i](5).c_str());
      EXPECT(std::holds_alternative<int>(variants[i]) == (i % 2 == 0), "Variant %d.", i);
      EXPECT((std::any_cast<std::pair<int, std::string>&>(things[i]).first == i), "Thing %d.", i);
    }
  }
}

}  // namespace

int main() {
  classes();
  shared_pointers();
  kept_exceptions_and_functions();
  return ok();
}
