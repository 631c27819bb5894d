package io.gauss.compute.expr.library;

import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.Texts;
import io.gauss.compute.expr.call.Define;
import io.gauss.compute.expr.call.FunctionRegistry;
import io.gauss.compute.expr.call.FunctionRegistry.Builder;
import io.gauss.compute.type.ArrayBuilder;
import io.gauss.compute.type.BuiltinFunction;
import io.gauss.compute.type.BuiltinFunctions;
import io.gauss.compute.type.Numerics;
import io.gauss.compute.type.ObjectNames;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.StoredTypes;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.type.Value;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;

/**
 * Functions that clients' catalog queries call. For features that Gauss does not have (comments,
 * triggers, rules, partitions, privileges of several roles) they answer like a PostgreSQL server
 * without any.
 */
final class CatalogLibrary implements FunctionRegistry.Library {
  private static final int UTF8 = 6;

  @Override
  public void register(Builder to) {
    Define define = new Define(to);
    names(define);
    definitions(define);
    functions(define);
    sizes(define);
    comments(define);
    absent(define);
    privileges(define);
  }

  private static void setOrNull(EvalContext ctx, String text, Value out) {
    if (text == null) {
      out.setNull();
    } else {
      Texts.set(ctx, text, out);
    }
  }

  private static void names(Define define) {
    define.fn(
        "pg_get_userbyid(oid) name stable",
        (ctx, a, out) ->
            Texts.set(
                ctx,
                Objects.requireNonNullElse(
                    ctx.session.roleName((int) a.l),
                    "unknown (OID=" + Integer.toUnsignedString((int) a.l) + ")"),
                out));
    define.fn(
        "pg_table_is_visible(oid) bool stable",
        (ctx, a, out) -> out.setBoolean(ctx.session.isRelationVisible((int) a.l)));
    define.fn(
        "pg_type_is_visible(oid) bool stable",
        (ctx, a, out) -> out.setBoolean(ctx.session.isTypeVisible((int) a.l)));
    for (String name :
        new String[] {
          "pg_function_is_visible",
          "pg_operator_is_visible",
          "pg_collation_is_visible",
          "pg_conversion_is_visible",
          "pg_opclass_is_visible",
          "pg_opfamily_is_visible",
          "pg_statistics_obj_is_visible",
          "pg_ts_config_is_visible",
          "pg_ts_dict_is_visible",
          "pg_ts_parser_is_visible",
          "pg_ts_template_is_visible"
        }) {
      define.fn(name + "(oid) bool stable", (ctx, a, out) -> out.setBoolean(true));
    }
    define.fn(
        "pg_encoding_to_char(int4) name stable",
        (ctx, a, out) -> Texts.set(ctx, a.l == UTF8 ? "UTF8" : "", out));
    define.fn(
        "pg_char_to_encoding(name) int4 stable",
        (ctx, a, out) -> {
          String name = Texts.get(a).toLowerCase(Locale.ROOT);
          out.setLong(name.equals("utf8") || name.equals("unicode") ? UTF8 : -1);
        });
    define.fn(
        "current_schemas(bool) _name stable",
        (ctx, a, out) -> {
          ArrayBuilder array = new ArrayBuilder(PgType.NAME);
          TypeCodec codec = TypeCodec.of(PgType.NAME);
          Value item = new Value();
          for (String schema : ctx.session.searchPath(a.l != 0)) {
            add(array, codec, item, schema);
          }
          array.finish(out);
        });
  }

  private static void add(ArrayBuilder array, TypeCodec codec, Value item, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    item.setBytes(bytes, 0, bytes.length);
    array.add(codec, item);
  }

  private static void definitions(Define define) {
    // Expressions are stored as text, so there is little to decompile.
    define.fn("pg_get_expr(text, oid) text stable", (ctx, a, b, out) -> expression(ctx, a, out));
    define.fn(
        "pg_get_expr(text, oid, bool) text stable", (ctx, a, b, c, out) -> expression(ctx, a, out));
    define.fn(
        "pg_get_indexdef(oid) text stable",
        (ctx, a, out) -> setOrNull(ctx, ctx.session.indexDefinition((int) a.l, 0, false), out));
    define.fn(
        "pg_get_indexdef(oid, int4, bool) text stable",
        (ctx, a, b, c, out) ->
            setOrNull(ctx, ctx.session.indexDefinition((int) a.l, (int) b.l, c.l != 0), out));
    define.fn(
        "pg_get_viewdef(oid) text stable",
        (ctx, a, out) -> setOrNull(ctx, ctx.session.viewDefinition((int) a.l), out));
    define.fn(
        "pg_get_viewdef(oid, bool) text stable",
        (ctx, a, b, out) -> setOrNull(ctx, ctx.session.viewDefinition((int) a.l), out));
    define.fn(
        "pg_get_constraintdef(oid) text stable",
        (ctx, a, out) -> setOrNull(ctx, ctx.session.constraintDefinition((int) a.l), out));
    define.fn(
        "pg_get_constraintdef(oid, bool) text stable",
        (ctx, a, b, out) -> setOrNull(ctx, ctx.session.constraintDefinition((int) a.l), out));
  }

  private static void expression(EvalContext ctx, Value stored, Value out) {
    Texts.set(ctx, StoredTypes.shown(Texts.get(stored), ctx::typeName), out);
  }

  private static void functions(Define define) {
    function(define, "result", BuiltinFunction::result);
    function(define, "arguments", BuiltinFunction::arguments);
    function(define, "identity_arguments", BuiltinFunction::identity);
  }

  private static void function(Define define, String part, Function<BuiltinFunction, String> text) {
    define.fn(
        "pg_get_function_%s(oid) text stable".formatted(part),
        (ctx, a, out) -> {
          BuiltinFunction function = BuiltinFunctions.find((int) a.l);
          setOrNull(ctx, function == null ? null : text.apply(function), out);
        });
  }

  private static void sizes(Define define) {
    for (String name :
        new String[] {"pg_relation_size", "pg_table_size", "pg_total_relation_size"}) {
      define.fn(
          name + "(regclass) int8 stable",
          (ctx, a, out) -> {
            long bytes = ctx.session.relationBytes((int) a.l);
            if (bytes < 0) {
              out.setNull();
            } else {
              out.setLong(bytes);
            }
          });
    }
    for (String type : new String[] {"name", "oid"}) {
      define.fn(
          "pg_database_size(" + type + ") int8 stable",
          (ctx, a, out) -> out.setLong(ctx.session.databaseBytes()));
      define.fn(
          "pg_tablespace_size(" + type + ") int8 stable",
          (ctx, a, out) -> out.setLong(ctx.session.databaseBytes()));
    }
    define.fn(
        "pg_size_pretty(numeric) text",
        (ctx, a, out) ->
            Texts.set(
                ctx,
                prettySize(Numerics.toBig(a).setScale(0, RoundingMode.HALF_UP).longValue()),
                out));
    define.fn("pg_size_pretty(int8) text", (ctx, a, out) -> Texts.set(ctx, prettySize(a.l), out));
  }

  /** PostgreSQL switches to the next unit at 10 of it, and rounds half away from zero. */
  static String prettySize(long bytes) {
    String[] units = {"bytes", "kB", "MB", "GB", "TB", "PB"};
    double size = bytes;
    int unit = 0;
    while (unit < units.length - 1 && Math.abs(size) >= 10 * 1024) {
      size /= 1024;
      unit++;
    }
    return String.format(Locale.ROOT, "%d %s", Math.round(size), units[unit]);
  }

  private static void comments(Define define) {
    define.fn(
        "obj_description(oid) text stable",
        (ctx, a, out) -> text(ctx, ctx.session.comment(null, (int) a.l, 0), out));
    for (String function : new String[] {"obj_description", "shobj_description"}) {
      define.fn(
          function + "(oid, name) text stable",
          (ctx, a, b, out) -> text(ctx, ctx.session.comment(Texts.get(b), (int) a.l, 0), out));
    }
    define.fn(
        "col_description(oid, int4) text stable",
        (ctx, a, b, out) -> {
          String comment = b.l == 0 ? null : ctx.session.comment("pg_class", (int) a.l, (int) b.l);
          text(ctx, comment, out);
        });
  }

  private static void text(EvalContext ctx, String text, Value out) {
    if (text == null) {
      out.setNull();
    } else {
      Texts.set(ctx, text, out);
    }
  }

  /** Functions about objects that cannot exist here. */
  private static void absent(Define define) {
    for (String signature :
        new String[] {
          "pg_get_statisticsobjdef_columns(oid)",
          "pg_get_ruledef(oid)",
          "pg_get_triggerdef(oid)",
          "pg_get_partkeydef(oid)",
          "pg_get_functiondef(oid)",
          "pg_get_function_sqlbody(oid)",
          "pg_tablespace_location(oid)"
        }) {
      define.fn(signature + " text stable", (ctx, a, out) -> out.setNull());
    }
    for (String signature :
        new String[] {"pg_get_ruledef(oid, bool)", "pg_get_triggerdef(oid, bool)"}) {
      define.fn(signature + " text stable", (ctx, a, b, out) -> out.setNull());
    }
    define.fn(
        "pg_relation_is_publishable(regclass) bool stable", (ctx, a, out) -> out.setBoolean(false));
    define.fn("pg_is_other_temp_schema(oid) bool stable", (ctx, a, out) -> out.setBoolean(false));
    define.fn("pg_is_in_recovery() bool stable", (ctx, out) -> out.setBoolean(false));
    define.fn("pg_my_temp_schema() oid stable", (ctx, out) -> out.setLong(0));
  }

  /** Functions that check privileges of roles, by name or oid of object and role. */
  private static void privileges(Define define) {
    for (String kind :
        new String[] {
          "table", "any_column", "schema", "sequence", "database", "function", "type"
        }) {
      for (String type : new String[] {"text", "oid"}) {
        boolean byOid = type.equals("oid");
        define.fn(
            "has_%s_privilege(%s, text) bool stable".formatted(kind, type),
            (ctx, a, b, out) ->
                set(
                    out,
                    ctx.session.hasPrivilege(
                        kind, null, object(ctx, kind, a, byOid), Texts.get(b))));
        for (String role : new String[] {"name", "oid"}) {
          boolean roleByOid = role.equals("oid");
          define.fn(
              "has_%s_privilege(%s, %s, text) bool stable".formatted(kind, role, type),
              (ctx, a, b, c, out) ->
                  set(
                      out,
                      ctx.session.hasPrivilege(
                          kind, key(a, roleByOid), object(ctx, kind, b, byOid), Texts.get(c))));
        }
      }
    }
    for (String of : new String[] {"name", "oid"}) {
      boolean ofOid = of.equals("oid");
      define.fn(
          "pg_has_role(%s, text) bool stable".formatted(of),
          (ctx, a, b, out) ->
              out.setBoolean(ctx.session.hasRole(null, key(a, ofOid), Texts.get(b))));
      for (String role : new String[] {"name", "oid"}) {
        boolean roleByOid = role.equals("oid");
        define.fn(
            "pg_has_role(%s, %s, text) bool stable".formatted(role, of),
            (ctx, a, b, c, out) ->
                out.setBoolean(
                    ctx.session.hasRole(key(a, roleByOid), key(b, ofOid), Texts.get(c))));
      }
    }
  }

  private static Object object(EvalContext ctx, String kind, Value value, boolean oid) {
    Object key = key(value, oid);
    return kind.equals("function") && key instanceof String signature
        ? (Object) ObjectNames.PROCEDURES.require(signature, ctx)
        : key;
  }

  private static Object key(Value value, boolean oid) {
    return oid ? (Object) (int) value.l : Texts.get(value);
  }

  private static void set(Value out, Boolean answer) {
    if (answer == null) {
      out.setNull();
    } else {
      out.setBoolean(answer);
    }
  }
}
