package io.gauss.compute.expr.call;

import io.gauss.compute.expr.Volatility;
import io.gauss.compute.expr.call.FunctionDef.Fn0;
import io.gauss.compute.expr.call.FunctionDef.Fn1;
import io.gauss.compute.expr.call.FunctionDef.Fn2;
import io.gauss.compute.expr.call.FunctionDef.Fn3;
import io.gauss.compute.expr.call.FunctionDef.FnN;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.PgTypes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads signatures such as {@code date_trunc(text, timestamptz) timestamptz stable} and adds the
 * definition to a registry. After the result type may follow: {@code stable} or {@code volatile},
 * {@code nulls} (also called with NULLs), {@code variadic} (the last argument repeats).
 */
public final class Define {
  private final FunctionRegistry.Builder to;

  /** Types that signatures name otherwise than statements do. */
  private final Map<String, PgType> named = new HashMap<>();

  public Define(FunctionRegistry.Builder to) {
    this.to = to;
  }

  /** A type's name for use in signatures. */
  public String name(PgType type) {
    if (type.is(PgType.CHAR)) {
      return "\"char\"";
    }
    if (!type.isOfEnum()) {
      return type.name();
    }
    String name = "#" + type.oid();
    named.put(name, type);
    return name;
  }

  public void fn(String signature, Fn0 body) {
    add(signature, false, (f, args) -> new Calls.Call0(f, body));
  }

  public void fn(String signature, Fn1 body) {
    add(signature, false, (f, args) -> new Calls.Call1(f, args, body));
  }

  public void fn(String signature, Fn2 body) {
    add(signature, false, (f, args) -> new Calls.Call2(f, args, body));
  }

  public void fn(String signature, Fn3 body) {
    add(signature, false, (f, args) -> new Calls.Call3(f, args, body));
  }

  public void fnN(String signature, FnN body) {
    add(signature, false, (f, args) -> new Calls.CallN(f, args, body));
  }

  public void op(String signature, Fn1 body) {
    add(signature, true, (f, args) -> new Calls.Call1(f, args, body));
  }

  public void op(String signature, Fn2 body) {
    add(signature, true, (f, args) -> new Calls.Call2(f, args, body));
  }

  /** Defines a function that is also an operator. */
  public void both(String name, String symbol, String rest, Fn1 body) {
    fn(name + rest, body);
    op(symbol + rest, body);
  }

  public void both(String name, String symbol, String rest, Fn2 body) {
    fn(name + rest, body);
    op(symbol + rest, body);
  }

  public void add(String signature, boolean operator, FunctionDef.Factory factory) {
    int open = signature.indexOf('(');
    int close = signature.indexOf(')', open);
    List<PgType> arguments = new ArrayList<>();
    for (String argument : signature.substring(open + 1, close).split(",")) {
      if (!argument.isBlank()) {
        arguments.add(find(argument.strip()));
      }
    }
    String[] words = signature.substring(close + 1).strip().split(" ");
    Volatility volatility = Volatility.IMMUTABLE;
    boolean strict = true;
    boolean variadic = false;
    for (int i = 1; i < words.length; i++) {
      switch (words[i]) {
        case "stable" -> volatility = Volatility.STABLE;
        case "volatile" -> volatility = Volatility.VOLATILE;
        case "nulls" -> strict = false;
        case "variadic" -> variadic = true;
        default -> throw new IllegalArgumentException(signature);
      }
    }
    to.add(
        new FunctionDef(
            signature.substring(0, open).strip(),
            operator,
            List.copyOf(arguments),
            variadic,
            find(words[0]),
            volatility,
            strict,
            factory));
  }

  private PgType find(String name) {
    PgType known = named.get(name);
    return known != null ? known : type(name);
  }

  public static PgType type(String name) {
    return switch (name) {
      case "any" -> PgType.ANY;
      case "anynonarray" -> PgType.ANYNONARRAY;
      case "anyelement" -> PgType.ANYELEMENT;
      case "record" -> PgType.RECORD;
      case "void" -> PgType.VOID;
      case "bpchar" -> PgType.BPCHAR;
      default -> PgTypes.byName(name);
    };
  }
}
