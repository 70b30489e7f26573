//! What a provider reported.

/// Token numbers a provider reported for one response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Number of messages of the history that were sent: the response is what follows them.
    pub messages: usize,
    /// Everything the model read, cached or not.
    pub input: u64,
    /// The part of `input` read from the cache.
    pub cache_read: u64,
    /// The part of `input` written to the cache.
    pub cache_write: u64,
    /// What the model wrote.
    pub output: u64,
}
