import django.contrib.postgres.fields
import django.db.models.constraints
import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
    ]

    operations = [
        migrations.CreateModel(
            name='Item',
            fields=[
                ('pk', models.CompositePrimaryKey('tenant', 'id', blank=True, editable=False, primary_key=True, serialize=False)),
                ('tenant', models.IntegerField()),
                ('id', models.IntegerField()),
                ('n', models.BigIntegerField()),
                ('name', models.TextField()),
                ('doc', models.JSONField()),
                ('price', models.DecimalField(decimal_places=2, max_digits=12, null=True)),
                ('changed', models.DateTimeField(null=True)),
            ],
            options={
                'db_table': 'item',
                'managed': False,
            },
        ),
        migrations.CreateModel(
            name='Customer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(db_index=True, max_length=40)),
                ('email', models.EmailField(max_length=254, unique=True)),
                ('profile', models.JSONField(default=dict)),
                ('labels', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=10), default=list, size=None)),
                ('created', models.DateTimeField(auto_now_add=True)),
            ],
        ),
        migrations.CreateModel(
            name='Purchase',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('amount', models.DecimalField(decimal_places=2, max_digits=10)),
                ('lines', models.JSONField(null=True)),
                ('customer', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='purchases', to='shop.customer')),
            ],
            options={
                'indexes': [models.Index(fields=['customer', '-amount'], name='by_amount')],
                'constraints': [models.CheckConstraint(condition=models.Q(('amount__gte', 0)), name='amount_positive'), models.UniqueConstraint(deferrable=django.db.models.constraints.Deferrable['DEFERRED'], fields=('customer', 'amount'), name='once'), models.UniqueConstraint(condition=models.Q(('customer__isnull', True)), fields=('amount',), name='partly')],
            },
        ),
    ]
