//! Leases: one row decides, in one statement, so that two processes never both get a session.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, params};

use super::{Fault, Sqlite, count, int, millis, sessions, time};
use crate::{Acquired, Error, Lease, Leases};

impl Leases for Sqlite {
    fn acquire(&self, id: &str, owner: &str, now: Duration, ttl: Duration) -> Result<Acquired, Error> {
        let until = time(millis(now.saturating_add(ttl)));
        self.write(|tx| {
            let session = sessions::key(tx, id)?;
            let take =
                "UPDATE sessions SET lease_owner = ?2, lease_until = ?3, lease_number = lease_number + 1
                        WHERE key = ?1 AND (lease_owner IS NULL OR lease_until <= ?4) RETURNING lease_number";
            let mut statement = tx.prepare_cached(take)?;
            let values = params![session, owner, millis(until), millis(now)];
            let number: Option<i64> = statement.query_row(values, |row| row.get(0)).optional()?;
            if let Some(number) = number {
                let (session, owner) = (id.to_string(), owner.to_string());
                return Ok(Acquired::Lease(Lease { session, owner, until, number: count(number) }));
            }
            let held = "SELECT lease_owner, lease_until FROM sessions WHERE key = ?1";
            Ok(tx.prepare_cached(held)?.query_row([session], |row| {
                Ok(Acquired::Held { by: row.get(0)?, until: time(row.get(1)?) })
            })?)
        })
    }

    fn renew(&self, lease: &Lease, now: Duration, ttl: Duration) -> Result<Option<Lease>, Error> {
        let until = time(millis(now.saturating_add(ttl)));
        self.write(|tx| {
            let renew = "UPDATE sessions SET lease_until = ?1
                         WHERE id = ?2 AND lease_owner = ?3 AND lease_number = ?4 AND lease_until > ?5";
            let values = params![millis(until), lease.session, lease.owner, int(lease.number), millis(now)];
            let renewed = tx.prepare_cached(renew)?.execute(values)?;
            Ok((renewed == 1).then(|| Lease { until, ..lease.clone() }))
        })
    }

    fn release(&self, lease: &Lease) -> Result<(), Error> {
        self.write(|tx| {
            let release = "UPDATE sessions SET lease_owner = NULL, lease_until = NULL
                           WHERE id = ?1 AND lease_owner = ?2 AND lease_number = ?3";
            tx.prepare_cached(release)?.execute(params![lease.session, lease.owner, int(lease.number)])?;
            Ok(())
        })
    }
}

/// Whether a lease holds.
pub(super) fn check(db: &Connection, session: i64, lease: &Lease, now: Duration) -> Result<(), Fault> {
    let holds = "SELECT 1 FROM sessions
                 WHERE key = ?1 AND lease_owner = ?2 AND lease_number = ?3 AND lease_until > ?4";
    let values = params![session, lease.owner, int(lease.number), millis(now)];
    match db.prepare_cached(holds)?.exists(values)? {
        true => Ok(()),
        false => Err(Error::LeaseLost { session: lease.session.clone(), owner: lease.owner.clone() }.into()),
    }
}
