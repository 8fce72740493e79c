//! Moments in a query: RFC 3339, or milliseconds since 1970.

use crate::serve::error::ApiError;

/// Reads a moment.
pub(super) fn moment(param: &'static str, text: &str) -> Result<i64, ApiError> {
    if let Ok(millis) = text.parse::<i64>() {
        return Ok(millis);
    }
    text.parse::<jiff::Timestamp>().map(jiff::Timestamp::as_millisecond).map_err(|_| {
        let message = format!("`{param}` must be a time such as 2026-01-31T00:00:00Z, or milliseconds since 1970");
        ApiError::bad_request(message, param)
    })
}

/// Reads a moment that may be absent.
pub(super) fn maybe(param: &'static str, text: Option<&str>) -> Result<Option<i64>, ApiError> {
    text.map(|text| moment(param, text)).transpose()
}
