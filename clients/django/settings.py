import os

import django
from django.conf import settings

settings.configure(
    INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth",
                    "django.contrib.sessions", "django.contrib.postgres", "shop"],
    DATABASES={"default": {
        "ENGINE": "django.db.backends.postgresql",
        "HOST": os.environ["PGHOST"], "PORT": os.environ["PGPORT"], "USER": os.environ["PGUSER"],
        "NAME": os.environ["PGDATABASE"], "CONN_MAX_AGE": None, "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {"application_name": "django", "options": "-c search_path=tool,public"}}},
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField", SECRET_KEY="not a secret", USE_TZ=True, TIME_ZONE="Europe/Paris",
    PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"])
django.setup()
