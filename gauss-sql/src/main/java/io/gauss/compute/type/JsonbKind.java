package io.gauss.compute.type;

/** What a node of a jsonb value is; by number as in {@link JsonbLayout}. */
public enum JsonbKind {
  NULL("null"),
  FALSE("boolean"),
  TRUE("boolean"),
  INTEGER("number"),
  DECIMAL("number"),
  STRING("string"),
  ARRAY("array"),
  OBJECT("object");

  private static final JsonbKind[] ALL = values();

  private final String typeName;

  JsonbKind(String typeName) {
    this.typeName = typeName;
  }

  static JsonbKind of(int number) {
    return ALL[number];
  }

  /** As jsonb_typeof says it. */
  public String typeName() {
    return typeName;
  }

  public boolean isNumber() {
    return this == INTEGER || this == DECIMAL;
  }

  public boolean isBoolean() {
    return this == TRUE || this == FALSE;
  }

  public boolean isContainer() {
    return this == ARRAY || this == OBJECT;
  }
}
