"""Migrations of Django's own applications and of one made here, down and up again."""

import os

import settings  # noqa: F401, configures Django
from django.core.management import call_command
from django.db import connection

call_command("makemigrations", "shop", verbosity=0)
call_command("migrate", verbosity=0)
call_command("migrate", "shop", "zero", verbosity=0)
call_command("migrate", verbosity=0)
call_command("makemigrations", "--check", "--dry-run", verbosity=0)
with open(os.devnull, "w", encoding="utf-8") as nowhere:
    call_command("inspectdb", stdout=nowhere)
connection.close()
