//! What a provider reported.

use serde::{Deserialize, Serialize};

/// Token numbers a provider reported for one response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Number of messages of the history that were sent: the response is what follows them. 0 where nobody knows the history.
    pub messages: usize,
    /// Everything the model read, cached or not.
    pub input: u64,
    /// The part of `input` read from the cache.
    pub cache_read: u64,
    /// The part of `input` written to the cache.
    pub cache_write: u64,
    /// What the model wrote, reasoning included.
    pub output: u64,
}
