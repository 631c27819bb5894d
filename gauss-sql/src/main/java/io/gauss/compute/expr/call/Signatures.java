package io.gauss.compute.expr.call;

import io.gauss.compute.type.PgType;
import java.util.List;
import java.util.stream.Collectors;

/** Prints calls as PostgreSQL's error messages do. */
final class Signatures {
  private Signatures() {}

  static String function(String name, List<PgType> arguments) {
    return name
        + "("
        + arguments.stream().map(PgType::displayName).collect(Collectors.joining(", "))
        + ")";
  }

  /**
   * @param left null for a prefix operator
   */
  static String operator(String name, PgType left, PgType right) {
    return (left == null ? "" : left.displayName() + " ") + name + " " + right.displayName();
  }
}
