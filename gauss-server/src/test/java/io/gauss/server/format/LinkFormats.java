package io.gauss.server.format;

import io.gauss.common.error.SqlState;
import io.gauss.common.page.PageLayout;
import io.gauss.common.transport.link.LinkExamples;
import io.gauss.common.transport.link.MessageKind;
import io.gauss.common.transport.link.MessageLayout;
import io.gauss.memory.coherence.Mode;
import io.gauss.memory.lock.LockAction;
import io.gauss.memory.lock.LockMode;
import io.gauss.memory.lock.LockName;
import io.gauss.memory.lock.NodeLockTransitions.Message;
import io.gauss.memory.wire.FromHolder;
import io.gauss.memory.wire.FromHome;
import io.gauss.memory.wire.LockHeader;
import io.gauss.memory.wire.LockLayout;
import io.gauss.memory.wire.PageMessage;
import io.gauss.memory.wire.PageMessageLayout;
import io.gauss.memory.wire.ToHome;
import io.gauss.server.format.Format.Space;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;

/** The transport's own messages, and those that have several kinds: about pages and locks. */
final class LinkFormats {
  private static final LockName TABLE = new LockName(LockName.Kind.TABLE, 7);

  private LinkFormats() {}

  static List<Format> all() {
    List<Format> all = new ArrayList<>();
    all.add(link(MessageKind.HELLO, "HELLO", "HelloLayout", LinkExamples.hello()));
    all.add(link(MessageKind.CHALLENGE, "CHALLENGE", "HelloLayout", LinkExamples.hello()));
    all.add(link(MessageKind.PROOF, "PROOF"));
    all.add(link(MessageKind.ACCEPT, "ACCEPT"));
    all.add(link(MessageKind.REFUSE, "REFUSE", "FailureLayout", LinkExamples.failure()));
    all.add(link(MessageKind.REQUEST, "REQUEST"));
    all.add(link(MessageKind.STREAM_REQUEST, "STREAM_REQUEST"));
    all.add(link(MessageKind.ONE_WAY, "ONE_WAY"));
    all.add(link(MessageKind.CANCEL, "CANCEL"));
    all.add(link(MessageKind.CREDIT, "CREDIT"));
    all.add(link(MessageKind.REPLY, "REPLY"));
    all.add(link(MessageKind.FAILURE, "FAILURE", "FailureLayout", LinkExamples.failure()));
    all.add(link(MessageKind.ITEM, "ITEM"));
    all.add(link(MessageKind.END, "END"));
    all.add(link(MessageKind.PING, "PING"));
    all.add(link(MessageKind.GOODBYE, "GOODBYE", "FailureLayout", LinkExamples.failure()));
    pageMessages().forEach(message -> all.add(about(message)));
    all.addAll(locks());
    return all;
  }

  private static Format link(int kind, String name) {
    boolean hello = LinkExamples.isHello(kind);
    return Format.of(
        Space.LINK,
        kind,
        hello ? MessageLayout.HELLO_VERSION : MessageLayout.HIGHEST_VERSION,
        name,
        hello ? "MessageLayout" : "MessageLayout FrameMac",
        messages(kind).toArray());
  }

  private static Format link(int kind, String name, String payload, byte... example) {
    Format format = link(kind, name);
    List<String> classes = new ArrayList<>(format.classes());
    classes.add(payload);
    List<byte[]> examples = new ArrayList<>(format.examples());
    examples.add(example);
    return new Format(
        format.space(), format.id(), format.version(), name, List.copyOf(classes), examples);
  }

  /** After the hello, messages are sent in two forms. */
  private static List<Object> messages(int kind) {
    return LinkExamples.isHello(kind)
        ? List.of(LinkExamples.message(kind))
        : List.of(LinkExamples.message(kind), LinkExamples.authenticated(kind));
  }

  private static ByteBuf page() {
    return Unpooled.buffer(PageLayout.PAGE_BYTES)
        .writeIntLE(0x0A0B0C0D)
        .writeZero(PageLayout.PAGE_BYTES - Integer.BYTES);
  }

  private static List<PageMessage> pageMessages() {
    return List.of(
        new ToHome.Want(1, 2, Mode.READ),
        new ToHome.Want(1, 2, Mode.WRITE),
        new ToHome.Refused(1, 2, 3, 4),
        new ToHome.Confirm(1, 2, 5, 0),
        new ToHome.Release(1, 2, 5, 6, page()),
        new ToHome.Dropped(1, 2, 5),
        new ToHome.Kept(1, 2, 5),
        new ToHome.Left(1, 2, 5, 6),
        new ToHome.NotTaken(1, 2, 5),
        new ToHome.Owns(1, 2, 5),
        new ToHome.Leaving(1, 2, 3, 4, 5, 6),
        new ToHome.Reported(1, 2, 3, 5),
        new ToHome.Applied(3, 5, 6),
        new FromHome.Grant(1, 2, false, 5, 6, page()),
        new FromHome.Grant(1, 2, true, 5, 6, null),
        new FromHome.Share(1, 2, 3, 4, 5, 6),
        new FromHome.Transfer(1, 2, 3, 4, 5, 6),
        new FromHome.Confirmed(1, 2, 5),
        new FromHome.Revoke(1, 2, 5),
        new FromHome.Ask(1, 2, 5),
        new FromHome.Trace(1, 2, 0, 0, 5),
        new FromHome.NoRoom(1, 2),
        new FromHome.AskAgain(1, 2),
        new FromHome.Home(1, 2),
        new FromHome.Floor(1, 2, 3, 5),
        new FromHolder.Copy(2, 5, 6, 7, page()),
        new FromHolder.Given(2, 5, 6, 7, page()),
        new FromHolder.RevokeCopy(2, 5),
        new FromHolder.CopyDropped(2, 5),
        new FromHolder.Probe(2, 5));
  }

  static ByteBuf frame(PageMessage message) {
    return PageMessageLayout.write(UnpooledByteBufAllocator.DEFAULT, List.of(message));
  }

  private static Format about(PageMessage message) {
    return Format.of(
        Space.PAGE_MESSAGE,
        message.kind().id(),
        PageMessageLayout.VERSION,
        message.kind().name(),
        "PageMessageLayout",
        frame(message));
  }

  static ByteBuf lock(Message said) {
    ByteBuf message = LockLayout.begin(Unpooled.buffer(), 3, 1);
    LockLayout.add(message, TABLE, said);
    return message;
  }

  static ByteBuf lock(LockAction ordered) {
    ByteBuf message = LockLayout.begin(Unpooled.buffer(), 3, 1);
    LockLayout.add(message, TABLE, ordered);
    return message;
  }

  private static List<Format> locks() {
    ByteBuf refused = LockLayout.begin(Unpooled.buffer(), 3, 1);
    LockLayout.addRefusal(refused, TABLE, 6, SqlState.OUT_OF_MEMORY, "full");
    return List.of(
        lock("REQUEST", lock(new Message.Request(5, LockMode.SHARE, true, false))),
        lock("WITHDRAW", lock(new Message.Withdraw(5))),
        lock("RELEASE", lock(new Message.Release(0b1_1000_0000, 4))),
        lock("GRANT", lock(new LockAction.Grant(9, 1, LockMode.ROW_SHARE, 2))),
        lock("RECALL", lock(new LockAction.Recall(9, 0b1_1000_0000, 3))),
        lock("KEEP", lock(new LockAction.Keep(9, 0b10))),
        lock("REFUSED", refused),
        lock("REPORT", lock(new Message.Report(LockMode.EXCLUSIVE, 5))),
        lock("PROBED", lock(new Message.Probed(9, 5))),
        lock("PROBE", lock(new LockAction.Probe(9, 8, 5))),
        lock("DENY", lock(new LockAction.Deny(9, 5))));
  }

  /** The kind is byte 9 of the item. */
  private static Format lock(String name, ByteBuf example) {
    int kind = example.getUnsignedByte(LockHeader.BYTES + 9);
    return Format.of(Space.LOCK, kind, LockHeader.VERSION, name, "LockLayout", example);
  }
}
