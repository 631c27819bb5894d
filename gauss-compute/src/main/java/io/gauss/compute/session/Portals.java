package io.gauss.compute.session;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * The portals of a session by name; the unnamed one is a single object that is used again and
 * again. Each belongs to a level of the transaction (the number of savepoints that were set when it
 * was bound), and lives as long as that level. Belongs to the session.
 *
 * <p>A portal of a failed level has released its resources but keeps its name until the level ends,
 * as in PostgreSQL: executing it reports that the transaction is aborted, not that there is no such
 * portal.
 */
final class Portals {
  private final ClientMemory.Share memory;
  private final Map<String, Portal> named = new HashMap<>(2);
  private final Portal unnamed = new Portal("");
  private boolean unnamedOpen;

  Portals(ClientMemory.Share memory) {
    this.memory = memory;
  }

  /**
   * A portal to bind: the unnamed one, closed, or a new one, which can be found by its name after
   * {@link #add}.
   *
   * @throws GaussException 42P03 when the name is taken
   */
  Portal fresh(String name, int level) {
    Portal portal = unnamed;
    if (name.isEmpty()) {
      discard(unnamed);
      unnamedOpen = false;
    } else if (named.containsKey(name)) {
      throw new GaussException(
          SqlState.DUPLICATE_CURSOR, "cursor \"%s\" already exists".formatted(name));
    } else {
      portal = new Portal(name);
    }
    portal.level = level;
    return portal;
  }

  /**
   * Makes room for the bytes of a Bind message. They are counted before, since a client that is
   * refused must not have taken them.
   *
   * @throws GaussException 53200 when there is no memory for them
   */
  void makeRoom(Portal portal, int bytes) {
    resize(portal, portal.weightWith(bytes));
    portal.ensureBytes(bytes);
  }

  /**
   * The portal can be found by its name now.
   *
   * @throws GaussException 53200 when there is no memory for it
   */
  void add(Portal portal) {
    resize(portal, portal.weight());
    if (portal == unnamed) {
      unnamedOpen = true;
    } else {
      named.put(portal.name, portal);
    }
  }

  private Portal open(String name) {
    return name.isEmpty() ? (unnamedOpen ? unnamed : null) : named.get(name);
  }

  /** Text of a portal's statement; empty when there is none of that name. */
  String textOf(String name) {
    Portal found = open(name);
    return found == null ? "" : found.statement.text();
  }

  /**
   * @throws GaussException 34000 when there is none of that name
   */
  Portal find(String name) {
    Portal found = open(name);
    if (found == null) {
      throw new GaussException(
          SqlState.INVALID_CURSOR_NAME, "portal \"%s\" does not exist".formatted(name));
    }
    return found;
  }

  private void resize(Portal portal, long weight) {
    memory.resize(portal.weight, weight);
    portal.weight = weight;
  }

  /** Frees what a portal takes that cannot be found by its name, or not any more. */
  void discard(Portal portal) {
    resize(portal, 0);
    portal.discard();
  }

  /** Closes a portal if it exists. */
  void close(String name) {
    if (name.isEmpty()) {
      closeUnnamed();
      return;
    }
    Portal portal = named.remove(name);
    if (portal != null) {
      discard(portal);
    }
  }

  /** A portal by its name, which is not empty; null when there is none. */
  Portal named(String name) {
    return named.get(name);
  }

  /** Named portals. */
  Collection<Portal> named() {
    return named.values();
  }

  /** Whether there is one of which something is left to execute, or that has a name. */
  boolean isAnyOpen() {
    return unnamedOpen && !unnamed.done || !named.isEmpty();
  }

  /** Portals made by DECLARE, and portals from which FETCH has read. */
  List<Portal> cursors() {
    return named.isEmpty()
        ? List.of()
        : named.values().stream().filter(portal -> portal.cursor != null).toList();
  }

  /** Closes all named portals, including held cursors. */
  void closeNamed(Portal butThis) {
    for (Iterator<Portal> each = named.values().iterator(); each.hasNext(); ) {
      Portal portal = each.next();
      if (portal != butThis) {
        each.remove();
        discard(portal);
      }
    }
  }

  void closeUnnamed() {
    if (unnamedOpen) {
      discard(unnamed);
      unnamedOpen = false;
    }
  }

  /** The transaction ends: closes all but the cursors that outlive it. */
  void closeAll() {
    closeAbove(-1);
  }

  /** The session ends, or is reset. */
  void closeEverything() {
    closeUnnamed();
    closeNamed(null);
  }

  /** Removes all portals; the caller discards them. */
  List<Portal> takeAll() {
    List<Portal> all = new ArrayList<>(named.values());
    if (unnamedOpen) {
      all.add(unnamed);
    }
    named.clear();
    unnamedOpen = false;
    return all;
  }

  /** A level is rolled back: removes the portals bound in it or deeper. */
  void closeAbove(int level) {
    if (unnamedOpen && unnamed.level > level) {
      closeUnnamed();
    }
    for (Iterator<Portal> each = named.values().iterator(); each.hasNext(); ) {
      Portal portal = each.next();
      if (portal.level > level && !portal.isHeld()) {
        each.remove();
        discard(portal);
      }
    }
  }

  /** A level has failed: frees the resources of its portals. */
  void fail(int level) {
    if (unnamedOpen && unnamed.level >= level) {
      unnamed.close();
    }
    for (Portal portal : named.values()) {
      if (portal.level >= level && !portal.isHeld()) {
        portal.close();
      }
    }
  }

  /** Savepoints down to a level are released: their portals belong to that level now. */
  void released(int level) {
    unnamed.level = Math.min(unnamed.level, level);
    for (Portal portal : named.values()) {
      portal.level = Math.min(portal.level, level);
    }
  }
}
