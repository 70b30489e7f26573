//! The tools: files inside one folder, commands, and `unfold`.

use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use enfold::json::{Kind, ObjectWriter, Raw, quote};
use enfold::view::fold::Handle;
use enfold::wire::ToolDefinition;
use enfold_coordinator::Coordinator;

use crate::shell;

/// What a call came to.
pub(crate) struct Outcome {
    /// The id of the call.
    pub(crate) call: String,
    /// What the model is told.
    pub(crate) result: Result<String, String>,
}

impl Outcome {
    pub(crate) fn text(&self) -> &str {
        self.result.as_ref().unwrap_or_else(|error| error)
    }
}

/// A tool: its name, what the model is told about it, and its arguments with their kinds of JSON.
struct Tool {
    name: &'static str,
    about: &'static str,
    needs: &'static [(&'static str, &'static str)],
    takes: &'static [(&'static str, &'static str)],
}

const TOOLS: [Tool; 6] = [
    Tool {
        name: "read_file",
        about: "Shows a file, or `limit` lines of it after the first `offset`.",
        needs: &[("path", "string")],
        takes: &[("offset", "integer"), ("limit", "integer")],
    },
    Tool {
        name: "write_file",
        about: "Writes a whole file.",
        needs: &[("path", "string"), ("content", "string")],
        takes: &[],
    },
    Tool {
        name: "edit_file",
        about: "Replaces text that occurs exactly once in a file.",
        needs: &[("path", "string"), ("old_string", "string"), ("new_string", "string")],
        takes: &[],
    },
    Tool {
        name: "list_files",
        about: "Lists the files below a folder.",
        needs: &[],
        takes: &[("path", "string")],
    },
    Tool {
        name: "run",
        about: "Runs a shell command in the folder.",
        needs: &[("command", "string")],
        takes: &[],
    },
    Tool {
        name: "unfold",
        about: "Shows the text that a handle stands for, or `limit` lines of it after the first `offset`.",
        needs: &[("handle", "string")],
        takes: &[("offset", "integer"), ("limit", "integer")],
    },
];

/// The tools, for any API.
pub(crate) fn definitions() -> Vec<ToolDefinition> {
    TOOLS.iter().map(Tool::definition).collect()
}

impl Tool {
    fn definition(&self) -> ToolDefinition {
        let properties =
            self.needs.iter().chain(self.takes).fold(ObjectWriter::new(), |out, (name, kind)| {
                out.json(name, &ObjectWriter::new().string("type", kind).finish())
            });
        let schema = ObjectWriter::new().string("type", "object").json("properties", &properties.finish());
        let schema = schema.array("required", self.needs.iter().map(|(name, _)| quote(name))).finish();
        ToolDefinition { name: self.name.into(), description: Some(self.about.into()), schema: Some(schema) }
    }
}

/// Most bytes of a file or of a command's output that are taken in. What is too long for the window is Enfold's business,
/// this keeps an agent alive that prints a database.
pub(crate) const MOST_BYTES: usize = 200_000;

/// Most lines of a listing.
const MOST_FILES: usize = 1_000;

/// Folders that nobody wants listed.
const UNLISTED: [&str; 3] = [".git", "node_modules", "target"];

/// The folder that tools work in.
pub(crate) struct Toolbox {
    folder: PathBuf,
    command_time: Duration,
}

impl Toolbox {
    pub(crate) fn new(folder: &Path, command_time: Duration) -> Result<Toolbox, String> {
        let folder = folder.canonicalize().map_err(|why| format!("{}: {why}", folder.display()))?;
        Ok(Toolbox { folder, command_time })
    }

    /// Does what the model asks for, or says why not.
    pub(crate) fn call(
        &self,
        tool: &str,
        arguments: &str,
        session: &mut Coordinator,
    ) -> Result<String, String> {
        let arguments = Arguments::read(arguments)?;
        let done = match tool {
            "read_file" => self.read_file(&arguments),
            "write_file" => self.write_file(&arguments),
            "edit_file" => self.edit_file(&arguments),
            "list_files" => self.list_files(&arguments),
            "run" => shell::run(&arguments.text("command")?, &self.folder, self.command_time),
            "unfold" => unfold(&arguments, session),
            _ => {
                let names = TOOLS.map(|tool| tool.name).join(", ");
                Err(format!("there is no tool `{tool}`; there are {names}"))
            }
        };
        done.map_err(|why| format!("error: {why}"))
    }

    fn read_file(&self, arguments: &Arguments) -> Result<String, String> {
        Ok(arguments.lines_of(&self.text_of(&arguments.text("path")?)?))
    }

    fn write_file(&self, arguments: &Arguments) -> Result<String, String> {
        let (path, content) = (arguments.text("path")?, arguments.text("content")?);
        let place = self.place(&path)?;
        if let Some(folder) = place.parent() {
            fs::create_dir_all(folder).map_err(|why| format!("{path}: {why}"))?;
        }
        fs::write(&place, &content).map_err(|why| format!("{path}: {why}"))?;
        Ok(format!("{path} has {} lines", content.lines().count()))
    }

    fn edit_file(&self, arguments: &Arguments) -> Result<String, String> {
        let path = arguments.text("path")?;
        let (old, new) = (arguments.text("old_string")?, arguments.text("new_string")?);
        let text = self.text_of(&path)?;
        match text.matches(&old).count() {
            1 if !old.is_empty() => {}
            times => return Err(format!("the old text occurs {times} times in {path}, not once")),
        }
        fs::write(self.place(&path)?, text.replacen(&old, &new, 1))
            .map_err(|why| format!("{path}: {why}"))?;
        Ok(format!("{path} is changed"))
    }

    fn list_files(&self, arguments: &Arguments) -> Result<String, String> {
        let path = arguments.text("path").unwrap_or_else(|_| ".".into());
        let mut files = Vec::new();
        let mut folders = vec![self.place(&path)?];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).map_err(|why| format!("{path}: {why}"))?.flatten() {
                // The kind of a link is "link": it is listed, not followed.
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                if is_folder && !UNLISTED.iter().any(|name| entry.file_name() == *name) {
                    folders.push(entry.path());
                } else if !is_folder {
                    let inside = entry.path();
                    let inside = inside.strip_prefix(&self.folder).unwrap_or(&inside);
                    files.push(inside.display().to_string());
                }
            }
        }
        files.sort();
        let left_out = files.len().saturating_sub(MOST_FILES);
        files.truncate(MOST_FILES);
        if left_out > 0 {
            files.push(format!("[and {left_out} more]"));
        }
        Ok(files.join("\n"))
    }

    fn text_of(&self, path: &str) -> Result<String, String> {
        let bytes = fs::read(self.place(path)?).map_err(|why| format!("{path}: {why}"))?;
        String::from_utf8(bytes).map_err(|_| format!("{path} is no text"))
    }

    /// Where a path leads, if that is inside the folder: neither `..` nor a link may lead out.
    fn place(&self, path: &str) -> Result<PathBuf, String> {
        let outside = || format!("{path} is outside the folder");
        let relative = Path::new(path).strip_prefix(&self.folder).unwrap_or(Path::new(path));
        if !relative.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir)) {
            return Err(outside());
        }
        let place = self.folder.join(relative);
        // What is there already decides; what is to be made below it cannot be a link.
        for ancestor in place.ancestors() {
            match ancestor.symlink_metadata() {
                Ok(_) => {
                    let real = ancestor.canonicalize().map_err(|why| format!("{path}: {why}"))?;
                    return if real.starts_with(&self.folder) { Ok(place) } else { Err(outside()) };
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(format!("{path}: {error}")),
            }
        }
        Err(outside())
    }
}

/// Opens a fold: the original, byte for byte, or some lines of it where it is too large to be read at once.
fn unfold(arguments: &Arguments, session: &mut Coordinator) -> Result<String, String> {
    let handle = arguments.text("handle")?;
    let unknown = || format!("there is no handle {handle}");
    let opened = session.recall(Handle::parse(&handle).ok_or_else(unknown)?);
    let original = opened.map_err(|why| why.to_string())?;
    original.map(|text| arguments.lines_of(&text)).ok_or_else(unknown)
}

/// The arguments of a call, as a model wrote them.
struct Arguments<'a>(Raw<'a>);

impl Arguments<'_> {
    fn read(text: &str) -> Result<Arguments<'_>, String> {
        // A tool without arguments is called with nothing by some models.
        let text = if text.trim().is_empty() { "{}" } else { text };
        match Raw::parse(text) {
            Ok(object) if object.kind() == Kind::Object => Ok(Arguments(object)),
            Ok(_) => Err("error: the arguments are not a JSON object".into()),
            Err(why) => Err(format!("error: the arguments are not JSON: {why}")),
        }
    }

    fn text(&self, name: &str) -> Result<String, String> {
        let text =
            self.0.str_at(name).ok_or_else(|| format!("the argument `{name}` is missing or no text"))?;
        Ok(text.into_owned())
    }

    /// The lines of a text that `offset` and `limit` choose: all of them, if there is neither and the text is not huge.
    fn lines_of(&self, text: &str) -> String {
        let (skip, take) = (self.number("offset").unwrap_or(0), self.number("limit").unwrap_or(usize::MAX));
        let mut shown = String::new();
        for line in text.split_inclusive('\n').skip(skip).take(take) {
            if shown.len() + line.len() > MOST_BYTES {
                return format!("{shown}[there is more: {} lines in all]", text.lines().count());
            }
            shown.push_str(line);
        }
        shown
    }

    fn number(&self, name: &str) -> Option<usize> {
        usize::try_from(self.0.get(name)?.u64()?).ok()
    }
}
