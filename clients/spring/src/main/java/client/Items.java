package client;

import jakarta.persistence.LockModeType;
import jakarta.persistence.QueryHint;
import java.util.List;
import java.util.Optional;
import org.springframework.data.domain.Limit;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.Lock;
import org.springframework.data.jpa.repository.Modifying;
import org.springframework.data.jpa.repository.Query;
import org.springframework.data.jpa.repository.QueryHints;

interface Items extends JpaRepository<Item, Item.Key> {
  @Lock(LockModeType.PESSIMISTIC_WRITE)
  Optional<Item> findByTenantAndId(int tenant, int id);

  @Lock(LockModeType.PESSIMISTIC_WRITE)
  @QueryHints(@QueryHint(name = "jakarta.persistence.lock.timeout", value = "-2"))
  List<Item> findByTenantAndIdGreaterThanOrderById(int tenant, int id, Limit limit);

  @Modifying
  @Query("update Item i set i.n = i.n + 1 where i.tenant = ?1 and i.id = ?2")
  int add(int tenant, int id);

  @Query(
      value =
          "SELECT count(*) FROM item WHERE tenant = ?1 AND doc @> '{\"tags\": [7]}'"
              + " AND doc ->> 'pad' LIKE 'xx%'",
      nativeQuery = true)
  long tagged(int tenant);
}
