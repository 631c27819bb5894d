package io.gauss.compute.pgwire;

import io.gauss.common.error.GaussException;
import io.gauss.compute.routing.BetterNode;
import io.gauss.compute.session.SessionMoves;
import io.gauss.compute.session.message.MessageReader;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Looks ahead in a client's input, where a transaction may begin, for the first statement that
 * shows where the transaction belongs; nothing is consumed. A simple query is one message; in the
 * extended protocol statements are examined in the order in which they are executed, up to Sync.
 * Belongs to the connection's event loop.
 */
final class BatchScan {
  /** More input is needed to decide. */
  static final int MORE = -3;

  /** Nothing shows it, or there is too much to examine: run it here as it comes. */
  static final int HERE = -4;

  /** A client that sends more than this before its first Execute has its transaction here. */
  private static final int MOST_BYTES = 64 * 1024;

  private final SessionMoves session;
  private final MessageReader reader = new MessageReader();
  private final Map<String, Parsed> parsed = new HashMap<>(4);
  private final Map<String, Bound> bound = new HashMap<>(4);
  private String decidedBy;

  /** Templates whose transactions stay are looked at, too. */
  private boolean isWhole;

  private record Parsed(String text, int[] types) {}

  /**
   * @param parameters null = they do not matter, since such transactions stay
   */
  private record Bound(String text, List<Object> parameters) {}

  BatchScan(SessionMoves session) {
    this.session = session;
  }

  /**
   * Where the transaction belongs that begins here.
   *
   * @param whole whatever {@link BetterNode#stays} says
   * @return as {@link BetterNode#better}, or one of the constants here
   */
  int look(InputBuffer in, BetterNode route, boolean whole) {
    isWhole = whole;
    try {
      return find(in, route);
    } catch (GaussException e) {
      return HERE; // malformed, which will fail when it is run
    }
  }

  /** The statement by which the last {@link #look} has found a node. */
  String decidedBy() {
    return decidedBy;
  }

  private int find(InputBuffer in, BetterNode route) {
    decidedBy = null;
    parsed.clear();
    bound.clear();
    int at = 0;
    while (true) {
      if (at > MOST_BYTES) {
        return HERE;
      }
      if (in.available() < at + 1 + PgProtocol.LENGTH_BYTES) {
        return MORE;
      }
      byte type = (byte) in.byteAt(at);
      int length = in.intAt(at + 1);
      if (length < PgProtocol.LENGTH_BYTES || length > MOST_BYTES) {
        return HERE;
      }
      if (in.available() < at + 1 + length) {
        return MORE;
      }
      int body = in.start() + at + 1 + PgProtocol.LENGTH_BYTES;
      reader.wrap(in.array(), body, in.start() + at + 1 + length);
      at += 1 + length;
      switch (type) {
        case PgProtocol.QUERY -> {
          String text = reader.readCString();
          if (isSeveral(text)) {
            return HERE;
          }
          int where = stays(route, text) ? BetterNode.STAY : route.better(text, List.of());
          decidedBy = text;
          return where == BetterNode.NOT_YET ? HERE : where;
        }
        case PgProtocol.PARSE -> parse();
        case PgProtocol.BIND -> bind(route);
        case PgProtocol.EXECUTE -> {
          Bound portal = bound.get(reader.readCString());
          int where = portal == null ? HERE : better(portal, route);
          if (where != BetterNode.NOT_YET) {
            decidedBy = portal == null ? null : portal.text;
            return where;
          }
        }
        case PgProtocol.DESCRIBE, PgProtocol.CLOSE -> {
          // Tell nothing.
        }
        default -> {
          return HERE; // Sync, Flush, and messages that begin no transaction
        }
      }
    }
  }

  private boolean stays(BetterNode route, String text) {
    return !isWhole && route.stays(text);
  }

  private static int better(Bound portal, BetterNode route) {
    return portal.parameters == null
        ? BetterNode.STAY
        : route.better(portal.text, portal.parameters);
  }

  private void parse() {
    String name = reader.readCString();
    String text = reader.readCString();
    int[] types = new int[reader.readUnsignedShort()];
    for (int i = 0; i < types.length; i++) {
      types[i] = reader.readInt();
    }
    parsed.put(name, new Parsed(text, types));
  }

  private void bind(BetterNode route) {
    String portal = reader.readCString();
    String name = reader.readCString();
    Parsed here = parsed.get(name);
    String text = here != null ? here.text : session.textOf(name);
    if (text == null) {
      return;
    }
    List<Object> parameters = null;
    if (!stays(route, text)) {
      parameters = route.needsValues(text) ? values(here, name) : List.of();
    }
    bound.put(portal, new Bound(text, parameters));
  }

  private List<Object> values(Parsed here, String name) {
    return BoundParameters.read(reader, here != null ? here.types : session.typesOf(name));
  }

  /** Whether there is something behind a semicolon, even inside a string. */
  private static boolean isSeveral(String text) {
    int semicolon = text.indexOf(';');
    return semicolon >= 0 && !text.substring(semicolon + 1).isBlank();
  }
}
