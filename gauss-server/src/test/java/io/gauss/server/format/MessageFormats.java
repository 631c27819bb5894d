package io.gauss.server.format;

import io.gauss.common.health.Problem;
import io.gauss.common.page.PageLayout;
import io.gauss.common.transport.MessageType;
import io.gauss.common.transport.session.SessionExamples;
import io.gauss.common.transport.session.SessionLayout;
import io.gauss.compute.cluster.clock.ClockExamples;
import io.gauss.compute.notify.wire.NotifyLayout;
import io.gauss.compute.notify.wire.NotifyMessage;
import io.gauss.compute.routing.data.AccessSample;
import io.gauss.compute.routing.data.GroupOwners;
import io.gauss.compute.routing.data.NodeLoad;
import io.gauss.compute.routing.data.PublishedRouting;
import io.gauss.compute.routing.data.RoutingMode;
import io.gauss.compute.routing.wire.OfferLayout;
import io.gauss.compute.routing.wire.RoutingLayout;
import io.gauss.compute.routing.wire.RoutingMessages;
import io.gauss.compute.session.wire.ActivityLayout;
import io.gauss.compute.session.wire.ForwardLayout;
import io.gauss.compute.session.wire.SessionMessages;
import io.gauss.compute.session.wire.Signal;
import io.gauss.compute.session.wire.SignalLayout;
import io.gauss.compute.sql.state.SystemState.AdvisoryRow;
import io.gauss.compute.sql.state.SystemState.NotifyRow;
import io.gauss.compute.sql.state.SystemState.SessionRow;
import io.gauss.compute.sql.state.SystemState.TransactionRow;
import io.gauss.compute.txn.TableLockMode;
import io.gauss.compute.txn.Transaction.IsolationLevel;
import io.gauss.compute.txn.TransactionActivity;
import io.gauss.compute.txn.wire.DeadlockLayout;
import io.gauss.compute.txn.wire.RowState;
import io.gauss.compute.txn.wire.RowWaitLayout;
import io.gauss.compute.txn.wire.TransactionMessages;
import io.gauss.compute.txn.wire.XidAnswer;
import io.gauss.compute.txn.wire.XidOutcomeLayout;
import io.gauss.compute.txn.wire.XidQuestionLayout;
import io.gauss.compute.wait.CurrentWait;
import io.gauss.memory.lock.LockAction;
import io.gauss.memory.lock.LockMode;
import io.gauss.memory.lock.LockName;
import io.gauss.memory.lock.NodeLockTransitions.Message;
import io.gauss.memory.wire.LockHeader;
import io.gauss.memory.wire.LockLayout;
import io.gauss.memory.wire.MemoryStatus;
import io.gauss.memory.wire.PageMessageLayout;
import io.gauss.memory.wire.PageOwnersLayout;
import io.gauss.memory.wire.ToHome;
import io.gauss.server.format.Format.Space;
import io.gauss.storage.api.PageBatch;
import io.gauss.storage.map.codec.MapFrameLayout;
import io.gauss.storage.map.codec.MapMessageCodec;
import io.gauss.storage.map.message.MapAnswer;
import io.gauss.storage.map.message.MapMessages;
import io.gauss.storage.map.message.MapRequest;
import io.gauss.storage.raft.rpc.RaftExamples;
import io.gauss.storage.raft.rpc.RaftMessageLayout;
import io.gauss.storage.raft.stream.StreamAnswer;
import io.gauss.storage.raft.stream.StreamCodec;
import io.gauss.storage.raft.stream.StreamInfo;
import io.gauss.storage.raft.stream.StreamRequest;
import io.gauss.storage.wire.GroupLayout;
import io.gauss.storage.wire.LogHold;
import io.gauss.storage.wire.NodeStatus;
import io.gauss.storage.wire.NodeStatusLayout;
import io.gauss.storage.wire.PageReadLayout;
import io.gauss.storage.wire.PagesProgressLayout;
import io.gauss.storage.wire.PagesProgressLayout.PagesProgress;
import io.gauss.storage.wire.PagesProgressLayout.StreamProgress;
import io.gauss.storage.wire.RebuildLayout;
import io.gauss.storage.wire.StorageMessages;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;

/** Payloads of the transport's messages, by type: the question, then its answers. */
final class MessageFormats {
  private static final UnpooledByteBufAllocator ALLOCATOR = UnpooledByteBufAllocator.DEFAULT;
  private static final long XID = 0x0400_7000_0000_004DL; // 7.77@2
  private static final long PAGE = 0x0700000003L;

  private MessageFormats() {}

  static List<Format> all() {
    List<Format> all = new ArrayList<>();
    all.addAll(storage());
    all.addAll(streams());
    all.addAll(members());
    all.addAll(map());
    all.addAll(memory());
    all.addAll(transactions());
    all.addAll(nodes());
    all.addAll(sessions());
    return all;
  }

  private static Format of(MessageType type, int version, String classes, Object... examples) {
    return Format.of(Space.MESSAGE, type.id(), version, type.name(), classes, examples);
  }

  private static ByteBuf buffer() {
    return Unpooled.buffer();
  }

  private static List<Format> storage() {
    NodeStatus.Replica replica =
        new NodeStatus.Replica(
            1,
            202,
            true,
            false,
            List.of(201, 202),
            7,
            3,
            10,
            5,
            900,
            800,
            0x501,
            700,
            600,
            15,
            List.of(new LogHold(204, 90, 10, 790, 0x1234)));
    NodeStatus status =
        new NodeStatus(201, 77, 0x100000000L, List.of(replica), List.of(new Problem("full", "4")));
    UUID group = new UUID(0x0102030405060708L, 0x1112131415161718L);
    return List.of(
        of(
            StorageMessages.READ_PAGES,
            PageReadLayout.VERSION_VALUE,
            "PageReadLayout",
            PageReadLayout.write(buffer(), PageBatch.of(PAGE, 1, 0x123456789AL), 250)),
        of(
            StorageMessages.WATCH_PAGES,
            PagesProgressLayout.VERSION_VALUE,
            "PagesProgressLayout",
            PagesProgressLayout.write(
                buffer(),
                new PagesProgress(77, List.of(new StreamProgress(1, 0x100, 0x80, 0x1234))))),
        of(
            StorageMessages.NODE_STATUS,
            NodeStatusLayout.VERSION_VALUE,
            "NodeStatusLayout",
            NodeStatusLayout.writeRequest(buffer()),
            NodeStatusLayout.write(buffer(), status)),
        of(
            StorageMessages.REBUILD,
            RebuildLayout.VERSION_VALUE,
            "RebuildLayout",
            RebuildLayout.write(buffer(), new RebuildLayout.Request(3, 0x1122, 0x123456789AL)),
            RebuildLayout.write(
                buffer(),
                new RebuildLayout.State(
                    new byte[] {1, 2, 3}, true, new TreeMap<>(Map.of(1, 0x500L)))),
            RebuildLayout.writePagesHeader(buffer(), 1)
                .writeLongLE(PAGE)
                .writeZero(PageLayout.PAGE_BYTES),
            RebuildLayout.writeEnd(buffer(), 0x10002)),
        of(
            StorageMessages.GROUP,
            GroupLayout.VERSION_VALUE,
            "GroupLayout",
            GroupLayout.write(buffer(), group),
            GroupLayout.write(
                buffer(), new GroupLayout.Standing(true, false, true, false, Set.of(203, 201)))));
  }

  /** Messages between members of Raft groups; what is in them is Ratis's own. */
  private static List<Format> members() {
    return RaftExamples.all().entrySet().stream()
        .map(
            type ->
                of(
                    type.getKey(),
                    RaftMessageLayout.VERSION_VALUE,
                    "RaftMessageLayout",
                    type.getValue().toArray()))
        .toList();
  }

  private static List<Format> streams() {
    StreamAnswer.Batch batch =
        new StreamAnswer.Batch(0x1122, 0x501, 0x601, ByteBuffer.wrap(new byte[] {1, 2, 3}));
    return List.of(
        stream(
            new StreamRequest.Append(3, new byte[] {1, 2, 3}),
            new StreamAnswer.Appended(0x1122),
            new StreamAnswer.WrongOffset(0x1122),
            new StreamAnswer.Fenced(9),
            new StreamAnswer.NotLeader(OptionalInt.of(202)),
            new StreamAnswer.DiskFull("log"),
            new StreamAnswer.Busy("busy"),
            new StreamAnswer.Unknown("why"),
            new StreamAnswer.Refused("55000", "no")),
        stream(
            new StreamRequest.Ask(3),
            new StreamAnswer.State(new StreamInfo(0x10, 0x1122, 0x501, 9))),
        stream(new StreamRequest.Seal(3, 9)),
        stream(new StreamRequest.Open(3, 9, 0xABCD)),
        stream(new StreamRequest.Trim(3, 0x1122)),
        stream(
            new StreamRequest.Read(3, 0x1122, 0x1133, 0x10000, 250),
            new StreamAnswer.Batches(List.of(batch), 0x1133)),
        stream(
            new StreamRequest.Locate(3, 0x501, 0x1133),
            new StreamAnswer.Located(OptionalLong.of(0x1122))),
        stream(new StreamRequest.Entry(3, 77), new StreamAnswer.Entry(new byte[] {8, 1, 2})),
        stream(
            new StreamRequest.Subscribe(3, 202, 90, 0x1122),
            new StreamAnswer.Subscribed(0x10, 90, 0x1122)),
        stream(new StreamRequest.Raise(3, 202, 90, 0x1122)),
        stream(new StreamRequest.Unsubscribe(3, 202, 90)));
  }

  private static Format stream(StreamRequest request, StreamAnswer... answers) {
    List<Object> examples = new ArrayList<>();
    examples.add(StreamCodec.encode(request, ALLOCATOR));
    Arrays.stream(answers).forEach(answer -> examples.add(StreamCodec.encode(answer, ALLOCATOR)));
    return of(StreamCodec.type(request), StreamCodec.VERSION, "StreamCodec", examples.toArray());
  }

  private static List<Format> map() {
    return List.of(
        of(
            MapMessages.CLUSTER_MAP,
            MapFrameLayout.VERSION_VALUE,
            "MapMessageCodec",
            MapMessageCodec.encode(new MapRequest.Watch(7, 5000)),
            MapMessageCodec.encode(new MapAnswer.NotLeader(3))),
        of(
            MapMessages.NODE_INCARNATION,
            MapFrameLayout.VERSION_VALUE,
            "MapMessageCodec",
            MapMessageCodec.encode(new MapRequest.WhoAreYou()),
            MapMessageCodec.encode(new MapAnswer.Incarnation(0x0102030405060708L))));
  }

  private static List<Format> memory() {
    return List.of(
        of(
            PageMessageLayout.PAGES,
            PageMessageLayout.VERSION,
            "PageMessageLayout",
            LinkFormats.frame(new ToHome.Confirm(1, 2, 5, 0))),
        of(
            MemoryStatus.QUESTION,
            MemoryStatus.VERSION_VALUE,
            "MemoryStatus",
            MemoryStatus.writeRequest(buffer()),
            new MemoryStatus(1, 2, 3, 4, 5, 6, 7, 8).write(buffer())),
        of(
            LockLayout.EVENTS,
            LockHeader.VERSION,
            "LockLayout",
            LinkFormats.lock(new Message.Withdraw(5))),
        of(
            LockLayout.ORDERS,
            LockHeader.VERSION,
            "LockLayout",
            LinkFormats.lock(new LockAction.Grant(9, 1, LockMode.ROW_SHARE, 2))),
        of(
            PageOwnersLayout.QUESTION,
            PageOwnersLayout.VERSION,
            "PageOwnersLayout",
            PageOwnersLayout.writeQuestion(buffer(), 64, 2),
            PageOwnersLayout.write(
                buffer(),
                Map.of(new PageOwnersLayout.Key(7, 3, PageOwnersLayout.Holding.OWNER), 0x1122L))));
  }

  private static List<Format> transactions() {
    ByteBuf xids = buffer();
    XidQuestionLayout.writeQuestion(xids, 1, 0x501);
    xids.writeLongLE(XID);
    ByteBuf outcomes = buffer();
    XidQuestionLayout.writeAnswers(outcomes, 1);
    XidQuestionLayout.writeAnswer(outcomes, new XidAnswer.Committed(0x501));
    String deadlock = "DeadlockLayout";
    return List.of(
        of(
            TransactionMessages.XIDS,
            XidQuestionLayout.VERSION,
            "XidQuestionLayout",
            xids,
            outcomes),
        of(
            TransactionMessages.OUTCOME,
            XidOutcomeLayout.VERSION,
            "XidOutcomeLayout",
            XidOutcomeLayout.question(buffer(), XID),
            XidOutcomeLayout.answer(buffer(), XidOutcomeLayout.ABORTED)),
        of(
            TransactionMessages.ROW_WAIT,
            RowWaitLayout.VERSION,
            "RowWaitLayout",
            RowWaitLayout.wait(buffer(), 7, 5, XID, 0x0102)),
        of(
            TransactionMessages.ROW_LEAVE,
            RowWaitLayout.VERSION,
            "RowWaitLayout",
            RowWaitLayout.leave(buffer(), 5)),
        of(
            TransactionMessages.ROW_STATE,
            RowWaitLayout.VERSION,
            "RowWaitLayout",
            RowWaitLayout.state(
                buffer(), 5, new RowState.Turn(new XidAnswer.Committed(0x501), 16))),
        of(
            TransactionMessages.WAIT_REPORT,
            DeadlockLayout.VERSION,
            deadlock,
            DeadlockLayout.report(
                buffer(), new DeadlockLayout.Report(3, 4, 0x501, new long[] {6}, "a", "bc"))),
        of(
            TransactionMessages.WAIT_OVER,
            DeadlockLayout.VERSION,
            deadlock,
            DeadlockLayout.over(buffer(), 3, 4)),
        of(
            TransactionMessages.WAIT_ASK,
            DeadlockLayout.VERSION,
            deadlock,
            DeadlockLayout.ask(buffer(), 9, 3, 4)),
        of(
            TransactionMessages.WAIT_STANDS,
            DeadlockLayout.VERSION,
            deadlock,
            DeadlockLayout.stands(buffer(), 9, 3, true)),
        of(
            TransactionMessages.WAIT_KILL,
            DeadlockLayout.VERSION,
            deadlock,
            DeadlockLayout.kill(buffer(), 3, 4, "why")));
  }

  private static List<Format> nodes() {
    AccessSample sample =
        new AccessSample(
            3,
            7,
            RoutingMode.TABLE,
            true,
            "q",
            Arrays.asList(5L, null, 0.5, "a"),
            new long[] {0x11, 0x12},
            new long[] {0x12},
            new long[] {0x11},
            2.5,
            20,
            9,
            4,
            false,
            10,
            new int[] {0x4000});
    return List.of(
        of(
            ClockExamples.ADVANCE,
            ClockExamples.VERSION,
            "ClockMessages",
            ClockExamples.call(),
            ClockExamples.answer()),
        of(
            SessionMessages.SIGNAL,
            SignalLayout.VERSION,
            "SignalLayout",
            SignalLayout.writeQuestion(buffer(), new Signal.Terminate(20_000_017, 10)),
            SignalLayout.writeAnswer(buffer(), SignalLayout.Outcome.IS_SUPERUSERS)),
        of(
            SessionMessages.ACTIVITY,
            ActivityLayout.VERSION,
            "ActivityLayout",
            ActivityLayout.writeQuestion(buffer()),
            ActivityLayout.write(buffer(), activity())),
        of(
            SessionMessages.FORWARD,
            ForwardLayout.VERSION,
            "ForwardLayout",
            ForwardLayout.writeQuestion(
                buffer(),
                new ForwardLayout.Question(
                    7, 10, "::1:5", new TreeMap<>(Map.of("TimeZone", "UTC")))),
            ForwardLayout.writeAnswer(
                buffer(), new ForwardLayout.Answer(5433, 1, -2, new byte[] {7, 8}))),
        of(
            NotifyLayout.NOTIFY,
            NotifyLayout.VERSION,
            "NotifyLayout",
            NotifyLayout.write(buffer(), new NotifyMessage.Ask()),
            NotifyLayout.write(
                buffer(), new NotifyMessage.Listens(3, new long[NotifyLayout.CLASSES / Long.SIZE])),
            NotifyLayout.write(buffer(), new NotifyMessage.Heard(3)),
            NotifyLayout.write(
                buffer(),
                new NotifyMessage.Tell(
                    7, 0x301, 5, true, true, List.of(new NotifyLayout.Item("ch", "ö")))),
            NotifyLayout.write(buffer(), new NotifyMessage.Taken(7, 40, true, false, 60, 6)),
            NotifyLayout.write(buffer(), new NotifyMessage.Decided(7, 0x42))),
        of(
            RoutingMessages.EXCHANGE,
            RoutingLayout.VERSION,
            "RoutingLayout",
            RoutingLayout.writeQuestion(
                buffer(),
                new RoutingLayout.Question(3, 17, new NodeLoad(6, 2, 0.25), List.of(sample))),
            RoutingLayout.writeAnswer(
                buffer(),
                new PublishedRouting(
                    2,
                    3,
                    new byte[] {8, 9},
                    null,
                    new byte[] {7},
                    GroupOwners.of(
                        Map.of(
                            0x21L,
                            new GroupOwners.Place(4, 1, 0.5f),
                            0x11L,
                            new GroupOwners.Place(5, 2, 1)))))),
        of(
            RoutingMessages.OFFER,
            OfferLayout.VERSION,
            "OfferLayout",
            OfferLayout.writeOffer(buffer(), 2, i -> 0x11 + i),
            OfferLayout.writeAnswer(buffer(), 1)));
  }

  private static ActivityLayout.Activity activity() {
    TransactionActivity running =
        new TransactionActivity(
            0x301,
            IsolationLevel.READ_COMMITTED,
            0x42,
            List.of(new TransactionActivity.HeldLock(16_384, TableLockMode.SHARE)),
            new TransactionActivity.RowWait(0x302, 1_000));
    return new ActivityLayout.Activity(
        List.of(new SessionRow(5, "u", null, null, "active", "", new CurrentWait("log", 0x11, 7))),
        List.of(new TransactionRow(5, "waiting", 7L, 9L, running)),
        List.of(new AdvisoryRow(5, LockName.advisory(1, 2), LockMode.EXCLUSIVE)),
        new NotifyRow(1, 2, 3, 4, 5, 6, 7, 8));
  }

  private static List<Format> sessions() {
    return List.of(
        of(
            SessionLayout.OPEN,
            SessionLayout.VERSION,
            "SessionLayout",
            SessionExamples.open(),
            SessionExamples.state()),
        of(SessionLayout.DATA, SessionLayout.VERSION, "SessionLayout", SessionExamples.data()),
        of(SessionLayout.ASK, SessionLayout.VERSION, "SessionLayout", SessionExamples.ask()));
  }
}
