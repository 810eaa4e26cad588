#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes small random inputs for PARSEC's programs: options to be priced, and baskets of goods."""

import random

OPTIONS, BASKETS, GOODS = 500, 400, 12


def option(draw):
    numbers = (draw.uniform(20, 80), draw.uniform(20, 80), 0.1, 0, draw.uniform(0.1, 0.6), draw.uniform(0.1, 2))
    price, strike, rate, dividend, volatility, time = (f"{number:.2f}" for number in numbers)
    return f"{price} {strike} {rate} {dividend} {volatility} {time} {draw.choice('PC')} 0.00 0.00\n"


def basket(draw):
    return " ".join(map(str, sorted({int(draw.expovariate(0.08)) for _ in range(GOODS)}))) + "\n"


def main():
    draw = random.Random(1)
    with open("options", "w") as file:
        file.write(f"{OPTIONS}\n")
        file.writelines(option(draw) for _ in range(OPTIONS))
    with open("baskets", "w") as file:
        file.writelines(basket(draw) for _ in range(BASKETS))


main()
