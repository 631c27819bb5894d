package io.gauss.compute.session;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.gauss.common.error.GaussException;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.session.prepared.PreparedStatement;
import io.gauss.compute.session.prepared.RecentStatements;
import io.gauss.compute.sql.parse.LiteralExtractor;
import io.gauss.compute.sql.parse.ParsedStatement;
import io.gauss.compute.sql.parse.PgStatement;
import io.gauss.compute.sql.plan.PreparedPlan;
import io.gauss.compute.type.PgType;
import io.gauss.compute.type.TypeCodec;
import io.gauss.compute.wait.WouldBlockException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Lets simple queries that differ only in their constants share a plan: the constants become
 * parameters. If anything fails with the changed text, the original is run instead, whose errors
 * and positions are the right ones. One per session.
 */
final class SharedQueries {
  private final SessionServices services;
  private final SessionState state;
  private final RecentStatements recent;
  private final LiteralExtractor extractor = new LiteralExtractor();
  private PreparedStatement statement;

  /** Texts that cannot be planned with parameters; shared by all sessions. Thread-safe. */
  static final class Refused {
    private static final int TEXTS = 2_000;

    /** Text to the catalog version with which it failed: a table may be created later. */
    private final Cache<String, Long> texts =
        Caffeine.newBuilder().maximumSize(TEXTS).executor(Runnable::run).build();

    boolean contains(String text, long catalogVersion) {
      Long failed = texts.getIfPresent(text);
      return failed != null && failed == catalogVersion;
    }

    void add(String text, long catalogVersion) {
      texts.put(text, catalogVersion);
    }
  }

  SharedQueries(SessionServices services, SessionState state, RecentStatements recent) {
    this.recent = recent;
    this.services = services;
    this.state = state;
  }

  /**
   * Finds the shared form of a query.
   *
   * @return null when it has none: run the text unchanged
   * @throws WouldBlockException when it has to be planned and waiting is not allowed
   */
  PreparedStatement find(String text) {
    statement = null;
    if (!extractor.extract(text)) {
      return null;
    }
    String shared = extractor.text();
    state.catalog().freshen();
    long version = state.catalog().view().version();
    if (services.refusedQueries().contains(shared, version)) {
      return null;
    }
    int[] oids = extractor.oids();
    PreparedPlan plan =
        services
            .plans()
            .get(
                shared, oids, state.searchPath(), state.catalog().view(), state.roles().planRole());
    try {
      List<ParsedStatement> parsed = services.parser().parseQuery(shared, state.context());
      if (parsed.getFirst().statement() instanceof PgStatement.CreateTableAs) {
        services.refusedQueries().add(shared, version);
        return null;
      }
      if (plan == null) {
        plan = prepare(parsed.getFirst(), shared, oids);
      }
      if (plan.tables().stream().anyMatch(this::mayNeedConstants)) {
        services.refusedQueries().add(shared, version);
        return null;
      }
      statement = recent.of(parsed.getFirst(), oids, plan);
      return statement;
    } catch (GaussException e) {
      services.refusedQueries().add(shared, version);
      return null;
    }
  }

  /** Indexes whose condition or expressions have constants are only matched by the same ones. */
  private boolean mayNeedConstants(PreparedPlan.TableUse use) {
    TableDef table = state.catalog().view().table(use.tableOid());
    return table != null
        && table.indexes().stream()
            .flatMap(index -> index.texts().stream())
            .anyMatch(LiteralExtractor::hasLiteral);
  }

  private PreparedPlan prepare(ParsedStatement parsed, String shared, int[] oids) {
    if (!state.context().waits().mayBlock()) {
      throw WouldBlockException.INSTANCE;
    }
    state.catalog().freshenSurely();
    return services
        .plans()
        .prepare(
            shared,
            parsed.statement(),
            oids,
            state.searchPath(),
            state.catalog().view(),
            state.roles().planRole(),
            state.context().waits()::yieldCarrier);
  }

  /**
   * Puts the constants of the query found last into a portal's parameters.
   *
   * @return false when one is not a value of its parameter's type: run the text unchanged
   */
  boolean bind(Portal portal) {
    PgType[] types = statement.parameterTypes();
    if (types.length != extractor.count()) {
      return false;
    }
    portal.ensureParameters(statement.plan().parameterSlots());
    try {
      for (int i = 0; i < types.length; i++) {
        byte[] bytes = extractor.value(i).getBytes(StandardCharsets.UTF_8);
        portal.parameters[i].isNull = false;
        TypeCodec.of(types[i]).readText(bytes, 0, bytes.length, state.eval(), portal.parameters[i]);
      }
      return true;
    } catch (GaussException e) {
      return false;
    }
  }
}
