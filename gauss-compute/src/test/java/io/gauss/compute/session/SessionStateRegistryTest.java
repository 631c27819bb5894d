package io.gauss.compute.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.gauss.compute.ddl.DdlSession;
import io.gauss.compute.expr.AdvisoryAccess;
import io.gauss.compute.expr.EvalContext;
import io.gauss.compute.expr.NotifyAccess;
import io.gauss.compute.expr.SequenceAccess;
import io.gauss.compute.expr.SessionInfo;
import io.gauss.compute.routing.TransactionSampler;
import io.gauss.compute.session.prepared.PreparedStatements;
import io.gauss.compute.session.prepared.RecentStatements;
import io.gauss.compute.session.setting.SessionSettings;
import io.gauss.compute.sql.exec.ExecContext;
import io.gauss.compute.sql.parse.PgStatement;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * All that a session keeps, and what becomes of it when the next transaction runs on another node.
 * Whoever adds a field here says that, too: state that is neither copied nor keeps the session
 * where it is would be lost when a transaction is forwarded.
 *
 * <ul>
 *   <li>part: is listed itself
 *   <li>copied: {@link StateTransfer} copies it, or what it follows from
 *   <li>pins: the session stays as long as it is there ({@link SessionMoves#isPinned}, {@link
 *       SessionMoves#isAtStart})
 *   <li>ends: with the statement or the transaction, which does not move once it has begun
 *   <li>node: says nothing that a client can tell: services, caches, buffers, counters
 * </ul>
 */
class SessionStateRegistryTest {
  private static final String FIELDS =
      """
      Session part: state runner utilities parameterReader sharedQueries statements portals
          moves message
      Session ends: query queryPosition queryText sharedQuery inputWeight idleTimeout
      Session node: services out connection secret activity
      CurrentMessage pins: failure failedText isOfBlock
      CurrentMessage ends: text endsBlock
      SessionState part: slowStatements settings sampler control catalog roles path eval exec
          notifications
      SessionState copied: application isRouted mayReroute isLocalCommit statementTimeoutMs
          idleInTransactionTimeoutMs
      SessionState pins: temporarySchema
      SessionState ends: transaction deferred copyProgress currentText messageText statementDeadline
          isRepeated mayMeetItself
      SessionState node: services context memory reportTo processId
          client onNotified
      SessionMoves part: session state statements
      SessionMoves pins: staysForGood
      SessionMoves ends: left
      SessionMoves copied: isSentHome
      SessionMoves node: counts isShown servesOther forwards canceled
      SessionNotifications part: state
      SessionNotifications pins: actions listening listener
      SessionNotifications ends: told distinct toldBytes nextListening added publication
      SessionNotifications node: services node
      SessionCatalog part: state ddl temporary
      SessionCatalog copied: currentValues lastSequence sequenceVersion
      SessionCatalog ends: analyzed snapshotView isOwnWork
      SessionCatalog node: services
      SessionRoles part: state
      SessionRoles copied: authenticated authenticatedName authenticatedAsSuperuser identity
          sessionName roleName version planRole
      SessionSettings copied: startValues values version
      SessionSettings ends: changes
      SessionSettings node: guard listener room taken
      TransactionControl part: settings sampler notifications
      TransactionControl copied: fresh
      TransactionControl ends: savepoints state several pending
      TransactionControl node: transaction ddl
      DdlSession pins: commitActions
      DdlSession ends: steps changes addedLabels ownHandles base own
      DdlSession node: services handles transaction identity temporarySchema
      SchemaPath copied: names
      SchemaPath pins: temporary
      SchemaPath part: catalog roles
      SchemaPath node: version role all implicit
      TemporaryTables part: ddl state
      TemporaryTables ends: written
      Portals pins: named unnamed unnamedOpen
      Portals node: memory
      PreparedStatements copied: prepared elsewhere unnamed version
      PreparedStatements node: memory
      EvalContext copied: transactionTimestamp timeZone
      EvalContext ends: parameters statementTimestamp leftSlot rightSlot domainValue stack top scratch
          scratchUsed text
      EvalContext node: extraFloatDigits byteaHex longWork clock random session sequences
          advisory notify regexes
      ExecContext part: eval
      ExecContext copied: maintenanceMemoryBytes workMemoryBytes
      ExecContext ends: transaction snapshot copyInput copyOptions copyProgress workTables
          statementChecks pending instrumentation hasLargeRows
      ExecContext node: engine tables temporaryFiles statementMemory
      StatementRunner part: state utilities recent
      StatementRunner ends: copies simplePortal running
      StatementRunner node: services out transaction context
      UtilityStatements part: state session prepared cursors
      UtilityStatements node: services out
      SqlCursors part: state session
      SqlCursors node: out
      SqlPrepared part: state session
      SqlPrepared node: services out
      SharedQueries part: state recent
      SharedQueries ends: extractor statement
      SharedQueries node: services
      RecentStatements node: byPlan
      SlowStatements copied: thresholdNanos
      SlowStatements ends: unanswered waitedBefore start
      SlowStatements node: context
      TransactionSampler copied: mode
      TransactionSampler ends: touched transfersBefore text values tables isCompared
      TransactionSampler node: node context random rate role left interval changes before
          transactions sampled sampledPages sampledTransfers accessesBefore weight servesOther chose
      ParameterReader ends: formats
      ParameterReader node: context
      """;

  /** Of functions; those that change the session are in {@link #CHANGE}. */
  private static final Set<String> READ =
      Set.of(
          "backendPid",
          "cancelBackend",
          "comment",
          "constraintDefinition",
          "currentDatabase",
          "currentSchema",
          "currentUser",
          "currentValue",
          "currentXid",
          "databaseBytes",
          "hasPrivilege",
          "hasRole",
          "indexDefinition",
          "isRelationVisible",
          "isTypeVisible",
          "keyOwners",
          "lastValue",
          "listening",
          "queueUsage",
          "relationBytes",
          "relationName",
          "relationOid",
          "roleName",
          "roleOid",
          "schemaName",
          "schemaOid",
          "searchPath",
          "serialSequence",
          "sessionUser",
          "setting",
          "sleep",
          "terminateBackend",
          "transactionStatus",
          "typeName",
          "typeOid",
          "version",
          "viewDefinition");

  /**
   * Settings and sequences are copied. Advisory locks of the session pin it, those of the
   * transaction end with it, as do its notifications.
   */
  private static final Set<String> CHANGE =
      Set.of(
          "setSetting", "nextValue", "setValue", "lock", "tryLock", "unlock", "unlockAll", "tell");

  private static final List<Class<?>> PARTS =
      List.of(
          Session.class,
          CurrentMessage.class,
          SessionState.class,
          SessionMoves.class,
          SessionNotifications.class,
          SessionCatalog.class,
          SessionRoles.class,
          SchemaPath.class,
          SessionSettings.class,
          TransactionControl.class,
          DdlSession.class,
          TemporaryTables.class,
          Portals.class,
          PreparedStatements.class,
          EvalContext.class,
          ExecContext.class,
          StatementRunner.class,
          UtilityStatements.class,
          SqlCursors.class,
          SqlPrepared.class,
          SharedQueries.class,
          RecentStatements.class,
          SlowStatements.class,
          TransactionSampler.class,
          ParameterReader.class);

  @Test
  void allThatASessionKeepsIsRegistered() {
    Map<String, String> registered = registered();
    Map<String, String> found = new TreeMap<>();
    for (Class<?> part : PARTS) {
      for (Field field : part.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers()) && !field.isSynthetic()) {
          String name = part.getSimpleName() + "." + field.getName();
          boolean isPart = PARTS.contains(field.getType());
          String said = registered.getOrDefault(name, "nobody has said what becomes of it");
          found.put(name, isPart ? "part" : said.equals("part") ? "is no part" : said);
        }
      }
    }
    assertEquals(registered, found);
  }

  private static Map<String, String> registered() {
    Map<String, String> fates = new TreeMap<>();
    String[] heading = {};
    for (String line : FIELDS.split("\n")) {
      String names = line;
      if (line.contains(":")) {
        heading = line.substring(0, line.indexOf(':')).split(" ");
        names = line.substring(line.indexOf(':') + 1);
      }
      for (String name : names.strip().split(" +")) {
        fates.put(heading[0] + "." + name, heading[1]);
      }
    }
    return fates;
  }

  /** All that functions can do with their session. */
  @Test
  void whatFunctionsDoWithTheSessionIsRegistered() {
    Set<String> found = new TreeSet<>();
    for (Class<?> access :
        List.of(
            SessionInfo.class, SequenceAccess.class, AdvisoryAccess.class, NotifyAccess.class)) {
      Arrays.stream(access.getDeclaredMethods())
          .filter(method -> !method.isSynthetic() && !Modifier.isPrivate(method.getModifiers()))
          .map(Method::getName)
          .forEach(found::add);
    }
    Set<String> registered = new TreeSet<>(READ);
    registered.addAll(CHANGE);
    assertEquals(registered, found);
  }

  @Test
  void whatGaussDoesNotKnowYetKeepsTheSessionWhereItIs() {
    assertEquals(LeftBehind.STAYS, LeftBehind.by(new PgStatement.Unsupported("LOAD", "LOAD 'x'")));
  }
}
