//! What a session is replayed against.

use std::sync::Arc;

use enfold::count::Counter;
use enfold::count::media::ImageRule;
use enfold::count::models::Prices;

use crate::rates::Rates;
use crate::recorded::Recorded;

/// What a session is replayed against.
#[derive(Clone)]
pub struct Setting {
    /// Tokens that a request's messages may take.
    pub limit: usize,
    /// The model's whole window.
    pub window: usize,
    /// How tokens are counted.
    pub counter: Arc<dyn Counter>,
    /// How pictures are counted.
    pub image: ImageRule,
    /// What the provider charges, relative to plain input.
    pub rates: Rates,
    /// What it charges in money, where known.
    pub prices: Option<Prices>,
    /// Whether views are judged by what the agent used next.
    pub judges: bool,
    /// Whether each request is kept for a curve.
    pub keeps_curve: bool,
    /// Whether time passes between requests as it did, where the session says so.
    pub has_clock: bool,
    /// Pauses: before the request of this number, counted from 1, so many seconds more pass.
    pub pauses: Vec<(usize, u32)>,
}

impl Setting {
    /// A window that is for messages alone, at usual rates; views are judged, and time passes as it did.
    pub fn new(window: usize, counter: Arc<dyn Counter>) -> Setting {
        Setting {
            limit: window,
            window,
            counter,
            image: ImageRule::default(),
            rates: Rates::default(),
            prices: None,
            judges: true,
            keeps_curve: false,
            has_clock: true,
            pauses: Vec::new(),
        }
    }

    /// Whether the cache has forgotten the last request when this one is sent, counted from 0.
    pub(crate) fn is_cold(&self, recorded: &Recorded, request: usize) -> bool {
        let pauses = self.pauses.iter().filter(|(before, _)| *before == request + 1);
        let put_in: u64 = pauses.map(|(_, seconds)| u64::from(*seconds)).sum();
        let waited = recorded.waited(request).filter(|_| self.has_clock).unwrap_or(0);
        request == 0 || self.rates.forgets(waited, put_in)
    }
}
