package io.gauss.compute.ddl;

import io.gauss.compute.catalog.KeyExpression;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TableDef.CheckDef;
import io.gauss.compute.catalog.TableDef.ColumnDef;
import io.gauss.compute.catalog.TableDef.IndexDef;
import io.gauss.compute.type.PgType;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * An expression that the catalog keeps with a table.
 *
 * @param type of the column that gets its value, or its own as the key of an index; null = it is a
 *     condition
 */
record StoredText(String sql, PgType type) {
  /** The expressions of a table, without defaults that are bound to a sequence. */
  static Set<StoredText> of(TableDef table) {
    Set<StoredText> texts = new LinkedHashSet<>();
    for (ColumnDef column : table.columns()) {
      if (column.defaultSql() != null && column.sequenceOid() == 0) {
        texts.add(new StoredText(column.defaultSql(), column.type()));
      }
      if (column.isGenerated()) {
        texts.add(new StoredText(column.generatedSql(), column.type()));
      }
    }
    for (CheckDef check : table.checks()) {
      texts.add(new StoredText(check.sql(), null));
    }
    for (IndexDef index : table.indexes()) {
      for (KeyExpression key : index.expressions()) {
        texts.add(new StoredText(key.sql(), key.type()));
      }
      if (index.isPartial()) {
        texts.add(new StoredText(index.predicate(), null));
      }
    }
    return texts;
  }
}
