package io.gauss.memory.holder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.gauss.common.error.GaussException;
import io.gauss.common.error.SqlState;
import io.gauss.common.id.Lsn;
import io.gauss.common.page.PageLayout;
import io.gauss.memory.bucket.AppliedMarks;
import io.gauss.memory.cache.SlotLayout;
import io.gauss.memory.coherence.HolderPage;
import io.gauss.memory.coherence.HolderPage.Right;
import io.gauss.memory.coherence.Mode;
import io.gauss.memory.directory.PageDirectory;
import io.gauss.memory.home.BucketHomes;
import io.gauss.memory.wire.FromHolder;
import io.gauss.memory.wire.FromHome;
import io.gauss.memory.wire.Outbox;
import io.gauss.memory.wire.PageMessage;
import io.gauss.memory.wire.PageMessageLayout;
import io.gauss.memory.wire.ToCompute;
import io.gauss.memory.wire.ToHome;
import io.gauss.storage.map.api.PageBuckets;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;

/**
 * A cluster of page homes and holders in one thread. A page's content is its LSN. One step at a
 * time is drawn from all possible ones; each ordered pair of nodes has a queue.
 *
 * <p>Page stores lag ({@link LaggingStore}). A node's log becomes durable only when a page has to
 * leave, so that at a death much is lost. Directories may be too small for all pages, and bytes may
 * arrive spoiled.
 *
 * <p>Checked at every step: a node that may read a page has the newest version of it, and at most
 * one owns it. Checked at the end: every request for a page was granted.
 */
final class PagesFuzz implements AutoCloseable {
  private static final int NODES = 3;
  private static final int HOMES = 2;
  private static final int PAGES = 12;
  private static final int EPOCH_BITS = 8;
  private static final int NUMBER_BITS = 24;

  private static final int MOST_ROOM_MADE = 1000;

  /** Fewer than pages, so that bytes are evicted. */
  private static final long CACHED = 5;

  private static final UnpooledByteBufAllocator ALLOCATOR = new UnpooledByteBufAllocator(false);

  /**
   * Numbers of faults.
   *
   * @param spoiled of so many pages that arrive the bytes of one cannot be used; 0 = of none
   * @param room entries of a home's directory
   */
  record Faults(int deaths, int moves, int spoiled, int room) {
    Faults(int deaths, int moves) {
      this(deaths, moves, 0, 1000);
    }
  }

  private record Route(boolean fromHome, int from, int fromEpoch, boolean toHome, int to) {}

  private final long seed;
  private final Random random;
  private final Faults left;
  private int deathsLeft;
  private int movesLeft;
  private final long[] pages = new long[PAGES];
  private final int[] buckets;
  private final Node[] nodes = new Node[NODES + 1];
  private final Home[] homes = new Home[HOMES];
  private final Map<Integer, Integer> homeOf = new HashMap<>();
  private final Map<Route, ArrayDeque<ByteBuf>> queues = new java.util.LinkedHashMap<>();
  private final Map<Long, Long> newest = new HashMap<>();
  private final LaggingStore store;
  private long mapVersion;
  private long counter;
  private int writes;
  private int reads;
  private int deaths;
  private int shut;
  private int nodeEpochs;

  /** Deaths that are being installed, by slot. */
  private final NavigableMap<Integer, Dying> dying = new TreeMap<>();

  /** A death, and the slots of those that have installed it. */
  private record Dying(int epoch, Set<Integer> installed) {}

  private final TreeSet<Integer> moving = new TreeSet<>(); // buckets that no home serves

  PagesFuzz(long seed, Faults faults) {
    this.seed = seed;
    this.random = new Random(seed);
    this.store = new LaggingStore(NODES, random);
    this.left = faults;
    this.deathsLeft = faults.deaths;
    this.movesLeft = faults.moves;
    for (int i = 0; i < PAGES; i++) {
      // Some share an extent and so a bucket.
      pages[i] = (7L << 32) + (i / 3) * 1000L + i % 3 + 1;
    }
    buckets = Arrays.stream(pages).mapToInt(PageBuckets::of).distinct().toArray();
    for (int i = 0; i < HOMES; i++) {
      homes[i] = new Home(i);
    }
    for (int slot = 1; slot <= NODES; slot++) {
      start(slot);
    }
    while (joinOne()) {
      counter++;
    }
    for (int bucket : buckets) {
      take(bucket);
    }
  }

  int writes() {
    return writes;
  }

  int reads() {
    return reads;
  }

  int deaths() {
    return deaths;
  }

  /** How often a bucket was found that had no room. */
  int shut() {
    return shut;
  }

  @Override
  public String toString() {
    return "seed %d: %d writes, %d reads, %d deaths, %s left"
        .formatted(seed, writes, reads, deaths, left);
  }

  private void start(int slot) {
    register(slot);
    tellHomesOf(nodes[slot]);
  }

  private void register(int slot) {
    nodes[slot] = new Node(slot, ++nodeEpochs);
    mapVersion++;
  }

  private void tellHomesOf(Node node) {
    for (Home home : homes) {
      home.news.add(() -> home.buckets.joined(node.slot, node.epoch));
    }
  }

  /** One more node has made a joining one its receiver; after the last one it takes part. */
  private boolean joinOne() {
    for (Node node : nodes) {
      if (node != null && !node.isUp) {
        for (Node other : nodes) {
          if (other != null && other != node && node.knownTo.add(other.epoch)) {
            other.joined(node);
            node.joined(other);
            return true;
          }
        }
        node.isUp = true;
        return true;
      }
    }
    return false;
  }

  // ---- possible steps

  void run(int steps) {
    for (int i = 0; i < steps; i++) {
      int what = random.nextInt(100);
      if (what < 62) {
        deliverOne();
      } else if (what < 72) {
        later();
      } else if (what < 95) {
        work();
      } else if (what < 98) {
        evict();
      } else if (random.nextInt(steps) < 40 * (left.deaths + left.moves)) {
        fault();
      }
      if (!dying.isEmpty() && random.nextInt(20) == 0) {
        installOne();
      }
      if (!dying.isEmpty() && random.nextInt(100) == 0) {
        comesBack(dying.firstKey());
      }
      if (random.nextInt(100) == 0) {
        anyNode().force(Long.MAX_VALUE);
      }
      if (random.nextInt(20) == 0) {
        joinOne();
      }
      if (random.nextInt(500) == 0) {
        anyNode().giveUpWaiting();
      }
      if (!moving.isEmpty() && random.nextInt(20) == 0) {
        take(moving.iterator().next());
      }
      maintain(homes[random.nextInt(HOMES)]);
      checkAll();
    }
  }

  /** What a home does by itself and with news of the page stores. */
  private void maintain(Home home) {
    if (random.nextInt(10) == 0) {
      home.hearNext();
    }
    int stream = 1 + random.nextInt(NODES);
    if (random.nextInt(10) == 0) {
      long lsn = store.end(stream);
      home.buckets.pages().applied(stream, lsn, lsn);
    }
    home.buckets.pages().sweep();
    if (home.buckets.shut() > 0) {
      shut++;
      home.buckets.retry();
    }
  }

  /** Nodes give all pages back, and page stores apply all, so that there is room in the end. */
  private void makeRoom() {
    for (Node node : nodes) {
      if (node != null) {
        for (long page : pages) {
          node.holders.evict(page);
        }
      }
    }
    for (Home home : homes) {
      for (int stream = 1; stream <= NODES; stream++) {
        home.buckets.pages().applied(stream, store.end(stream), store.end(stream));
      }
      for (int i = 0; i < PageBuckets.BUCKETS; i++) {
        home.buckets.pages().sweep();
      }
      home.buckets.retry();
    }
  }

  /** Runs until nothing happens any more. */
  void settle() {
    for (Node node : nodes) {
      if (node != null) {
        node.stopWanting();
      }
    }
    List.copyOf(moving).forEach(this::take);
    int roomMade = 0;
    for (int quiet = 0; quiet < 3; ) {
      boolean did = deliverOne() | later();
      if (!dying.isEmpty()) {
        installOne();
        did = true;
      }
      did |= joinOne();
      for (Home home : homes) {
        did |= home.hearNext();
      }
      quiet = did ? 0 : quiet + 1;
      if (!did && Arrays.stream(homes).anyMatch(home -> home.buckets.shut() > 0)) {
        if (++roomMade > MOST_ROOM_MADE) {
          throw new AssertionError("a bucket stays shut although there is room");
        }
        makeRoom();
        quiet = 0;
      }
      checkAll();
    }
  }

  void check() {
    for (Node node : nodes) {
      if (node != null && !node.holders.busy().isEmpty()) {
        throw new AssertionError("node " + node.slot + " waits for something: " + node.describe());
      }
      if (node != null) {
        assertEquals(0, node.holders.timed(), "pages whose giving away is timed");
      }
    }
    for (Home home : homes) {
      assertEquals(0, home.buckets.pages().waiting(), "pages for which requests wait");
      assertEquals(0, home.buckets.pages().timed(), "pages whose requests are timed");
    }
  }

  @Override
  public void close() {
    for (Home home : homes) {
      home.directory.close();
    }
  }

  private boolean deliverOne() {
    List<Route> busy = new ArrayList<>();
    queues.forEach(
        (route, queue) -> {
          boolean takes = route.toHome || nodes[route.to] == null || nodes[route.to].isUp;
          if (!queue.isEmpty() && takes) {
            busy.add(route);
          }
        });
    if (busy.isEmpty()) {
      return false;
    }
    Route route = busy.get(random.nextInt(busy.size()));
    ByteBuf frame = queues.get(route).poll();
    PageMessageLayout.read(frame, PageMessage.class, message -> deliver(route, message));
    frame.release();
    return true;
  }

  private void deliver(Route route, PageMessage message) {
    switch (message) {
      case ToHome.OfBucket said ->
          homes[route.to].buckets.receive(route.from, route.fromEpoch, said);
      case ToHome.Applied applied -> throw new AssertionError("nobody says that here: " + applied);
      case ToCompute gone when nodes[route.to] == null -> gone.release();
      case FromHome said -> nodes[route.to].homeSays(route.from, said);
      case FromHolder said ->
          nodes[route.to].holders.fromCompute(route.from, route.fromEpoch, said);
    }
  }

  private boolean later() {
    Node node = anyNode();
    if (node.later.isEmpty()) {
      for (Node other : nodes) {
        if (other != null && !other.later.isEmpty()) {
          node = other;
        }
      }
      if (node.later.isEmpty()) {
        return false;
      }
    }
    node.later.remove(random.nextInt(node.later.size())).run();
    return true;
  }

  private Node anyNode() {
    while (true) {
      Node node = nodes[1 + random.nextInt(NODES)];
      if (node != null && node.isUp) {
        return node;
      }
    }
  }

  private void work() {
    Node node = anyNode();
    long page = pages[random.nextInt(PAGES)];
    HolderPage now = node.holders.page(page);
    if (random.nextBoolean()) {
      if (now.mayRead()) {
        reads++;
      } else {
        node.wanted.put(page, Mode.READ);
        node.holders.need(page, Mode.READ);
      }
    } else if (now.mayWrite()) {
      node.write(page);
    } else {
      node.wanted.put(page, Mode.WRITE);
      node.holders.need(page, Mode.WRITE);
    }
  }

  private void evict() {
    anyNode().holders.evict(pages[random.nextInt(PAGES)]);
  }

  private void fault() {
    boolean death = random.nextInt(left.deaths + left.moves) < left.deaths;
    int slot = 1 + random.nextInt(NODES);
    if (death && deathsLeft > 0 && mayDie(slot)) {
      deathsLeft--;
      die(slot);
    } else if (!death && movesLeft > 0) {
      movesLeft--;
      move(buckets[random.nextInt(buckets.length)]);
    }
  }

  private boolean mayDie(int slot) {
    return nodes[slot] != null
        && !dying.containsKey(slot)
        && Arrays.stream(nodes).anyMatch(n -> n != null && n.isUp && n.slot != slot);
  }

  private void die(int slot) {
    deaths++;
    Node node = nodes[slot];
    for (long page : pages) {
      if (node.holders.page(page).right() == Right.OWNED
          && node.lsns.getOrDefault(page, -1L).equals(newest.getOrDefault(page, 0L))) {
        newest.put(page, store.newest(page)); // never acknowledged
      }
    }
    nodes[slot] = null;
    queues.forEach(
        (route, queue) -> {
          if (!route.toHome && route.to == slot) {
            queue.forEach(ByteBuf::release);
            queue.clear();
          }
        });
    dying.put(slot, new Dying(node.epoch, new HashSet<>()));
  }

  /** A dead node registers again as soon as its stream is sealed. */
  private void comesBack(int slot) {
    if (nodes[slot] == null) {
      store.seal(slot);
      register(slot);
    }
  }

  /** One more live node has installed a death; after the last one, the homes are to hear of it. */
  private void installOne() {
    int dead = List.copyOf(dying.keySet()).get(random.nextInt(dying.size()));
    Dying death = dying.get(dead);
    List<Integer> missing = new ArrayList<>();
    for (int slot = 1; slot <= NODES; slot++) {
      if (slot != dead && nodes[slot] != null && !death.installed.contains(slot)) {
        missing.add(slot);
      }
    }
    if (!missing.isEmpty()) {
      int slot = missing.get(random.nextInt(missing.size()));
      death.installed.add(slot);
      nodes[slot].died(dead, death.epoch);
      return;
    }
    queues.forEach(
        (route, queue) -> {
          if (!route.fromHome && route.from == dead && route.fromEpoch == death.epoch) {
            queue.forEach(ByteBuf::release);
            queue.clear();
          }
        });
    comesBack(dead);
    mapVersion++;
    long end = store.sealed(dead);
    for (Home home : homes) {
      home.news.add(() -> home.buckets.died(dead, dead, end));
    }
    dying.remove(dead);
    tellHomesOf(nodes[dead]);
  }

  /** A home is lost, with messages that may still be under way; or it gives a bucket up. */
  private void move(int bucket) {
    if (!moving.add(bucket)) {
      return;
    }
    homes[homeOf.get(bucket)].lose(bucket);
    if (random.nextBoolean()) {
      take(bucket);
    }
  }

  /** A moving bucket has no home for a while. */
  private void take(int bucket) {
    moving.remove(bucket);
    int to = random.nextInt(HOMES);
    homeOf.put(bucket, to);
    long epoch = nextEpoch();
    homes[to].news.add(() -> homes[to].take(bucket, epoch));
  }

  /** As a memory node makes it from a version of the map. */
  private long nextEpoch() {
    return ++mapVersion << EPOCH_BITS;
  }

  // ---- invariants

  private void checkAll() {
    for (long page : pages) {
      int owners = 0;
      for (Node node : nodes) {
        if (node == null) {
          continue;
        }
        HolderPage now = node.holders.page(page);
        owners += now.right() == Right.OWNED ? 1 : 0;
        boolean fromTheDead = now.right() == Right.SHARED && isDead(now.from());
        long lsn = node.lsns.getOrDefault(page, -1L);
        if (now.mayRead() && !fromTheDead && lsn != newest.getOrDefault(page, 0L)) {
          throw new AssertionError(
              "node %d has %d of page %d, the newest is %d: %s"
                  .formatted(node.slot, lsn, page, newest.get(page), now));
        }
      }
      if (owners > 1) {
        throw new AssertionError("law 2: " + owners + " owners of page " + page);
      }
    }
  }

  private boolean isDead(int slot) {
    return dying.containsKey(slot) && (nodes[slot] == null || !nodes[slot].isUp);
  }

  private void send(Route route, PageMessage message) {
    queues
        .computeIfAbsent(route, r -> new ArrayDeque<>())
        .add(PageMessageLayout.write(ALLOCATOR, List.of(message)));
  }

  private static ByteBuf bytes(long lsn) {
    ByteBuf page = ALLOCATOR.heapBuffer(PageLayout.PAGE_BYTES);
    page.setZero(0, PageLayout.PAGE_BYTES);
    return page.setLongLE(0, lsn).writerIndex(PageLayout.PAGE_BYTES);
  }

  /** A memory node. */
  private final class Home implements Outbox {
    private final int number;
    private final PageDirectory directory;
    private final BucketHomes buckets;

    /** What the map has and this home has not heard of yet. */
    private final ArrayDeque<Runnable> news = new ArrayDeque<>();

    /** Highest epoch under which a bucket was lost here. */
    private final Map<Integer, Long> lost = new HashMap<>();

    Home(int number) {
      this.number = number;
      this.directory = new PageDirectory("home " + number, left.room);
      this.buckets =
          new BucketHomes(
              directory, CACHED * SlotLayout.BYTES, new AppliedMarks(), this, ALLOCATOR);
    }

    /** Nodes hear of versions of the map at different times, but in order. */
    boolean hearNext() {
      Runnable next = news.poll();
      if (next == null) {
        return false;
      }
      next.run();
      return true;
    }

    /** Also before it has heard that the bucket is here. */
    void lose(int bucket) {
      lost.put(bucket, mapVersion << EPOCH_BITS);
      buckets.give(bucket);
    }

    void take(int bucket, long epoch) {
      if (epoch > lost.getOrDefault(bucket, 0L)) {
        buckets.take(bucket, epoch);
      }
    }

    @Override
    public void toCompute(int slot, int epoch, ToCompute message) {
      if (message instanceof FromHome said && said.homeEpoch() >= mapVersion + 1 << EPOCH_BITS) {
        throw new AssertionError("no later home can have a higher epoch: " + said);
      }
      long given = given(message);
      if (given != 0 && given <= ((FromHome) message).homeEpoch() << NUMBER_BITS) {
        throw new AssertionError("rule 17: an earlier home gave this number: " + message);
      }
      if (nodes[slot] == null || nodes[slot].epoch != epoch) {
        message.release();
      } else {
        send(new Route(true, number, 0, false, slot), message);
      }
    }

    /** The number that a home gives with this order; 0 = none. */
    private static long given(ToCompute message) {
      return switch (message) {
        case FromHome.Grant grant -> grant.number();
        case FromHome.Share share -> share.number();
        case FromHome.Transfer transfer -> transfer.number();
        case FromHome.Revoke revoke -> revoke.number();
        default -> 0;
      };
    }

    @Override
    public void toHome(int bucket, ToHome message) {
      throw new IllegalStateException("homes do not talk to each other");
    }
  }

  /** A compute node. */
  private final class Node implements PageFrames, Outbox {
    private final int slot;
    private final int epoch;
    private final PageHolders holders;
    private final Map<Long, HolderPage> rights = new HashMap<>();
    private final Map<Long, Long> lsns = new HashMap<>();
    private final Map<Long, Mode> wanted = new HashMap<>();
    private final NavigableMap<Long, Long> log = new TreeMap<>(); // pages by LSN, not durable
    private final List<Runnable> later = new ArrayList<>();
    private final Map<Long, Runnable> turns = new HashMap<>(); // whose end is not noticed yet
    private final Set<Integer> knownTo = new HashSet<>(); // epochs
    private final Map<Integer, Integer> members = new HashMap<>(); // epochs, by slot
    private boolean isUp;
    private final Map<Integer, Integer> itsHomes = new HashMap<>(); // by bucket
    private final Map<Integer, Long> homeEpochs = new HashMap<>();

    Node(int slot, int epoch) {
      this.slot = slot;
      this.epoch = epoch;
      this.holders = new PageHolders(slot, this, this);
    }

    /** Another life of a slot's node is the end of the one before. */
    void joined(Node other) {
      Integer before = members.put(other.slot, other.epoch);
      if (before != null) {
        holders.died(other.slot);
      }
      holders.joined(other.slot, other.epoch);
    }

    void died(int slot, int epoch) {
      if (members.remove(slot, epoch)) {
        holders.died(slot);
      }
    }

    void stopWanting() {
      wanted.clear();
    }

    /** As in a node's links: messages go to the home that has announced itself last. */
    void homeSays(int from, FromHome message) {
      if (message instanceof FromHome.Home home
          && home.homeEpoch() > homeEpochs.getOrDefault(home.bucket(), 0L)) {
        homeEpochs.put(home.bucket(), home.homeEpoch());
        itsHomes.put(home.bucket(), from);
      }
      holders.fromHome(message);
    }

    /** All threads have waited for too long. */
    void giveUpWaiting() {
      holders.expire(-1, page -> new GaussException(SqlState.CANNOT_CONNECT_NOW, "late"));
    }

    String describe() {
      StringBuilder text = new StringBuilder();
      for (long page : pages) {
        text.append(page).append(' ').append(holders.page(page)).append('\n');
      }
      return text.toString();
    }

    void write(long page) {
      writes++;
      long lsn = Lsn.of(++counter, slot);
      lsns.put(page, lsn);
      newest.put(page, lsn);
      log.put(lsn, page);
    }

    private void force(long lsn) {
      NavigableMap<Long, Long> forced = log.headMap(lsn, true);
      forced.forEach((at, page) -> store.forced(slot, page, at));
      forced.clear();
    }

    @Override
    public HolderPage held(long page) {
      return rights.getOrDefault(page, HolderPage.ABSENT);
    }

    @Override
    public long lsn(long page) {
      return lsns.getOrDefault(page, 0L);
    }

    @Override
    public void change(long page, HolderPage now) {
      if (now.right() == Right.NONE) {
        rights.remove(page);
        lsns.remove(page);
      } else {
        rights.put(page, now);
      }
    }

    @Override
    public ByteBuf copy(long page) {
      assertFalse(rights.get(page).mayWrite(), "a page is copied that may be written meanwhile");
      return bytes(lsns.get(page));
    }

    @Override
    public void install(long page, ByteBuf bytes) {
      if (left.spoiled != 0 && random.nextInt(left.spoiled) == 0) {
        boolean isUnknown = random.nextInt(4) == 0;
        throw new GaussException(
            isUnknown ? SqlState.FEATURE_NOT_SUPPORTED : SqlState.DATA_CORRUPTED, "spoiled");
      }
      lsns.put(page, bytes.getLongLE(bytes.readerIndex()));
    }

    @Override
    public CompletableFuture<Void> load(long page, long lsn, Map<Integer, Long> floors) {
      CompletableFuture<Void> loaded = new CompletableFuture<>();
      later.add(
          () -> {
            lsns.put(page, store.read(page, lsn, floors));
            loaded.complete(null);
          });
      return loaded;
    }

    @Override
    public void whenDurable(long page, Runnable action) {
      long lsn = lsns.getOrDefault(page, 0L);
      later.add(
          () -> {
            force(lsn);
            action.run();
          });
    }

    @Override
    public void arrived(long page, Runnable over) {
      if (over != null) {
        turns.put(page, over);
      }
      later.add(
          () -> {
            Mode mode = wanted.get(page);
            HolderPage now = holders.page(page);
            if (mode == Mode.WRITE && now.mayWrite()) {
              write(page);
              wanted.remove(page);
            } else if (mode == Mode.READ && now.mayRead()) {
              reads++;
              wanted.remove(page);
            } else if (mode != null) {
              holders.need(page, mode);
            }
            if (random.nextBoolean()) {
              endTurn(page, over); // otherwise it is not noticed unless somebody wants the page
            }
          });
    }

    @Override
    public void turnWanted(long page) {
      Runnable over = turns.get(page);
      later.add(() -> endTurn(page, over));
    }

    private void endTurn(long page, Runnable over) {
      if (over != null && turns.remove(page, over)) {
        over.run();
      }
    }

    @Override
    public void noRoom(long page, Mode mode, GaussException why) {
      if (mode == null || !wanted.containsKey(page) || random.nextInt(4) == 0) {
        failed(page, why);
      } else {
        later.add(() -> holders.need(page, mode));
      }
    }

    @Override
    public void failed(long page, GaussException why) {
      boolean isLate = why.state() == SqlState.CANNOT_CONNECT_NOW;
      if (left.spoiled == 0 && why.state() != SqlState.OUT_OF_MEMORY && !isLate) {
        throw why;
      }
      wanted.remove(page);
    }

    @Override
    public int stream() {
      return slot;
    }

    @Override
    public long durableEnd() {
      return store.end(slot);
    }

    @Override
    public void forEach(BitSet buckets, LongConsumer visitor) {
      List.copyOf(rights.keySet()).stream()
          .filter(page -> buckets.get(PageBuckets.of(page)))
          .forEach(visitor::accept);
    }

    @Override
    public void forEachShared(LongConsumer visitor) {
      rights.forEach(
          (page, now) -> {
            if (now.right() == Right.SHARED) {
              visitor.accept(page);
            }
          });
    }

    @Override
    public void toCompute(int to, int itsEpoch, ToCompute message) {
      if (nodes[to] == null || nodes[to].epoch != itsEpoch) {
        message.release();
      } else {
        send(new Route(false, slot, epoch, false, to), message);
      }
    }

    @Override
    public void toHome(int bucket, ToHome message) {
      Integer home = itsHomes.get(bucket);
      if (home == null) {
        message.release();
      } else {
        send(new Route(false, slot, epoch, true, home), message);
      }
    }
  }
}
