package io.gauss.compute.session.prepared;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.gauss.compute.mtr.EngineContext;
import io.gauss.compute.sql.parse.ParsedStatement;
import io.gauss.compute.sql.parse.PgParser;
import io.gauss.compute.wait.WouldBlockException;
import java.util.List;

/**
 * Parses query strings, remembering the trees of recent ones. Trees are immutable and shared.
 * Thread-safe.
 */
public final class StatementParser {
  private static final long CACHE_CHARACTERS = 4 << 20;

  /** Texts longer than this are hardly ever sent twice. */
  static final int LONGEST_CACHED = 16 << 10;

  private final Cache<String, List<ParsedStatement>> cache =
      Caffeine.newBuilder()
          .maximumWeight(CACHE_CHARACTERS)
          .weigher((String text, List<ParsedStatement> trees) -> text.length() + 64)
          .executor(Runnable::run)
          .build();

  /**
   * The statements of a query string.
   *
   * @throws WouldBlockException when the text is new and the context may not wait: parsing takes
   *     too long for an event loop
   */
  public List<ParsedStatement> parseQuery(String text, EngineContext context) {
    List<ParsedStatement> cached = cache.getIfPresent(text);
    if (cached != null) {
      return cached;
    }
    if (!context.waits().mayBlock()) {
      throw WouldBlockException.INSTANCE;
    }
    List<ParsedStatement> parsed = PgParser.parseAll(text, context.waits()::yieldCarrier);
    if (text.length() <= LONGEST_CACHED) {
      cache.put(text, parsed);
    }
    return parsed;
  }
}
