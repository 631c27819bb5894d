package io.gauss.compute.type;

import io.gauss.common.error.GaussException;
import java.util.Arrays;

/**
 * Builds a jsonb value ({@link JsonbLayout}) from its parts in the order of a text. Of fields with
 * the same name the last one stays. Values are no larger than others (54000), and not nested more
 * deeply than texts (54001). One use, one thread.
 */
public final class JsonbBuilder implements JsonHandler {
  /** Up to here fields are sorted by insertion. */
  private static final int FEW_FIELDS = 16;

  /** What repeated names leave behind is removed when it is at least one of so many bytes. */
  private static final int WASTE_MAX = 16;

  private static final int FRAME = 3;

  private final ByteSink sink;

  /** Of each open container: where it starts, its first offset, 1 for an object. */
  private int[] frames = new int[FRAME * 8];

  private int depth;

  /** Offsets of the open containers. */
  private int[] offsets = new int[32];

  private int offsetCount;

  private final JsonbView view = new JsonbView();
  private final Value scratch = new Value();

  public JsonbBuilder() {
    this(64);
  }

  /**
   * @param capacity bytes that the value will have, by estimate
   */
  public JsonbBuilder(int capacity) {
    sink = new ByteSink(Math.max(16, capacity), ByteSink.LARGEST_VALUE);
  }

  /** A builder that has built the same so far. */
  public JsonbBuilder copy() {
    JsonbBuilder copy = new JsonbBuilder(sink.length + 16);
    copy.sink.putBytes(sink.array, 0, sink.length);
    copy.frames = frames.clone();
    copy.depth = depth;
    copy.offsets = offsets.clone();
    copy.offsetCount = offsetCount;
    return copy;
  }

  /** Bytes so far. */
  public int bytes() {
    return sink.array.length + Integer.BYTES * offsets.length;
  }

  /** Makes the value that has been built, which shares the builder's bytes. */
  public void finish(Value out) {
    out.setBytes(sink.array, 0, sink.length);
  }

  // ------------------------------------------------------------------ containers

  @Override
  public void objectStart() {
    open(true);
  }

  @Override
  public void arrayStart() {
    open(false);
  }

  private void open(boolean object) {
    if (depth == JsonParser.DEPTH_MAX) {
      throw JsonParser.tooDeep();
    }
    int at = depth * FRAME;
    if (at == frames.length) {
      frames = Arrays.copyOf(frames, frames.length * 2);
    }
    frames[at] = sink.length;
    frames[at + 1] = offsetCount;
    frames[at + 2] = object ? 1 : 0;
    depth++;
  }

  private int frame(int field) {
    return frames[(depth - 1) * FRAME + field];
  }

  private void addOffset(int offset) {
    // The table of offsets is written when the container ends: it counts already.
    if (sink.length + 4L * offsetCount > ByteSink.LARGEST_VALUE) {
      sink.ensure(ByteSink.LARGEST_VALUE);
    }
    if (offsetCount == offsets.length) {
      offsets = Arrays.copyOf(offsets, offsets.length * 2);
    }
    offsets[offsetCount++] = offset;
  }

  @Override
  public void name(byte[] bytes, int offset, int length) {
    addOffset(sink.length - frame(0));
    if (length < JsonbLayout.LONG_NAME) {
      sink.putByte(length);
    } else {
      sink.putInt(length | JsonbLayout.LONG_NAME_FLAG);
    }
    sink.putBytes(bytes, offset, length);
  }

  @Override
  public void arrayEnd() {
    int first = frame(1);
    int count = offsetCount - first;
    int code = JsonbLayout.widthCode(Math.max(count, sink.length - frame(0)));
    for (int i = first; i < offsetCount; i++) {
      putOffset(offsets[i], code);
    }
    close(first, count, code, JsonbKind.ARRAY);
  }

  @Override
  public void objectEnd() {
    int first = frame(1);
    int count = (offsetCount - first) / 2;
    count = sorted(first, count);
    int code = JsonbLayout.widthCode(Math.max(count, sink.length - frame(0)));
    for (int i = first; i < first + 2 * count; i++) {
      putOffset(offsets[i], code);
    }
    close(first, count, code, JsonbKind.OBJECT);
  }

  private void close(int firstOffset, int count, int code, JsonbKind kind) {
    putOffset(count, code);
    sink.putByte(kind.ordinal() | code << JsonbLayout.WIDTH_SHIFT);
    offsetCount = firstOffset;
    depth--;
    ended();
  }

  private void putOffset(int offset, int code) {
    switch (code) {
      case 0 -> sink.putByte(offset);
      case 1 -> sink.putShortLe(offset);
      default -> sink.putIntLe(offset);
    }
  }

  /** A value is complete: the container around notes where it ends. */
  private void ended() {
    if (depth > 0) {
      addOffset(sink.length - frame(0));
    }
  }

  // ------------------------------------------------------------------ the order of fields

  /**
   * Sorts the offsets of an object's fields, of which the last of each name stays.
   *
   * @return number of fields that are left
   */
  private int sorted(int first, int count) {
    boolean inOrder = true;
    for (int i = 1; i < count && inOrder; i++) {
      inOrder = compare(pair(first, i - 1), pair(first, i)) < 0;
    }
    if (inOrder) {
      return count;
    }
    long[] pairs = new long[count];
    for (int i = 0; i < count; i++) {
      pairs[i] = pair(first, i);
    }
    sort(pairs);
    int kept = 0;
    long dropped = 0;
    for (int i = 0; i < count; i++) {
      boolean again = i + 1 < count && compare(pairs[i], pairs[i + 1]) == 0;
      if (again) {
        dropped += (int) pairs[i] - (int) (pairs[i] >> 32);
      } else {
        pairs[kept++] = pairs[i];
      }
    }
    if (dropped * WASTE_MAX > sink.length - frame(0)) {
      compact(pairs, kept);
    }
    for (int i = 0; i < kept; i++) {
      offsets[first + 2 * i] = (int) (pairs[i] >> 32);
      offsets[first + 2 * i + 1] = (int) pairs[i];
    }
    return kept;
  }

  private long pair(int first, int i) {
    return (long) offsets[first + 2 * i] << 32 | offsets[first + 2 * i + 1];
  }

  /** By name alone. */
  private int compare(long a, long b) {
    int base = frame(0);
    byte[] bytes = sink.array;
    int x = base + (int) (a >> 32);
    int y = base + (int) (b >> 32);
    return JsonbView.compareNames(
        bytes,
        x + JsonbView.lengthBytes(bytes, x),
        JsonbView.nameLengthAt(bytes, x),
        bytes,
        y + JsonbView.lengthBytes(bytes, y),
        JsonbView.nameLengthAt(bytes, y));
  }

  /** A stable sort by name: fields of one name stay in the order in which they were written. */
  private void sort(long[] pairs) {
    for (int from = 0; from < pairs.length; from += FEW_FIELDS) {
      insert(pairs, from, Math.min(from + FEW_FIELDS, pairs.length));
    }
    long[] source = pairs;
    long[] target = pairs.length > FEW_FIELDS ? new long[pairs.length] : pairs;
    for (long run = FEW_FIELDS; run < pairs.length; run *= 2) {
      for (long from = 0; from < pairs.length; from += 2 * run) {
        merge(
            source,
            target,
            (int) from,
            (int) Math.min(from + run, pairs.length),
            (int) Math.min(from + 2 * run, pairs.length));
      }
      long[] swapped = source;
      source = target;
      target = swapped;
    }
    if (source != pairs) {
      System.arraycopy(source, 0, pairs, 0, pairs.length);
    }
  }

  private void insert(long[] pairs, int from, int to) {
    for (int i = from + 1; i < to; i++) {
      long moved = pairs[i];
      int at = i;
      while (at > from && compare(pairs[at - 1], moved) > 0) {
        pairs[at] = pairs[at - 1];
        at--;
      }
      pairs[at] = moved;
    }
  }

  private void merge(long[] source, long[] target, int from, int middle, int to) {
    int left = from;
    int right = middle;
    for (int i = from; i < to; i++) {
      boolean takeLeft =
          left < middle && (right >= to || compare(source[left], source[right]) <= 0);
      target[i] = takeLeft ? source[left++] : source[right++];
    }
  }

  /** Moves the fields together, so that nothing is between them. */
  private void compact(long[] pairs, int count) {
    int base = frame(0);
    byte[] content = Arrays.copyOfRange(sink.array, base, sink.length);
    sink.length = base;
    for (int i = 0; i < count; i++) {
      int start = (int) (pairs[i] >> 32);
      int end = (int) pairs[i];
      int moved = sink.length - base;
      sink.putBytes(content, start, end - start);
      pairs[i] = (long) moved << 32 | (moved + end - start);
    }
  }

  // ------------------------------------------------------------------ scalars

  @Override
  public void scalar(JsonToken token, byte[] bytes, int offset, int length) {
    switch (token) {
      case STRING -> string(bytes, offset, length);
      case NUMBER -> {
        NumericCodec.readNumber(bytes, offset, length, scratch);
        number(scratch);
      }
      case TRUE -> bool(true);
      case FALSE -> bool(false);
      default -> nothing();
    }
  }

  /** The value null. */
  public void nothing() {
    put(JsonbKind.NULL);
  }

  public void bool(boolean value) {
    put(value ? JsonbKind.TRUE : JsonbKind.FALSE);
  }

  public void string(byte[] bytes, int offset, int length) {
    sink.putBytes(bytes, offset, length);
    put(JsonbKind.STRING);
  }

  /** A finite numeric. */
  public void number(Value numeric) {
    if (numeric.big == null) {
      int bytes = (Long.SIZE - Long.numberOfLeadingZeros(numeric.l ^ numeric.l >> 63)) / 8 + 1;
      for (int i = bytes - 1; i >= 0; i--) {
        sink.putByte((int) (numeric.l >> (8 * i)));
      }
    } else {
      sink.putBytes(numeric.big.unscaledValue().toByteArray());
    }
    if (numeric.scale > 0) {
      sink.putShort(numeric.scale);
      put(JsonbKind.DECIMAL);
    } else {
      put(JsonbKind.INTEGER);
    }
  }

  private void put(JsonbKind kind) {
    sink.putByte(kind.ordinal());
    ended();
  }

  // ------------------------------------------------------------------ values as a whole

  /**
   * Copies a node.
   *
   * @throws GaussException 54001 when it is nested too deeply here
   */
  public void node(JsonbView node) {
    if (node.kind().isContainer() && depth > 0 && depth + node.depth() > JsonParser.DEPTH_MAX) {
      throw JsonParser.tooDeep();
    }
    sink.putBytes(node.bytes(), node.offset(), node.length());
    ended();
  }

  /** Copies a jsonb value. */
  public void node(Value jsonb) {
    view.set(jsonb);
    node(view);
  }

  /**
   * Reads a JSON text.
   *
   * @throws GaussException 22P02, 22P05, 54001
   */
  public void text(byte[] from, int offset, int length) {
    JsonParser.parse(from, offset, length, true, this);
  }
}
