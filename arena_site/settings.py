"""Django's settings. The defaults run on a laptop; environment variables, read by environment.py, change them.

docs/settings.md documents the variables.
"""

from __future__ import annotations

from pathlib import Path

from arena_site.environment import DEFAULT_AGENT_SECRETS, Environment, likely_origin
from arena_site.monitoring.logs import logging_settings

BASE_DIR = Path(__file__).resolve().parent.parent
env = Environment()
env.load_file(BASE_DIR / ".env")

STATE = env.path("ARENA_STATE", BASE_DIR / ".arena") / "site"  # database, archive, broker, logs, static files
ARCHIVE_FOLDER = env.path("ARENA_ARCHIVE", STATE / "archive")
DUMP_FOLDER = env.path("ARENA_DUMP", STATE / "dump")  # written by `manage.py dump_results`, linked on the data page

SECRET_KEY = env.secret("SECRET_KEY")
DEBUG = env.boolean("DEBUG", False)
ALLOWED_HOSTS = env.hosts("ALLOWED_HOSTS", ("localhost", "127.0.0.1", "[::1]"))
HTTPS = env.boolean("HTTPS", False)  # a proxy in front terminates TLS and sets X-Forwarded-Proto
CSRF_TRUSTED_ORIGINS = [f"https://{host.lstrip('.')}" for host in ALLOWED_HOSTS] if HTTPS else []

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.sitemaps",
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "arena_site",
    "runs",
    "leaderboard",
    "runs.people",  # after the others, as its groups have their permissions
]
MIDDLEWARE = [
    "arena_site.security.ContentSecurityMiddleware",
    "arena_site.monitoring.observation.ObservationMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "django.middleware.http.ConditionalGetMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "runs.people.second_factor.SecondFactorMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "leaderboard.http.middleware.DataMiddleware",
]
ROOT_URLCONF = "arena_site.urls"
WSGI_APPLICATION = "arena_site.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "runs.people.context.accounts",
                "leaderboard.navigation.navigation",
            ],
        },
    },
]

DATABASES = {"default": env.database("DATABASE_URL", STATE / "db.sqlite3")}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
# Of each process; the entries that were not used for longest go. "responses" is for leaderboard.http.response_cache.
CACHES = {
    name: {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": name}
    for name in ("default", "responses")
}

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]

LANGUAGE_CODE = "en"
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = False  # one language; leaderboard.formatting formats numbers
FORMAT_MODULE_PATH = ["arena_site.formats"]

STATIC_URL = "/static/"
STATIC_ROOT = STATE / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
WHITENOISE_MAX_AGE = 3600

# Security; the content security policy is in arena_site.security.
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if HTTPS else None
SECURE_REDIRECT_EXEMPT = ["^healthz$", "^readyz$", "^metrics$"]  # requested by monitoring without TLS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 << 20  # for a form without its files
FILE_UPLOAD_HANDLERS = ["runs.submissions.uploading.NoFiles"]  # views that take files say so
FILE_UPLOAD_TEMP_DIR = STATE / "uploads"
SESSION_COOKIE_AGE = 7 * 86_400

# Accounts (runs/people/), by allauth with own pages and rate limits. Permissions are in runs/people/rights.py.
SIGN_UP = env.boolean("SIGN_UP", True)  # off: only admins create accounts
LOGIN_URL, LOGIN_REDIRECT_URL, LOGOUT_REDIRECT_URL = "account_login", "account", "/"
ACCOUNT_ADAPTER, MFA_ADAPTER = "runs.people.adapters.AccountAdapter", "runs.people.adapters.SecondFactorAdapter"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*", "password2*"]
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_REAUTHENTICATION_METHODS = ["password", "mfa"]
ACCOUNT_EMAIL_NOTIFICATIONS = True  # send a mail when password, address or second factor change
ACCOUNT_EMAIL_SUBJECT_PREFIX = "ArenaBoard: "
ACCOUNT_USERNAME_BLACKLIST = ["admin", "arenaboard", "maintainer", "operator", "root", "system"]
ACCOUNT_RATE_LIMITS = {"login_failed": None}  # runs/people/login_attempts.py counts these for all processes
ACCOUNT_FORMS = {
    "signup": "runs.people.forms.NewAccountForm",
    "change_password": "runs.people.forms.NewPasswordForm",
}
MFA_FORMS = {"authenticate": "runs.people.forms.CodeForm", "reauthenticate": "runs.people.forms.CodeAgainForm"}
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_PERIOD = 30  # seconds
MFA_TOTP_TOLERANCE = 1  # codes of the previous and next period are accepted too, as clocks differ
MFA_RECOVERY_CODES_SHOW_ONCE = True
MFA_ALLOW_UNVERIFIED_EMAIL = True  # on a site that sends no mail staff need a second factor too

# Mail to submitters who want it; printed if no server is set.
EMAIL_HOST = env.host("EMAIL_HOST")
EMAIL_PORT = env.integer("EMAIL_PORT", 25, low=1, high=65535)
EMAIL_HOST_USER = env.text("EMAIL_USER", "")
EMAIL_HOST_PASSWORD = env.text("EMAIL_PASSWORD", "")
_mail_tls = env.choice("EMAIL_TLS", "off", "starttls", "tls")
EMAIL_USE_TLS, EMAIL_USE_SSL = _mail_tls == "starttls", _mail_tls == "tls"  # Django's names for the two
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if EMAIL_HOST else 'console'}.EmailBackend"
EMAIL_TIMEOUT = 10
ACCOUNT_EMAIL_VERIFICATION = "mandatory" if EMAIL_HOST else "none"
DEFAULT_FROM_EMAIL = env.text("EMAIL_FROM", "arenaboard@localhost", pattern=r".*\S@\S.*", allowed="an address")

# The API is read-only and has no users.
REST_FRAMEWORK = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.AllowAny"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "UNAUTHENTICATED_USER": None,
    "STRICT_JSON": True,
    "URL_FORMAT_OVERRIDE": None,
}
# Rate limit per address and minute, 0: none. leaderboard/http/rate_limits.py says what costs how much.
API_POINTS_A_MINUTE = env.integer("API_POINTS_A_MINUTE", 600, low=0, high=1_000_000)
SPECTACULAR_SETTINGS = {
    "TITLE": "ArenaBoard",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "PATH_CONVERTER_OVERRIDES": {"row": int},  # runs/numbers.py
}

# Jobs; arena_site.celeryconfig uses these for Celery.
BROKER_URL = env.broker_url("BROKER_URL", "filesystem://localhost")
BROKER_FOLDER = env.path("ARENA_BROKER", STATE / "broker")
# The registered host that a worker here works for.
HOST_NAME = env.text("ARENA_HOST", "local", pattern=r"[\w-]{1,60}", allowed="a host's name in the registry")
QUEUES = ("gfx942", "gfx950", "sm_90", "cpu", "checks")  # one per architecture, and one for submissions
# A last resort above all time limits of the evaluator: the worker's process is killed, and the lease expires.
JOB_LIMIT_S = 2 * 3600
# The evaluator class of workers. Tests use a fast fake; a system check warns about any other than the default.
EVALUATOR = env.text("ARENA_EVALUATOR", "runs.worker.device.Device", pattern=r"\w+(\.\w+)+", allowed="a name in Python")
# The daily budget for paid models, besides the limits of each configuration; None: only those.
DAY_CAP_USD = env.dollars("ARENA_DAY_CAP_USD")
# What configurations may allow agents on their host: environment variables, folders readable in their sandbox, and
# servers to send requests to.
AGENT_SECRETS = env.variable_names("ARENA_AGENT_SECRETS", DEFAULT_AGENT_SECRETS)
AGENT_FOLDERS = env.folders("ARENA_AGENT_FOLDERS")
AGENT_ENDPOINTS = env.endpoints("ARENA_AGENT_ENDPOINTS")
HEARTBEAT_S = env.integer("ARENA_HEARTBEAT_S", 5, low=1, high=60)
# Which tasks of an accepted bundle are evaluated again automatically: none, all, or a number of random ones.
VERIFY = env.text("ARENA_VERIFY", "none", pattern=r"none|all|[1-9]\d{0,2}", allowed="none, all or 1 to 999")

# What one submitter may have at a time, and how long the upload of a rejected submission is kept.
QUOTA_MB = env.integer("ARENA_QUOTA_MB", 2048, low=1, high=1_000_000_000)
QUOTA_OPEN = env.integer("ARENA_QUOTA_OPEN", 50, low=1, high=1_000_000)
REJECTED_DAYS = env.integer("ARENA_REJECTED_DAYS", 14, low=1, high=3650)

# Operation: for arena_site.monitoring and arena_site.server.
PORT = env.integer("PORT", 8000, low=1, high=65535)
SITE_URL = env.origin("SITE_URL", likely_origin(ALLOWED_HOSTS, PORT, https=HTTPS))  # links in mail begin with it
LISTEN = env.listen_address("ARENA_LISTEN", "127.0.0.1")
WEB_PROCESSES = env.integer("ARENA_WEB_PROCESSES", 2, low=1, high=64)
WEB_THREADS = env.integer("ARENA_WEB_THREADS", 4, low=1, high=64)
LEAST_FREE_MB = env.integer("ARENA_LEAST_FREE_MB", 1024, low=0, high=1_000_000_000)
# None: no nightly backup.
BACKUP_FOLDER = env.text("ARENA_BACKUPS", "", pattern=r"|/.+", allowed="an absolute path")
METRICS_TOKEN = env.secret("ARENA_METRICS_TOKEN", needed=False)
LOGGING = logging_settings(
    env.choice("ARENA_LOG", "text", "json"), env.choice("ARENA_LOG_LEVEL", "INFO", "DEBUG", "WARNING", "ERROR")
)

TASKS_FOLDER = env.path("ARENA_TASKS", BASE_DIR / "tasks")  # the evaluator reads the variable itself
_SENT = [name for endpoint in AGENT_ENDPOINTS.values() for name in endpoint.secrets]
env.refuse_unknown_names({"ARENA_AGENT_SECRETS": AGENT_SECRETS, "ARENA_AGENT_ENDPOINTS": _SENT})
env.raise_problems()
for _folder in (STATE, FILE_UPLOAD_TEMP_DIR):
    _folder.mkdir(parents=True, exist_ok=True, mode=0o700)
