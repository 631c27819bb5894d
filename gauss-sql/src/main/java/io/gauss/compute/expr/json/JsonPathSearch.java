package io.gauss.compute.expr.json;

import io.gauss.compute.type.JsonHandler;
import io.gauss.compute.type.JsonParser;
import io.gauss.compute.type.JsonToken;
import io.gauss.compute.type.Value;
import java.util.Arrays;

/**
 * Finds what a path of names and indexes leads to in a JSON text, in one reading. Where fields have
 * the same name, a later one counts if the rest of the path leads somewhere in it, as in
 * PostgreSQL. One use, one thread.
 *
 * <p>A level is the number of arrays and objects around a value: the steps of the path are those
 * from level 0 to 1, from 1 to 2 and so on.
 */
final class JsonPathSearch implements JsonHandler {
  private static final int NOWHERE = -1;

  private final Value json;
  private final Value[] path;

  /** The steps as indexes; null for those that are none. */
  private final Integer[] indexes;

  /** By level: whether the path leads to the array or object that is open there. */
  private final boolean[] leads;

  /** By level: the element of the open array that the step means, or NOWHERE. */
  private final int[] wanted;

  /** By level: elements of the open array so far; NOWHERE for an object. */
  private final int[] elements;

  /** By level: whether the step leads to the part that is being read. */
  private final boolean[] isStep;

  private int level;

  /** Where the value that began last begins. */
  private int position;

  private int start = NOWHERE;
  private int end;
  private JsonToken token;

  private JsonPathSearch(Value json, Value[] path) {
    this.json = json;
    this.path = path;
    indexes = new Integer[path.length];
    for (int i = 0; i < path.length; i++) {
      indexes[i] = JsonParts.integer(path[i]);
    }
    leads = new boolean[path.length + 1];
    leads[0] = true;
    wanted = new int[path.length];
    elements = new int[path.length];
    isStep = new boolean[path.length];
  }

  /** Reads a value of type json. */
  static JsonPathSearch of(Value json, Value[] path) {
    JsonPathSearch search = new JsonPathSearch(json, path);
    JsonParser.parse(json.bytes, json.off, json.len, true, search);
    return search;
  }

  @Override
  public void start(int at, JsonToken begins) {
    position = at;
    int step = level - 1;
    if (level > path.length) {
      return;
    }
    if (step >= 0 && elements[step] != NOWHERE) {
      isStep[step] = leads[step] && elements[step]++ == wanted[step];
    }
    if (step >= 0 && !isStep[step]) {
      return;
    }
    if (level == path.length) {
      start = at;
      token = begins;
    } else if (step >= 0) {
      leads[level] = true;
    }
  }

  @Override
  public void end(int at) {
    int step = level - 1;
    if (level > path.length || (step >= 0 && !isStep[step])) {
      return;
    }
    if (level == path.length) {
      end = at;
    } else if (step >= 0) {
      leads[level] = false;
    }
  }

  @Override
  public void name(byte[] bytes, int offset, int length) {
    int step = level - 1;
    if (step < path.length) {
      Value name = path[step];
      isStep[step] =
          leads[step]
              && Arrays.equals(
                  bytes, offset, offset + length, name.bytes, name.off, name.off + name.len);
    }
  }

  @Override
  public void objectStart() {
    if (level < path.length) {
      elements[level] = NOWHERE;
    }
    level++;
  }

  @Override
  public void arrayStart() {
    if (level < path.length) {
      elements[level] = 0;
      Integer index = leads[level] ? indexes[level] : null;
      if (index == null) {
        wanted[level] = NOWHERE;
      } else if (index >= 0) {
        wanted[level] = index;
      } else {
        // Negative indexes count from the end.
        wanted[level] = Math.max(NOWHERE, index + ElementCount.at(json, position));
      }
    }
    level++;
  }

  @Override
  public void objectEnd() {
    level--;
  }

  @Override
  public void arrayEnd() {
    level--;
  }

  boolean found() {
    return start != NOWHERE;
  }

  /** The part that was found, of the text's bytes. */
  void get(Value out) {
    out.setBytes(json.bytes, start, end - start);
  }

  /** What the part begins with. */
  JsonToken token() {
    return token;
  }
}
