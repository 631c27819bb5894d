package io.gauss.server.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import io.gauss.server.WithoutTests;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * Methods and constructors have seven parameters at most: what belongs together is a type. Records
 * may have more, since the compiler and the names at hand tell which is which when they are read.
 */
@AnalyzeClasses(packages = "io.gauss", importOptions = WithoutTests.class)
class ParametersArchitectureTest {
  private static final int MOST = 7;

  /** What a generator has written. */
  private static final List<String> GENERATED =
      List.of("io.gauss.compute.sql.parse.impl.", ".jmh_generated.");

  /**
   * Those with more: in the engine's inner loops, where a type would be an object for each row or
   * page; and formats and nodes of syntax trees, whose parameters are their fields. The list only
   * gets shorter.
   */
  private static final Set<String> LONGER =
      new TreeSet<>(
          List.of(
              "CoherentPages.new",
              "LeafRecords.change",
              "LeafRecords.insert",
              "LockLayout.item",
              "LogBatchLayout.encodeHeader",
              "LogControlLayout.encode",
              "LogSegmentLayout.encode",
              "PageMessageLayout.item",
              "PagesInstall.new",
              "ParserSupport.select",
              "PgInsert.new",
              "PgSelect.new",
              "PgType.new",
              "PgUpdate.new",
              "RowInsert.insert",
              "RowInsert.tryInsert",
              "SelectBinder.project",
              "SplitPoint.choose",
              "TreePage.refence",
              "TreeScan.open",
              "TreeSearch.descend",
              "TreeSearch.tryLeaf",
              "TreeSplit.attempt",
              "TreeSplit.image",
              "TreeSplit.makeRoom",
              "TreeUndoApplier.attempt",
              "TreeUndoApplier.attemptOnce",
              "TreeUnlink.unlinkPinned",
              "UndoSegments.new",
              "UpdateNode.new",
              "VersionedScan.open",
              "VersionedTree.change",
              "VersionedTree.insert",
              "VersionedTree.tryWrite",
              "VersionedTree.write"));

  private static String name(JavaCodeUnit unit) {
    String method = unit instanceof JavaConstructor ? "new" : unit.getName();
    return unit.getOwner().getSimpleName() + "." + method;
  }

  private static boolean isLong(JavaCodeUnit unit) {
    JavaClass owner = unit.getOwner();
    boolean isWritten =
        !unit.getModifiers().contains(JavaModifier.SYNTHETIC)
            && !unit.getModifiers().contains(JavaModifier.BRIDGE)
            && !unit.getName().startsWith("lambda$")
            && GENERATED.stream().noneMatch(owner.getName()::contains);
    return isWritten && !isOfRecord(unit) && written(unit) > MOST;
  }

  /** A record's own constructor, which has all components. */
  private static boolean isOfRecord(JavaCodeUnit unit) {
    JavaClass owner = unit.getOwner();
    long components =
        owner.getFields().stream()
            .filter(field -> !field.getModifiers().contains(JavaModifier.STATIC))
            .count();
    return owner.isRecord()
        && unit instanceof JavaConstructor
        && unit.getRawParameterTypes().size() == components;
  }

  /** Parameters without those that the compiler adds to constructors. */
  private static int written(JavaCodeUnit unit) {
    int all = unit.getRawParameterTypes().size();
    if (!(unit instanceof JavaConstructor)) {
      return all;
    }
    JavaClass owner = unit.getOwner();
    if (owner.isEnum()) {
      return all - 2; // name and ordinal
    }
    return owner.isInnerClass() ? all - 1 : all;
  }

  @ArchTest
  static void parameterListsOfMoreThanSevenAreThoseOfTheList(JavaClasses product) {
    Set<String> found = new TreeSet<>();
    product.stream()
        .flatMap(type -> type.getCodeUnits().stream())
        .filter(ParametersArchitectureTest::isLong)
        .forEach(unit -> found.add(name(unit)));
    assertEquals(
        LONGER,
        found,
        "a new one is to be made shorter by a type; one that is not there any more leaves the"
            + " list");
  }
}
