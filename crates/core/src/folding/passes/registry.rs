//! Which passes a policy may name: those that ship, and your own.

use std::fmt;
use std::sync::Arc;

use serde::de::DeserializeOwned;

use super::{Entry, PASSES, Pass};
use crate::text::nearest;

/// The passes that a policy may name. [`Registry::default`] holds those that ship; [`Registry::with`] adds your own.
#[derive(Clone, Default)]
pub struct Registry {
    /// The newest first.
    own: Vec<Own>,
}

/// A pass that does not ship.
#[derive(Clone)]
struct Own {
    name: String,
    make: Arc<Make>,
}

type Make = dyn Fn(toml::Table) -> Result<Box<dyn Pass>, String> + Send + Sync;

impl Registry {
    /// Adds a pass under the name that [`Pass::name`] gives. It takes the place of one of the same name.
    ///
    /// `make` gets the options that a policy sets, in any type that serde can read; what it refuses becomes a fault of
    /// the policy. Where the pass is its own options struct, that is `.with("my_pass", |pass: MyPass| Ok(pass))`.
    pub fn with<O: DeserializeOwned, P: Pass + 'static>(
        mut self,
        name: impl Into<String>,
        make: impl Fn(O) -> Result<P, String> + Send + Sync + 'static,
    ) -> Registry {
        let make = move |options: toml::Table| -> Result<Box<dyn Pass>, String> {
            let options = options.try_into().map_err(|error: toml::de::Error| error.message().to_string())?;
            Ok(Box::new(make(options)?))
        };
        self.own.insert(0, Own { name: name.into(), make: Arc::new(make) });
        self
    }

    /// The names of all passes: your own, then those that ship.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.own.iter().map(|own| own.name.as_str()).chain(PASSES.iter().map(|entry| entry.name))
    }

    /// Makes a pass from the options that a policy sets.
    pub(crate) fn make(&self, name: &str, options: toml::Table) -> Result<Box<dyn Pass>, String> {
        if let Some(own) = self.own.iter().find(|own| own.name == name) {
            let pass = (own.make)(options).map_err(|why| format!("pass `{name}`: {why}"))?;
            return match pass.name() {
                said if said == name => Ok(pass),
                said => Err(format!("pass `{name}` calls itself `{said}`; register it under that name")),
            };
        }
        let unknown = || format!("no pass named `{name}`{}", nearest(name, self.names()));
        Entry::find(name).ok_or_else(unknown)?.build(options)
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}
