package io.gauss.compute.type;

/** boolean: t and f. */
final class BoolCodec extends TypeCodec {
  private static final String[] TRUE = {"true", "yes", "on"};
  private static final String[] FALSE = {"false", "no", "off"};

  @Override
  public void writeText(Value value, TypeContext ctx, ByteSink out) {
    out.putByte(value.l != 0 ? 't' : 'f');
  }

  @Override
  public void writeBinary(Value value, ByteSink out) {
    out.putByte(value.l != 0 ? 1 : 0);
  }

  @Override
  public void readText(byte[] from, int offset, int length, TypeContext ctx, Value out) {
    int start = Ascii.skipSpace(from, offset, offset + length);
    int end = Ascii.trimSpace(from, start, offset + length);
    int n = end - start;
    if (n == 1 && from[start] == '1') {
      out.setBoolean(true);
    } else if (n == 1 && from[start] == '0') {
      out.setBoolean(false);
    } else if (isPrefixOfAny(from, start, n, TRUE)) {
      out.setBoolean(true);
    } else if (isPrefixOfAny(from, start, n, FALSE)) {
      out.setBoolean(false);
    } else {
      throw TypeErrors.invalidSyntax(PgType.BOOL, from, offset, length);
    }
  }

  /** A prefix of "on" or "off" must distinguish them. */
  private static boolean isPrefixOfAny(byte[] from, int start, int n, String[] words) {
    for (String word : words) {
      if (n > 0
          && n <= word.length()
          && (word.charAt(0) != 'o' || n >= 2)
          && Ascii.equalsIgnoreCase(from, start, n, word, n)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void readBinary(byte[] from, int offset, int length, Value out) {
    TypeErrors.checkLength(PgType.BOOL, length, 1);
    out.setBoolean(from[offset] != 0);
  }
}
