package io.gauss.storage.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.protocol.exceptions.StateMachineException;
import org.apache.ratis.util.IOUtils;
import org.junit.jupiter.api.Test;

/** What Ratis unpacks from the network, in a process of its own: a filter stays once it is set. */
class RaftSerialFilterTest {
  /** Prints what becomes of objects that others could send. */
  static final class Child {
    private Child() {}

    public static void main(String[] args) throws Exception {
      RaftSerialFilter.install();
      Throwable nested =
          new StateMachineException("outer", new CompletionException(new IOException("inner")));
      nested.addSuppressed(new IllegalStateException("too"));
      say("exception", () -> IOUtils.bytes2Object(bytes(nested), Throwable.class).getMessage());
      say("trace", () -> "" + IOUtils.bytes2Object(bytes(nested.getStackTrace()), Object.class));
      say("map", () -> "" + IOUtils.bytes2Object(bytes(new HashMap<>()), Object.class));
      say("ours", () -> "" + IOUtils.bytes2Object(bytes(new Gadget()), Object.class));
      say("hidden", () -> "" + IOUtils.bytes2Object(bytes(List.of(new Gadget())), Object.class));
      say("elsewhere", () -> "" + read(bytes(new HashMap<>(java.util.Map.of(1, 2)))));
    }

    private static void say(String what, java.util.concurrent.Callable<String> answer) {
      String came;
      try {
        came = answer.call().startsWith("[Ljava.lang.StackTraceElement") ? "read" : answer.call();
      } catch (Exception e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        came = cause.getClass().getSimpleName();
      }
      System.out.println(what + ": " + came);
    }

    private static Object read(byte[] bytes) throws Exception {
      try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
        return in.readObject();
      }
    }

    private static byte[] bytes(Object object) throws IOException {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
        out.writeObject(object);
      }
      return bytes.toByteArray();
    }
  }

  /** An exception that runs code when it is read: of another package than those allowed. */
  static final class Gadget extends RuntimeException {
    private static final long serialVersionUID = 1;

    private void readObject(ObjectInputStream in) {
      System.out.println("the gadget ran: " + in);
    }
  }

  @Test
  void exceptionsComeThroughAndNothingElse() throws Exception {
    Process child =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElseThrow(),
                "-cp",
                System.getProperty("java.class.path"),
                Child.class.getName())
            .redirectErrorStream(true)
            .start();
    String said = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    child.waitFor(60, TimeUnit.SECONDS);
    assertEquals(
        List.of(
            "exception: " + new StateMachineException("outer").getMessage(),
            "trace: read",
            "map: InvalidClassException",
            "ours: InvalidClassException",
            "hidden: InvalidClassException",
            "elsewhere: {1=2}"),
        said.lines().toList());
  }
}
