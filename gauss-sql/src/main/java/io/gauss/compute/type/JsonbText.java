package io.gauss.compute.type;

/** The text form of jsonb values. */
public final class JsonbText {
  private static final int INDENT = 4;
  private static final TypeCodec NUMBERS = new NumericCodec();

  private final ByteSink out;
  private final boolean pretty;
  private final Value number = new Value();

  private JsonbText(ByteSink out, boolean pretty) {
    this.out = out;
    this.pretty = pretty;
  }

  public static void write(JsonbView node, ByteSink out) {
    new JsonbText(out, false).node(node, 0);
  }

  /** As jsonb_pretty shows it: a line for each element and field. */
  public static void writePretty(JsonbView node, ByteSink out) {
    new JsonbText(out, true).node(node, 0);
  }

  private void node(JsonbView node, int level) {
    switch (node.kind()) {
      case NULL -> out.putString("null");
      case FALSE -> out.putString("false");
      case TRUE -> out.putString("true");
      case INTEGER, DECIMAL -> {
        node.getNumber(number);
        NUMBERS.writeText(number, TypeContext.DEFAULT, out);
      }
      case STRING -> JsonText.putString(node.bytes(), node.offset(), node.stringLength(), out);
      case ARRAY -> container(node, level, '[', ']');
      case OBJECT -> container(node, level, '{', '}');
    }
  }

  private void container(JsonbView node, int level, char open, char close) {
    out.putByte(open);
    JsonbView inner = new JsonbView();
    for (int i = 0; i < node.count(); i++) {
      if (i > 0) {
        out.putByte(',');
        if (!pretty) {
          out.putByte(' ');
        }
      }
      line(level + 1);
      if (node.kind() == JsonbKind.OBJECT) {
        JsonText.putString(node.bytes(), node.nameOffset(i), node.nameLength(i), out);
        out.putByte(':');
        out.putByte(' ');
      }
      node.child(i, inner);
      node(inner, level + 1);
    }
    line(level);
    out.putByte(close);
  }

  private void line(int level) {
    if (pretty) {
      out.putByte('\n');
      out.fill(' ', level * INDENT);
    }
  }
}
