package client;

import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.IdClass;
import jakarta.persistence.Table;
import java.io.Serializable;
import java.math.BigDecimal;
import java.util.Map;
import java.util.Objects;
import org.hibernate.annotations.DynamicUpdate;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.type.SqlTypes;

/** The table that all programs work on. */
@Entity
@DynamicUpdate
@IdClass(Item.Key.class)
@Table(name = "item", schema = "public")
class Item {
  /** Its primary key. */
  static final class Key implements Serializable {
    int tenant;
    int id;

    Key() {}

    Key(int tenant, int id) {
      this.tenant = tenant;
      this.id = id;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Key key && key.tenant == tenant && key.id == id;
    }

    @Override
    public int hashCode() {
      return Objects.hash(tenant, id);
    }
  }

  @Id int tenant;
  @Id int id;
  long n;

  @Column(columnDefinition = "text")
  String name;

  @JdbcTypeCode(SqlTypes.JSON)
  @Column(columnDefinition = "jsonb")
  Map<String, Object> doc;

  @Column(precision = 12, scale = 2)
  BigDecimal price;
}
