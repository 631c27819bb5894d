package client;

import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.data.domain.Page;
import org.springframework.data.domain.Pageable;
import org.springframework.data.jpa.repository.EntityGraph;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;

interface People extends JpaRepository<Person, Long> {
  @EntityGraph(attributePaths = "pets")
  Optional<Person> findByName(String name);

  Page<Person> findByNameStartingWithOrderByName(String start, Pageable pageable);

  @Query(
      value = "SELECT count(*) FROM tool.person WHERE address @> CAST(:part AS jsonb)",
      nativeQuery = true)
  long countWithAddress(String part);

  @Query("select p from Person p where p.name like :start% order by p.name")
  Stream<Person> stream(String start);

  @Modifying
  @Query("update Person p set p.score = p.score + 1, p.version = p.version + 1 where p.name = ?1")
  int score(String name);

  long deleteByNameStartingWith(String start);
}
