package io.gauss.compute.sql.parse;

import io.gauss.compute.sql.parse.PgStatement.Name;
import io.gauss.compute.sql.parse.PgStatement.Option;
import java.util.ArrayList;
import java.util.List;

/** ANALYZE and VACUUM. */
final class MaintenanceParser {
  private final TokenCursor cursor;

  MaintenanceParser(TokenCursor cursor) {
    this.cursor = cursor;
  }

  PgStatement analyze() {
    boolean verbose = false;
    if (cursor.isSymbol('(')) {
      for (Option option : cursor.optionList()) {
        verbose |= option.name().equals("verbose") && option.isOn();
      }
    } else {
      verbose = cursor.accept("verbose");
    }
    return new PgStatement.Analyze(analyzeTargets(), verbose);
  }

  private List<PgStatement.AnalyzeTarget> analyzeTargets() {
    List<PgStatement.AnalyzeTarget> targets = new ArrayList<>();
    if (!cursor.atEnd()) {
      do {
        Name table = cursor.qualifiedName();
        List<String> columns = cursor.isSymbol('(') ? cursor.nameList() : List.of();
        targets.add(new PgStatement.AnalyzeTarget(table, columns));
      } while (cursor.accept(','));
    }
    return targets;
  }

  PgStatement vacuum() {
    List<Option> options = new ArrayList<>();
    if (cursor.isSymbol('(')) {
      options.addAll(cursor.optionList());
    } else {
      for (String word : List.of("full", "freeze", "verbose", "analyze", "analyse")) {
        if (cursor.accept(word)) {
          options.add(new Option(word, null));
        }
      }
    }
    return new PgStatement.Vacuum(analyzeTargets(), options);
  }
}
