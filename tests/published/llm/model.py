#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes what llm.c's train_gpt2 reads, small and with random contents, into the working directory."""

import array
import pathlib
import random
import struct

WIDTH, LAYERS, HEADS, WORDS, LENGTH = 32, 2, 4, 128, 64
TEXT = pathlib.Path("dev/data/tinyshakespeare")


def header(*numbers):
    return struct.pack("256i", *numbers, *[0] * (256 - len(numbers)))


def write_model(draw):
    layer = 13 * WIDTH + 12 * WIDTH * WIDTH
    count = (WORDS + LENGTH) * WIDTH + LAYERS * layer + 2 * WIDTH
    weights = array.array("f", (draw.gauss(0, 0.1) for _ in range(count)))
    sizes = header(20240326, 3, LENGTH, WORDS, LAYERS, HEADS, WIDTH, WORDS)
    pathlib.Path("gpt2_124M.bin").write_bytes(sizes + weights.tobytes())


def write_tokens(draw, name, count):
    tokens = array.array("H", (draw.choice((draw.randrange(WORDS), 7, 8)) for _ in range(count)))
    (TEXT / name).write_bytes(header(20240520, 1, count) + tokens.tobytes())


def write_words():
    words = b"".join(struct.pack("B", len(word)) + word for word in (b"%d " % number for number in range(WORDS)))
    pathlib.Path("gpt2_tokenizer.bin").write_bytes(header(20240328, 2, WORDS, 0) + words)


def main():
    draw = random.Random(1)
    TEXT.mkdir(parents=True, exist_ok=True)
    write_model(draw)
    write_tokens(draw, "tiny_shakespeare_train.bin", 8193)
    write_tokens(draw, "tiny_shakespeare_val.bin", 2049)
    write_words()


main()
