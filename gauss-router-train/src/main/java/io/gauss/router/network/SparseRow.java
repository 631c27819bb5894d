package io.gauss.router.network;

/**
 * The numbers of a row that are not 0. The arrays are not to be changed.
 *
 * @param places of the numbers, ascending; a char is a number below 65,536 here
 * @param values at these places
 */
public record SparseRow(char[] places, float[] values) {
  public SparseRow {
    if (places.length != values.length) {
      throw new IllegalArgumentException(places.length + " places, " + values.length + " values");
    }
    for (int i = 1; i < places.length; i++) {
      if (places[i] <= places[i - 1]) {
        throw new IllegalArgumentException("places do not ascend");
      }
    }
  }

  /** Of the first {@code width} numbers of an array. */
  static SparseRow of(float[] dense, int width) {
    int count = 0;
    for (int i = 0; i < width; i++) {
      count += dense[i] != 0 ? 1 : 0;
    }
    char[] places = new char[count];
    float[] values = new float[count];
    int at = 0;
    for (int i = 0; i < width; i++) {
      if (dense[i] != 0) {
        places[at] = (char) i;
        values[at++] = dense[i];
      }
    }
    return new SparseRow(places, values);
  }

  /** Whether all places are below this. */
  boolean isWithin(int width) {
    return places.length == 0 || places[places.length - 1] < width;
  }

  /** Writes the numbers into places of an array that are 0. */
  void write(float[] into, int from) {
    for (int i = 0; i < places.length; i++) {
      into[from + places[i]] = values[i];
    }
  }
}
