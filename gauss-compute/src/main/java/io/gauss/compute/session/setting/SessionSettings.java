package io.gauss.compute.session.setting;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The settings of one session: the values that differ from the defaults, and those that a rollback
 * or the end of the transaction restores. Belongs to the session; not thread-safe.
 */
public final class SessionSettings {
  /** Changes in the transaction, oldest first; a savepoint remembers its position in this list. */
  private record Change(SettingDefinition setting, String before, boolean local) {}

  private static final int CHANGE_BYTES = 64;

  private final Map<SettingDefinition, String> startValues = new HashMap<>(4);
  private final Map<SettingDefinition, String> values = new HashMap<>(4);
  private final List<Change> changes = new ArrayList<>(0);
  private final Guard guard;
  private final Listener listener;
  private final Room room;
  private long taken; // of the room; while a transaction runs it only grows
  private long version;

  /** Bounds the memory of values and of changes, of which a transaction may have many. */
  @FunctionalInterface
  public interface Room {
    /**
     * @throws GaussException 53200 when there is no memory for more
     */
    void resize(long before, long now);
  }

  /** Notified of every change, including those by a rollback. */
  @FunctionalInterface
  public interface Listener {
    void changed(SettingDefinition setting, String value);
  }

  /** Called before a client's value is accepted, from SET, set_config or start-up. */
  @FunctionalInterface
  public interface Guard {
    /**
     * @throws GaussException 42501 when the session's user may not set it, 22023
     */
    void check(SettingDefinition setting, String value);
  }

  public SessionSettings(Guard guard, Listener listener, Room room) {
    this.room = room;
    this.guard = guard;
    this.listener = listener;
  }

  private static SettingDefinition require(String name) {
    SettingDefinition setting = SettingDefinitions.find(name);
    if (setting == null) {
      throw new GaussException(
          SqlState.UNDEFINED_OBJECT, "unrecognized configuration parameter \"%s\"".formatted(name));
    }
    return setting;
  }

  /** The value in normal form. */
  public String get(String name) {
    return get(require(name));
  }

  /** The mode of the open transaction. */
  public String get(TransactionMode mode) {
    return get(mode.setting());
  }

  /** The mode with which the next transaction begins. */
  public String getDefault(TransactionMode mode) {
    return get(mode.defaultSetting());
  }

  String get(SettingDefinition setting) {
    String value = values.get(setting);
    return value != null ? value : startValue(setting);
  }

  /** The value as SHOW prints it. */
  public String show(String name) {
    SettingDefinition setting = require(name);
    return setting.display(get(setting));
  }

  public static String canonicalName(String name) {
    return require(name).name();
  }

  private String startValue(SettingDefinition setting) {
    return startValues.getOrDefault(setting, setting.defaultValue());
  }

  /** A value from the start-up packet, which RESET restores. */
  public void setAtStart(String name, String value) {
    SettingDefinition setting = require(name);
    String normal = SettingChecks.check(setting, setting.normalise(value));
    guard.check(setting, normal);
    if (TransactionMode.of(setting) != null) {
      return; // the transaction that it would be for ends with the start-up
    }
    startValues.put(setting, normal);
    listener.changed(setting, normal);
  }

  /**
   * Sets a value by the session itself, not by a client. A rollback does not change it, and RESET
   * restores it.
   */
  public void setOwn(String name, String value) {
    SettingDefinition setting = require(name);
    if (!value.equals(startValue(setting)) || values.containsKey(setting)) {
      startValues.put(setting, value);
      values.remove(setting);
      listener.changed(setting, value);
    }
  }

  public void set(String name, String value, boolean local) {
    SettingDefinition setting = require(name);
    change(setting, check(name, value), local || TransactionMode.of(setting) != null);
  }

  /**
   * Checks what {@link #set} checks, and returns the value in normal form.
   *
   * @throws GaussException 42704 unknown, 22023, 42501, 55P02, or why a mode cannot be changed now
   */
  public String check(String name, String value) {
    SettingDefinition setting = require(name);
    String normal = SettingChecks.check(setting, setting.normalise(value));
    guard.check(setting, normal);
    return normal;
  }

  /** Gives the open transaction a mode without asking the guard; ends with the transaction. */
  public void setForTransaction(TransactionMode mode, String value) {
    if (!value.equals(get(mode))) {
      changeUncounted(mode.setting(), value, true);
    }
  }

  /**
   * @param local until the end of the transaction
   */
  public void reset(String name, boolean local) {
    checkReset(name);
    SettingDefinition setting = require(name);
    change(setting, startValue(setting), local);
  }

  /**
   * @throws GaussException 55P02 when it cannot be changed; a transaction's modes would lose what
   *     the transaction relies on, and are refused as by PostgreSQL 16
   */
  public void checkReset(String name) {
    SettingDefinition setting = require(name);
    if (TransactionMode.of(setting) != null) {
      throw new GaussException(
          SqlState.CANT_CHANGE_RUNTIME_PARAM,
          "parameter \"%s\" cannot be reset".formatted(setting.name()));
    }
    if (setting.kind() == SettingDefinition.Kind.READ_ONLY) {
      setting.normalise("");
    }
  }

  /** Resets all settings except the session's roles and the transaction's modes, as PostgreSQL. */
  public void resetAll() {
    for (SettingDefinition setting : List.copyOf(values.keySet())) {
      if (setting.name().equals(SettingDefinitions.ROLE)
          || setting.name().equals(SettingDefinitions.SESSION_AUTHORIZATION)
          || TransactionMode.of(setting) != null) {
        continue;
      }
      change(setting, startValue(setting), false);
    }
  }

  private void change(SettingDefinition setting, String value, boolean local) {
    long more = (long) CHANGE_BYTES + value.length();
    room.resize(0, more);
    taken += more;
    changeUncounted(setting, value, local);
  }

  private void changeUncounted(SettingDefinition setting, String value, boolean local) {
    changes.add(new Change(setting, get(setting), local));
    store(setting, value);
  }

  private void store(SettingDefinition setting, String value) {
    version++;
    if (value.equals(startValue(setting))) {
      values.remove(setting);
    } else {
      values.put(setting, value);
    }
    listener.changed(setting, value);
  }

  // ---------------------------------------------------------------- sessions on several nodes

  /** Incremented with every change of {@link #values}. */
  public long version() {
    return version;
  }

  /** The values that differ from those at the start of the session, by name. */
  public Map<String, String> values() {
    return byName(values);
  }

  /** The values that differed from the defaults at the start of the session, by name. */
  public Map<String, String> startValues() {
    return byName(startValues);
  }

  private static Map<String, String> byName(Map<SettingDefinition, String> from) {
    Map<String, String> named = new TreeMap<>();
    from.forEach((setting, value) -> named.put(setting.name(), value));
    named.remove(SettingDefinitions.IS_SUPERUSER); // follows from the role
    return named;
  }

  /** Takes over the values with which the same session started on another node. */
  public void adoptStart(Map<String, String> others) {
    others.forEach(
        (name, value) -> {
          startValues.put(require(name), value);
          listener.changed(require(name), value);
        });
  }

  /**
   * Replaces all values by those that the same session has set on another node. Outside a
   * transaction.
   */
  public void adopt(Map<String, String> others) {
    if (!changes.isEmpty()) {
      throw new IllegalStateException("settings have changed in an open transaction");
    }
    Set<String> names = new LinkedHashSet<>();
    // The session's user decides which roles are allowed, so it is set first.
    names.add(SettingDefinitions.SESSION_AUTHORIZATION);
    names.add(SettingDefinitions.ROLE);
    values.keySet().forEach(setting -> names.add(setting.name()));
    names.addAll(others.keySet());
    for (String name : names) {
      SettingDefinition setting = require(name);
      String value = others.getOrDefault(name, startValue(setting));
      if (!value.equals(get(setting)) || name.equals(SettingDefinitions.ROLE)) {
        store(setting, value);
      }
    }
  }

  /** The position for {@link #rollbackTo}. */
  public int position() {
    return changes.size();
  }

  public void rollbackTo(int position) {
    for (int i = changes.size() - 1; i >= position; i--) {
      Change change = changes.remove(i);
      store(change.setting(), change.before());
    }
  }

  /** Ends the transaction: changes by SET LOCAL are undone, the others stay. */
  public void commit() {
    if (changes.isEmpty()) {
      freeRoom(); // of changes before a savepoint took them back
      return;
    }
    Map<SettingDefinition, String> beforeLocal = new HashMap<>();
    for (Change change : changes) {
      if (change.local()) {
        beforeLocal.putIfAbsent(change.setting(), change.before());
      } else {
        beforeLocal.remove(change.setting());
      }
    }
    changes.clear();
    beforeLocal.forEach(this::store);
    freeRoom();
  }

  public void rollback() {
    rollbackTo(0);
    freeRoom();
  }

  /** After the transaction only the values are left. */
  private void freeRoom() {
    if (taken > 0) {
      long left = 0;
      for (String value : values.values()) {
        left += Math.min(value.length(), taken - left);
      }
      room.resize(taken, left);
      taken = left;
    }
  }
}
