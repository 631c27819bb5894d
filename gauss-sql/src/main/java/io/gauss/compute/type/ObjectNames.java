package io.gauss.compute.type;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.util.List;

/** Finds objects of one kind by the names that a reg type reads, and prints their names. */
public abstract class ObjectNames {
  private static final String CATALOG = "pg_catalog";

  /** regclass. */
  public static final ObjectNames RELATIONS =
      new ObjectNames() {
        @Override
        public int find(String text, TypeContext ctx) {
          return ctx.relationOid(text);
        }

        @Override
        String print(int oid, TypeContext ctx) {
          return ctx.relationName(oid);
        }

        @Override
        GaussException missing(String text, TypeContext ctx) {
          List<String> names = NameList.split(text);
          String schema = names.size() < 2 ? null : names.get(names.size() - 2);
          return schema != null && ctx.schemaOid(schema) == 0
              ? noSchema(schema)
              : new GaussException(
                  SqlState.UNDEFINED_TABLE,
                  "relation \"" + String.join(".", names) + "\" does not exist");
        }
      };

  /** regtype. */
  public static final ObjectNames TYPES =
      new ObjectNames() {
        @Override
        public int find(String text, TypeContext ctx) {
          return TypeText.find(text, ctx);
        }

        @Override
        String print(int oid, TypeContext ctx) {
          PgType type = PgTypes.byOidOrNull(oid);
          return type == null ? ctx.typeName(oid) : type.displayName();
        }

        @Override
        GaussException missing(String text, TypeContext ctx) {
          return TypeText.missing(text, ctx);
        }
      };

  /** regproc: functions by their name alone, if only one has it. */
  public static final ObjectNames FUNCTIONS =
      new ObjectNames() {
        @Override
        public int find(String text, TypeContext ctx) {
          List<BuiltinFunction> named = named(NameList.split(text));
          return named.size() == 1 ? named.getFirst().oid() : 0;
        }

        @Override
        String print(int oid, TypeContext ctx) {
          BuiltinFunction function = BuiltinFunctions.find(oid);
          if (function == null) {
            return null;
          }
          boolean isOnlyOne = BuiltinFunctions.named(function.name()).size() == 1;
          return (isOnlyOne ? "" : CATALOG + ".") + Quoting.identifier(function.name());
        }

        @Override
        GaussException missing(String text, TypeContext ctx) {
          return named(NameList.split(text)).isEmpty()
              ? noFunction(text)
              : new GaussException(
                  SqlState.AMBIGUOUS_FUNCTION, "more than one function named \"" + text + "\"");
        }
      };

  /** regprocedure: functions with the types of their arguments. */
  public static final ObjectNames PROCEDURES =
      new ObjectNames() {
        @Override
        public int find(String text, TypeContext ctx) {
          FunctionText read = FunctionText.read(text, ctx);
          for (BuiltinFunction function : named(read.names())) {
            if (function.argumentTypes().equals(read.types())) {
              return function.oid();
            }
          }
          return 0;
        }

        @Override
        String print(int oid, TypeContext ctx) {
          BuiltinFunction function = BuiltinFunctions.find(oid);
          return function == null ? null : function.signature();
        }

        @Override
        GaussException missing(String text, TypeContext ctx) {
          return noFunction(text);
        }
      };

  /** regnamespace. */
  public static final ObjectNames SCHEMAS =
      new ObjectNames() {
        @Override
        public int find(String text, TypeContext ctx) {
          return ctx.schemaOid(NameList.single(text));
        }

        @Override
        String print(int oid, TypeContext ctx) {
          return quoted(ctx.schemaName(oid));
        }

        @Override
        GaussException missing(String text, TypeContext ctx) {
          return noSchema(NameList.single(text));
        }
      };

  /** regrole. */
  public static final ObjectNames ROLES =
      new ObjectNames() {
        @Override
        public int find(String text, TypeContext ctx) {
          return ctx.roleOid(NameList.single(text));
        }

        @Override
        String print(int oid, TypeContext ctx) {
          return quoted(ctx.roleName(oid));
        }

        @Override
        GaussException missing(String text, TypeContext ctx) {
          return new GaussException(
              SqlState.UNDEFINED_OBJECT, "role \"" + NameList.single(text) + "\" does not exist");
        }
      };

  private ObjectNames() {}

  /**
   * Oid of the object that a text names; 0 when there is none.
   *
   * @throws GaussException 42602, 42601 and others when the text cannot be a name
   */
  public abstract int find(String text, TypeContext ctx);

  /** The object as text output shows it; null when there is none of this oid. */
  abstract String print(int oid, TypeContext ctx);

  /** Why the object is not there that {@link #find} has not found. */
  abstract GaussException missing(String text, TypeContext ctx);

  /**
   * Oid of the object that a text names.
   *
   * @throws GaussException also when there is none
   */
  public final int require(String text, TypeContext ctx) {
    int oid = find(text, ctx);
    if (oid == 0) {
      throw missing(text, ctx);
    }
    return oid;
  }

  private static List<BuiltinFunction> named(List<String> names) {
    if (names.size() > 3) {
      throw new GaussException(
          SqlState.SYNTAX_ERROR,
          "improper qualified name (too many dotted names): " + String.join(".", names));
    }
    if (names.size() == 3) {
      throw new GaussException(
          SqlState.FEATURE_NOT_SUPPORTED,
          "cross-database references are not implemented: " + String.join(".", names));
    }
    boolean isBuiltin =
        names.size() == 1 || (names.size() == 2 && names.getFirst().equals(CATALOG));
    return isBuiltin ? BuiltinFunctions.named(names.getLast()) : List.of();
  }

  private static GaussException noFunction(String text) {
    return new GaussException(
        SqlState.UNDEFINED_FUNCTION, "function \"" + text + "\" does not exist");
  }

  private static String quoted(String name) {
    return name == null ? null : Quoting.identifier(name);
  }

  private static GaussException noSchema(String name) {
    return new GaussException(
        SqlState.INVALID_SCHEMA_NAME, "schema \"" + name + "\" does not exist");
  }
}
