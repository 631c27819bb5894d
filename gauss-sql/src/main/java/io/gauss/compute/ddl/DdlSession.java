package io.gauss.compute.ddl;

import io.gauss.compute.catalog.Access;
import io.gauss.compute.catalog.AccessDef;
import io.gauss.compute.catalog.CatalogObject;
import io.gauss.compute.catalog.CatalogSharing;
import io.gauss.compute.catalog.CatalogSnapshot;
import io.gauss.compute.catalog.CollectedStatistics;
import io.gauss.compute.catalog.CommentDef;
import io.gauss.compute.catalog.RoleIdentity;
import io.gauss.compute.catalog.SchemaDef;
import io.gauss.compute.catalog.SequenceDef;
import io.gauss.compute.catalog.SystemOids;
import io.gauss.compute.catalog.TableDef;
import io.gauss.compute.catalog.TypeDef;
import io.gauss.compute.catalog.ViewDef;
import io.gauss.compute.sql.exec.table.TableHandle;
import io.gauss.compute.txn.TableLockMode;
import io.gauss.compute.txn.Transaction;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * The uncommitted catalog changes of a session's transaction: its own view, and the actions at its
 * end.
 *
 * <p>The transaction itself undoes rows of the catalog tree; this class keeps the in-memory state
 * consistent with them: each change is a step that {@link #rolledBackTo} can undo. Belongs to the
 * session.
 */
public final class DdlSession {
  /** One change: the object before it, or a space created or dropped. */
  private sealed interface Step {}

  private record Replaced(int oid, boolean wasChanged, CatalogObject before) implements Step {}

  private record SpaceCreated(int space) implements Step {}

  private record SpaceDropped(int space) implements Step {}

  private record Analyzed(CollectedStatistics collected) implements Step {}

  /** The lock number that stands for all roles: the oid of pg_authid. */
  private static final int ROLES = 1260;

  private final DdlServices services;
  private final TableHandles handles;
  private final Transaction transaction;
  private final Supplier<RoleIdentity> identity;
  private final Supplier<String> temporarySchema;

  /** Temporary tables with something to do at each commit: delete or drop, by oid. */
  private final Map<Integer, String> commitActions = new HashMap<>(0);

  private final List<Step> steps = new ArrayList<>(0);

  /** Objects changed by the transaction; null = dropped. */
  private final Map<Integer, CatalogObject> changes = new HashMap<>(0);

  /** Oids of labels that ALTER TYPE has added: they cannot be used before the commit. */
  private final Set<Integer> addedLabels = new HashSet<>(0);

  private final Map<Integer, TableHandle> ownHandles = new HashMap<>(0);
  private CatalogSnapshot base;
  private CatalogSnapshot own;

  /**
   * @param identity supplies the roles that the session acts as
   * @param temporarySchema supplies the session's schema when a temporary relation is created
   */
  public DdlSession(
      DdlServices services,
      TableHandles handles,
      Transaction transaction,
      Supplier<RoleIdentity> identity,
      Supplier<String> temporarySchema) {
    this.temporarySchema = temporarySchema;
    this.identity = identity;
    this.services = services;
    this.handles = handles;
    this.transaction = transaction;
  }

  /** The committed catalog with the transaction's own changes. */
  public CatalogSnapshot view() {
    CatalogSnapshot committed = services.catalog().current();
    transaction.context().dependOn(committed.committedAt());
    if (changes.isEmpty()) {
      return committed;
    }
    if (own == null || base != committed) {
      base = committed;
      own = committed.with(services.catalog().newVersion(), changes, addedLabels);
      ownHandles.clear();
    }
    return own;
  }

  /**
   * As {@link #view}, with everything that any node had committed at the time of the call. For DDL,
   * once it has the locks of the objects that it looks up. May wait.
   */
  CatalogSnapshot freshView() {
    transaction.awaitSnapshotGate();
    services.catalog().freshen(transaction.context());
    return view();
  }

  /** The handle of a table in {@link #view}. */
  public TableHandle open(int tableOid) {
    CatalogSnapshot view = view();
    TableDef table = view.table(tableOid);
    if (table == null) {
      throw new IllegalStateException("table " + tableOid + " is not in the catalog");
    }
    return changes.isEmpty()
        ? handles.of(table, view)
        : ownHandles.computeIfAbsent(tableOid, oid -> services.handle(table, view));
  }

  DdlServices services() {
    return services;
  }

  Transaction transaction() {
    return transaction;
  }

  // ---------------------------------------------------------------- changes

  /** The roles that the session acts as. */
  RoleIdentity identity() {
    return identity.get();
  }

  /** The privileges of the roles in the session's view. */
  Access access() {
    return new Access(freshView());
  }

  /** Name of the schema for the session's temporary relations, which need not exist yet. */
  String temporarySchema() {
    return temporarySchema.get();
  }

  /**
   * Notes ON COMMIT of a temporary table.
   *
   * @param action delete or drop
   */
  void atCommit(int tableOid, String action) {
    commitActions.put(tableOid, action);
  }

  /** ON COMMIT of temporary tables, possibly also of dropped ones: delete or drop, by oid. */
  public Map<Integer, String> commitActions() {
    return commitActions;
  }

  /**
   * Prevents other sessions from changing or dropping roles, or (exclusively) from relying on them.
   */
  void lockRoles(TableLockMode mode) {
    transaction.lockTable(Integer.MIN_VALUE | ROLES, mode);
  }

  /** Prevents other sessions from changing the privileges on an object, and from dropping it. */
  void lockAccess(int objectOid) {
    transaction.lockTable(
        Integer.MIN_VALUE | SystemOids.access(objectOid), TableLockMode.ACCESS_EXCLUSIVE);
  }

  /**
   * Adds or replaces an object; a new one belongs to the current role, except for schemas of
   * sessions: these may have several roles, one after the other.
   */
  void put(CatalogObject object) {
    boolean owned =
        object instanceof TableDef
            || object instanceof ViewDef
            || object instanceof SequenceDef
            || object instanceof TypeDef
            || (object instanceof SchemaDef schema && !SchemaDef.isTemporary(schema.name()));
    if (owned && !freshView().contains(object.oid()) && identity().current() != SystemOids.OWNER) {
      lockRoles(TableLockMode.ACCESS_SHARE);
      store(AccessDef.ownedBy(object.oid(), identity().current()));
    }
    store(object);
  }

  /** Notes a label that ALTER TYPE adds. */
  void addsLabel(int oid) {
    addedLabels.add(oid);
  }

  private void store(CatalogObject object) {
    services.catalogStore().put(transaction, object);
    note(object.oid(), object);
  }

  /**
   * Sets or (null) removes a comment.
   *
   * @param holder the object with which the comment is dropped
   */
  void comment(int holder, int classOid, int objectOid, int attribute, String text) {
    transaction.lockTable(
        Integer.MIN_VALUE | SystemOids.comment(holder), TableLockMode.ACCESS_EXCLUSIVE);
    CommentDef before = freshView().comments(holder);
    if (before == null && text == null) {
      return;
    }
    CommentDef all =
        before == null ? new CommentDef(SystemOids.comment(holder), List.of()) : before;
    CommentDef after = all.with(classOid, objectOid, attribute, text);
    if (after.comments().isEmpty()) {
      delete(after.oid());
    } else {
      store(after);
    }
  }

  /** Removes an object, its privileges, and the comments on it. */
  void remove(int oid) {
    lockAccess(oid);
    if (freshView().comments(oid) != null) {
      delete(SystemOids.comment(oid));
    }
    if (view().access(oid) != null) {
      delete(SystemOids.access(oid));
    }
    delete(oid);
  }

  private void delete(int oid) {
    services.catalogStore().remove(transaction, oid);
    note(oid, null);
  }

  private void note(int oid, CatalogObject object) {
    steps.add(new Replaced(oid, changes.containsKey(oid), changes.get(oid)));
    changes.put(oid, object);
    own = null;
  }

  /** Creates an empty tree, which is dropped if the transaction does not commit. */
  int createTree() {
    int space = services.store().create(transaction.context());
    steps.add(new SpaceCreated(space));
    return space;
  }

  /** Stores statistics; planning uses them from the commit on. */
  void putStatistics(CollectedStatistics collected) {
    services.catalogStore().putStatistics(transaction, collected);
    steps.add(new Analyzed(collected));
  }

  /** Drops a tree when the transaction commits. */
  void dropTree(int space) {
    steps.add(new SpaceDropped(space));
  }

  // ---------------------------------------------------------------- end of the transaction

  /** Position for {@link #rolledBackTo}. */
  public long position() {
    return steps.size();
  }

  /** Oids of the objects that were created, changed or dropped after the position. */
  Set<Integer> changedSince(long position) {
    Set<Integer> oids = new TreeSet<>();
    int from = (int) Math.min(position, steps.size()); // VACUUM ends the transaction
    for (Step step : steps.subList(from, steps.size())) {
      if (step instanceof Replaced replaced) {
        oids.add(replaced.oid());
      }
    }
    return oids;
  }

  /** What is committed under an oid; null when nothing is. */
  CatalogObject committed(int oid) {
    return services.catalog().current().object(oid);
  }

  /** Undoes the changes after the position; the rows have already been undone. May wait. */
  public void rolledBackTo(long position) {
    for (int i = steps.size() - 1; i >= position; i--) {
      switch (steps.remove(i)) {
        case Replaced replaced -> {
          if (replaced.wasChanged()) {
            changes.put(replaced.oid(), replaced.before());
          } else {
            changes.remove(replaced.oid());
          }
        }
        case SpaceCreated created -> services.store().drop(transaction.context(), created.space());
        case SpaceDropped dropped -> {
          // The tree still exists.
        }
        case Analyzed analyzed -> {
          // No other session has seen the statistics.
        }
      }
    }
    own = null;
    ownHandles.clear();
  }

  public void rolledBack() {
    addedLabels.clear();
    if (!steps.isEmpty()) {
      rolledBackTo(0);
    }
  }

  /**
   * Commits the transaction and its catalog changes, as {@link Transaction#commit}.
   *
   * @param alsoPublish runs with the publication of the catalog
   */
  public long commit(Runnable alsoPublish) {
    if (steps.isEmpty()) {
      return transaction.commit(alsoPublish);
    }
    CatalogSharing sharing = services.catalog().sharing();
    boolean changes = isCatalogChanged();
    long begun = changes ? sharing.committing() : 0;
    boolean committed = false;
    try {
      long lsn =
          transaction.commit(
              () -> {
                committed();
                alsoPublish.run();
              });
      committed = true;
      return lsn;
    } finally {
      if (changes) {
        sharing.committed(begun, committed ? transaction.lastCsn() : 0);
      }
    }
  }

  private boolean isCatalogChanged() {
    return !changes.isEmpty() || steps.stream().anyMatch(Analyzed.class::isInstance);
  }

  /** Publishes the changes, once the commit is reserved, to all sessions. Never waits. */
  private void committed() {
    if (steps.isEmpty()) {
      return;
    }
    CatalogSnapshot before = services.catalog().current();
    if (!changes.isEmpty()) {
      services.catalog().publish(changes, transaction.lastCsn());
    }
    List<CollectedStatistics> collected = new ArrayList<>();
    for (Step step : steps) {
      if (step instanceof Analyzed analyzed) {
        collected.add(analyzed.collected());
      }
    }
    if (!collected.isEmpty()) {
      services.catalog().publishStatistics(collected, transaction.lastCsn());
    }
    for (Map.Entry<Integer, CatalogObject> change : changes.entrySet()) {
      if (change.getValue() == null) {
        handles.forget(change.getKey());
      }
      SequenceDef sequence = before.sequence(change.getKey());
      if (sequence != null && !sequence.countsLike(change.getValue())) {
        services.sequences().forget(change.getKey());
      }
    }
    for (Step step : steps) {
      if (step instanceof SpaceDropped dropped) {
        services.dropWhenVisible(dropped.space(), transaction);
      } else if (step instanceof SpaceCreated created) {
        services.store().settled(created.space()); // after the catalog has it
      }
    }
    steps.clear();
    changes.clear();
    addedLabels.clear();
    own = null;
    ownHandles.clear();
  }

  SequenceDef sequence(int oid) {
    return view().sequence(oid);
  }
}
