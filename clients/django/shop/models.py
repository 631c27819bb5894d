from django.contrib.postgres.fields import ArrayField
from django.db import models


class Customer(models.Model):
    name = models.CharField(max_length=40, db_index=True)
    email = models.EmailField(unique=True)
    profile = models.JSONField(default=dict)
    labels = ArrayField(models.CharField(max_length=10), default=list)
    created = models.DateTimeField(auto_now_add=True)


class Purchase(models.Model):
    customer = models.ForeignKey(Customer, on_delete=models.CASCADE, related_name="purchases")
    amount = models.DecimalField(max_digits=10, decimal_places=2)
    lines = models.JSONField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(amount__gte=0), name="amount_positive"),
            models.UniqueConstraint(
                fields=["customer", "amount"], name="once", deferrable=models.Deferrable.DEFERRED),
            models.UniqueConstraint(
                fields=["amount"], condition=models.Q(customer__isnull=True), name="partly")]
        indexes = [models.Index(fields=["customer", "-amount"], name="by_amount")]


class Item(models.Model):
    pk = models.CompositePrimaryKey("tenant", "id")
    tenant = models.IntegerField()
    id = models.IntegerField()
    n = models.BigIntegerField()
    name = models.TextField()
    doc = models.JSONField()
    price = models.DecimalField(max_digits=12, decimal_places=2, null=True)
    changed = models.DateTimeField(null=True)

    class Meta:
        managed = False
        db_table = "item"
