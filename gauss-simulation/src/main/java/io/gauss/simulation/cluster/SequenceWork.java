package io.gauss.simulation.cluster;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** Sequences, whose values nobody is told twice. A transaction of their own is seldom needed. */
final class SequenceWork implements Workload {
  private static final int SEQUENCES = 3;

  private final Set<String> given = new HashSet<>();

  @Override
  public List<String> tables() {
    return IntStream.range(0, SEQUENCES).mapToObj(i -> "CREATE SEQUENCE drawn" + i).toList();
  }

  @Override
  public void turn(Visit visit) {
    boolean inBlock = visit.random().nextInt(4) == 0;
    if (inBlock) {
      visit.ask("BEGIN");
    }
    for (int i = 1 + visit.random().nextInt(3); i > 0; i--) {
      int sequence = visit.random().nextInt(SEQUENCES);
      Answer answer = visit.ask(next(sequence));
      if (answer.succeeded()) {
        note(sequence, answer, visit::wrong);
      }
    }
    if (inBlock) {
      visit.ask(visit.random().nextBoolean() ? "COMMIT" : "ROLLBACK");
    }
    visit.rollBack();
  }

  private static String next(int sequence) {
    return "SELECT nextval('drawn" + sequence + "')";
  }

  private void note(int sequence, Answer answer, Consumer<String> wrong) {
    if (!given.add(sequence + ":" + answer.rows().getFirst())) {
      wrong.accept("got " + answer + " of sequence " + sequence + ", which was given already");
    }
  }

  @Override
  public void check(int node, ClientConnection connection, Consumer<String> wrong) {
    for (int sequence = 0; sequence < SEQUENCES; sequence++) {
      note(sequence, Workers.must(connection, next(sequence)), wrong);
    }
  }
}
