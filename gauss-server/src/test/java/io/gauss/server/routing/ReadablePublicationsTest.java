package io.gauss.server.routing;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.compute.routing.data.GroupOwners;
import io.gauss.compute.routing.data.PublishedRouting;
import io.gauss.jdbc.routing.model.ColumnProfile;
import io.gauss.jdbc.routing.model.FeatureEncoder;
import io.gauss.jdbc.routing.model.GroupRange;
import io.gauss.jdbc.routing.model.JavaEngine;
import io.gauss.jdbc.routing.model.KnownKeys;
import io.gauss.jdbc.routing.model.Layer;
import io.gauss.jdbc.routing.model.ModelSnapshot;
import io.gauss.jdbc.routing.model.ModelTemplate;
import io.gauss.jdbc.routing.model.NodeShare;
import io.gauss.jdbc.routing.model.Publication;
import io.gauss.jdbc.routing.model.PublicationException;
import io.gauss.jdbc.routing.model.PublicationSources;
import io.gauss.jdbc.routing.model.RoutingModel;
import io.gauss.jdbc.routing.model.RoutingTable;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;

/** What roles see of a publication with values of two tables, of which they may read one. */
class ReadablePublicationsTest {
  private static final int ORDERS = 16_384;
  private static final int SALARY = 16_385;
  private static final int MOST = 4 << 20;
  private static final int SETS = 100;

  /** In no other number of the publication. */
  private static final double AMOUNT = 123_456.75;

  private static final String PREFIX = "confidential";
  private static final IntPredicate ORDERS_ONLY = oid -> oid == ORDERS;

  private final RoutingModel model = model();
  private final RoutingTable table =
      new RoutingTable(7, List.of(entry(1, "", 100), entry(2, "", AMOUNT), entry(3, PREFIX, 500)));
  private final PublicationSources sources =
      new PublicationSources(
          Map.of(
              "orders.id",
              new int[] {ORDERS},
              "salary.amount",
              new int[] {SALARY},
              "salary.name",
              new int[] {SALARY, ORDERS}),
          Map.of(1L, "orders.id", 2L, "salary.amount", 3L, "salary.name"),
          places());
  private final ReadablePublications publications = new ReadablePublications();

  private static RoutingTable.Entry entry(long template, String prefix, double bound) {
    ColumnProfile.Kind kind =
        prefix.isEmpty() ? ColumnProfile.Kind.NUMBER : ColumnProfile.Kind.TEXT;
    return new RoutingTable.Entry(
        template, 1, 0, kind, prefix, new double[] {bound}, new short[] {1, 2});
  }

  /** Three templates, of a column each: the second and the third are salaries'. */
  private static RoutingModel model() {
    Random random = new Random(7);
    List<ColumnProfile> columns =
        List.of(
            new ColumnProfile(
                "salary.amount",
                ColumnProfile.Kind.NUMBER,
                "",
                new double[] {AMOUNT, AMOUNT + 1},
                2,
                false),
            new ColumnProfile(
                "orders.id", ColumnProfile.Kind.NUMBER, "", new double[] {1, 1000}, 1000, true),
            new ColumnProfile(
                "salary.name", ColumnProfile.Kind.TEXT, PREFIX, new double[] {1, 2}, 2, false));
    List<ModelTemplate> templates =
        List.of(
            new ModelTemplate(1, new int[] {1}),
            new ModelTemplate(2, new int[] {0}),
            new ModelTemplate(3, new int[] {2}));
    int width = FeatureEncoder.width(3, 3);
    int[] hashes = {KnownKeys.hash(0, 4711L), KnownKeys.hash(1, AMOUNT)};
    Arrays.sort(hashes);
    return new RoutingModel(
        7,
        columns,
        templates,
        List.of(layer(random, width, 5), layer(random, 5, 2)),
        List.of(new GroupRange(1, 9), new GroupRange(10, 19)),
        List.of(
            new NodeShare(1, 0.3f, new float[] {1, 0}), new NodeShare(2, 0.3f, new float[] {0, 1})),
        new KnownKeys(new byte[] {0, 0, 0}, hashes, new byte[] {0, 1}));
  }

  private static byte[] places() {
    return KnownKeys.hash(0, 4711L) < KnownKeys.hash(1, AMOUNT)
        ? new byte[] {0, 1}
        : new byte[] {1, 0};
  }

  private static Layer layer(Random random, int inputs, int outputs) {
    float[] weights = new float[inputs * outputs];
    for (int i = 0; i < weights.length; i++) {
      weights[i] = random.nextFloat();
    }
    return new Layer(inputs, outputs, weights, new float[outputs]);
  }

  private PublishedRouting published(PublicationSources of) {
    return new PublishedRouting(
        7,
        0,
        Publication.write(model),
        Publication.write(table),
        of == null ? null : of.write(),
        GroupOwners.NONE);
  }

  private static boolean contains(byte[] bytes, byte[] part) {
    for (int i = 0; i + part.length <= bytes.length; i++) {
      if (Arrays.equals(bytes, i, i + part.length, part, 0, part.length)) {
        return true;
      }
    }
    return false;
  }

  private static boolean tellsOfSalaries(byte[] content) {
    byte[] amount = ByteBuffer.allocate(8).putDouble(AMOUNT).array();
    byte[] hash = ByteBuffer.allocate(4).putInt(KnownKeys.hash(1, AMOUNT)).array();
    return contains(content, amount)
        || contains(content, hash)
        || contains(content, PREFIX.getBytes(StandardCharsets.UTF_8))
        || contains(content, "salary".getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void whoMayReadAllTablesSeesAllOfIt() {
    PublishedRouting published = published(sources);
    assertSame(published, publications.filter(published, oid -> true));
    assertTrue(tellsOfSalaries(published.model()));
    assertTrue(tellsOfSalaries(published.table()));
  }

  @Test
  void nothingTellsOfValuesOfOtherTables() {
    PublishedRouting left = publications.filter(published(sources), ORDERS_ONLY);
    assertTrue(!tellsOfSalaries(left.model()) && !tellsOfSalaries(left.table()));
  }

  @Test
  void whatMayBeReadIsRoutedAsBefore() throws PublicationException {
    PublishedRouting left = publications.filter(published(sources), ORDERS_ONLY);
    RoutingModel rest = Publication.readModel(left.model(), MOST);
    int[] operators = {0};
    try (ModelSnapshot all = new ModelSnapshot(model, new JavaEngine(model.layers()));
        ModelSnapshot some = new ModelSnapshot(rest, new JavaEngine(rest.layers()))) {
      for (long id : new long[] {3, 500, 4711}) {
        Object[] values = {id};
        assertArrayEquals(
            all.scores(0, operators, values), some.scores(0, operators, values), 1e-6f);
      }
      assertTrue(some.looksUp(0, new Object[] {4711L}));
      assertTrue(all.looksUp(1, new Object[] {AMOUNT}));
      assertTrue(!some.looksUp(1, new Object[] {AMOUNT}));
      assertTrue(!some.encoder().tells(1, new Object[] {AMOUNT}));
    }
    RoutingTable ranges = Publication.readTable(left.table(), MOST);
    assertEquals(2, ranges.node(1, new Object[] {100L}));
    assertEquals(0, ranges.node(2, new Object[] {AMOUNT}));
    assertEquals(0, ranges.node(3, new Object[] {PREFIX}), "of a table that may be read, and more");
  }

  /** So that drivers still ask for the owners of keys. */
  @Test
  void templatesAndUnitsStayWithoutAnyValues() throws PublicationException {
    PublishedRouting left = publications.filter(published(sources), oid -> false);
    RoutingModel rest = Publication.readModel(left.model(), MOST);
    assertEquals(3, rest.templates().size());
    assertEquals(List.of(), rest.columns());
    assertEquals(model.groups(), rest.groups());
    assertEquals(List.of(), Publication.readTable(left.table(), MOST).entries());
  }

  @Test
  void whereNobodyKnowsWhoseValuesTheyAreNobodySeesThem() throws PublicationException {
    PublishedRouting left = publications.filter(published(null), oid -> true);
    assertEquals(List.of(), Publication.readModel(left.model(), MOST).columns());
    PublishedRouting damaged =
        new PublishedRouting(
            8, 0, left.model(), left.table(), new byte[] {1, 2, 3}, GroupOwners.NONE);
    assertNull(publications.filter(damaged, oid -> true).model());
    assertNull(publications.filter(damaged, oid -> true).table());
  }

  @Test
  void theSameRightsSeeTheSameUntilSomethingElseIsPublished() {
    PublishedRouting published = published(sources);
    PublishedRouting left = publications.filter(published, ORDERS_ONLY);
    assertSame(left, publications.filter(published, ORDERS_ONLY));
    assertNotEquals(left, publications.filter(published, oid -> false));
    assertSame(left, publications.filter(published, ORDERS_ONLY));
    publications.filter(published(sources), ORDERS_ONLY);
    assertNotEquals(left, publications.filter(published, ORDERS_ONLY));
  }

  /** Roles of many tenants, each of which may read tables of its own, ask one after the other. */
  @Test
  void whatIsLeftForManyDifferentRightsIsComputedOnce() {
    Map<String, int[]> tables = new HashMap<>(sources.tables());
    for (int table = 0; table < SETS; table++) {
      tables.put("own.column" + table, new int[] {table});
    }
    PublishedRouting published =
        published(new PublicationSources(tables, sources.entries(), sources.keys()));
    List<PublishedRouting> left = new ArrayList<>();
    for (int table = 0; table < SETS; table++) {
      int own = table;
      left.add(publications.filter(published, oid -> oid == own));
    }
    for (int table = 0; table < SETS; table++) {
      int own = table;
      assertSame(left.get(table), publications.filter(published, oid -> oid == own));
    }
  }

  /** Whoever has read it before another one was published. */
  @Test
  void anOlderPublicationDoesNotPutAwayWhatIsKeptOfTheNewest() {
    PublishedRouting older = published(sources);
    PublishedRouting newer =
        new PublishedRouting(8, 0, older.model(), older.table(), older.sources(), GroupOwners.NONE);
    PublishedRouting left = publications.filter(newer, ORDERS_ONLY);
    assertEquals(7, publications.filter(older, ORDERS_ONLY).version());
    assertSame(left, publications.filter(newer, ORDERS_ONLY));
  }

  @Test
  void sourcesAreReadAsTheyWereWritten() throws PublicationException {
    PublicationSources read = PublicationSources.read(sources.write(), MOST);
    assertEquals(sources.entries(), read.entries());
    assertArrayEquals(sources.keys(), read.keys());
    assertEquals(sources.tables().keySet(), read.tables().keySet());
    assertArrayEquals(new int[] {SALARY, ORDERS}, read.tables().get("salary.name"));
  }
}
