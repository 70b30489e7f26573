//! A user's own entries.

use std::collections::BTreeMap;

use super::table::{Row, Table, TableError, rows};
use super::{Found, Model};

/// Own entries that cannot be read. The user can mend it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum OverrideError {
    /// The text is not TOML, or not of the expected shape.
    #[error("models file: {what}; write one table per model: [\"my-model\"] with context = 32000, …")]
    Toml {
        /// What the parser says, with line and column.
        what: String,
    },
    /// A value makes no sense.
    #[error("models file: {what}; {remedy}")]
    Value {
        /// What is wrong.
        what: String,
        /// What would mend it.
        remedy: String,
    },
    /// The CSV cannot be read.
    #[error(transparent)]
    Csv(#[from] TableError),
}

impl Table {
    /// This table with a user's own entries in front, from TOML. What an entry leaves out is taken from what this
    /// table says about the model; a new model starts from the assumptions for an unknown one.
    ///
    /// ```
    /// use enfold::count::models::Table;
    /// let table = Table::shipped().with_toml("[\"gpt-4o\"]\ncontext = 64000\n").unwrap();
    /// assert_eq!(table.resolve("gpt-4o").model.context, 64_000);
    /// assert_eq!(table.resolve("gpt-4o").model.max_output, Some(16_384));
    /// ```
    pub fn with_toml(&self, text: &str) -> Result<Table, OverrideError> {
        let entries: BTreeMap<String, Row> = toml::from_str(text)
            .map_err(|error| OverrideError::Toml { what: error.to_string().trim().into() })?;
        let own = entries.into_iter().map(|(id, row)| self.own_entry(Row { model: Some(id), ..row }));
        Ok(self.with_own(own.collect::<Result<_, _>>()?))
    }

    /// The same from CSV with the columns of the shipped table; only `model` is needed.
    pub fn with_csv(&self, text: &str) -> Result<Table, OverrideError> {
        let own = rows(text)?.into_iter().map(|(_, row)| self.own_entry(row));
        Ok(self.with_own(own.collect::<Result<_, _>>()?))
    }

    fn own_entry(&self, row: Row) -> Result<Model, OverrideError> {
        let id = row.model.clone().unwrap_or_default();
        let known = self.resolve(&id);
        let base = match known.found {
            Found::Unknown { .. } => Model::unknown(&id),
            _ => known.model,
        };
        let row = Row { source: row.source.or(Some("your models file".into())), ..row };
        row.onto(base).map_err(|(what, remedy)| OverrideError::Value { what, remedy })
    }
}
