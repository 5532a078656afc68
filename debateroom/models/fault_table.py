"""What can go wrong with a call, as data: each kind, and which code, status or class means which.

Read by `faults`, which decides in the order of the tables here: code, type, status, general type, class.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Kind(NamedTuple):
    """One way a call fails. Its sentence is the message `fault_<kind>` of `templates/labels`."""

    cause: str
    """The word that goes into `CallFailed.cause`."""
    retry: bool = False
    hint: str | None = None
    """A command, or a message of `templates/labels` by its name."""
    hopeless: bool = False
    """No call to this model can succeed, now or later: NoModel in place of CallFailed."""


KINDS: Mapping[str, Kind] = {
    # worth another try
    "rate_limit": Kind("rate_limit", True),
    "overloaded": Kind("overloaded", True),
    "server": Kind("error", True),
    "conflict": Kind("error", True),
    "timeout": Kind("timeout", True),
    "connection": Kind("connection", True),
    "garbled": Kind("error", True),
    "cut": Kind("cut", True),
    "empty": Kind("empty", True),
    "expired": Kind("timeout", True),
    "no_result": Kind("error", True),
    # final for this call
    "canceled": Kind("canceled"),
    "no_batches": Kind("error", hint="hint_no_batches"),
    "spent": Kind("quota", hint="hint_spent"),
    "too_large": Kind("too_large", hint="hint_too_large"),
    "refusal": Kind("refusal"),
    "thought_out": Kind("thought_out", hint="hint_thought_out"),
    "unsupported": Kind("error"),
    "invalid": Kind("error"),
    "address": Kind("error", hint="hint_address"),
    "page": Kind("error", hint="hint_address"),
    "certificate": Kind("connection", hint="hint_address"),
    "sdk": Kind("error"),
    # no call can succeed
    "key": Kind("key", hopeless=True),
    "no_key": Kind("key", hopeless=True),
    "permission": Kind("key", hopeless=True),
    "region": Kind("region", hint="hint_region", hopeless=True),
    "residency": Kind("region", hint="hint_residency", hopeless=True),
    "account": Kind("account", hint="hint_account", hopeless=True),
    "no_such_model": Kind("model", hint="debateroom models", hopeless=True),
}

BY_CODE: Mapping[str, str] = {
    # Anthropic, `error.details.error_code`
    "contract_spend_limit_reached": "spent",
    "enforced_spend_limit_reached": "spent",
    "linked_organization_spend_limit_reached": "spent",
    "linked_organization_billing_unavailable": "spent",
    "user_profile_not_billable": "spent",
    "user_profile_billing_not_authorized": "spent",
    "storage_quota_exceeded": "spent",
    "ramp_limit_exceeded": "rate_limit",
    "organization_on_hold": "account",
    "organization_type_not_supported": "account",
    "region_not_supported": "region",
    "request_body_timeout": "timeout",
    "compaction_unavailable": "overloaded",
    # OpenAI, `error.code`
    "insufficient_quota": "spent",
    "billing_hard_limit_reached": "spent",
    "billing_not_active": "spent",
    "insufficient_credits": "spent",
    "rate_limit_exceeded": "rate_limit",
    "slow_down": "rate_limit",
    "server_overloaded": "overloaded",
    "engine_overloaded": "overloaded",
    "service_unavailable": "overloaded",
    "vector_store_timeout": "timeout",
    "invalid_api_key": "key",
    "account_deactivated": "key",
    "access_terminated": "key",
    "invalid_organization": "key",
    "mismatched_organization": "key",
    "model_not_found": "no_such_model",
    "unsupported_country_region_territory": "region",
    "data_residency_mismatch": "residency",
    "context_length_exceeded": "too_large",
    "string_above_max_length": "too_large",
    "request_too_large": "too_large",
    "invalid_prompt": "refusal",
    "content_filter": "refusal",
    "content_policy_violation": "refusal",
    "bio_policy": "refusal",
    "misalignment_policy_violation": "refusal",
}
"""The exact reason. Where a vendor names one, it decides alone: a spent quota has status 429 and is final."""

BY_TYPE: Mapping[str, str] = {
    # Anthropic, `error.type`
    "authentication_error": "key",
    "permission_error": "permission",
    "billing_error": "spent",
    "rate_limit_error": "rate_limit",
    "overloaded_error": "overloaded",
    "timeout_error": "timeout",
    "conflict_error": "conflict",
    "request_too_large": "too_large",
    # OpenAI, `error.type`
    "insufficient_quota": "spent",
    "billing_not_active": "spent",
    "tokens": "rate_limit",
    "requests": "rate_limit",
    "request_forbidden": "permission",
    # llama.cpp's server
    "exceed_context_size_error": "too_large",
    "unavailable_error": "overloaded",
}
"""The family of the error. It also decides for an error inside a stream, whose status is 200."""

BY_STATUS: Mapping[int, str] = {
    400: "invalid",
    401: "key",
    402: "spent",
    403: "permission",
    404: "not_found",
    405: "address",
    407: "address",
    408: "timeout",
    409: "conflict",
    412: "invalid",
    413: "too_large",
    422: "invalid",
    425: "conflict",
    429: "rate_limit",
    431: "too_large",
    451: "permission",
    499: "connection",
    500: "server",
    501: "unsupported",
    503: "overloaded",
    504: "timeout",
    529: "overloaded",
}
"""Other 4xx are `invalid`, other 5xx `server`. `not_found` is settled by what the error says is missing."""

BY_GENERAL_TYPE: Mapping[str, str] = {
    "invalid_request_error": "invalid",
    "not_found_error": "not_found",
    "api_error": "server",
    "server_error": "server",
}
"""Types that say less than the status does; they decide where there is no status."""

BY_CLASS: Mapping[str, str] = {
    "APITimeoutError": "timeout",
    "APIConnectionError": "connection",
    "APIResponseValidationError": "garbled",
    "RetryableError": "server",
    "LengthFinishReasonError": "thought_out",
    "ContentFilterFinishReasonError": "refusal",
    "CredentialsError": "no_key",
    "WorkloadIdentityError": "no_key",
    "SubjectTokenProviderError": "no_key",
    "_NonObjectPayloadError": "no_key",
    "_TransientTokenExchangeError": "connection",
    "UnsupportedMCPValueError": "invalid",
    # the network, raw: in a stream neither SDK wraps all of it
    "TimeoutException": "timeout",
    "UnsupportedProtocol": "address",
    "LocalProtocolError": "invalid",
    "TransportError": "connection",
    "ProtocolError": "connection",
    "NetworkError": "connection",
    "ProxyError": "connection",
    "ConnectionNotAvailable": "connection",
    "StreamError": "connection",
    "RequestError": "connection",
    "HTTPStatusError": "server",
    "DecodingError": "garbled",
    "TooManyRedirects": "address",
    "InvalidURL": "address",
    "CookieConflict": "invalid",
    # Python's own
    "TimeoutError": "timeout",
    "ConnectionError": "connection",
    "gaierror": "connection",
    "SSLCertVerificationError": "certificate",
    "SSLError": "connection",
    "JSONDecodeError": "garbled",
    "RecursionError": "garbled",
    "UnicodeDecodeError": "garbled",
    "ValidationError": "garbled",
    # the SDK used in a way this project does not use it
    **dict.fromkeys(
        (
            "AgentFilePreparationError", "AgentFileStagingError", "AgentOutputParseError", "AgentTurnResultError",
            "APIRemovedInV1", "APIWebhookValidationError", "BrowserCancelledError", "BrowserError",
            "ComputerUseError", "DecisionsToolRunnerError", "FileStoreError", "InvalidWebhookSignatureError",
            "MissingDependencyError", "MissingStreamClassError", "MutuallyExclusiveAuthError",
            "ResponsesWebSocketBufferError", "ResponsesWebSocketError", "SessionMemoryError",
            "StreamAlreadyConsumed", "ToolError", "ToolRunnerError", "ToolsetUsageError",
            "WebSocketConnectionClosedError", "WebSocketQueueFullError", "_AmbiguousModuleClientUsageError",
        ),
        "sdk",
    ),
}  # fmt: skip
"""Class names of the SDKs, of the HTTP library under them and of Python; a class stands for its subclasses."""
