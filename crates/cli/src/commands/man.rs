//! `enfold man`: the manual, made from the same source as `--help`.

use std::path::Path;

use clap::CommandFactory;
use clap_mangen::Man;

use crate::args::{Args, ManArgs};
use crate::failure::Failure;
use crate::output;

/// Prints a page, or writes all of them.
pub fn run(args: ManArgs) -> Result<(), Failure> {
    match &args.dir {
        Some(dir) => write_all(dir),
        None => output::print(&page(args.command.as_deref())?),
    }
}

fn page(name: Option<&str>) -> Result<String, Failure> {
    let mut enfold = Args::command();
    enfold.build();
    let command = match name {
        None => &enfold,
        Some(name) => enfold.find_subcommand(name).ok_or_else(|| unknown(&enfold, name))?,
    };
    let mut text = Vec::new();
    Man::new(command.clone())
        .render(&mut text)
        .map_err(|error| Failure::new("the man page", error, "this is a fault of ours: please report it"))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

fn write_all(dir: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(dir)
        .and_then(|()| clap_mangen::generate_to(Args::command(), dir))
        .map_err(|error| Failure::file(dir, &error))
}

fn unknown(enfold: &clap::Command, name: &str) -> Failure {
    let names: Vec<&str> = enfold.get_subcommands().map(clap::Command::get_name).collect();
    Failure::new(format!("man page `{name}`"), "there is none", format!("there are: {}", names.join(", ")))
}
