package io.gauss.compute.routing;

import io.gauss.compute.buffer.MovablePages;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** A pool without bytes. */
final class FakePages implements MovablePages {
  final Map<Long, Long> owned = new LinkedHashMap<>(); // LSN by page
  final Set<Long> copies = new HashSet<>();
  final Set<Long> asked = new HashSet<>();
  int room = 1000;

  @Override
  public void forEachOwned(Visitor visitor) {
    owned.forEach(visitor::owned);
  }

  @Override
  public int room() {
    return room;
  }

  @Override
  public boolean isHere(long pageId) {
    return copies.contains(pageId) || isOwned(pageId);
  }

  @Override
  public boolean isOwned(long pageId) {
    return owned.containsKey(pageId);
  }

  @Override
  public int owner(long pageId, int self) {
    return isOwned(pageId) ? self : 0;
  }

  @Override
  public boolean ask(long pageId) {
    if (!isHere(pageId) && room-- <= 0) {
      return false;
    }
    return asked.add(pageId);
  }

  void allCome() {
    asked.forEach(page -> owned.put(page, 0L));
    asked.clear();
  }
}
