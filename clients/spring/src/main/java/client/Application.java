package client;

import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Makes data source, migrations, repositories and Quartz as Spring Boot does. */
@SpringBootApplication
class Application {}
