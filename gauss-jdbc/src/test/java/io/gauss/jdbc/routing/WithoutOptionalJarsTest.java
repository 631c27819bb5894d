package io.gauss.jdbc.routing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.gauss.jdbc.routing.model.Publication;
import io.gauss.jdbc.routing.model.RandomModels;
import java.io.File;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.Random;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an application has that takes the driver and pgjdbc, and nothing else. */
class WithoutOptionalJarsTest {
  /** Only our own classes and pgjdbc; a loader of their own, so that nothing else is found. */
  private static URLClassLoader application(Path... more) {
    URL[] urls =
        Stream.concat(
                Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                    .filter(
                        e ->
                            e.contains("gauss-jdbc")
                                || e.contains("gauss-routing")
                                || e.contains("postgresql")),
                Arrays.stream(more).map(Path::toString))
            .map(WithoutOptionalJarsTest::url)
            .toArray(URL[]::new);
    return new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
  }

  private static URL url(String path) {
    try {
      return Path.of(path).toUri().toURL();
    } catch (MalformedURLException e) {
      throw new IllegalArgumentException(path, e);
    }
  }

  private static Object router(ClassLoader loader, String engine) throws Exception {
    Properties properties = new Properties();
    properties.setProperty("routing.engine", engine);
    Class<?> modes = loader.loadClass(RoutingMode.class.getName());
    return loader
        .loadClass(Routers.class.getName())
        .getMethod("create", modes, Properties.class)
        .invoke(null, modes.getField("MODEL").get(null), properties);
  }

  @Test
  void theModelIsComputedInPlainJava() throws Exception {
    try (URLClassLoader loader = application()) {
      assertThrows(ClassNotFoundException.class, () -> loader.loadClass("ai.djl.engine.Engine"));
      assertThrows(
          ClassNotFoundException.class,
          () -> loader.loadClass("com.github.benmanes.caffeine.cache.Cache"));
      Object router = router(loader, "auto");
      router
          .getClass()
          .getMethod("load", byte[].class)
          .invoke(router, Publication.write(RandomModels.any(new Random(1), 1)));
      Object report = router.getClass().getMethod("report").invoke(router);
      assertEquals("java", report.getClass().getMethod("engine").invoke(report));
    }
  }

  /** DJL with other methods than ours calls, and what makes it look complete. */
  private static void writeOtherDjl(Path directory) throws IOException {
    Path source = directory.resolve("Engine.java");
    Files.writeString(source, "package ai.djl.engine; public class Engine {}");
    int failed =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-d", directory.toString(), source.toString());
    assertEquals(0, failed);
    for (String name :
        List.of(
            "ai/djl/pytorch/engine/PtEngine.class",
            "native/lib/pytorch.properties",
            "jnilib/pytorch.properties")) {
      Files.createDirectories(directory.resolve(name).getParent());
      Files.writeString(directory.resolve(name), "");
    }
  }

  @Test
  void anotherVersionOfDjlDoesNoHarm(@TempDir Path other) throws Exception {
    writeOtherDjl(other);
    try (URLClassLoader loader = application(other)) {
      Object router = router(loader, "auto");
      byte[] model = Publication.write(RandomModels.any(new Random(1), 1));
      router.getClass().getMethod("load", byte[].class).invoke(router, model);
      Object report = router.getClass().getMethod("report").invoke(router);
      assertEquals("java", report.getClass().getMethod("engine").invoke(report));
      Object asked = router(loader, "djl");
      Exception e =
          assertThrows(
              Exception.class,
              () -> asked.getClass().getMethod("load", byte[].class).invoke(asked, model));
      assertEquals(IllegalStateException.class, e.getCause().getClass());
    }
  }

  @Test
  void pgjdbcOfTheApplicationAndOfTheDriverDoNotMeet() throws Exception {
    try (URLClassLoader loader = application()) {
      Driver driver =
          (Driver) loader.loadClass("io.gauss.jdbc.GaussDriver").getConstructor().newInstance();
      assertFalse(driver.acceptsURL("jdbc:postgresql://127.0.0.1:1/gauss"));
      SQLException e =
          assertThrows(
              SQLException.class,
              () -> driver.connect("jdbc:gauss://127.0.0.1:1/gauss", new Properties()));
      assertEquals("08001", e.getSQLState());
      assertSame(loader, e.getClass().getClassLoader(), "pgjdbc beside the driver");
      assertSame(
          org.postgresql.Driver.class,
          DriverManager.getDriver("jdbc:postgresql://127.0.0.1:1/gauss").getClass());
    }
  }

  @Test
  void metersAreRefusedWithTheNameOfWhatIsMissing() throws Exception {
    try (URLClassLoader loader = application()) {
      Object source =
          loader.loadClass("io.gauss.jdbc.GaussDataSource").getConstructor().newInstance();
      Exception e =
          assertThrows(
              Exception.class,
              () ->
                  source
                      .getClass()
                      .getMethod("setMeterRegistry", Object.class)
                      .invoke(source, "registry"));
      assertTrue(e.getCause().getMessage().contains("micrometer-core"), () -> "" + e.getCause());
      Driver driver =
          (Driver) loader.loadClass("io.gauss.jdbc.GaussDriver").getConstructor().newInstance();
      String url = "jdbc:gauss://127.0.0.1:1/gauss?metrics.micrometer=global";
      SQLException asked =
          assertThrows(SQLException.class, () -> driver.connect(url, new Properties()));
      assertEquals("22023", asked.getSQLState());
      assertTrue(asked.getMessage().contains("micrometer-core"), asked.getMessage());
    }
  }

  @Test
  void djlIsRefusedWithTheNamesOfWhatIsMissing() throws Exception {
    try (URLClassLoader loader = application()) {
      Exception e = assertThrows(Exception.class, () -> router(loader, "djl"));
      assertTrue(e.getCause().getMessage().contains("pytorch-native-cpu"), () -> "" + e.getCause());
    }
  }
}
