#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A picture is blurred by Fourier transforms in two dimensions: each node transforms its rows, then its columns, which all the
others have written. It fetches these all at once (get), and sends them back likewise (put).

    weft run -n 4 --binding python3 python/examples/blur.py [--size 512] [--check]
"""

import argparse

import numpy as np

import weft


def picture(size):
    """Rings around the middle."""
    y, x = np.mgrid[:size, :size] - size / 2
    return np.cos(np.hypot(x, y) / 5) * (np.hypot(x, y) < size / 3)


def response(size, width):
    """Of a Gaussian filter, in one dimension."""
    return np.exp(-2 * (np.pi * width * np.fft.fftfreq(size))**2)


def transform(data, mine, step, factor=None):
    """Applies a transform to this node's rows and then to its columns; between them, to the columns, the filter."""
    data[mine] = step(data[mine], axis=1)
    weft.barrier()
    columns = step(weft.get(data[:, mine]), axis=0)
    weft.put(data[:, mine], columns if factor is None else columns * factor[:, mine])
    weft.barrier()


def plain(size, width):
    factor = np.outer(response(size, width), response(size, width))
    return np.fft.ifft2(np.fft.fft2(picture(size)) * factor).real


def main():
    parser = argparse.ArgumentParser(description="A blurred picture")
    parser.add_argument("--size", type=int, default=512)
    parser.add_argument("--width", type=float, default=4.0, help="of the filter, in pixels")
    parser.add_argument("--check", action="store_true", help="compare with NumPy on one node")
    options = parser.parse_args()

    data = weft.array(picture(options.size), complex)
    mine = weft.my_part(options.size)
    factor = np.outer(response(options.size, options.width), response(options.size, options.width))
    transform(data, mine, np.fft.fft, factor)
    transform(data, mine, np.fft.ifft)
    if weft.node() == 0:
        print(f"{options.size} x {options.size} pixels on {weft.nodes()} nodes: contrast {np.ptp(data.real):.4f}, "
              f"{np.ptp(picture(options.size)):.4f} before")
        if options.check:
            assert np.allclose(data.real, plain(options.size, options.width), atol=1e-12), "not what NumPy computes"
            print("ok")


main()
