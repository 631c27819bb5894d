package io.gauss.compute.sql.copy;

import java.util.List;

/**
 * The format of COPY's data: its options, checked and with defaults filled in. Immutable.
 *
 * @param nullText the text for NULL, UTF-8; text and csv
 * @param quote csv only
 * @param escape csv only
 * @param forceQuote columns whose values are always quoted
 * @param forceNotNull columns in which {@link #nullText} is ordinary text
 * @param forceNull columns in which {@link #nullText} is NULL even in quotes
 */
public record CopyOptions(
    Format format,
    boolean freeze,
    Header header,
    byte delimiter,
    byte[] nullText,
    byte quote,
    byte escape,
    Columns forceQuote,
    Columns forceNotNull,
    Columns forceNull) {
  /** COPY's FORMAT. */
  enum Format {
    TEXT,
    CSV,
    BINARY
  }

  /** COPY's HEADER. */
  enum Header {
    NONE,
    LINE,
    /** The names in it must be those of the columns. */
    MATCH
  }

  /**
   * Some columns.
   *
   * @param names null = all of them
   */
  public record Columns(List<String> names) {
    public static final Columns NONE = new Columns(List.of());
    public static final Columns ALL = new Columns(null);

    boolean contains(String name) {
      return names == null || names.contains(name);
    }

    boolean isEmpty() {
      return names != null && names.isEmpty();
    }
  }

  public boolean isBinary() {
    return format == Format.BINARY;
  }

  boolean isCsv() {
    return format == Format.CSV;
  }
}
