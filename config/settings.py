"""Every setting, in one file; what differs between machines comes from the environment.

The variables are listed, with their defaults, in the configuration table of the documentation.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

from celery.schedules import crontab
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

from config import engines
from config.env import env_bool, env_choice, env_int, env_list, env_text
from core.endpoints import parse_endpoints

BASE_DIR = Path(__file__).resolve().parent.parent
VAR_DIR = engines.private_folder(Path(env_text("POLYPHONY_VAR_DIR") or BASE_DIR / "var").resolve())

# --- This machine -------------------------------------------------------------------------------

PRODUCTION = env_bool("POLYPHONY_PRODUCTION")
DEBUG = env_bool("POLYPHONY_DEBUG")
if PRODUCTION and DEBUG:
    raise ImproperlyConfigured("POLYPHONY_DEBUG shows settings to everyone: not in production.")

SECRET_KEY = env_text("POLYPHONY_SECRET_KEY")
if PRODUCTION and not SECRET_KEY:
    raise ImproperlyConfigured(
        "POLYPHONY_SECRET_KEY (or POLYPHONY_SECRET_KEY_FILE) must be set in production: "
        "all web and worker machines need the same one."
    )
SECRET_KEY = SECRET_KEY or engines.secret_key(VAR_DIR)

#: Where people reach this copy; links that commands print start with it.
PUBLIC_URL = env_text("POLYPHONY_PUBLIC_URL", "http://127.0.0.1:8000").rstrip("/")
if urlsplit(PUBLIC_URL).scheme not in {"http", "https"} or not urlsplit(PUBLIC_URL).hostname:
    raise ImproperlyConfigured(f"POLYPHONY_PUBLIC_URL is {PUBLIC_URL!r}: write https://host.")
ALLOWED_HOSTS = [
    *env_list("POLYPHONY_HOSTS", "localhost,127.0.0.1,[::1]"),
    str(urlsplit(PUBLIC_URL).hostname),
]
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL]
BEHIND_PROXY = env_bool("POLYPHONY_BEHIND_PROXY")

# --- Applications -------------------------------------------------------------------------------

INSTALLED_APPS = [
    "core.apps.CoreConfig",
    "studies.apps.StudiesConfig",
    "voting.apps.VotingConfig",
    "clustering.apps.ClusteringConfig",
    "annotation.apps.AnnotationConfig",
    "prediction.apps.PredictionConfig",
    "config.apps.HouseConfig",
    "config.apps.PolyphonyAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",  # runserver serves files as gunicorn does
    "django.contrib.staticfiles",
    "django.forms",  # so that our templates may replace the form fields' (FORM_RENDERER)
    "rest_framework",
    "rest_framework.authtoken",
    "drf_spectacular",
    "django_htmx",
    "template_partials.apps.SimpleAppConfig",
    "csp",
    "axes",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "config.middleware.StaffSessionMiddleware",
    "config.middleware.StaffLocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "config.middleware.StaffAuthenticationMiddleware",
    "config.middleware.StaffMessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "config.middleware.RefuseNulMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
    "config.errors.DomainErrorMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "OPTIONS": {
            "builtins": ["template_partials.templatetags.partials"],
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            # "page.html#part" is looked up by the outer loader, the page itself is cached within.
            "loaders": [
                (
                    "template_partials.loader.Loader",
                    [
                        (
                            "django.template.loaders.cached.Loader",
                            [
                                "django.template.loaders.filesystem.Loader",
                                "django.template.loaders.app_directories.Loader",
                            ],
                        )
                    ],
                )
            ],
        },
    }
]

# --- Data ---------------------------------------------------------------------------------------

DATABASES = {
    "default": engines.database(
        env_text("DATABASE_URL"),
        var_dir=VAR_DIR,
        max_age_s=env_int("POLYPHONY_DATABASE_MAX_AGE", 60),
        prepare_after=env_int("POLYPHONY_PREPARE_AFTER", 3),
    )
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

LANGUAGE_CODE = "en"
# The interface languages, staff's choice by browser; a study's own texts may be in any language.
LANGUAGES = [("en", _("English"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

# --- Files --------------------------------------------------------------------------------------

STATIC_URL = "/static/"
STATIC_ROOT = VAR_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = DEBUG
# Names with a hash may be cached for ever; while developing there is no collected copy to name.
_STATIC_STORAGE = (
    "django.contrib.staticfiles.storage.StaticFilesStorage"
    if DEBUG
    else "whitenoise.storage.CompressedManifestStaticFilesStorage"
)
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": _STATIC_STORAGE},
}
MEDIA_ROOT = VAR_DIR / "files"

# --- Logins of staff ----------------------------------------------------------------------------

AUTHENTICATION_BACKENDS = [
    "axes.backends.AxesStandaloneBackend",
    "django.contrib.auth.backends.ModelBackend",
]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "admin:login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "home"
# One working day: a researcher's forgotten browser should not stay open for weeks.
SESSION_COOKIE_AGE = 12 * 60 * 60
SESSION_COOKIE_HTTPONLY = True

# Five wrong passwords for one name from one address close that pair for half an hour.
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = 0.5
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_CLIENT_IP_CALLABLE = "config.addresses.client_address"
AXES_VERBOSE = False
LOGIN_ATTEMPTS_KEPT_DAYS = 30

# --- What browsers are told ---------------------------------------------------------------------

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "connect-src": [SELF],
        "font-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
# Participants' links carry recruiters' ids: no other site is told where a visitor came from.
SECURE_REFERRER_POLICY = "same-origin"
CSRF_COOKIE_HTTPONLY = True
CSRF_FAILURE_VIEW = "config.views.csrf_failure"
# One study page posts a few fields; more is a mistake or an attack.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 2000

SECURE_SSL_REDIRECT = PRODUCTION and env_bool("POLYPHONY_TLS_REDIRECT", default=True)
SECURE_REDIRECT_EXEMPT = [r"^healthz$"]
SECURE_HSTS_SECONDS = 365 * 24 * 60 * 60 if PRODUCTION else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = PRODUCTION
SECURE_HSTS_PRELOAD = PRODUCTION
SESSION_COOKIE_SECURE = PRODUCTION
CSRF_COOKIE_SECURE = PRODUCTION
# Only behind a proxy that always sets the header itself: otherwise a visitor could.
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_PROXY else None

# --- Interface for programs ---------------------------------------------------------------------

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "rest_framework.authentication.SessionAuthentication",
        "rest_framework.authentication.TokenAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_PAGINATION_CLASS": "config.rest.IdCursorPagination",
    "PAGE_SIZE": 100,
    "DEFAULT_THROTTLE_CLASSES": ["rest_framework.throttling.ScopedRateThrottle"],
    "DEFAULT_THROTTLE_RATES": {"read": "600/min", "schema": "60/min"},
    "EXCEPTION_HANDLER": "config.errors.answer_program",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Polyphony",
    "DESCRIPTION": "Read studies, questions, statements, votes, opinion groups and scores.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_PERMISSIONS": ["rest_framework.permissions.IsAuthenticated"],
    "SCHEMA_PATH_PREFIX": r"/api/v1",
    # Both columns are called status.
    "ENUM_NAME_OVERRIDES": {
        "StudyStatusEnum": "studies.models.Study.Status",
        "StatementStatusEnum": "voting.models.Statement.Status",
    },
}

# --- Work in the background ---------------------------------------------------------------------

CELERY_BROKER_URL, CELERY_BROKER_TRANSPORT_OPTIONS = engines.broker(env_text("CELERY_BROKER_URL"), var_dir=VAR_DIR)
# Copies that share a broker need a queue each: a worker runs whatever it finds in its own.
CELERY_TASK_DEFAULT_QUEUE = env_text("POLYPHONY_QUEUE", "polyphony")
# The run's row is the truth: results and remote control would be a second, weaker one.
CELERY_RESULT_BACKEND = None
CELERY_TASK_IGNORE_RESULT = True
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_SEND_TASK_EVENTS = False
CELERY_TASK_ACKS_LATE = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = True
CELERY_TIMEZONE = "UTC"
CELERY_IMPORTS = ["config.tasks"]
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# A researcher's button must answer soon even when the broker is away; the sweeper publishes later.
CELERY_BROKER_CONNECTION_TIMEOUT = 2
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 1, "interval_start": 0.1, "interval_max": 0.1}
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "beat-schedule")
CELERY_BEAT_SCHEDULE = {
    "sweep": {
        "task": "core.sweep",
        "schedule": 10.0,
        # While a worker computes, sweeps nobody took up would pile up behind it.
        "options": {"expires": 9},
    },
    "sweep-live": {
        "task": "clustering.sweep_live",
        "schedule": 10.0,
        "options": {"expires": 9},
    },
    "expire-sessions": {
        "task": "studies.expire",
        "schedule": 60.0,
        "options": {"expires": 55},
    },
    "purge-exports": {
        "task": "studies.purge_exports",
        "schedule": 600.0,
        "options": {"expires": 590},
    },
    "purge-audit-exports": {
        "task": "annotation.purge_exports",
        "schedule": 600.0,
        "options": {"expires": 590},
    },
    "purge-files": {
        "task": "clustering.purge_files",
        "schedule": 600.0,
        "options": {"expires": 590},
    },
    "purge-login-attempts": {
        "task": "config.purge_login_attempts",
        "schedule": crontab(hour="3", minute="17"),
    },
}

# --- Models -------------------------------------------------------------------------------------

#: Whom this copy may ask, by name. Keys are not here: each endpoint names the variable that holds its own.
ENDPOINTS = parse_endpoints(env_text("POLYPHONY_ENDPOINTS"))
#: What turns texts into vectors unless a run says otherwise.
EMBEDDER = env_text("POLYPHONY_EMBEDDER", "minilm")

#: The live view of a question is computed again after so many new votes; 0 is never.
LIVE_VOTES = env_int("POLYPHONY_LIVE_VOTES", 20)

# --- Rules of recruiters ------------------------------------------------------------------------

#: Prolific's lowest pay for an hour by currency, as text, and the month in which it was looked up: policies change.
PAY_FLOOR_PER_HOUR = {"GBP": "6.00", "USD": "8.00"}
PAY_FLOOR_AS_OF = "2026-11"

# --- Logs ---------------------------------------------------------------------------------------

LOG_LEVEL = env_choice("POLYPHONY_LOG_LEVEL", "INFO", choices=("DEBUG", "INFO", "WARNING", "ERROR"))
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"without_traces": {"()": "config.logs.WithoutTraces"}},
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s %(message)s"}},
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "formatter": "line",
            "filters": ["without_traces"],
        }
    },
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
    "loggers": {
        "django": {"handlers": ["console"], "level": LOG_LEVEL, "propagate": False},
        "django.server": {"handlers": ["console"], "level": LOG_LEVEL, "propagate": False},
        # Its lines are names and addresses; the table in the admin holds them, for 30 days.
        "axes": {"level": "CRITICAL"},
    },
}
