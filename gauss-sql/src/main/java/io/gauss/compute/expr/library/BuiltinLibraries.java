package io.gauss.compute.expr.library;

import io.gauss.compute.expr.aggregate.AggregateLibrary;
import io.gauss.compute.expr.aggregate.OrderedSetLibrary;
import io.gauss.compute.expr.array.ArrayBucketLibrary;
import io.gauss.compute.expr.array.ArrayLibrary;
import io.gauss.compute.expr.array.ArrayPartsLibrary;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.expr.json.JsonAggregateLibrary;
import io.gauss.compute.expr.json.JsonBuildLibrary;
import io.gauss.compute.expr.json.JsonFunctionLibrary;
import io.gauss.compute.expr.json.JsonOperatorLibrary;
import io.gauss.compute.expr.number.ArithmeticLibrary;
import io.gauss.compute.expr.number.FloatLibrary;
import io.gauss.compute.expr.text.IdentifierLibrary;
import io.gauss.compute.expr.text.PatternLibrary;
import io.gauss.compute.expr.text.RegexpLibrary;
import io.gauss.compute.expr.text.TextLibrary;
import io.gauss.compute.expr.time.DateTimeLibrary;
import java.util.List;

/** The built-in functions, in groups. */
public final class BuiltinLibraries {
  private BuiltinLibraries() {}

  /** The registry of those of PostgreSQL's built-in functions that Gauss has. */
  public static FunctionRegistry registry() {
    return FunctionRegistry.of(all());
  }

  private static List<FunctionRegistry.Library> all() {
    return List.of(
        new ComparisonLibrary(),
        new EnumLibrary(),
        new ArithmeticLibrary(),
        new FloatLibrary(),
        new TextLibrary(),
        new PatternLibrary(),
        new RegexpLibrary(),
        new DateTimeLibrary(),
        new FormattingLibrary(),
        new SessionLibrary(),
        new AdvisoryLibrary(),
        new NotifyLibrary(),
        new CatalogLibrary(),
        new ObjectNameLibrary(),
        new ArrayLibrary(),
        new ArrayPartsLibrary(),
        new ArrayBucketLibrary(),
        new IdentifierLibrary(),
        new JsonOperatorLibrary(),
        new JsonFunctionLibrary(),
        new JsonBuildLibrary(),
        new JsonAggregateLibrary(),
        new OrderedSetLibrary(),
        new AggregateLibrary());
  }
}
