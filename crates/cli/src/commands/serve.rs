//! `enfold serve`: a proxy between agents and their models.

use enfold_server::{Mode, Reach};

use crate::args::ServeArgs;
use crate::failure::Failure;
use crate::{output, proxying};

/// Serves until it is interrupted.
pub fn run(args: ServeArgs) -> Result<(), Failure> {
    let config = proxying::config(&args.serving, args.listen)?;
    let mode = config.mode;
    runtime()?.block_on(async {
        let reach = if args.token { Reach::Token } else { Reach::Loopback };
        let bound = proxying::bind(&args.serving, config, reach).await?;
        let (address, totals) = (bound.address(), bound.totals());
        let what = match mode {
            Mode::Fold => "folding",
            Mode::Observe => "observing: nothing is changed",
        };
        output::note(&format!("enfold: listening at http://{address} · {what} · end with Ctrl-C\n"));
        output::note(&proxying::dashboard(&args.serving, address)?);
        bound.serve(interrupted()).await;
        output::note(&format!("{}\n", proxying::sum(&totals(), mode)));
        Ok(())
    })
}

pub fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    runtime.map_err(|error| {
        Failure::new("the server", error, "see whether the machine has threads and files left")
    })
}

/// Ends when the user or the system wants it to.
async fn interrupted() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut term) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = term.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}
