// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Repaints a picture with a few colours, chosen by k-means clustering of its pixels.
//
//   kmeans [PICTURE.ppm [COLOURS [STARTS [OUTPUT.png]]]]
//
// Each start seeds the colours from another place in the picture and improves them until no pixel
// changes its cluster; the start with the least squared error wins. The output shows the picture,
// the repainted picture, and the palette below them.
//
// Pixels are integers and so are all sums, so the result is the same with any number of threads.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

namespace {

using Colour = std::array<std::uint8_t, 3>;

[[noreturn]] void die(const std::string& sentence) {
  std::fprintf(stderr, "kmeans: %s\n", sentence.c_str());
  std::exit(1);
}

struct Picture {
  int columns = 0, rows = 0;
  std::vector<Colour> pixels;
};

struct Clustering {
  std::vector<std::array<double, 3>> centres;
  std::vector<int> cluster_of;  // by pixel
  std::int64_t error = std::numeric_limits<std::int64_t>::max();
  int rounds = 0;
};

Picture read_picture(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) die("The picture " + path + " cannot be opened.");
  std::string magic;
  int levels = 0;
  Picture picture;
  file >> magic >> picture.columns >> picture.rows >> levels;
  file.get();
  if (magic != "P6" || levels != 255 || picture.columns < 1 || picture.rows < 1)
    die(path + " is not a binary PPM picture (P6, 255 levels).");
  picture.pixels.resize(static_cast<std::size_t>(picture.columns) * picture.rows);
  file.read(reinterpret_cast<char*>(picture.pixels.data()), 3 * picture.pixels.size());
  if (!file) die("The picture " + path + " is cut short.");
  return picture;
}

double squared_distance(const Colour& pixel, const std::array<double, 3>& centre) {
  double sum = 0;
  for (int c = 0; c < 3; ++c) sum += (pixel[c] - centre[c]) * (pixel[c] - centre[c]);
  return sum;
}

int nearest(const std::vector<std::array<double, 3>>& centres, const Colour& pixel) {
  int best = 0;
  double best_distance = squared_distance(pixel, centres[0]);
  for (int k = 1; k < static_cast<int>(centres.size()); ++k) {
    const double distance = squared_distance(pixel, centres[k]);
    if (distance < best_distance) {
      best = k;
      best_distance = distance;
    }
  }
  return best;
}

// Each next centre is the pixel that is farthest from all centres so far. Of equals the first.
void seed(const Picture& picture, std::size_t from, int colours, Clustering& result) {
  const auto& pixels = picture.pixels;
  const Colour& first = pixels[from];
  result.centres.assign(1, {double(first[0]), double(first[1]), double(first[2])});
  while (static_cast<int>(result.centres.size()) < colours) {
    double farthest = -1;
    std::size_t farthest_at = 0;
#pragma omp parallel
    {
      double my_farthest = -1;
      std::size_t my_farthest_at = 0;
#pragma omp for schedule(static) nowait
      for (std::size_t i = 0; i < pixels.size(); ++i) {
        const double distance =
            squared_distance(pixels[i], result.centres[nearest(result.centres, pixels[i])]);
        if (distance > my_farthest) {
          my_farthest = distance;
          my_farthest_at = i;
        }
      }
#pragma omp critical(farthest)
      if (my_farthest > farthest || (my_farthest == farthest && my_farthest_at < farthest_at)) {
        farthest = my_farthest;
        farthest_at = my_farthest_at;
      }
    }
    const Colour& pixel = pixels[farthest_at];
    result.centres.push_back({double(pixel[0]), double(pixel[1]), double(pixel[2])});
  }
}

// One round: assign all pixels, then move the centres. Returns how many pixels changed cluster.
long improve(const Picture& picture, Clustering& result) {
  const int colours = static_cast<int>(result.centres.size());
  std::vector<std::int64_t> totals(4 * colours);  // red, green, blue and count of each cluster
  std::int64_t* total = totals.data();
  long changed = 0;
#pragma omp parallel for schedule(static) reduction(+ : total[ : 4 * colours], changed)
  for (std::size_t i = 0; i < picture.pixels.size(); ++i) {
    const Colour& pixel = picture.pixels[i];
    const int k = nearest(result.centres, pixel);
    changed += k != result.cluster_of[i];
    result.cluster_of[i] = k;
    for (int c = 0; c < 3; ++c) total[4 * k + c] += pixel[c];
    total[4 * k + 3] += 1;
  }
  for (int k = 0; k < colours; ++k)
    for (int c = 0; c < 3 && totals[4 * k + 3] > 0; ++c)
      result.centres[k][c] = double(totals[4 * k + c]) / double(totals[4 * k + 3]);
  result.rounds += 1;
  return changed;
}

Colour paint(const std::array<double, 3>& centre) {
  Colour colour;
  for (int c = 0; c < 3; ++c) colour[c] = static_cast<std::uint8_t>(centre[c] + 0.5);
  return colour;
}

// The squared error of the painted picture, in whole numbers.
std::int64_t painted_error(const Picture& picture, const Clustering& result) {
  std::int64_t error = 0;
#pragma omp parallel for schedule(guided) reduction(+ : error)
  for (std::size_t i = 0; i < picture.pixels.size(); ++i) {
    const Colour painted = paint(result.centres[result.cluster_of[i]]);
    for (int c = 0; c < 3; ++c) {
      const int difference = int(picture.pixels[i][c]) - int(painted[c]);
      error += difference * difference;
    }
  }
  return error;
}

Clustering cluster(const Picture& picture, int colours, int starts) {
  Clustering best;
  for (int start = 0; start < starts; ++start) {
    Clustering trial;
    trial.cluster_of.assign(picture.pixels.size(), -1);
    seed(picture, picture.pixels.size() / starts * start, colours, trial);
    while (improve(picture, trial) > 0 && trial.rounds < 60) {
    }
    trial.error = painted_error(picture, trial);
    if (trial.error < best.error) best = std::move(trial);
  }
  return best;
}

void sort_palette(Clustering& result) {
  const int colours = static_cast<int>(result.centres.size());
  auto brightness = [](const std::array<double, 3>& c) {
    return 0.299 * c[0] + 0.587 * c[1] + 0.114 * c[2];
  };
  std::vector<int> order(colours), place(colours);
  for (int k = 0; k < colours; ++k) order[k] = k;
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    const double left = brightness(result.centres[a]), right = brightness(result.centres[b]);
    return left != right ? left < right : a < b;
  });
  const auto centres = result.centres;
  for (int k = 0; k < colours; ++k) {
    result.centres[k] = centres[order[k]];
    place[order[k]] = k;
  }
#pragma omp parallel for
  for (std::size_t i = 0; i < result.cluster_of.size(); ++i)
    result.cluster_of[i] = place[result.cluster_of[i]];
}

// Original on the left, repainted on the right, the palette in a band below.
Picture compose(const Picture& picture, const Clustering& result) {
  const int band = std::max(4, picture.rows / 10);
  const int colours = static_cast<int>(result.centres.size());
  Picture sheet{2 * picture.columns, picture.rows + band, {}};
  sheet.pixels.resize(static_cast<std::size_t>(sheet.columns) * sheet.rows);
#pragma omp parallel for schedule(dynamic, 8)
  for (int y = 0; y < sheet.rows; ++y)
    for (int x = 0; x < sheet.columns; ++x) {
      Colour& out = sheet.pixels[static_cast<std::size_t>(y) * sheet.columns + x];
      const std::size_t at = static_cast<std::size_t>(y) * picture.columns + x % picture.columns;
      if (y >= picture.rows)
        out = paint(result.centres[std::int64_t{x} * colours / sheet.columns]);
      else if (x < picture.columns)
        out = picture.pixels[at];
      else
        out = paint(result.centres[result.cluster_of[at]]);
    }
  return sheet;
}

// PNG without compression: a zlib stream of stored blocks, which any viewer reads.
class PngWriter {
 public:
  PngWriter(const std::string& path, const Picture& picture) : file_(path, std::ios::binary) {
    if (!file_) die("The output " + path + " cannot be created.");
    file_.write("\x89PNG\r\n\x1a\n", 8);
    std::string header = big_endian(picture.columns) + big_endian(picture.rows);
    chunk("IHDR", header + std::string("\x08\x02\x00\x00\x00", 5));
    chunk("IDAT", zlib_stored(scan_lines(picture)));
    chunk("IEND", "");
    if (!file_.flush()) die("Writing " + path + " failed.");
  }

 private:
  static std::string big_endian(std::uint32_t value) {
    return {char(value >> 24), char(value >> 16), char(value >> 8), char(value)};
  }

  static std::string scan_lines(const Picture& picture) {
    std::string lines;
    for (int y = 0; y < picture.rows; ++y) {
      const auto* row = &picture.pixels[static_cast<std::size_t>(y) * picture.columns];
      lines += '\0';  // no filter
      lines.append(reinterpret_cast<const char*>(row), 3 * std::size_t(picture.columns));
    }
    return lines;
  }

  static std::string zlib_stored(const std::string& data) {
    std::string stream = "\x78\x01";
    std::uint32_t a = 1, b = 0;  // Adler-32
    for (std::size_t at = 0; at < data.size(); at += 65535) {
      const std::size_t size = std::min<std::size_t>(65535, data.size() - at);
      stream += char(at + size == data.size());
      stream += {char(size), char(size >> 8), char(~size), char(~size >> 8)};
      stream.append(data, at, size);
    }
    for (const char byte : data) {
      a = (a + static_cast<unsigned char>(byte)) % 65521;
      b = (b + a) % 65521;
    }
    return stream + big_endian(b << 16 | a);
  }

  void chunk(const std::string& name, const std::string& data) {
    std::uint32_t crc = 0xffffffff;
    for (const char byte : name + data) {
      crc ^= static_cast<unsigned char>(byte);
      for (int bit = 0; bit < 8; ++bit) crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
    }
    file_ << big_endian(data.size()) << name << data << big_endian(~crc);
  }

  std::ofstream file_;
};

void verify(const Picture& picture, const Clustering& result) {
  std::vector<std::int64_t> count(result.centres.size());
  std::vector<std::array<double, 3>> sum(result.centres.size());
  std::int64_t error = 0;
  for (std::size_t i = 0; i < picture.pixels.size(); ++i) {
    const int k = result.cluster_of[i];
    if (k < 0 || k >= static_cast<int>(result.centres.size())) die("A pixel has no cluster.");
    count[k] += 1;
    const Colour painted = paint(result.centres[k]);
    for (int c = 0; c < 3; ++c) {
      const int difference = int(picture.pixels[i][c]) - int(painted[c]);
      error += difference * difference;
      sum[k][c] += picture.pixels[i][c];
    }
  }
  if (error != result.error) die("The squared error differs from the one counted by one thread.");
  for (std::size_t k = 0; k < count.size(); ++k)
    for (int c = 0; c < 3 && count[k] > 0; ++c)
      if (sum[k][c] / double(count[k]) != result.centres[k][c])
        die("A colour is not the mean of its pixels.");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string path = argc > 1 ? argv[1] : "examples/data/coffee.ppm";
  const int colours = argc > 2 ? std::atoi(argv[2]) : 16;
  const int starts = argc > 3 ? std::atoi(argv[3]) : 2;
  if (argc > 5 || colours < 1 || colours > 256 || starts < 1)
    die("Usage: kmeans [PICTURE.ppm [COLOURS [STARTS [OUTPUT.png]]]]");
  const Picture picture = read_picture(path);
  Clustering result = cluster(picture, colours, starts);
  sort_palette(result);
  if (argc > 4) PngWriter(argv[4], compose(picture, result));

  std::uint64_t hash = 14695981039346656037u;
  for (const int k : result.cluster_of)
    for (const std::uint8_t byte : paint(result.centres[k])) hash = (hash ^ byte) * 1099511628211u;
  std::printf("kmeans: %zu pixels, %d colours, %d rounds, mean squared error %.4f\n",
              picture.pixels.size(), colours, result.rounds,
              double(result.error) / double(picture.pixels.size()));
  std::printf("checksum: %016llx\n", static_cast<unsigned long long>(hash));
  verify(picture, result);
  std::printf("kmeans: verified\n");
  return 0;
}
