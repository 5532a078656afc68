"""What can go wrong with a call, as data: each kind with its sentence, and which code, status or class means which.

Read by `faults`, which decides in the order of the tables here: code, type, status, general type, class.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Kind(NamedTuple):
    """One way a call fails."""

    sentence: str
    """For people; `{model}` and `{provider}` are filled in."""
    cause: str
    """The word that goes into `CallFailed.cause`."""
    retry: bool = False
    hint: str | None = None
    hopeless: bool = False
    """No call to this model can succeed, now or later: NoModel in place of CallFailed."""


_RESUME = "mend it at the provider's website, then: debateroom resume"
_ADDRESS = "check the base URL, and whether this network wants you to sign in first"

KINDS: Mapping[str, Kind] = {
    # worth another try
    "rate_limit": Kind("{provider} holds back calls to {model}: the rate limit is reached.", "rate_limit", True),
    "overloaded": Kind("{provider} is overloaded and did not serve the call to {model}.", "overloaded", True),
    "server": Kind("{provider} had an error of its own while {model} was asked.", "error", True),
    "conflict": Kind("{provider} could not take the call to {model} at this moment.", "error", True),
    "timeout": Kind("{model} at {provider} did not answer in time.", "timeout", True),
    "connection": Kind("The connection to {provider} failed while {model} was asked.", "connection", True),
    "garbled": Kind("What {provider} sent for {model} was damaged and could not be read.", "error", True),
    "cut": Kind("The answer of {model} at {provider} broke off before its end.", "cut", True),
    "empty": Kind("{model} at {provider} gave an empty answer.", "empty", True),
    # final for this call
    "spent": Kind(
        "The account at {provider} has no credit left or has reached its limit; {model} was not asked.",
        "quota",
        hint=_RESUME,
    ),
    "too_large": Kind(
        "The prompt is larger than {model} at {provider} takes.",
        "too_large",
        hint="give less --context or play fewer rounds",
    ),
    "refusal": Kind("{model} at {provider} refused to answer.", "refusal"),
    "thought_out": Kind(
        "{model} at {provider} spent its whole limit on thinking and wrote nothing.",
        "empty",
        hint="ask for less at once, or name a model that thinks less",
    ),
    "unsupported": Kind("{provider} does not offer what was asked of {model}.", "error"),
    "invalid": Kind("{provider} did not accept the call to {model}.", "error"),
    "address": Kind("{provider} has nothing at the address that was called for {model}.", "error", hint=_ADDRESS),
    "page": Kind(
        "{provider} sent something else, perhaps a web page, as the answer of {model}.", "error", hint=_ADDRESS
    ),
    "certificate": Kind(
        "The certificate of {provider} is not trusted here, so {model} was not asked.", "connection", hint=_ADDRESS
    ),
    "sdk": Kind("The SDK of {provider} could not make the call to {model}.", "error"),
    # no call can succeed
    "key": Kind("{provider} refused the key that {model} was asked with.", "key", hopeless=True),
    "no_key": Kind("There is no key for {provider}, and {model} needs one.", "key", hopeless=True),
    "permission": Kind("{provider} does not let this key use {model}.", "key", hopeless=True),
    "no_such_model": Kind(
        "{provider} has no model {model}, or this key may not see it.",
        "model",
        hint="debateroom models",
        hopeless=True,
    ),
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
    "organization_on_hold": "permission",
    "organization_type_not_supported": "permission",
    "region_not_supported": "permission",
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
    "unsupported_country_region_territory": "permission",
    "data_residency_mismatch": "permission",
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
