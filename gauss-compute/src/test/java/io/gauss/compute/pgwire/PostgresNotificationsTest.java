package io.gauss.compute.pgwire;

import org.junit.jupiter.api.extension.RegisterExtension;

/** The contract is PostgreSQL's. */
class PostgresNotificationsTest extends NotificationsContract {
  @RegisterExtension static final PostgresDatabase SERVER = new PostgresDatabase();

  @Override
  WireServer server() {
    return SERVER;
  }
}
