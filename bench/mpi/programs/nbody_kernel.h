// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a body feels and does.
#pragma once

#include <math.h>

#include "bench.h"

enum { kBodies = 4096 };
typedef struct {
  double x, y, z;
} Vector;

static inline void place(Vector* position, Vector* velocity, int i) {
  const uint64_t index = 3 * (uint64_t)i;
  *position = (Vector){bench_random(index), bench_random(index + 1), bench_random(index + 2)};
  *velocity = (Vector){0, 0, 0};
}

static inline Vector force_on(int i, const Vector* position) {
  const Vector here = position[i];
  Vector force = {0, 0, 0};
  for (int j = 0; j < kBodies; ++j) {
    const double x = position[j].x - here.x, y = position[j].y - here.y, z = position[j].z - here.z;
    const double squared = x * x + y * y + z * z + 1e-3;  // softened, and so nothing for i itself
    const double weight = 1 / (squared * sqrt(squared));
    force.x += weight * x;
    force.y += weight * y;
    force.z += weight * z;
  }
  return force;
}

static inline void move(Vector* position, Vector* velocity, Vector force) {
  const double step = 1e-6;
  velocity->x += step * force.x;
  velocity->y += step * force.y;
  velocity->z += step * force.z;
  position->x += step * velocity->x;
  position->y += step * velocity->y;
  position->z += step * velocity->z;
}

static inline double checksum(Vector position, int i) {
  return (position.x + 2 * position.y + 3 * position.z) * (i % 7 + 1);
}
