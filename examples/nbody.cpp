// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A star cluster under its own gravity: every body attracts every other, in leapfrog steps.
//
//   nbody [BODIES [STEPS]]
//
// The force on a body is summed over the others in order by one thread, so positions are the same
// to the last bit with any number of threads. The energy and the momentum, which are reductions,
// may differ in their last digits; they serve to verify (both are conserved) and stay out of the
// checksum.

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

namespace {

struct Vec3 {
  double x = 0, y = 0, z = 0;
  Vec3& operator+=(const Vec3& other) {
    x += other.x;
    y += other.y;
    z += other.z;
    return *this;
  }
};

#pragma omp declare reduction(+ : Vec3 : omp_out += omp_in) initializer(omp_priv = Vec3{})

constexpr double kSofteningSquared = 1e-3;
constexpr double kTimeStep = 1e-3;

[[noreturn]] void die(const char* sentence) {
  std::fprintf(stderr, "nbody: %s\n", sentence);
  std::exit(1);
}

struct Cluster {
  std::vector<Vec3> position, velocity, force;
  double mass = 0;

  explicit Cluster(int bodies)
      : position(bodies), velocity(bodies), force(bodies), mass(1.0 / bodies) {}
  int size() const { return static_cast<int>(position.size()); }
};

// A Plummer sphere: the textbook model of a globular cluster, in equilibrium.
Cluster plummer_sphere(int bodies) {
  Cluster cluster(bodies);
  std::mt19937_64 random(20260607);
  auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  auto on_sphere = [&](double radius) {
    const double z = 2 * uniform() - 1, angle = 6.283185307179586 * uniform();
    const double across = std::sqrt(1 - z * z);
    return Vec3{radius * across * std::cos(angle), radius * across * std::sin(angle), radius * z};
  };
  for (int i = 0; i < bodies; ++i) {
    const double enclosed = 0.001 + 0.99 * uniform();
    const double radius = 1 / std::sqrt(std::pow(enclosed, -2.0 / 3.0) - 1);
    double q = 0, g = 0.1;
    while (g > q * q * std::pow(1 - q * q, 3.5)) {
      q = uniform();
      g = 0.1 * uniform();
    }
    cluster.position[i] = on_sphere(radius);
    cluster.velocity[i] = on_sphere(q * std::sqrt(2.0) * std::pow(1 + radius * radius, -0.25));
  }
  return cluster;
}

Vec3 force_on(const Cluster& cluster, int i) {
  const Vec3 here = cluster.position[i];
  Vec3 sum;
  for (const Vec3& there : cluster.position) {
    const double dx = there.x - here.x, dy = there.y - here.y, dz = there.z - here.z;
    const double squared = dx * dx + dy * dy + dz * dz + kSofteningSquared;
    const double weight = cluster.mass / (squared * std::sqrt(squared));
    sum += Vec3{weight * dx, weight * dy, weight * dz};
  }
  return sum;
}

void advance(Cluster& cluster, int steps) {
  const int bodies = cluster.size();
  const double half = kTimeStep / 2;
#pragma omp parallel firstprivate(half)
  {
#pragma omp for schedule(guided)
    for (int i = 0; i < bodies; ++i) cluster.force[i] = force_on(cluster, i);
    for (int step = 0; step < steps; ++step) {
#pragma omp for schedule(static)
      for (int i = 0; i < bodies; ++i) {
        Vec3 &v = cluster.velocity[i], &x = cluster.position[i];
        const Vec3& f = cluster.force[i];
        v += Vec3{half * f.x, half * f.y, half * f.z};
        x += Vec3{kTimeStep * v.x, kTimeStep * v.y, kTimeStep * v.z};
      }
#pragma omp for schedule(dynamic, 32)
      for (int i = 0; i < bodies; ++i) {
        const Vec3 f = force_on(cluster, i);
        cluster.force[i] = f;
        cluster.velocity[i] += Vec3{half * f.x, half * f.y, half * f.z};
      }
    }
  }
}

double kinetic_energy(const Cluster& cluster) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < cluster.size(); ++i) {
    const Vec3& v = cluster.velocity[i];
    sum += 0.5 * cluster.mass * (v.x * v.x + v.y * v.y + v.z * v.z);
  }
  return sum;
}

double potential_energy(const Cluster& cluster) {
  double sum = 0;
#pragma omp parallel for schedule(dynamic, 16) reduction(- : sum)
  for (int i = 0; i < cluster.size(); ++i)
    for (int j = i + 1; j < cluster.size(); ++j) {
      const Vec3 &a = cluster.position[i], &b = cluster.position[j];
      const double dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
      sum -=
          cluster.mass * cluster.mass / std::sqrt(dx * dx + dy * dy + dz * dz + kSofteningSquared);
    }
  return sum;
}

Vec3 momentum(const Cluster& cluster) {
  Vec3 sum;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < cluster.size(); ++i) sum += cluster.velocity[i];
  return {sum.x * cluster.mass, sum.y * cluster.mass, sum.z * cluster.mass};
}

std::uint64_t checksum(const Cluster& cluster) {
  std::uint64_t hash = 14695981039346656037u;
  for (const Vec3& at : cluster.position)
    for (const double coordinate : {at.x, at.y, at.z}) {
      std::uint64_t bits;
      std::memcpy(&bits, &coordinate, sizeof bits);
      hash = (hash ^ bits) * 1099511628211u;
    }
  return hash;
}

}  // namespace

int main(int argc, char** argv) {
  const int bodies = argc > 1 ? std::atoi(argv[1]) : 3000;
  const int steps = argc > 2 ? std::atoi(argv[2]) : 40;
  if (bodies < 2 || steps < 0 || argc > 3) die("Usage: nbody [BODIES [STEPS]]");

  Cluster cluster = plummer_sphere(bodies);
  const double energy_before = kinetic_energy(cluster) + potential_energy(cluster);
  const Vec3 momentum_before = momentum(cluster);
  advance(cluster, steps);
  double kinetic = 0, potential = 0;
#pragma omp parallel sections
  {
#pragma omp section
    kinetic = kinetic_energy(cluster);
#pragma omp section
    potential = potential_energy(cluster);
  }
  const double drift = std::fabs((kinetic + potential) / energy_before - 1);
  const Vec3 after = momentum(cluster);
  const double slip = std::fabs(after.x - momentum_before.x) +
                      std::fabs(after.y - momentum_before.y) +
                      std::fabs(after.z - momentum_before.z);
  std::printf("nbody: %d bodies, %d steps, energy drift below 1e-3: %s\n", bodies, steps,
              drift < 1e-3 ? "yes" : "no");
  std::printf("checksum: %016llx\n", static_cast<unsigned long long>(checksum(cluster)));
  if (!(drift < 1e-3)) die("The energy was not conserved.");
  if (!(slip < 1e-10)) die("The momentum was not conserved.");
  std::printf("nbody: verified\n");
  return 0;
}
