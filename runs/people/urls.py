"""URLs of accounts: a selection of allauth's views under their own names, with titles of ours."""

from __future__ import annotations

from typing import Any

from allauth.account import views as accounts
from allauth.mfa.base import views as factors
from allauth.mfa.recovery_codes import views as recovery
from allauth.mfa.totp import views as totp
from django.urls import URLPattern, path, re_path

from runs.people import views


def _page(address: str, view: Any, name: str, title: str) -> URLPattern:
    pattern: URLPattern = path(address, view.as_view(extra_context=_titled(title)), name=name)
    return pattern


def _titled(title: str) -> dict[str, Any]:
    return {"page": {"title": title, "crumbs": [{"url": "/account/", "text": "Account"}]}}


urlpatterns = [
    path("account/", views.account, name="account"),
    path("roles/", views.roles, name="roles"),
    _page("login/", accounts.LoginView, "account_login", "Log in"),
    _page("logout/", accounts.LogoutView, "account_logout", "Log out"),
    _page("account/sign-up/", accounts.SignupView, "account_signup", "Sign up"),
    _page("account/inactive/", accounts.AccountInactiveView, "account_inactive", "This account is closed"),
    _page("account/again/", accounts.ReauthenticateView, "account_reauthenticate", "Confirm your password"),
    _page("account/email/", views.EmailView, "account_email", "Email addresses"),
    _page(
        "account/email/sent/",
        accounts.EmailVerificationSentView,
        "account_email_verification_sent",
        "Confirm your address",
    ),
    _page("account/email/<str:key>/", accounts.ConfirmEmailView, "account_confirm_email", "Confirm an address"),
    _page("account/password/", accounts.PasswordChangeView, "account_change_password", "Change your password"),
    _page("account/password/set/", accounts.PasswordSetView, "account_set_password", "Choose a password"),
    _page("account/reset/", accounts.PasswordResetView, "account_reset_password", "Reset your password"),
    _page("account/reset/sent/", accounts.PasswordResetDoneView, "account_reset_password_done", "Check your email"),
    _page(
        "account/reset/done/",
        accounts.PasswordResetFromKeyDoneView,
        "account_reset_password_from_key_done",
        "Password changed",
    ),
    re_path(  # allauth joins both parts with a dash, and a key contains one, too
        r"^account/reset/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>[^/]+)/$",
        accounts.PasswordResetFromKeyView.as_view(extra_context=_titled("Choose a new password")),
        name="account_reset_password_from_key",
    ),
    _page("account/second-factor/", factors.IndexView, "mfa_index", "Second factor"),
    _page("account/second-factor/code/", factors.AuthenticateView, "mfa_authenticate", "Enter your code"),
    _page("account/second-factor/again/", factors.ReauthenticateView, "mfa_reauthenticate", "Confirm with your code"),
    _page("account/second-factor/app/", totp.ActivateTOTPView, "mfa_activate_totp", "Set up a second factor"),
    _page("account/second-factor/remove/", totp.DeactivateTOTPView, "mfa_deactivate_totp", "Remove the second factor"),
    _page("account/recovery/", recovery.ViewRecoveryCodesView, "mfa_view_recovery_codes", "Recovery codes"),
    _page(
        "account/recovery/new/", recovery.GenerateRecoveryCodesView, "mfa_generate_recovery_codes", "New recovery codes"
    ),
    path("account/recovery/codes.txt", recovery.download_recovery_codes, name="mfa_download_recovery_codes"),
]
