//! Every request of a replay, a JSON line each.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use enfold_replay::Request;

use crate::failure::Failure;

/// Writes requests as they are made: a long session's would not fit into memory.
pub struct Emitter {
    path: PathBuf,
    file: BufWriter<File>,
    /// The first thing that went wrong; nothing is written after it.
    failed: Option<io::Error>,
}

impl Emitter {
    pub fn create(path: &Path) -> Result<Emitter, Failure> {
        let file = File::create(path).map_err(|error| Failure::unwritten(path, &error))?;
        Ok(Emitter { path: path.into(), file: BufWriter::new(file), failed: None })
    }

    /// Writes a request: its messages are JSON already.
    pub fn write(&mut self, request: &Request) {
        if self.failed.is_none() {
            self.failed = self.line(request).err();
        }
    }

    fn line(&mut self, request: &Request) -> io::Result<()> {
        write!(self.file, "{{\"at\":{}", request.at)?;
        if let Some(head) = request.head {
            write!(self.file, ",\"system\":{head}")?;
        }
        self.file.write_all(b",\"messages\":[")?;
        for (nth, message) in request.messages.iter().enumerate() {
            if nth > 0 {
                self.file.write_all(b",")?;
            }
            // A file may hold its messages over several lines; in JSON a line end is white space.
            let lines: Vec<&str> = message.lines().collect();
            self.file.write_all(lines.join(" ").as_bytes())?;
        }
        self.file.write_all(b"]}\n")
    }

    pub fn finish(mut self) -> Result<(), Failure> {
        match self.failed.take().map_or_else(|| self.file.flush(), Err) {
            Ok(()) => Ok(()),
            Err(error) => Err(Failure::file(&self.path, &error)),
        }
    }
}
