//! A progress bar for whatever takes longer than a second: on stderr, and only if that is a terminal.

use std::io::{IsTerminal, Read};
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

const PATIENCE: Duration = Duration::from_secs(1);

/// A piece of work that shows how far it is once it has taken a second. Gone without a trace when dropped.
pub struct Progress {
    bar: ProgressBar,
    _ends: Option<Sender<()>>,
}

impl Progress {
    /// Work of unknown length.
    pub fn spinner(what: &str) -> Progress {
        Progress::new(what, None, "{spinner} {msg} ({elapsed})")
    }

    /// Reading this many bytes, if it is known how many.
    pub fn bytes(what: &str, total: Option<u64>) -> Progress {
        let shape = match total {
            Some(_) => "{msg} [{bar:30}] {bytes}/{total_bytes}, {eta} to go",
            None => "{spinner} {msg}: {bytes} ({elapsed})",
        };
        Progress::new(what, total, shape)
    }

    /// So many things, one after the other.
    pub fn items(what: &str, total: u64) -> Progress {
        Progress::new(what, Some(total), "{msg} [{bar:30}] {pos}/{len}, {eta} to go")
    }

    /// One of them is done.
    pub fn one_more(&self) {
        self.bar.inc(1);
    }

    /// Reports what is read through it.
    pub fn watch<R: Read>(&self, reader: R) -> impl Read + use<R> {
        self.bar.wrap_read(reader)
    }

    fn new(what: &str, total: Option<u64>, shape: &str) -> Progress {
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
        if !std::io::stderr().is_terminal() {
            return Progress { bar, _ends: None };
        }
        let style = ProgressStyle::with_template(shape).expect("our own templates are well-formed");
        bar.set_style(style.progress_chars("━━─"));
        bar.set_message(what.to_string());
        // Parsing cannot be asked how far it is, so a thread decides when the bar appears. It ends when the
        // sender is dropped together with the work.
        let (ends, ended) = channel::<()>();
        let waiting = bar.clone();
        std::thread::spawn(move || {
            if ended.recv_timeout(PATIENCE) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                waiting.set_draw_target(ProgressDrawTarget::stderr());
                waiting.enable_steady_tick(Duration::from_millis(100));
                let _ = ended.recv();
            }
        });
        Progress { bar, _ends: Some(ends) }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
