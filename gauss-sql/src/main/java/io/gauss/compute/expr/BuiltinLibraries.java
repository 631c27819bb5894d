package io.gauss.compute.expr;

import java.util.List;

/** The built-in functions, in groups. */
final class BuiltinLibraries {
  private BuiltinLibraries() {}

  static List<FunctionRegistry.Library> all() {
    return List.of(
        new ComparisonLibrary(),
        new ArithmeticLibrary(),
        new FloatLibrary(),
        new TextLibrary(),
        new PatternLibrary(),
        new RegexpLibrary(),
        new DateTimeLibrary(),
        new FormattingLibrary(),
        new SessionLibrary(),
        new CatalogLibrary(),
        new ArrayLibrary(),
        new ArrayPartsLibrary(),
        new ArrayBucketLibrary(),
        new IdentifierLibrary(),
        new OrderedSetLibrary(),
        new AggregateLibrary());
  }
}
