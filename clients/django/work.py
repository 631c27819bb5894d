"""Django: JSONField, transactions with savepoints, select_for_update, sessions and users."""

import decimal

import settings  # noqa: F401, configures Django
from django.contrib.auth.models import Group, User
from django.contrib.sessions.backends.db import SessionStore
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.db.models import Count, F, Q, Sum
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Now

import book
from book import key, number
from shop.models import Customer, Item, Purchase


def state(error):
    found = getattr(error.__cause__, "sqlstate", None)
    return found if found in ("40001", "40P01") else None


def failure(error):
    cause = error.__cause__
    if getattr(cause, "sqlstate", None) is None:
        return repr(error)[:300]
    return f"{type(error).__name__} {cause.sqlstate} {cause.diag.message_primary}"


def again():
    connection.close_if_unusable_or_obsolete()


def locked():
    tenant, item = key()
    with transaction.atomic():
        found = Item.objects.select_for_update().get(tenant=tenant, id=item)
        found.n += 1
        found.doc["django"] = {"list": [1, None, "x"]}
        found.save(update_fields=["n", "doc"])
    book.add()
    return Item.objects.filter(
        tenant=tenant, id=item, doc__django__list__0=1, doc__django__list__2="x").count()


def expression():
    tenant, item = key()
    done = Item.objects.filter(tenant=tenant, id=item).update(n=F("n") + 1, changed=Now())
    book.add()
    return done


def json_queries():
    tenant, _ = key()
    mine = Item.objects.filter(tenant=tenant)
    return (
        list(mine.filter(doc__tags__1__lt=4).order_by("id").values_list("id", flat=True)),
        mine.filter(doc__contains={"tags": [7]}).count(), mine.filter(doc__has_key="pad").count(),
        mine.filter(doc__has_any_keys=["none", "tags"]).count(),
        mine.filter(doc__none__isnull=True).count(), mine.exclude(doc__tags__0="a").count(),
        list(mine.filter(id__lt=3).annotate(tag=KT("doc__tags__0")).order_by("id")
             .values_list("tag", "doc__tags")),
        mine.filter(id__lte=10).aggregate(total=Sum("price"), rows=Count("id")))


def savepoints():
    tenant, item = key()
    name = f"c{number()}"
    told = []
    with transaction.atomic():
        Item.objects.filter(tenant=tenant, id=item).update(n=F("n") + 1)
        customer = Customer.objects.create(name=name, email=name, labels=["a", "b"])
        try:
            with transaction.atomic():
                Customer.objects.create(name=name, email=name)
        except IntegrityError as error:
            told.append(failure(error))
        customer.purchases.create(amount=1, lines=[{"sku": 1}])
        try:
            with transaction.atomic():
                customer.purchases.create(amount=-1)
        except IntegrityError as error:
            told.append(failure(error))
        hooks = []
        transaction.on_commit(lambda: hooks.append("committed"))
    book.add()
    return told, hooks, Customer.objects.filter(labels__contains=["b"], name=name).count()


def deferred():
    name = f"d{number()}"
    told = []
    with transaction.atomic():
        Item.objects.filter(tenant=key()[0], id=1).update(n=F("n") + 1)
        customer = Customer.objects.create(name=name, email=name, profile={"age": 30})
        first = customer.purchases.create(amount=1)
        second = customer.purchases.create(amount=2)
        first.amount, second.amount = second.amount, first.amount
        first.save()
        second.save()
    book.add()
    try:
        with transaction.atomic():
            Purchase.objects.create(customer_id=-1, amount=1)
    except IntegrityError as error:
        told.append(failure(error))
    try:
        with transaction.atomic():
            customer.purchases.create(amount=1)
    except IntegrityError as error:
        told.append(failure(error))
    found = Customer.objects.prefetch_related("purchases").annotate(n=Count("purchases")).get(
        name=name, profile__age__gte=30)
    shape = found.n, sorted(str(p.amount) for p in found.purchases.all())
    return told, shape, customer.delete()[0]


def bulk():
    names = [f"b{number()}" for _ in range(5)]
    made = Customer.objects.bulk_create([Customer(name=n, email=n, profile={"i": 1}) for n in names])
    Customer.objects.bulk_create(
        [Customer(name=n, email=n, profile={"i": 2}) for n in names], update_conflicts=True,
        unique_fields=["email"], update_fields=["profile"])
    for customer in made:
        customer.profile = {"i": 3, "n": customer.name}
    changed = Customer.objects.bulk_update(made, ["profile"])
    mine = Customer.objects.filter(name__in=names)
    return changed, mine.filter(profile__i=3).count(), mine.delete()[0]


def get_or_create():
    name = f"g{number()}"
    first = Customer.objects.get_or_create(email=name, defaults={"name": name})[1]
    second = Customer.objects.update_or_create(email=name, defaults={"name": "other"})[1]
    return first, second, Customer.objects.filter(Q(email=name) | Q(name=name)).delete()[0]


def users_and_sessions():
    name = f"u{number()}"
    with transaction.atomic():
        user = User.objects.create_user(name, password="secret")
        user.groups.add(Group.objects.get_or_create(name="all")[0])
        session = SessionStore()
        session["user"] = user.pk
        session.save()
    there = SessionStore(session_key=session.session_key)["user"] == user.pk
    member = User.objects.filter(groups__name="all", username=name).exists()
    session.delete()
    return there, member, user.check_password("secret"), user.delete()[0] > 0


def iterated():
    tenant, _ = key()
    return sum(item.id for item in Item.objects.filter(tenant=tenant).iterator(chunk_size=100))


def skipped():
    tenant, _ = key()
    with transaction.atomic():
        rows = list(Item.objects.select_for_update(skip_locked=True, of=("self",))
                    .filter(tenant=tenant, id__gt=990).order_by("id")[:1])
        for item in rows:
            Item.objects.filter(pk=item.pk).update(n=F("n") + 1)
    book.add(len(rows))
    return "taken"


def cast():
    tenant, _ = key()
    return list(Item.objects.filter(tenant=tenant, id__lt=3).order_by("id").annotate(
        as_number=Cast(KT("doc__tags__1"), output_field=Item._meta.get_field("id")))
        .values_list("as_number", flat=True)), decimal.Decimal("1.5") * 2


def raw():
    with connection.cursor() as cursor:
        cursor.execute("SELECT n >= 0, doc->'tags' FROM item WHERE tenant = %s AND id = 4",
                       key()[:1])
        row = cursor.fetchone()
        cursor.execute("SHOW TimeZone")
        zone = cursor.fetchone()
        try:
            with transaction.atomic():
                cursor.execute("SELECT 1 / 0")
        except DatabaseError as error:
            return row, zone, failure(error)


def introspected():
    with connection.cursor() as cursor:
        constraints = connection.introspection.get_constraints(cursor, "shop_purchase")
        return (sorted((name.split("_")[0], c["columns"], c["unique"], bool(c["foreign_key"]))
                       for name, c in constraints.items()),
                [(c.name, c.null_ok) for c in
                 connection.introspection.get_table_description(cursor, "shop_customer")])


book.run(
    [locked, expression, json_queries, savepoints, deferred, bulk, get_or_create,
     users_and_sessions, iterated, skipped, cast, raw, introspected], state, failure, again)
connection.close()
book.close()
