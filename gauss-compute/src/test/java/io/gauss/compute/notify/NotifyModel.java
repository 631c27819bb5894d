package io.gauss.compute.notify;

import io.gauss.common.explore.Exploration;
import io.gauss.common.explore.Exploration.Steps;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * A session of node X begins to listen and then reads, while a transaction of node Y notifies. Y
 * may die at any moment, and be back; then it has another transaction. Messages of each direction
 * arrive in order, and those of a life that X knows to be over do not arrive.
 *
 * <p>X's clock is what it has to see: it passes the transaction's CSN with any message that Y sends
 * after it has reserved that, with the transaction's visibility (rule 4), and with Y's sealed
 * stream; X reads nothing before that is there.
 *
 * <p>Forbidden: a transaction is committed, the session has read without seeing it, and X will
 * never tell it. And: X tells what is not committed.
 */
final class NotifyModel implements Exploration.Model<NotifyModel.State> {
  /** Rules that can be left out, to show that they are needed. */
  enum Rule {
    /** The CSN is reserved when all who listen have the notifications. */
    TOLD_BEFORE_CSN,
    /** HEARD is sent when those that had looked before have reserved their CSNs, or ended. */
    HEARD_AFTER_THOSE_UNDER_WAY,
    /** LISTEN is answered when Y has sent HEARD, or is dead. */
    LISTEN_WAITS,
    /** The outcome is asked for when Y is dead. */
    ASK_FOR_OUTCOMES,
    /** Y asks who listens before it commits anything that notifies. */
    WHO_STARTS_ASKS
  }

  /** What becomes of the transaction, on Y. */
  enum Txn {
    NOT_BEGUN,
    /** It has looked, and nobody listens. */
    LOOKED,
    /** It has looked, and tells X. */
    TELLS,
    TAKEN,
    /** Its CSN is in the log's memory. */
    RESERVED,
    DURABLE,
    VISIBLE,
    ABORTED
  }

  /** What X has of it. */
  enum Queue {
    NOTHING,
    UNDECIDED,
    TOLD,
    DROPPED
  }

  enum Session {
    IDLE,
    BEGINS,
    LISTENS,
    READ_WITHOUT,
    READ_WITH
  }

  /** Messages; of Y with whether its clock has passed the CSN. */
  enum Message {
    LISTENS,
    HEARD,
    HEARD_PAST_CSN,
    TELL,
    TAKEN,
    DECIDED,
    ASK,
    ANSWER
  }

  /**
   * @param life of Y, from 1 on; even while it is dead: 2 = dead, 3 = back
   * @param xKnows the life of Y that X knows
   * @param isSealed whether Y's stream of life 1 is sealed, once it is dead
   * @param yKnows whether Y knows that X listens
   * @param yAsked whether Y has its answer from X
   * @param owesHeard whether Y has to send HEARD yet
   * @param hasLooked whether the transaction had looked before that
   * @param passed whether X's clock has passed the CSN
   */
  record State(
      int life,
      int xKnows,
      boolean isSealed,
      boolean yKnows,
      boolean yAsked,
      boolean owesHeard,
      Txn txn,
      Queue queue,
      Session session,
      boolean heard,
      boolean passed,
      List<Message> toY,
      List<Message> toX) {}

  private final Set<Rule> rules;
  private final boolean returns;

  private NotifyModel(Set<Rule> rules, boolean returns) {
    this.rules = rules;
    this.returns = returns;
  }

  /**
   * @param returns the transaction is of Y's second life, and X may listen since the first
   */
  static NotifyModel withAllRules(boolean returns) {
    return new NotifyModel(EnumSet.allOf(Rule.class), returns);
  }

  static NotifyModel without(Rule rule, boolean returns) {
    return new NotifyModel(EnumSet.complementOf(EnumSet.of(rule)), returns);
  }

  private boolean on(Rule rule) {
    return rules.contains(rule);
  }

  @Override
  public State initial() {
    return new State(
        1,
        1,
        false,
        false,
        true,
        false,
        Txn.NOT_BEGUN,
        Queue.NOTHING,
        Session.IDLE,
        false,
        false,
        List.of(),
        List.of());
  }

  @Override
  public String violation(State s) {
    boolean isCommitted = s.txn == Txn.VISIBLE || s.txn == Txn.DURABLE && !isAlive(s) && s.isSealed;
    boolean mayCome = s.queue == Queue.UNDECIDED || s.queue == Queue.TOLD;
    if (isCommitted && s.session == Session.READ_WITHOUT && !mayCome) {
      return "the session has neither read it nor will it be told";
    }
    if (s.queue == Queue.TOLD && !isCommitted) {
      return "it is told and not committed";
    }
    return null;
  }

  /** Whether the life in which the transaction is lasts. */
  private boolean isAlive(State s) {
    return s.life == (returns ? 3 : 1);
  }

  @Override
  public void steps(State s, Steps<State> steps) {
    ofX(s, steps);
    if (s.life % 2 == 1) {
      ofY(s, steps);
      ofTransaction(s, steps);
      steps.addIf(s.life == 1, "Y dies", () -> dies(s));
    }
    // The log may have been forced by storage nodes although Y is dead.
    steps.addIf(
        s.life == 2 && !returns && s.txn == Txn.RESERVED && !s.isSealed,
        "the append arrives",
        () -> new Edit(s).txn(Txn.DURABLE).state());
    steps.addIf(s.life == 2 && !s.isSealed, "Y's stream is sealed", () -> seals(s));
    steps.addIf(s.life == 2 && s.isSealed && returns && s.xKnows == 2, "Y is back", () -> back(s));
  }

  // ---------------------------------------------------------------- node X

  private void ofX(State s, Steps<State> steps) {
    steps.addIf(
        s.session == Session.IDLE,
        "LISTEN",
        () -> {
          Edit edit = new Edit(s).session(Session.BEGINS);
          return (s.xKnows == s.life && s.life % 2 == 1 ? edit.toY(Message.LISTENS) : edit).state();
        });
    boolean mayReturn = !on(Rule.LISTEN_WAITS) || s.heard || s.xKnows == 2;
    steps.addIf(
        s.session == Session.BEGINS && mayReturn,
        "LISTEN is answered",
        () -> new Edit(s).session(Session.LISTENS).state());
    boolean mayRead = s.xKnows == 1 || s.isSealed;
    steps.addIf(
        s.session == Session.LISTENS && mayRead,
        "the session reads",
        () -> new Edit(s).session(s.passed ? Session.READ_WITH : Session.READ_WITHOUT).state());
    steps.addIf(
        s.life > s.xKnows && s.xKnows == 1,
        "X hears that Y is dead",
        () -> {
          Edit edit = new Edit(s).xKnows(2).toX(List.of());
          boolean drops = s.queue == Queue.UNDECIDED && !on(Rule.ASK_FOR_OUTCOMES);
          return (drops ? edit.queue(Queue.DROPPED) : edit).state();
        });
    steps.addIf(
        s.queue == Queue.UNDECIDED && s.xKnows >= 2 && s.isSealed && !returns,
        "X learns the outcome",
        () ->
            new Edit(s)
                .passed(true)
                .queue(s.txn == Txn.DURABLE || s.txn == Txn.VISIBLE ? Queue.TOLD : Queue.DROPPED)
                .state());
    boolean mayGet = s.xKnows == s.life || s.life == 2 && s.xKnows == 1;
    steps.addIf(!s.toX.isEmpty() && mayGet, "X gets " + first(s.toX), () -> xGets(s));
  }

  private static Message first(List<Message> messages) {
    return messages.isEmpty() ? null : messages.getFirst();
  }

  private State xGets(State s) {
    Edit edit = new Edit(s).toX(s.toX.subList(1, s.toX.size()));
    return switch (s.toX.getFirst()) {
      case HEARD -> edit.heard(true).state();
      case HEARD_PAST_CSN -> edit.heard(true).passed(true).state();
      case TELL -> edit.queue(Queue.UNDECIDED).toY(Message.TAKEN).state();
      case DECIDED ->
          edit.passed(true).queue(s.queue == Queue.UNDECIDED ? Queue.TOLD : s.queue).state();
      case ASK -> edit.toY(s.session == Session.IDLE ? Message.ANSWER : Message.LISTENS).state();
      default -> throw new IllegalStateException(s.toX.getFirst() + " to X");
    };
  }

  // ---------------------------------------------------------------- node Y

  private void ofY(State s, Steps<State> steps) {
    steps.addIf(!s.toY.isEmpty(), "Y gets " + first(s.toY), () -> yGets(s));
    steps.addIf(
        s.owesHeard && (!on(Rule.HEARD_AFTER_THOSE_UNDER_WAY) || !isUnderWay(s)),
        "Y sends HEARD",
        () -> {
          boolean isPast = s.txn.compareTo(Txn.RESERVED) >= 0 && s.txn != Txn.ABORTED;
          return new Edit(s)
              .owesHeard(false)
              .toX(isPast && isAlive(s) ? Message.HEARD_PAST_CSN : Message.HEARD)
              .state();
        });
  }

  private static boolean isUnderWay(State s) {
    return s.txn == Txn.LOOKED || s.txn == Txn.TELLS || s.txn == Txn.TAKEN;
  }

  private State yGets(State s) {
    Edit edit = new Edit(s).toY(s.toY.subList(1, s.toY.size()));
    return switch (s.toY.getFirst()) {
      case LISTENS -> edit.yKnows(true).yAsked(true).owesHeard(true).state();
      case ANSWER -> edit.yAsked(true).state();
      case TAKEN -> (s.txn == Txn.TELLS ? edit.txn(Txn.TAKEN) : edit).state();
      default -> throw new IllegalStateException(s.toY.getFirst() + " to Y");
    };
  }

  private void ofTransaction(State s, Steps<State> steps) {
    if (!isAlive(s)) {
      return;
    }
    boolean mayLook = s.yAsked || !on(Rule.WHO_STARTS_ASKS);
    steps.addIf(
        s.txn == Txn.NOT_BEGUN && mayLook,
        "the transaction looks who listens",
        () ->
            s.yKnows
                ? new Edit(s).txn(Txn.TELLS).toX(Message.TELL).state()
                : new Edit(s).txn(Txn.LOOKED).state());
    boolean isTold =
        s.txn == Txn.LOOKED
            || s.txn == Txn.TAKEN
            || s.txn == Txn.TELLS && !on(Rule.TOLD_BEFORE_CSN);
    steps.addIf(isTold, "it reserves its CSN", () -> new Edit(s).txn(Txn.RESERVED).state());
    steps.addIf(isUnderWay(s), "it is aborted", () -> aborts(s));
    steps.addIf(s.txn == Txn.RESERVED, "it is durable", () -> new Edit(s).txn(Txn.DURABLE).state());
    // All clocks have passed it, X's too.
    steps.addIf(
        s.txn == Txn.DURABLE && s.xKnows == s.life,
        "it is visible",
        () -> new Edit(s).txn(Txn.VISIBLE).passed(true).toX(Message.DECIDED).state());
  }

  private State aborts(State s) {
    Edit edit = new Edit(s).txn(Txn.ABORTED);
    // What X has of it is dropped by a message; nothing else follows from that.
    return edit.state();
  }

  private State dies(State s) {
    boolean isLost = s.txn.compareTo(Txn.RESERVED) < 0 && s.txn != Txn.NOT_BEGUN;
    Edit edit = new Edit(s).life(2).toY(List.of()).owesHeard(false);
    return (isLost && !returns ? edit.txn(Txn.ABORTED) : edit).state();
  }

  private State seals(State s) {
    Edit edit = new Edit(s).isSealed(true);
    if (returns) {
      return edit.state();
    }
    return switch (s.txn) {
      case DURABLE, VISIBLE -> edit.passed(true).state();
      case RESERVED -> edit.txn(Txn.ABORTED).state();
      default -> edit.state();
    };
  }

  private State back(State s) {
    Edit edit = new Edit(s).life(3).xKnows(3).yKnows(false).toY(List.of()).toX(List.of());
    edit.heard(s.session != Session.IDLE);
    return edit.yAsked(false).toX(Message.ASK).state();
  }

  /** A changed copy of a state. */
  private static final class Edit {
    private int life;
    private int xKnows;
    private boolean isSealed;
    private boolean yKnows;
    private boolean yAsked;
    private boolean owesHeard;
    private Txn txn;
    private Queue queue;
    private Session session;
    private boolean heard;
    private boolean passed;
    private List<Message> toY;
    private List<Message> toX;

    Edit(State s) {
      life = s.life;
      xKnows = s.xKnows;
      isSealed = s.isSealed;
      yKnows = s.yKnows;
      yAsked = s.yAsked;
      owesHeard = s.owesHeard;
      txn = s.txn;
      queue = s.queue;
      session = s.session;
      heard = s.heard;
      passed = s.passed;
      toY = s.toY;
      toX = s.toX;
    }

    State state() {
      return new State(
          life, xKnows, isSealed, yKnows, yAsked, owesHeard, txn, queue, session, heard, passed,
          toY, toX);
    }

    Edit life(int now) {
      life = now;
      return this;
    }

    Edit xKnows(int now) {
      xKnows = now;
      return this;
    }

    Edit isSealed(boolean now) {
      isSealed = now;
      return this;
    }

    Edit yKnows(boolean now) {
      yKnows = now;
      return this;
    }

    Edit yAsked(boolean now) {
      yAsked = now;
      return this;
    }

    Edit owesHeard(boolean now) {
      owesHeard = now;
      return this;
    }

    Edit txn(Txn now) {
      txn = now;
      return this;
    }

    Edit queue(Queue now) {
      queue = now;
      return this;
    }

    Edit session(Session now) {
      session = now;
      return this;
    }

    Edit heard(boolean now) {
      heard = now;
      return this;
    }

    Edit passed(boolean now) {
      passed = now;
      return this;
    }

    Edit toY(List<Message> now) {
      toY = List.copyOf(now);
      return this;
    }

    Edit toX(List<Message> now) {
      toX = List.copyOf(now);
      return this;
    }

    Edit toY(Message message) {
      toY = with(toY, message);
      return this;
    }

    Edit toX(Message message) {
      toX = with(toX, message);
      return this;
    }

    private static List<Message> with(List<Message> before, Message last) {
      List<Message> all = new ArrayList<>(before);
      all.add(last);
      return List.copyOf(all);
    }
  }
}
