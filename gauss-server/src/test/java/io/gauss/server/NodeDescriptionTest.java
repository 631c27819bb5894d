package io.gauss.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.common.config.NodeKind;
import io.gauss.storage.api.StorageAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a machine's directory says about its node. */
class NodeDescriptionTest {
  private static final Set<NodeKind> ALL = EnumSet.allOf(NodeKind.class);

  @TempDir Path data;

  private static NodeDescription node(String host, int nodePort, int clientPort) {
    return new NodeDescription(3, ALL, host, nodePort, clientPort, false, 0);
  }

  private static void assertRefused(String host, int nodePort, int clientPort) {
    assertThrows(RefusedException.class, () -> node(host, nodePort, clientPort).check());
  }

  @Test
  void whatIsWrittenIsRead() throws IOException {
    assertEquals(Optional.empty(), NodeDescription.read(data));
    NodeDescription some =
        new NodeDescription(
            55,
            EnumSet.of(NodeKind.STORAGE, NodeKind.MEMORY),
            "db-3.example.org",
            7000,
            5432,
            true,
            2);
    some.write(data);
    assertEquals(Optional.of(some), NodeDescription.read(data));
    assertTrue(some.at("db-4.example.org").joins());
    some.complete().write(data);
    NodeDescription complete = NodeDescription.read(data).orElseThrow();
    assertEquals(0, complete.replaces());
    assertFalse(complete.joins());
  }

  /** Files of before told only of those that take another one's place. */
  @Test
  void oneOfAnOlderVersionJoinsWhileItReplaces() throws IOException {
    for (int replaces : new int[] {0, 2}) {
      new NodeDescription(3, ALL, "db-3", 7000, 5432, true, replaces).write(data);
      Path file = data.resolve(NodeDescription.FILE);
      Files.writeString(file, Files.readString(file).replace("joins=true\n", ""));
      assertEquals(replaces != 0, NodeDescription.read(data).orElseThrow().joins());
    }
  }

  @Test
  void eachRoleHasANumberAndAPortOfItsOwn() {
    NodeDescription node = node("10.0.0.3", 7000, 5432);
    assertEquals(3, node.number(NodeKind.COMPUTE));
    assertEquals(103, node.number(NodeKind.MEMORY));
    assertEquals(203, node.number(NodeKind.STORAGE));
    assertEquals(4, NodeDescription.highest(List.of(1, 2, 101, 102, 104, 201, 203)));
    assertEquals(0, NodeDescription.highest(List.of()));
    assertEquals(7000, node.joinPort());
    assertEquals(new StorageAddress(203, "10.0.0.3", 7001, 7002), node.storageAddress());
    assertEquals(7003, node.port(NodeKind.MEMORY));
    assertEquals(7004, node.port(NodeKind.COMPUTE));
  }

  @Test
  void whatCannotWorkIsRefused() {
    node("10.0.0.3", 7000, 6999).check();
    node("10.0.0.3", 7000, 7005).check();
    assertRefused("10.0.0.3", 7000, 7000);
    assertRefused("10.0.0.3", 7000, 7004);
    assertRefused("10.0.0.3", 65_532, 5432);
    assertRefused("10.0.0.3", 0, 5432);
    assertRefused("10.0.0.3:7000", 7000, 5432);
    assertRefused("", 7000, 5432);
  }

  @Test
  void rolesAreNames() {
    assertEquals(ALL, NodeDescription.parseRoles("storage, memory,compute"));
    assertThrows(RefusedException.class, () -> NodeDescription.parseRoles("compute,router"));
    assertThrows(RefusedException.class, () -> NodeDescription.parseRoles(""));
  }

  @Test
  void aDamagedFileIsNotTakenForNone() throws IOException {
    Files.writeString(data.resolve(NodeDescription.FILE), "version=1\nnode=x\n");
    assertThrows(IllegalStateException.class, () -> NodeDescription.read(data));
    Files.writeString(data.resolve(NodeDescription.FILE), "version=2\n");
    assertThrows(RefusedException.class, () -> NodeDescription.read(data));
  }
}
