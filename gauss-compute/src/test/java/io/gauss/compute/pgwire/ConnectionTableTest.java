package io.gauss.compute.pgwire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.pgwire.ConnectionModel.Thing;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The table of a connection, explored from its start under all events that its surroundings can
 * bring about. That a session ends once, that no thread is started beside another and that nothing
 * is run after TERMINATE is checked by {@link ConnectionModel} on the way.
 */
class ConnectionTableTest {
  private record Cell(ConnectionState state, ConnectionEvent event) {}

  /** Every reachable model with an event and the model before it; the start has none. */
  private static final Map<ConnectionModel, String> REACHED = new LinkedHashMap<>();

  private static final Set<Cell> CELLS = new HashSet<>();

  @BeforeAll
  static void explore() {
    ArrayDeque<ConnectionModel> open = new ArrayDeque<>();
    open.add(ConnectionModel.start());
    REACHED.put(ConnectionModel.start(), "");
    while (!open.isEmpty()) {
      ConnectionModel model = open.remove();
      for (ConnectionEvent event : model.possible()) {
        CELLS.add(new Cell(model.state(), event));
        String path = REACHED.get(model) + " " + event;
        for (ConnectionModel next : after(model, event, path)) {
          if (REACHED.putIfAbsent(next, path) == null) {
            open.add(next);
          }
        }
      }
    }
  }

  private static List<ConnectionModel> after(
      ConnectionModel model, ConnectionEvent event, String path) {
    try {
      return model.after(event);
    } catch (ConnectionModel.Broken e) {
      throw new AssertionError(e.getMessage() + ", after" + path, e);
    }
  }

  @ParameterizedTest
  @EnumSource
  void everyEventHasAStepWhereItCanHappenAndNoneWhereItCannot(ConnectionState state) {
    Set<String> wrong = new TreeSet<>();
    for (ConnectionEvent event : ConnectionEvent.values()) {
      boolean canHappen = CELLS.contains(new Cell(state, event));
      if (canHappen != (ConnectionTable.step(state, event) != null)) {
        wrong.add(event + (canHappen ? " has no step" : " has a step and cannot happen"));
      }
    }
    assertEquals(Set.of(), wrong);
  }

  /** Of one that is not open yet nothing has to be closed but the channel. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "ACCEPTED")
  void aDefectIsSurvivedInEveryState(ConnectionState state) {
    assertNotNull(ConnectionTable.step(state, ConnectionEvent.BROKEN));
  }

  @Test
  void onlyTheLastActionOfAStepHasAnOutcome() {
    for (ConnectionState state : ConnectionState.values()) {
      for (ConnectionEvent event : ConnectionEvent.values()) {
        ConnectionTable.Step step = ConnectionTable.step(state, event);
        for (int i = 0; step != null && i < step.count() - 1; i++) {
          assertFalse(
              step.action(i).hasOutcome(), step.action(i) + " of " + event + " in " + state);
        }
      }
    }
  }

  @Test
  void inPassingTheEventLoopIsInTheMiddleOfAStep() {
    for (ConnectionModel model : REACHED.keySet()) {
      if (model.state().isPassing()) {
        assertTrue(model.outcomeOf() != null, model + " after" + REACHED.get(model));
      }
    }
  }

  @Test
  void aThreadRunsInItsStatesAndInNoOthers() {
    for (ConnectionModel model : REACHED.keySet()) {
      if (model.outcomeOf() != ConnectionAction.START_THREAD) {
        assertEquals(
            model.state().isThreads(),
            model.has(Thing.THREAD_RUNS),
            model + " after" + REACHED.get(model));
      }
    }
  }

  @Test
  void aConnectionThatIsClosedHasEndedItsSessionAndIsForgottenByTheServer() {
    for (ConnectionModel model : REACHED.keySet()) {
      boolean isClosed = model.state() == ConnectionState.CLOSED;
      String what = model + " after" + REACHED.get(model);
      assertEquals(
          isClosed || model.state() == ConnectionState.CLOSING,
          model.has(Thing.SESSION_ENDED),
          what);
      assertEquals(model.state().isGone(), model.has(Thing.RELEASED), what);
      if (isClosed) {
        assertFalse(model.has(Thing.CHANNEL_OPEN), what);
      }
    }
  }

  /** A client that does nothing, not even read, holds up nobody who terminates its session. */
  @Test
  void whateverHasBeenTerminatedClosesByItself() {
    Set<ConnectionModel> terminated = new HashSet<>();
    for (ConnectionModel model : REACHED.keySet()) {
      if (model.has(Thing.TERMINATE_ASKED)) {
        terminated.add(model);
      }
    }
    assertTrue(terminated.size() > 100, "explored " + terminated.size());
    assertEquals(List.of(), thatMayNotClose(terminated));
  }

  /** The same of a channel that is closed, whoever did that. */
  @Test
  void whoseChannelIsClosedEndsByItself() {
    Set<ConnectionModel> gone = new HashSet<>();
    for (ConnectionModel model : REACHED.keySet()) {
      if (model.has(Thing.RELEASED)) {
        gone.add(model);
      }
    }
    assertEquals(List.of(), thatMayNotClose(gone));
  }

  /**
   * Those of which not every path of events that are due ends in CLOSED: found by taking away,
   * again and again, those all of whose next ones are taken away.
   */
  private static List<String> thatMayNotClose(Set<ConnectionModel> from) {
    Map<ConnectionModel, List<ConnectionModel>> left = new HashMap<>();
    ArrayDeque<ConnectionModel> open = new ArrayDeque<>(from);
    while (!open.isEmpty()) {
      ConnectionModel model = open.remove();
      if (model.state() == ConnectionState.CLOSED || left.containsKey(model)) {
        continue;
      }
      List<ConnectionModel> next = new ArrayList<>();
      for (ConnectionEvent event : model.due()) {
        next.addAll(model.after(event));
      }
      left.put(model, next);
      open.addAll(next);
    }
    boolean isSmaller = true;
    while (isSmaller) {
      isSmaller =
          left.entrySet()
              .removeIf(
                  entry ->
                      !entry.getValue().isEmpty()
                          && entry.getValue().stream().noneMatch(left::containsKey));
    }
    return left.keySet().stream().map(model -> model + " after" + REACHED.get(model)).toList();
  }

  @Test
  void aSessionIsNotPutOutForIdlenessWhileItsAnswerWaits() {
    for (ConnectionModel model : REACHED.keySet()) {
      if (model.has(Thing.IDLE_TIMER) && model.outcomeOf() == null) {
        assertTrue(
            model.state() == ConnectionState.IDLE || model.state() == ConnectionState.SLOW,
            model + " after" + REACHED.get(model));
      }
    }
  }
}
