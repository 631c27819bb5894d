package client;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import jakarta.persistence.EntityManager;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.quartz.JobBuilder;
import org.quartz.JobExecutionContext;
import org.quartz.TriggerBuilder;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.data.domain.Limit;
import org.springframework.data.domain.Page;
import org.springframework.data.domain.PageRequest;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.scheduling.quartz.QuartzJobBean;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Spring Data JPA (Hibernate 6) with tables that Flyway and Liquibase make, three processes at
 * once; and Quartz, db-scheduler and ShedLock, which see to it that a job is done once.
 */
public final class Main {
  private final People people;
  private final Items items;
  private final JdbcTemplate jdbc;
  private final EntityManager entities;
  private final TransactionTemplate transaction;
  private final PlatformTransactionManager manager;
  private final org.quartz.Scheduler quartz;
  private final DataSource source;
  private final List<Long> expected = new ArrayList<>();
  private final OneTimeTask<Void> task;
  private final Scheduler scheduler;
  private final JdbcTemplateLockProvider locks;

  Main(ConfigurableApplicationContext context) {
    people = context.getBean(People.class);
    items = context.getBean(Items.class);
    jdbc = context.getBean(JdbcTemplate.class);
    entities = context.getBean(EntityManager.class);
    manager = context.getBean(PlatformTransactionManager.class);
    transaction = new TransactionTemplate(manager);
    quartz = context.getBean(org.quartz.Scheduler.class);
    source = context.getBean(DataSource.class);
    task =
        Tasks.oneTime("once")
            .execute((instance, ignored) -> done(jdbc, Long.parseLong(instance.getId())));
    scheduler =
        Scheduler.create(source, task)
            .pollingInterval(Duration.ofMillis(500))
            .pollUsingLockAndFetch(0.5, 1.0)
            .threads(2)
            .build();
    locks =
        new JdbcTemplateLockProvider(
            JdbcTemplateLockProvider.Configuration.builder()
                .withJdbcTemplate(jdbc)
                .usingDbTime()
                .build());
  }

  /** A job that has been done; twice is an error. */
  static void done(JdbcTemplate jdbc, long job) {
    try {
      jdbc.update("INSERT INTO done VALUES (?, ?)", job, Book.INSTANCE);
    } catch (RuntimeException e) {
      Book.tell("job", "ERROR " + Book.failure(e));
    }
  }

  /** Quartz's job. */
  public static class Once extends QuartzJobBean {
    private final JdbcTemplate jdbc;

    public Once(JdbcTemplate jdbc) {
      this.jdbc = jdbc;
    }

    @Override
    protected void executeInternal(JobExecutionContext context) {
      done(jdbc, Long.parseLong(context.getJobDetail().getKey().getName()));
    }
  }

  private Object locked() {
    int tenant = Book.tenant();
    int id = Book.item();
    Object seen =
        transaction.execute(
            status -> {
              Item item = items.findByTenantAndId(tenant, id).orElseThrow();
              item.n++;
              item.doc.put("hibernate", Map.of("list", List.of(1, "two")));
              return item.doc.get("tags") instanceof List<?> tags ? tags.get(0) : "none";
            });
    Book.added(1);
    return seen + " " + items.findById(new Item.Key(tenant, id)).orElseThrow().doc.get("hibernate");
  }

  private Object added() {
    int done = transaction.execute(status -> items.add(Book.tenant(), Book.item()));
    Book.added(done);
    return done;
  }

  private Object tagged() {
    return items.tagged(Book.tenant());
  }

  private Object skipped() {
    int taken =
        transaction.execute(
            status -> {
              List<Item> found =
                  items.findByTenantAndIdGreaterThanOrderById(Book.tenant(), 990, Limit.of(1));
              found.forEach(item -> item.n++);
              return found.size();
            });
    Book.added(taken);
    return "taken";
  }

  private Object persons() {
    String name = "p" + Book.number();
    transaction.executeWithoutResult(
        status -> {
          items.findById(new Item.Key(Book.tenant(), Book.item()));
          for (int i = 0; i < 5; i++) {
            Person person = new Person(name + "-" + i);
            person.address = new Person.Address("city " + i, List.of("a", "b"));
            person.raw = Map.of("k", i);
            person.tags = new String[] {"x", "y\"z"};
            person.born = java.time.LocalDate.of(2000, 2, 29);
            person.add("cat");
            person.add("dog");
            people.save(person);
          }
        });
    Person found = people.findByName(name + "-3").orElseThrow();
    Page<Person> page = people.findByNameStartingWithOrderByName(name + "-", PageRequest.of(1, 2));
    Object streamed =
        transaction.execute(
            status -> {
              try (var stream = people.stream(name)) {
                return stream.map(person -> person.raw).toList();
              }
            });
    int scored = transaction.execute(status -> people.score(name + "-1"));
    transaction.executeWithoutResult(
        status -> {
          Person person = people.findByName(name + "-1").orElseThrow();
          person.pets.remove(0);
          person.address = new Person.Address("moved", null);
        });
    Person changed = people.findByName(name + "-1").orElseThrow();
    long removed = transaction.execute(status -> people.deleteByNameStartingWith(name));
    return List.of(
        found.address,
        found.tags[1],
        found.pets.size(),
        found.born,
        page.getTotalElements(),
        page.getContent().get(0).name.endsWith("-2"),
        streamed,
        scored,
        changed.version,
        changed.address,
        changed.pets.size(),
        changed.score,
        removed);
  }

  private Object optimistic() {
    String name = "o" + Book.number();
    Person person = people.save(new Person(name));
    transaction.executeWithoutResult(status -> people.score(name));
    person.score = person.score.add(java.math.BigDecimal.ONE);
    try {
      people.save(person);
      return "no conflict";
    } catch (RuntimeException e) {
      return e.getClass().getSimpleName();
    } finally {
      transaction.executeWithoutResult(status -> people.deleteByNameStartingWith(name));
    }
  }

  private Object duplicate() {
    String name = "d" + Book.number();
    people.save(new Person(name));
    try {
      transaction.executeWithoutResult(
          status -> {
            items.add(Book.tenant(), Book.item());
            people.saveAndFlush(new Person(name));
          });
      return "no error";
    } catch (RuntimeException e) {
      return Book.failure(e).replace(name, "N");
    }
  }

  private Object deferred() {
    try {
      transaction.executeWithoutResult(
          status -> {
            items.add(Book.tenant(), Book.item());
            jdbc.update("INSERT INTO tool.pet (person, name) VALUES (-1, 'lost')");
          });
      return "no error";
    } catch (RuntimeException e) {
      return Book.failure(e);
    }
  }

  private Object nested() {
    TransactionTemplate inner = new TransactionTemplate(manager);
    inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    Object told =
        transaction.execute(
            status -> {
              items.add(Book.tenant(), Book.item());
              entities.flush();
              inner.executeWithoutResult(
                  other -> jdbc.queryForObject("SELECT count(*) FROM parent", Long.class));
              return jdbc.queryForObject("SELECT 'goes on'", String.class);
            });
    Book.added(1);
    return told;
  }

  private Object readOnly() {
    TransactionTemplate reading = new TransactionTemplate(manager);
    reading.setReadOnly(true);
    reading.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
    return reading.execute(
        status -> {
          items.findById(new Item.Key(Book.tenant(), Book.item()));
          return jdbc.queryForObject("SHOW transaction_isolation", String.class)
              + jdbc.queryForObject("SHOW transaction_read_only", String.class);
        });
  }

  private Object timeout() {
    TransactionTemplate hurried = new TransactionTemplate(manager);
    hurried.setTimeout(1);
    try {
      hurried.executeWithoutResult(
          status -> {
            items.add(Book.tenant(), Book.item());
            jdbc.execute("SELECT pg_sleep(30)");
          });
      return "no timeout";
    } catch (RuntimeException e) {
      return Book.failure(e);
    }
  }

  private Object batch() {
    long first = Book.number() * 1000;
    int tenant = Book.tenant();
    List<Object[]> rows = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      rows.add(new Object[] {tenant, first + i, "{\"i\": " + i + "}"});
    }
    int[] counts =
        transaction.execute(
            status -> jdbc.batchUpdate("INSERT INTO log VALUES (?, ?, ?::jsonb)", rows));
    return counts.length
        + " "
        + jdbc.queryForObject(
            "SELECT sum((entry ->> 'i')::int) FROM log WHERE tenant = ? AND id BETWEEN ? AND ?",
            Long.class,
            tenant,
            first,
            first + 49);
  }

  private Object shedLock() {
    Optional<SimpleLock> lock =
        locks.lock(
            new LockConfiguration(
                Instant.now(), "shed" + Book.tenant() % 3, Duration.ofSeconds(20), Duration.ZERO));
    if (lock.isPresent()) {
      items.findById(new Item.Key(Book.tenant(), Book.item()));
      lock.get().unlock();
    }
    return "had or not";
  }

  private Object scheduleQuartz() throws Exception {
    long job = Book.number();
    quartz.scheduleJob(
        JobBuilder.newJob(Once.class).withIdentity(Long.toString(job)).build(),
        TriggerBuilder.newTrigger()
            .withIdentity("t" + job)
            .startAt(Date.from(Instant.now().plusMillis(200)))
            .build());
    expected.add(job);
    return "scheduled";
  }

  private Object scheduleTask() {
    long job = Book.number();
    scheduler.schedule(task.instance(Long.toString(job)), Instant.now());
    expected.add(job);
    return "scheduled";
  }

  private void run() throws Exception {
    scheduler.start();
    Map<String, Book.Step> steps = new LinkedHashMap<>();
    steps.put("locked", this::locked);
    steps.put("added", this::added);
    steps.put("tagged", this::tagged);
    steps.put("skipped", this::skipped);
    steps.put("persons", this::persons);
    steps.put("optimistic", this::optimistic);
    steps.put("duplicate", this::duplicate);
    steps.put("deferred", this::deferred);
    steps.put("nested", this::nested);
    steps.put("readOnly", this::readOnly);
    steps.put("timeout", this::timeout);
    steps.put("batch", this::batch);
    steps.put("shedLock", this::shedLock);
    steps.put("scheduleQuartz", this::scheduleQuartz);
    steps.put("scheduleTask", this::scheduleTask);
    Book.run(steps);
    long end = System.nanoTime() + 60_000_000_000L;
    long missing = expected.size();
    while (missing > 0 && System.nanoTime() < end) {
      Thread.sleep(500);
      Long there =
          jdbc.queryForObject(
              "SELECT count(*) FROM done WHERE job = ANY (?)",
              Long.class,
              (Object) expected.toArray(Long[]::new));
      missing = expected.size() - there;
    }
    Book.tell("jobs", missing + " missing");
    Book.tell(
        "flyway",
        jdbc.queryForList("SELECT version, success FROM tool.flyway_schema_history ORDER BY 1"));
    Book.tell(
        "liquibase",
        jdbc.queryForList("SELECT id, exectype FROM tool2.databasechangelog ORDER BY 1"));
    scheduler.stop();
    Book.close();
  }

  public static void main(String[] arguments) throws Exception {
    new Main(started(arguments)).run();
    System.exit(0);
  }

  /** Liquibase makes its own tables without a lock: of several that start at once, some fail. */
  private static ConfigurableApplicationContext started(String[] arguments) {
    for (int attempt = 1; ; attempt++) {
      try {
        return SpringApplication.run(Application.class, arguments);
      } catch (RuntimeException e) {
        Throwable cause = e;
        while (cause.getCause() != null) {
          cause = cause.getCause();
        }
        if (attempt == 5 || !String.valueOf(cause.getMessage()).contains("databasechangelog")) {
          System.err.println(cause);
          throw e;
        }
      }
    }
  }
}
