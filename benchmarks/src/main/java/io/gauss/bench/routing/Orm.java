package io.gauss.bench.routing;

import io.gauss.bench.Zipf;
import io.gauss.bench.routing.RoutedWorkload.UnitHint;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * An application over an object-relational mapper: 500 statements over a dozen tables, as Hibernate
 * and Django write them: by id, by foreign key, with a list of ids, and updates of all columns or
 * of some. Each of a transaction's statements is one of them, some far more frequent than others,
 * about the rows of one customer; the last one is an update. Units are customers with neighbouring
 * numbers.
 */
public final class Orm extends OwnTables {
  /** Statements in all. */
  static final int TEMPLATES = 500;

  private static final List<String> ENTITIES =
      List.of(
          "customer",
          "address",
          "contract",
          "invoice",
          "item",
          "payment",
          "product",
          "shipment",
          "ticket",
          "note",
          "visit",
          "device");

  private static final int COLUMNS = 8;
  private static final int PER_CUSTOMER = 4;
  private static final int UNITS = 60;
  private static final int STATEMENTS = 4;
  private static final int IN_LIST = 3;
  private static final double SKEW = 0.8;
  private static final int MOST_VALUE = 1000;

  /** What a statement is about. */
  private enum Kind {
    BY_ID,
    BY_CUSTOMER,
    IN,
    UPDATE
  }

  /**
   * @param columns which it reads or sets
   */
  private record Mapped(Kind kind, String text, int columns) {}

  private final int customers;
  private final List<Mapped> reads = new ArrayList<>();
  private final List<Mapped> updates = new ArrayList<>();

  /**
   * @param customers at least as many as there are units
   */
  public Orm(int customers) {
    super(ENTITIES.stream().map(entity -> table(entity, customers)).toList(), false);
    this.customers = customers;
    for (int i = 0; i < TEMPLATES; i++) {
      int variant = i / ENTITIES.size();
      int kinds = Kind.values().length;
      // First all columns, then all but some.
      Mapped mapped =
          mapped(
              Kind.values()[variant % kinds],
              ENTITIES.get(i % ENTITIES.size()),
              (1 << COLUMNS) - 1 - variant / kinds);
      (mapped.kind == Kind.UPDATE ? updates : reads).add(mapped);
    }
  }

  private static FilledTable table(String entity, int customers) {
    StringBuilder columns = new StringBuilder("id bigint PRIMARY KEY, customer_id bigint NOT NULL");
    for (int c = 0; c < COLUMNS; c++) {
      columns.append(", c").append(c).append(c % 2 == 0 ? " int" : " varchar(30)");
    }
    return new FilledTable(
        "orm_" + entity,
        columns.toString(),
        customers * PER_CUSTOMER,
        COLUMNS + 2,
        row -> {
          Object[] values = new Object[COLUMNS + 2];
          values[0] = (long) row;
          values[1] = (long) (row / PER_CUSTOMER);
          for (int c = 0; c < COLUMNS; c++) {
            values[c + 2] = value(c, row);
          }
          return values;
        },
        List.of("CREATE INDEX ON %s (customer_id)"));
  }

  private static Object value(int column, int any) {
    return column % 2 == 0 ? (Object) any : "value " + any;
  }

  /**
   * The statement that has these columns.
   *
   * @param number its bits say which columns, as far as there are
   */
  private static Mapped mapped(Kind kind, String entity, int number) {
    List<String> chosen =
        IntStream.range(0, COLUMNS)
            .filter(c -> (number >> c & 1) != 0)
            .mapToObj(c -> "c" + c)
            .toList();
    String alias = entity.charAt(0) + "1_0";
    String select =
        "SELECT "
            + alias
            + ".id, "
            + alias
            + ".customer_id"
            + String.join("", chosen.stream().map(c -> ", " + alias + "." + c).toList())
            + " FROM orm_"
            + entity
            + " "
            + alias
            + " WHERE "
            + alias;
    String text =
        switch (kind) {
          case BY_ID -> select + ".id = ?";
          case BY_CUSTOMER -> select + ".customer_id = ?";
          case IN -> select + ".id IN (?" + ", ?".repeat(IN_LIST - 1) + ")";
          case UPDATE ->
              "UPDATE orm_"
                  + entity
                  + " SET "
                  + String.join(" = ?, ", chosen)
                  + " = ? WHERE id = ?";
        };
    return new Mapped(kind, text, number);
  }

  /** All texts. */
  List<String> texts() {
    List<String> texts = new ArrayList<>();
    reads.forEach(mapped -> texts.add(mapped.text));
    updates.forEach(mapped -> texts.add(mapped.text));
    return texts;
  }

  @Override
  public String name() {
    return "orm-500-templates";
  }

  @Override
  public int units() {
    return UNITS;
  }

  @Override
  public String keyColumn() {
    return "orm_contract.id";
  }

  @Override
  SimpleTerminal.Transaction transactions(int terminal) {
    Zipf whichRead = new Zipf(reads.size(), SKEW, new SplittableRandom(terminal));
    Zipf whichUpdate = new Zipf(updates.size(), SKEW, new SplittableRandom(-terminal));
    return (statements, random, hint) -> {
      List<Mapped> chosen = new ArrayList<>();
      for (int i = 1; i < STATEMENTS; i++) {
        chosen.add(reads.get(whichRead.next()));
      }
      chosen.add(updates.get(whichUpdate.next()));
      work(chosen, statements, random, hint);
    };
  }

  private void work(
      List<Mapped> chosen, ClientStatements statements, SplittableRandom random, UnitHint hint)
      throws SQLException {
    long customer = random.nextInt(customers);
    hint.begins((int) (customer * UNITS / customers), customer * PER_CUSTOMER);
    long first = customer * PER_CUSTOMER;
    for (Mapped mapped : chosen) {
      long id = first + random.nextInt(PER_CUSTOMER);
      switch (mapped.kind) {
        case BY_ID -> statements.read(mapped.text, id);
        case BY_CUSTOMER -> statements.read(mapped.text, customer);
        case IN -> statements.read(mapped.text, first, first + 1, first + 2);
        case UPDATE -> statements.update(mapped.text, values(mapped, id, random));
      }
    }
  }

  private static Object[] values(Mapped update, long id, SplittableRandom random) {
    List<Object> values = new ArrayList<>();
    for (int c = 0; c < COLUMNS; c++) {
      if ((update.columns >> c & 1) != 0) {
        values.add(value(c, random.nextInt(MOST_VALUE)));
      }
    }
    values.add(id);
    return values.toArray();
  }
}
