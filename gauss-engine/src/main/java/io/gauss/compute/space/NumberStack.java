package io.gauss.compute.space;

import java.util.Arrays;

/** A stack of page numbers without boxes. Not thread-safe. */
final class NumberStack {
  private int[] numbers = new int[16];
  private int size;

  boolean isEmpty() {
    return size == 0;
  }

  void push(int number) {
    if (size == numbers.length) {
      numbers = Arrays.copyOf(numbers, size * 2);
    }
    numbers[size++] = number;
  }

  int pop() {
    return numbers[--size];
  }

  void pushAll(NumberStack others) {
    for (int i = 0; i < others.size; i++) {
      push(others.numbers[i]);
    }
  }
}
