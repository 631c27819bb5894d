package io.gauss.compute.sql.parse;

import java.util.List;

/**
 * A type as it is written in a statement, before it is looked up. Spellings of the standard are
 * already those of PostgreSQL's catalog: {@code integer} is {@code int4}, {@code character varying}
 * is {@code varchar}, {@code double precision} is {@code float8}, {@code timestamp with time zone}
 * is {@code timestamptz}, {@code char} is {@code bpchar} (with modifier 1 when there was none).
 *
 * @param schema schema it was qualified with, null for none
 * @param name name in the catalog's spelling
 * @param modifiers numbers in parentheses: precision and scale, length
 * @param arrayDimensions number of {@code []}
 * @param intervalFields for {@code interval} the field restriction, such as {@code day to second};
 *     else null
 * @param position where it starts in the statement text, from 1
 */
public record TypeName(
    String schema,
    String name,
    List<Integer> modifiers,
    int arrayDimensions,
    String intervalFields,
    int position) {

  public TypeName {
    modifiers = List.copyOf(modifiers);
  }

  /** As the statement could have written it. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    if (schema != null) {
      text.append(schema).append('.');
    }
    text.append(name);
    if (intervalFields != null) {
      text.append(' ').append(intervalFields);
    }
    if (!modifiers.isEmpty()) {
      text.append('(');
      for (int i = 0; i < modifiers.size(); i++) {
        text.append(i == 0 ? "" : ",").append(modifiers.get(i));
      }
      text.append(')');
    }
    return text.append("[]".repeat(arrayDimensions)).toString();
  }
}
