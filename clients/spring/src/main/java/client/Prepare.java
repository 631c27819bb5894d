package client;

import java.sql.Connection;
import java.sql.DriverManager;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ScriptUtils;

/** Makes the tables of Quartz, db-scheduler and ShedLock, as their own scripts say. */
final class Prepare {
  private static final String TABLES =
      """
      DROP TABLE IF EXISTS scheduled_tasks, shedlock;
      CREATE TABLE scheduled_tasks (
        task_name text NOT NULL,
        task_instance text NOT NULL,
        task_data bytea,
        execution_time timestamp with time zone NOT NULL,
        picked boolean NOT NULL,
        picked_by text,
        last_success timestamp with time zone,
        last_failure timestamp with time zone,
        consecutive_failures int,
        last_heartbeat timestamp with time zone,
        version bigint NOT NULL,
        priority smallint,
        PRIMARY KEY (task_name, task_instance)
      );
      CREATE INDEX execution_time_idx ON scheduled_tasks (execution_time);
      CREATE INDEX last_heartbeat_idx ON scheduled_tasks (last_heartbeat);
      CREATE TABLE shedlock (
        name varchar(64) PRIMARY KEY,
        lock_until timestamp NOT NULL,
        locked_at timestamp NOT NULL,
        locked_by varchar(255) NOT NULL
      );
      """;

  private Prepare() {}

  public static void main(String[] arguments) throws Exception {
    String url =
        "jdbc:postgresql://%s:%s/%s"
            .formatted(
                System.getenv("PGHOST"), System.getenv("PGPORT"), System.getenv("PGDATABASE"));
    try (Connection connection = DriverManager.getConnection(url, System.getenv("PGUSER"), "")) {
      ScriptUtils.executeSqlScript(
          connection, new ClassPathResource("org/quartz/impl/jdbcjobstore/tables_postgres.sql"));
      ScriptUtils.executeSqlScript(connection, new ByteArrayResource(TABLES.getBytes()));
    }
  }
}
