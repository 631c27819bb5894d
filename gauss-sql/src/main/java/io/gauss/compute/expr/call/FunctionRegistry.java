package io.gauss.compute.expr.call;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.runtime.InOrder;
import io.gauss.compute.expr.Volatility;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.PgTypes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * Functions, operators and aggregates by name, with PostgreSQL's overload resolution. Immutable
 * once built, shared by all sessions.
 *
 * <p>Constructs with syntax of their own are not here: AND, OR, NOT, IS, CASE, COALESCE, NULLIF,
 * GREATEST, LEAST, IN, casts: see {@link Exprs}. LIKE and its variants are operators as in
 * PostgreSQL: {@code ~~}, {@code !~~}, {@code ~~*}, {@code !~~*}.
 */
public final class FunctionRegistry {
  /** Adds definitions to a registry. */
  public interface Library {
    void register(Builder to);

    /** Adds those for one enum type and its array type, as {@link #register} does for others. */
    default void registerEnum(Builder to, PgType type) {}
  }

  /** Collects definitions. */
  public static final class Builder {
    private final Map<String, List<FunctionDef>> functions = new HashMap<>();
    private final Map<String, List<FunctionDef>> operators = new HashMap<>();
    private final Map<String, List<AggregateDef>> aggregates = new HashMap<>();

    public void add(FunctionDef function) {
      (function.operator() ? operators : functions)
          .computeIfAbsent(function.name(), n -> new ArrayList<>())
          .add(function);
    }

    public void add(AggregateDef aggregate) {
      aggregates.computeIfAbsent(aggregate.name(), n -> new ArrayList<>()).add(aggregate);
    }
  }

  /**
   * Functions of PostgreSQL that users are likely to try, to distinguish "missing" from "misspelt".
   */
  private static final Set<String> MISSING =
      Set.of(
          "json_populate_record",
          "json_populate_recordset",
          "jsonb_path_exists",
          "jsonb_path_match",
          "jsonb_path_query",
          "jsonb_path_query_array",
          "jsonb_path_query_first",
          "jsonb_populate_record",
          "jsonb_populate_recordset",
          "to_tsquery",
          "to_tsvector",
          "xmlagg");

  private final Map<String, List<FunctionDef>> functions;
  private final Map<String, List<FunctionDef>> operators;
  private final Map<String, List<AggregateDef>> aggregates;

  /** What all enums have; asked for the definitions of each when it is first used. */
  private final List<Library> libraries;

  private static final int KEPT_ENUMS = 1000;

  /** By the enum's oid; of one version of it at a time. */
  private final ConcurrentHashMap<Integer, OfEnum> enums = new ConcurrentHashMap<>();

  /** What is defined for every enum; this one itself where there are no enums. */
  private final FunctionRegistry ofAnyEnum;

  private record OfEnum(PgType type, FunctionRegistry functions) {}

  private FunctionRegistry(Builder from, List<Library> libraries) {
    this.libraries = libraries;
    this.ofAnyEnum = libraries.isEmpty() ? this : ofEnum(PgType.ANYENUM);
    functions = InOrder.copyOf(from.functions);
    operators = InOrder.copyOf(from.operators);
    aggregates = InOrder.copyOf(from.aggregates);
  }

  /** A registry of the functions in these libraries. */
  public static FunctionRegistry of(List<Library> libraries) {
    Builder builder = new Builder();
    for (Library library : libraries) {
      library.register(builder);
    }
    return new FunctionRegistry(builder, List.copyOf(libraries));
  }

  /**
   * The definitions for an enum: PostgreSQL declares them once over anyenum, with the same results
   * of overload resolution.
   */
  private FunctionRegistry ofEnum(PgType type) {
    OfEnum known = enums.get(type.oid());
    if (known != null && known.type().equals(type)) {
      return known.functions();
    }
    Builder builder = new Builder();
    for (Library library : libraries) {
      library.registerEnum(builder, type);
    }
    FunctionRegistry made = new FunctionRegistry(builder, List.of());
    if (enums.size() >= KEPT_ENUMS) {
      enums.clear(); // many may have been dropped
    }
    enums.put(type.oid(), new OfEnum(type, made));
    return made;
  }

  /** Those of a name, with those for the enums among the arguments. */
  private <T> List<T> named(
      String name, PgType[] actual, Function<FunctionRegistry, Map<String, List<T>>> kind) {
    List<T> builtIn = kind.apply(this).getOrDefault(name, List.of());
    List<T> all = builtIn;
    for (int i = 0; i < actual.length; i++) {
      if (!actual[i].isOfEnum()) {
        continue;
      }
      PgType plain = actual[i].withTypmod(-1);
      PgType type = plain.isArray() ? plain.element() : plain;
      boolean isNew = true;
      for (int k = 0; k < i && isNew; k++) {
        isNew = !type.sameType(actual[k].isArray() ? actual[k].element() : actual[k]);
      }
      if (isNew) {
        all = all == builtIn ? new ArrayList<>(builtIn) : all;
        all.addAll(kind.apply(ofEnum(type)).getOrDefault(name, List.of()));
      }
    }
    return all;
  }

  public boolean isFunction(String name) {
    return functions.containsKey(name) || ofAnyEnum.functions.containsKey(name);
  }

  /** Names of all functions and aggregates, sorted. */
  public List<String> names() {
    return Stream.of(functions, aggregates, ofAnyEnum.functions)
        .flatMap(named -> named.keySet().stream())
        .distinct()
        .sorted()
        .toList();
  }

  public boolean isAggregate(String name) {
    return aggregates.containsKey(name);
  }

  /**
   * Finds an operator.
   *
   * @param left null for a prefix operator
   * @throws GaussException 42883, 42725 (ambiguous)
   */
  public ResolvedCall operator(String name, PgType left, PgType right) {
    PgType[] actual = left == null ? new PgType[] {right} : new PgType[] {left, right};
    requireNoRows(name, actual);
    List<FunctionDef> named = named(name, actual, r -> r.operators);
    FunctionDef exact = exactOperator(named, withoutVectors(actual));
    if (exact != null) {
      return resolved(exact, actual);
    }
    List<FunctionDef> candidates = new ArrayList<>();
    boolean arrays = Arrays.stream(actual).anyMatch(PgType::isArray);
    for (FunctionDef def : named) {
      // Operators of arrays are polymorphic in PostgreSQL: an untyped literal never selects them.
      // Those of JSON with an array are not.
      boolean fits =
          arrays || def.argument(0).isJson() || def.arguments().stream().noneMatch(PgType::isArray);
      if (fits && def.arguments().size() == actual.length) {
        candidates.add(def);
      }
    }
    OverloadResolution.Choice<FunctionDef> choice =
        OverloadResolution.choose(candidates, actual, FunctionDef::argument);
    if (choice.only() != null) {
      return resolved(choice.only(), actual);
    }
    String shown = Signatures.operator(name, left, right);
    if (choice.ambiguous()) {
      throw new GaussException(SqlState.AMBIGUOUS_FUNCTION, "operator is not unique: " + shown)
          .hint(
              "Could not choose a best candidate operator. "
                  + "You might need to add explicit type casts.");
    }
    throw new GaussException(SqlState.UNDEFINED_FUNCTION, "operator does not exist: " + shown)
        .hint(
            left == null
                ? "No operator matches the given name and argument type. "
                    + "You might need to add an explicit type cast."
                : "No operator matches the given name and argument types. "
                    + "You might need to add explicit type casts.");
  }

  /** The same with int2vector as int2[] and oidvector as oid[], whose functions they have. */
  private static PgType[] withoutVectors(PgType[] types) {
    if (Arrays.stream(types).noneMatch(PgType::isVector)) {
      return types;
    }
    return Arrays.stream(types)
        .map(type -> type.isVector() ? type.element().array() : type)
        .toArray(PgType[]::new);
  }

  /**
   * An exact match; one unknown operand is first assumed to have the other's type. Found without
   * any list, since a statement may have a million comparisons.
   */
  private static FunctionDef exactOperator(List<FunctionDef> named, PgType[] actual) {
    PgType[] wanted = actual.clone();
    if (wanted.length == 2) {
      if (wanted[0].isUnknown() && !wanted[1].isUnknown()) {
        wanted[0] = wanted[1];
      } else if (wanted[1].isUnknown() && !wanted[0].isUnknown()) {
        wanted[1] = wanted[0];
      }
    }
    return exact(named, wanted);
  }

  private static FunctionDef exact(List<FunctionDef> candidates, PgType[] actual) {
    for (FunctionDef def : candidates) {
      boolean same = def.variadic() || def.arguments().size() == actual.length;
      for (int i = 0; i < actual.length && same; i++) {
        same = def.argument(i).sameType(actual[i]);
      }
      if (same) {
        return def;
      }
    }
    return null;
  }

  /**
   * Finds a function (not an aggregate).
   *
   * @throws GaussException 42883, 42725 (ambiguous)
   */
  public ResolvedCall function(String name, List<PgType> arguments) {
    PgType[] actual = arguments.toArray(PgType[]::new);
    List<FunctionDef> candidates = new ArrayList<>();
    for (FunctionDef def : named(name, actual, r -> r.functions)) {
      int declared = def.arguments().size();
      if (def.variadic() ? actual.length >= declared : actual.length == declared) {
        candidates.add(def);
      }
    }
    FunctionDef exact = exact(candidates, actual);
    if (exact != null) {
      return resolved(exact, actual);
    }
    PgType[] plain = withoutVectors(actual);
    exact = plain == actual ? null : exact(candidates, plain);
    if (exact != null) {
      return resolved(exact, actual);
    }
    OverloadResolution.Choice<FunctionDef> choice =
        OverloadResolution.choose(candidates, actual, FunctionDef::argument);
    if (choice.ambiguous() && plain != actual) {
      choice = OverloadResolution.choose(candidates, plain, FunctionDef::argument);
    }
    if (choice.only() == null) {
      ResolvedCall cast = choice.ambiguous() || actual.length != 1 ? null : cast(name, actual[0]);
      if (cast != null) {
        return cast;
      }
      throw noFunction(name, arguments, choice.ambiguous());
    }
    return resolved(choice.only(), actual);
  }

  /**
   * A type's name called like a function is a cast, as in {@code date(x)}; null when it is not one.
   */
  private static ResolvedCall cast(String name, PgType from) {
    PgType to = PgTypes.byInternalName(name);
    if (to == null || !CastRegistry.canCoerce(from, to, CastContext.EXPLICIT)) {
      return null;
    }
    FunctionDef function =
        new FunctionDef(
            name,
            false,
            List.of(from),
            false,
            to,
            Volatility.IMMUTABLE,
            true,
            (f, args) -> CastRegistry.coerce(args[0], to, CastContext.EXPLICIT));
    return new ResolvedCall(function, List.of(from), to);
  }

  /**
   * Finds an aggregate; {@code count(*)} has no argument.
   *
   * @throws GaussException 42883, 42725 (ambiguous)
   */
  public ResolvedAggregate aggregate(String name, List<PgType> arguments) {
    PgType[] actual = arguments.toArray(PgType[]::new);
    List<AggregateDef> candidates = new ArrayList<>();
    AggregateDef found = null;
    for (AggregateDef def : named(name, actual, r -> r.aggregates)) {
      if (def.arguments().size() == actual.length) {
        candidates.add(def);
        boolean same = true;
        for (int i = 0; i < actual.length && same; i++) {
          same = def.arguments().get(i).sameType(actual[i]);
        }
        found = same ? def : found;
      }
    }
    if (found == null) {
      OverloadResolution.Choice<AggregateDef> choice =
          OverloadResolution.choose(candidates, actual, (def, i) -> def.arguments().get(i));
      if (choice.only() == null) {
        throw noFunction(name, arguments, choice.ambiguous());
      }
      found = choice.only();
    }
    List<PgType> types = new ArrayList<>();
    requireNoRows(found.name(), actual);
    for (int i = 0; i < actual.length; i++) {
      types.add(wanted(found.arguments().get(i), actual[i]));
    }
    return new ResolvedAggregate(found, types, found.result());
  }

  private static GaussException noFunction(String name, List<PgType> arguments, boolean ambiguous) {
    if (MISSING.contains(name)) {
      return GaussException.notSupported("function " + name);
    }
    String shown = Signatures.function(name, arguments);
    if (ambiguous) {
      return new GaussException(SqlState.AMBIGUOUS_FUNCTION, "function " + shown + " is not unique")
          .hint(
              "Could not choose a best candidate function. "
                  + "You might need to add explicit type casts.");
    }
    return new GaussException(SqlState.UNDEFINED_FUNCTION, "function " + shown + " does not exist")
        .hint(
            "No function matches the given name and argument types. "
                + "You might need to add explicit type casts.");
  }

  private static ResolvedCall resolved(FunctionDef def, PgType[] actual) {
    List<PgType> types = new ArrayList<>(actual.length);
    requireNoRows(def.name(), actual);
    for (int i = 0; i < actual.length; i++) {
      types.add(wanted(def.argument(i), actual[i]));
    }
    return new ResolvedCall(def, types, def.result());
  }

  /** Rows are held as JSON: only functions that make JSON of them can take them. */
  private static void requireNoRows(String name, PgType[] actual) {
    boolean takesRows = name.contains("json") || name.equals("count") || name.equals("pg_typeof");
    if (!takesRows && Arrays.stream(actual).anyMatch(type -> type.is(PgType.RECORD))) {
      throw GaussException.notSupported("a row as a value");
    }
  }

  /**
   * An argument declared as any type is not converted; an untyped literal there is text.
   *
   * @throws GaussException 42804 for an untyped literal whose type decides the result
   */
  private static PgType wanted(PgType declared, PgType actual) {
    if (declared.is(PgType.ANYELEMENT)) {
      if (actual.isUnknown()) {
        throw new GaussException(
            SqlState.DATATYPE_MISMATCH,
            "could not determine polymorphic type because input has type unknown");
      }
      return actual;
    }
    if (!declared.is(PgType.ANY) && !declared.is(PgType.ANYNONARRAY)) {
      return actual.sameType(declared) ? actual : declared;
    }
    return actual.isUnknown() ? PgType.TEXT : actual;
  }
}
