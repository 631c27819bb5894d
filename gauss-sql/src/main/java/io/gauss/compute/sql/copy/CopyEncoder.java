package io.gauss.compute.sql.copy;

import io.gauss.compute.row.RowBatch;
import io.gauss.compute.type.ByteSink;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.TypeContext;
import io.gauss.compute.type.Value;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Writes rows in the formats of COPY TO. Belongs to one execution. */
public final class CopyEncoder {
  private static final int BINARY_TRAILER = -1;

  private final CopyOptions options;
  private final List<String> names;
  private final TypeCodec[] codecs;
  private final boolean[] forceQuote;
  private final TypeContext context;
  private final Value value = new Value();
  private final ByteSink text = new ByteSink(256);

  public CopyEncoder(
      CopyOptions options, List<String> names, List<PgType> types, TypeContext context) {
    this.options = options;
    this.names = names;
    this.context = context;
    this.codecs = new TypeCodec[names.size()];
    this.forceQuote = new boolean[names.size()];
    for (int i = 0; i < codecs.length; i++) {
      codecs[i] = TypeCodec.of(types.get(i));
      forceQuote[i] = options.forceQuote().contains(names.get(i));
    }
  }

  /** Appends the part before the rows. */
  public void header(ByteSink out) {
    if (options.isBinary()) {
      out.putBytes(BinaryRows.SIGNATURE);
      out.putInt(0);
      out.putInt(0);
    } else if (options.header() != CopyOptions.Header.NONE) {
      for (int i = 0; i < codecs.length; i++) {
        text.clear();
        text.putBytes(names.get(i).getBytes(StandardCharsets.UTF_8));
        put(i, false, out);
      }
      out.putByte('\n');
    }
  }

  /** Whether the header is a separate message: the binary format's is sent with the first row. */
  public boolean isHeaderApart() {
    return !options.isBinary() && options.header() != CopyOptions.Header.NONE;
  }

  /** Appends the part after the rows. */
  public void trailer(ByteSink out) {
    if (options.isBinary()) {
      out.putShort(BINARY_TRAILER);
    }
  }

  /** Appends one row. */
  public void encode(RowBatch batch, int row, ByteSink out) {
    if (options.isBinary()) {
      binary(batch, row, out);
      return;
    }
    for (int i = 0; i < codecs.length; i++) {
      batch.columns[i].get(row, value);
      if (value.isNull) {
        separate(i, out);
        out.putBytes(options.nullText());
      } else {
        text.clear();
        codecs[i].writeText(value, context, text);
        put(i, forceQuote[i], out);
      }
    }
    out.putByte('\n');
  }

  private void binary(RowBatch batch, int row, ByteSink out) {
    out.putShort(codecs.length);
    for (int i = 0; i < codecs.length; i++) {
      batch.columns[i].get(row, value);
      int lengthAt = out.length;
      out.putInt(-1);
      if (!value.isNull) {
        codecs[i].writeBinary(value, out);
        out.setInt(lengthAt, out.length - lengthAt - Integer.BYTES);
      }
    }
  }

  private void separate(int column, ByteSink out) {
    if (column > 0) {
      out.putByte(options.delimiter());
    }
  }

  /** Appends the content of {@link #text} as a field. */
  private void put(int column, boolean quoted, ByteSink out) {
    separate(column, out);
    if (options.isCsv()) {
      csv(quoted, out);
    } else {
      escaped(out);
    }
  }

  private void escaped(ByteSink out) {
    byte[] bytes = text.array;
    int length = text.length;
    int done = 0;
    for (int i = 0; i < length; i++) {
      byte c = bytes[i];
      byte letter;
      if (c == '\\' || c == options.delimiter() && !isControl(c)) {
        letter = c;
      } else if (c >= 0 && c < 0x20) {
        letter = letter(c);
        if (letter == 0) {
          continue;
        }
      } else {
        continue;
      }
      out.putBytes(bytes, done, i - done);
      out.putByte('\\');
      out.putByte(letter);
      done = i + 1;
    }
    out.putBytes(bytes, done, length - done);
  }

  private static boolean isControl(byte c) {
    return c >= 0 && c < 0x20;
  }

  /** The character after the backslash for a control character; 0 = it is written unescaped. */
  private byte letter(byte c) {
    return switch (c) {
      case '\b' -> 'b';
      case '\f' -> 'f';
      case '\n' -> 'n';
      case '\r' -> 'r';
      case '\t' -> 't';
      case 0x0B -> 'v';
      default -> c == options.delimiter() ? c : 0;
    };
  }

  private void csv(boolean forced, ByteSink out) {
    byte[] bytes = text.array;
    int length = text.length;
    if (!forced && !needsQuotes(bytes, length)) {
      out.putBytes(bytes, 0, length);
      return;
    }
    byte quote = options.quote();
    byte escape = options.escape();
    out.putByte(quote);
    for (int i = 0; i < length; i++) {
      if (bytes[i] == quote || bytes[i] == escape) {
        out.putByte(escape);
      }
      out.putByte(bytes[i]);
    }
    out.putByte(quote);
  }

  private boolean needsQuotes(byte[] bytes, int length) {
    if (Fields.isEqual(bytes, 0, length, options.nullText())) {
      return true;
    }
    if (codecs.length == 1 && length == 2 && bytes[0] == '\\' && bytes[1] == '.') {
      return true;
    }
    for (int i = 0; i < length; i++) {
      byte c = bytes[i];
      if (c == options.delimiter() || c == options.quote() || c == '\n' || c == '\r') {
        return true;
      }
    }
    return false;
  }
}
