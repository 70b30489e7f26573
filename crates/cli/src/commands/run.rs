//! `enfold run -- AGENT`: an agent with a proxy of its own, for as long as it runs.

use std::io::{ErrorKind, IsTerminal};
use std::process::ExitStatus;

use enfold_server::Reach;
use tokio::process::Command;
use tokio::sync::oneshot;

use crate::args::RunArgs;
use crate::failure::{Failure, says};
use crate::proxying::recall::Recall;
use crate::proxying::{self, agents};
use crate::{commands::serve, output};

/// Starts the agent, waits for it, and ends as it does.
pub fn run(args: RunArgs) -> Result<(), Failure> {
    let mut config = proxying::config(&args.serving, ([127, 0, 0, 1], 0).into())?;
    agents::take_over(&mut config, |name| std::env::var(name).ok())?;
    let recall = Recall::new(&args.serving)?;
    config.recall = Some(recall.command());
    let mode = config.mode;
    let status = serve::runtime()?.block_on(async {
        let bound = proxying::bind(&args.serving, config, Reach::Loopback).await?;
        let (url, totals) = (format!("http://{}", bound.address()), bound.totals());
        if std::io::stderr().is_terminal() {
            output::note(&proxying::dashboard(&args.serving, bound.address())?);
        }
        let (end, ended) = oneshot::channel::<()>();
        let serving = tokio::spawn(bound.serve(async {
            let _ = ended.await;
        }));
        let status = agent(&args, &url, &recall).await?;
        let _ = end.send(());
        let _ = serving.await;
        output::note(&format!("{}\n", proxying::sum(&totals(), mode)));
        Ok::<_, Failure>(status)
    })?;
    match code(status) {
        0 => Ok(()),
        code => Err(Failure::AsTheAgent(code)),
    }
}

async fn agent(args: &RunArgs, proxy: &str, recall: &Recall) -> Result<ExitStatus, Failure> {
    let (program, arguments) = args.command.split_first().expect("the command line asks for one");
    let start = agents::start(&args.command, proxy, recall, |name| std::env::var(name).ok());
    let mut command = Command::new(program);
    command.args(start.arguments).args(arguments).envs(start.variables);
    let mut child = command.spawn().map_err(|error| {
        let cause = match error.kind() {
            ErrorKind::NotFound => "there is no such program".to_string(),
            _ => says(&error),
        };
        let remedy = "write the agent as you would start it: enfold run -- claude";
        Failure::new(program.display(), cause, remedy)
    })?;
    loop {
        tokio::select! {
            status = child.wait() => {
                return status.map_err(|error| Failure::new(program.display(), error, "start it again"));
            }
            // A key pressed at the terminal is meant for the agent, which hears of it too.
            _ = tokio::signal::ctrl_c() => {}
        }
    }
}

/// What a shell would say: a signal is 128 and its number.
fn code(status: ExitStatus) -> u8 {
    #[cfg(unix)]
    let by_signal = std::os::unix::process::ExitStatusExt::signal(&status).map(|signal| 128 + signal);
    #[cfg(not(unix))]
    let by_signal = None;
    status.code().or(by_signal).and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}
