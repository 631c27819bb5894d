package io.gauss.compute.type;

/** What a JSON text consists of. */
public enum JsonToken {
  OBJECT_START,
  OBJECT_END,
  ARRAY_START,
  ARRAY_END,
  COMMA,
  COLON,
  STRING,
  NUMBER,
  TRUE,
  FALSE,
  NULL,
  /** The end of the text. */
  END
}
