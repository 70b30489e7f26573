//! Opening a database: folders, permissions, settings.

use std::fs::{self, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::{Durability, Fault, Options, explain, is_ours, migrations};
use crate::{Error, private};

/// Marks a SQLite file as ours: "ENFD".
pub(super) const APPLICATION: i32 = 0x454e_4644;

/// The connection that writes.
pub(super) fn open(path: &Path, options: &Options) -> Result<Connection, Error> {
    create(path).map_err(|source| match source.kind() {
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Error::ReadOnly(path.to_path_buf()),
        ErrorKind::StorageFull => Error::Full(path.to_path_buf()),
        _ => Error::Io { path: path.to_path_buf(), source },
    })?;
    // Turning a fresh file into a database needs it alone for a moment, and SQLite does not wait for that by itself.
    let begin = Instant::now();
    loop {
        match try_open(path, options) {
            Err(Fault::Sqlite(error)) if is_busy(&error) && begin.elapsed() < options.patience => {
                sleep(Duration::from_millis(10));
            }
            opened => return opened.map_err(|fault| explain(fault, path, options.patience)),
        }
    }
}

fn try_open(path: &Path, options: &Options) -> Result<Connection, Fault> {
    let mut writer = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE, options)?;
    check_owner(&writer, path)?;
    if writer.pragma_query_value(None, "page_count", |row| row.get::<_, i64>(0))? == 0 {
        // Lets a collection give room back to the disk. Only possible before the first table.
        writer.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    }
    let mode: String = writer.pragma_query_value(None, "journal_mode", |row| row.get(0))?;
    if mode != "wal" {
        writer.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0))?;
    }
    let synchronous = match options.durability {
        Durability::Full => "FULL",
        Durability::Relaxed => "NORMAL",
    };
    writer.pragma_update(None, "synchronous", synchronous)?;
    if let Some(pages) = options.most_pages {
        writer.pragma_update_and_check(None, "max_page_count", pages, |row| row.get::<_, i64>(0))?;
    }
    migrations::migrate(&mut writer, path)?;
    Ok(writer)
}

/// What may be done with the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// Everything.
    Write,
    /// Reading, beside others that may write.
    Read,
    /// Reading where not even the file that readers share can be made: nobody writes, or they would have made it.
    ReadAlone,
}

/// A connection to a store that cannot be written. It has to be up to date already.
pub(super) fn open_read_only(path: &Path, options: &Options) -> Result<(Access, Connection), Error> {
    let beside = path.with_file_name(format!(
        "{}-wal",
        path.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned())
    ));
    let is_written_down = fs::metadata(&beside).map_or(true, |about| about.len() == 0);
    let access = if is_written_down { Access::ReadAlone } else { Access::Read };
    let opened = reader(path, access, options).and_then(|reader| {
        check_owner(&reader, path)?;
        migrations::check(&reader, path)?;
        Ok(reader)
    });
    Ok((access, opened.map_err(|fault| explain(fault, path, options.patience))?))
}

/// A connection that reads.
pub(super) fn reader(path: &Path, access: Access, options: &Options) -> Result<Connection, Fault> {
    let reader = match access {
        Access::Write => connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE, options)?,
        Access::Read => connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY, options)?,
        Access::ReadAlone => {
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
            connect(&alone(path), flags, options)?
        }
    };
    reader.pragma_update(None, "query_only", true)?;
    Ok(reader)
}

/// The address of a file that nobody changes, as SQLite wants it; the letters that mean something there are spelt out.
fn alone(path: &Path) -> PathBuf {
    let path = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    PathBuf::from(format!("file:{path}?immutable=1"))
}

fn connect(path: &Path, access: OpenFlags, options: &Options) -> Result<Connection, Fault> {
    let connection = Connection::open_with_flags(path, access | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(options.patience)?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    Ok(connection)
}

fn check_owner(connection: &Connection, path: &Path) -> Result<(), Fault> {
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if is_ours(connection)? || tables == 0 { Ok(()) } else { Err(Error::NotOurs(path.into()).into()) }
}

/// Makes the file and its folder, for nobody else to read, if they are missing. SQLite gives the files it puts beside
/// the database the database's own permissions.
fn create(path: &Path) -> std::io::Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        private::create_folder(folder)?;
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => fs::metadata(path).map(|_| ()),
        // In a folder that cannot be written, a database that exists may still be read.
        Err(_) if path.exists() => Ok(()),
        Err(error) => Err(error),
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}
