package io.gauss.compute.ddl;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.compute.catalog.DomainDef;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.sql.parse.PgParser;
import io.gauss.compute.sql.parse.PgStatement.Name;
import io.gauss.compute.sql.parse.TypeName;
import io.gauss.compute.sql.parse.TypeStatement.CreateDomain;
import io.gauss.compute.sql.parse.TypeStatement.DomainCheck;
import io.gauss.compute.type.DomainType;
import io.gauss.compute.type.DomainType.Check;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.PgTypes;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.calcite.sql.SqlLiteral;

/** CREATE DOMAIN, and the parts of a domain that ALTER DOMAIN makes as well. */
final class DomainDefiner {
  private static final int NAME_BYTES = 63;

  private final DdlContext ddl;

  DomainDefiner(DdlContext ddl) {
    this.ddl = ddl;
  }

  void create(CreateDomain create) {
    Name name = create.name();
    if (TemporarySchemas.ALIAS.equals(name.schema())) {
      throw GaussException.notSupported("a temporary type").position(name.position());
    }
    String schema = ddl.creationSchema(name);
    TypeNaming naming = new TypeNaming(ddl);
    naming.lockFree(schema, name.name());
    TypeName written = create.base();
    if (written.schema() == null && PgTypes.isSerial(written.name())) {
      throw new GaussException(
          SqlState.UNDEFINED_OBJECT, "type \"%s\" does not exist".formatted(written.name()));
    }
    PgType base = ddl.type(written);
    if (base.isPseudo()) {
      throw new GaussException(
          SqlState.DATATYPE_MISMATCH,
          "\"%s\" is not a valid base type for a domain".formatted(written.name()));
    }
    TableDefiner.checkCollation(create.collation(), base);
    int arrayOid = ddl.newOid(); // the lower one, as in PostgreSQL
    DomainType.Identity identity =
        new DomainType.Identity(
            ddl.newOid(), arrayOid, schema, name.name(), naming.arrayName(schema, name.name()));
    String defaultSql = defaultText(create.defaultSql(), base);
    if (create.defaultSql() == null && base.isDomain()) {
      defaultSql =
          base.domain().defaultSql(); // as it is now: later changes of it mean nothing here
    }
    DomainDef domain =
        new DomainDef(new DomainType(identity, base, create.notNull(), defaultSql, List.of()));
    ddl.services().expressions().validate(domain.domain(), ddl.view());
    for (DomainCheck check : create.checks()) {
      domain = withCheck(domain, check);
    }
    ddl.session.put(domain);
  }

  /** The form in which a default is kept; null when it is none. */
  String defaultText(String written, PgType base) {
    if (written == null) {
      return null;
    }
    boolean isNull =
        PgParser.parseExpression(written) instanceof SqlLiteral literal
            && literal.getValue() == null;
    // Of a domain NULL is a value to be checked, and replaces the default below.
    return isNull && !base.isDomain() ? null : ddl.stored(written);
  }

  /**
   * Adds a condition; it is not applied to rows.
   *
   * @throws GaussException 42710 when there is one of its name; as binding a condition does
   */
  DomainDef withCheck(DomainDef domain, DomainCheck check) {
    String name = check.name();
    if (name == null) {
      name = freeName(domain);
    } else if (find(domain, name) != null) {
      throw new GaussException(
          SqlState.DUPLICATE_OBJECT,
          "constraint \"%s\" for domain \"%s\" already exists".formatted(name, domain.name()));
    }
    List<Check> checks = new ArrayList<>(domain.domain().checks());
    checks.add(new Check(ddl.newOid(), name, ddl.stored(check.sql()), !check.notValid()));
    DomainDef changed = domain.withChecks(checks);
    new DomainCycles(ddl, domain.oid()).refuse(checks.getLast().sql());
    ddl.services().expressions().validate(changed.domain(), ddl.view());
    return changed;
  }

  /** Null when there is no constraint of the name. */
  static Check find(DomainDef domain, String name) {
    return domain.domain().checks().stream()
        .filter(check -> check.name().equals(name))
        .findAny()
        .orElse(null);
  }

  static GaussException noConstraint(DomainDef domain, String name) {
    return new GaussException(
        SqlState.UNDEFINED_OBJECT,
        "constraint \"%s\" for domain %s does not exist"
            .formatted(name, domain.type().displayName()));
  }

  /** As in PostgreSQL: {@code domain_check}, then with numbers, free among the schema's. */
  private String freeName(DomainDef domain) {
    Set<String> taken = new HashSet<>();
    domain.domain().checks().forEach(check -> taken.add(check.name()));
    for (DomainDef other : ddl.view().domains()) {
      if (other.schema().equals(domain.schema())) {
        other.domain().checks().forEach(check -> taken.add(check.name()));
      }
    }
    for (TableDef table : ddl.view().tables()) {
      if (table.schema().equals(domain.schema())) {
        taken.add(table.primaryKeyName());
        table.indexes().forEach(index -> taken.add(index.constraint() ? index.name() : null));
        table.checks().forEach(check -> taken.add(check.name()));
        table.foreignKeys().forEach(key -> taken.add(key.name()));
      }
    }
    for (int i = 0; ; i++) {
      String end = "_check" + (i == 0 ? "" : Integer.toString(i));
      String start = domain.name();
      while ((start + end).getBytes(StandardCharsets.UTF_8).length > NAME_BYTES) {
        start = start.substring(0, start.length() - 1);
      }
      if (!taken.contains(start + end)) {
        return start + end;
      }
    }
  }
}
