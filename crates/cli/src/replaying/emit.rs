//! Every request of a replay, a JSON line each.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use enfold_replay::Request;

use crate::failure::Failure;

/// Writes requests as they are made: a long session's would not fit into memory.
pub struct Emitter {
    /// Nothing where they go to standard output.
    path: Option<PathBuf>,
    file: BufWriter<Box<dyn Write>>,
    /// The first thing that went wrong; nothing is written after it.
    failed: Option<io::Error>,
}

impl Emitter {
    /// `-` is standard output.
    pub fn create(path: &Path) -> Result<Emitter, Failure> {
        if path == Path::new("-") {
            return Ok(Emitter { path: None, file: BufWriter::new(Box::new(io::stdout())), failed: None });
        }
        let file = File::create(path).map_err(|error| Failure::unwritten(path, &error))?;
        Ok(Emitter { path: Some(path.into()), file: BufWriter::new(Box::new(file)), failed: None })
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
            self.file.write_all(b",\"system\":")?;
            self.value(head)?;
        }
        self.file.write_all(b",\"messages\":[")?;
        for (nth, message) in request.messages.iter().enumerate() {
            if nth > 0 {
                self.file.write_all(b",")?;
            }
            self.value(message)?;
        }
        self.file.write_all(b"]}\n")
    }

    /// A file may hold its messages over several lines; in JSON a line end is white space.
    fn value(&mut self, json: &str) -> io::Result<()> {
        let lines: Vec<&str> = json.lines().collect();
        self.file.write_all(lines.join(" ").as_bytes())
    }

    pub fn finish(mut self) -> Result<(), Failure> {
        let done = self.failed.take().map_or_else(|| self.file.flush(), Err);
        done.map_err(|error| match &self.path {
            Some(path) => Failure::file(path, &error),
            None => Failure::stdout(&error),
        })
    }
}
