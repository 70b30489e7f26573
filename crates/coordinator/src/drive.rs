//! Two ways through one [order](crate::order): for callers who wait, and for those who have other things to do meanwhile.

use enfold::session::Prepared;
use enfold_llm::CancellationToken;

use crate::order::{Next, Order};
use crate::{Coordinator, Error};

impl Coordinator {
    /// What to send now: folded if it must be, summarized if folding was not enough. Everything it hides is stored when
    /// this returns. No failure of a model is an error here.
    pub fn prepare(&mut self) -> Result<Prepared, Error> {
        let mut order = Order::new();
        loop {
            match self.advance(&mut order)? {
                Next::Ready(prepared) => return Ok(*prepared),
                Next::Wait(time) => std::thread::sleep(time),
                Next::Ask(call) => order.hear(call.send(&CancellationToken::new())),
            }
        }
    }

    /// The same inside a tokio runtime: while another process compacts, or a model writes, the thread is free. Dropping
    /// the future cancels; the session then begins again from what is stored.
    pub async fn prepare_async(&mut self) -> Result<Prepared, Error> {
        let mut order = Order::new();
        loop {
            match self.advance(&mut order)? {
                Next::Ready(prepared) => return Ok(*prepared),
                Next::Wait(time) => tokio::time::sleep(time).await,
                Next::Ask(call) => order.hear(call.start().wait().await),
            }
        }
    }
}
