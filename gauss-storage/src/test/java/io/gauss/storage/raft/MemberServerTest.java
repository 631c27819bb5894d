package io.gauss.storage.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.Stream;
import org.apache.ratis.protocol.AdminAsynchronousProtocol;
import org.apache.ratis.protocol.AdminProtocol;
import org.apache.ratis.protocol.RaftClientAsynchronousProtocol;
import org.apache.ratis.protocol.RaftClientProtocol;
import org.apache.ratis.server.RaftServer;
import org.junit.jupiter.api.Test;

/** A storage node's port for Raft takes nothing but what members send each other. */
class MemberServerTest {
  private final List<String> reached = new ArrayList<>();
  private final RaftServer server =
      (RaftServer)
          Proxy.newProxyInstance(
              RaftServer.class.getClassLoader(),
              new Class<?>[] {RaftServer.class},
              (self, method, arguments) -> {
                reached.add(method.getName());
                return null;
              });

  @Test
  void commandsAndManagementAreRefused() throws Exception {
    try (ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor()) {
      MemberServer port =
          new MemberServer(
              server,
              new ForcedAnswers(timer, Duration.ofMinutes(1), group -> null),
              new RaftCounts());
      List<Method> commands =
          Stream.of(
                  RaftClientProtocol.class,
                  RaftClientAsynchronousProtocol.class,
                  AdminProtocol.class,
                  AdminAsynchronousProtocol.class)
              .flatMap(protocol -> Arrays.stream(protocol.getMethods()))
              .toList();
      assertFalse(commands.isEmpty());
      for (Method command : commands) {
        Object[] nothing = new Object[command.getParameterCount()];
        if (command.getReturnType().equals(CompletableFuture.class)) {
          CompletableFuture<?> answer = (CompletableFuture<?>) command.invoke(port, nothing);
          assertTrue(answer.isCompletedExceptionally(), command::toString);
        } else {
          assertThrows(
              InvocationTargetException.class,
              () -> command.invoke(port, nothing),
              command::toString);
        }
      }
      assertEquals(List.of(), reached);
    }
  }
}
