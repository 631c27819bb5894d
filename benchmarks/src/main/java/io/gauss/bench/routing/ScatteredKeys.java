package io.gauss.bench.routing;

import java.util.List;
import java.util.SplittableRandom;

/**
 * Members of tenants: the rows of a tenant lie together, but transactions refer to members by ids
 * in another order, so that neighbouring ids belong to different tenants. An exact map of ids to
 * nodes has a range of ten bytes for nearly each of them: with 400,000 ids four times the megabyte
 * that a table may have.
 *
 * <p>A transaction reads one member and updates two more of the same tenant.
 */
public final class ScatteredKeys extends OwnTables {
  /** In which order ids are given to tenants. */
  public enum Order {
    /** In turn, as by a sequence: there is a rule that can be learned. */
    DEALT,
    /** At random: there is none. */
    SHUFFLED;

    private String table() {
      return this == DEALT ? "member_dealt" : "member_shuffled";
    }
  }

  private static final int UPDATES = 2;
  private static final long SHUFFLING_SEED = 42;

  private final Order order;
  private final int tenants;
  private final int[] places; // by id
  private final int[] ids; // by place

  /**
   * @param members a multiple of {@code tenants}
   */
  public ScatteredKeys(Order order, int members, int tenants) {
    this(order, tenants, places(order, members, tenants), new int[members]);
  }

  private ScatteredKeys(Order order, int tenants, int[] places, int[] ids) {
    super(
        List.of(
            new FilledTable(
                order.table(),
                "place int PRIMARY KEY, id int NOT NULL, points int NOT NULL, note varchar(30)",
                ids.length,
                4,
                place ->
                    new Object[] {
                      place,
                      ids[place],
                      0,
                      "member of tenant " + places[ids[place]] / (ids.length / tenants)
                    },
                List.of("CREATE UNIQUE INDEX ON %s (id)"))),
        false);
    this.order = order;
    this.tenants = tenants;
    this.places = places;
    this.ids = ids;
    for (int id = 0; id < ids.length; id++) {
      ids[places[id]] = id;
    }
  }

  private static int[] places(Order order, int members, int tenants) {
    if (members % tenants != 0) {
      throw new IllegalArgumentException(members + " members for " + tenants + " tenants");
    }
    int[] places = new int[members];
    int each = members / tenants;
    for (int id = 0; id < members; id++) {
      places[id] = order == Order.DEALT ? id % tenants * each + id / tenants : id;
    }
    if (order == Order.SHUFFLED) {
      SplittableRandom random = new SplittableRandom(SHUFFLING_SEED);
      for (int i = members - 1; i > 0; i--) {
        int other = random.nextInt(i + 1);
        int place = places[i];
        places[i] = places[other];
        places[other] = place;
      }
    }
    return places;
  }

  /** The tenant to which a member belongs. */
  int tenant(int id) {
    return places[id] / (ids.length / tenants);
  }

  @Override
  public String name() {
    return order == Order.DEALT ? "keys-dealt" : "keys-shuffled";
  }

  @Override
  public int units() {
    return tenants;
  }

  @Override
  public String keyColumn() {
    return order.table() + ".place";
  }

  @Override
  SimpleTerminal.Transaction transactions(int terminal) {
    String read = "SELECT points FROM " + order.table() + " WHERE id = ?";
    String update = "UPDATE " + order.table() + " SET points = points + 1 WHERE id = ?";
    int each = ids.length / tenants;
    return (statements, random, hint) -> {
      int first = random.nextInt(ids.length);
      int tenant = tenant(first);
      hint.begins(tenant, places[first]);
      statements.read(read, first);
      for (int i = 0; i < UPDATES; i++) {
        statements.update(update, ids[tenant * each + random.nextInt(each)]);
      }
    };
  }
}
