//! Whole sessions in and out.

use enfold::history::MessageId;
use rusqlite::params;

use super::{
    Sqlite, appending, checkpoints, column, folds, handles, int, millis, reading, records, sessions,
};
use crate::portable::Replaced;
use crate::{Error, NewMessage, Portable, StoredMessage, Timed, Transfer};

impl Transfer for Sqlite {
    fn take_out(&self, id: &str) -> Result<Portable, Error> {
        self.read(|tx| {
            let key = sessions::key(tx, id)?;
            let mut replaced = Vec::new();
            let select = "SELECT revision, number, slot, blob FROM replaced WHERE session = ?1
                          ORDER BY revision, number";
            let mut statement = tx.prepare(select)?;
            let mut rows = statement.query([key])?;
            while let Some(row) = rows.next()? {
                let raw = super::blobs::text(tx, &self.dictionaries, row.get(3)?)?.into();
                let (number, slot) = (super::message(row.get(1)?), reading::slot(row.get(2)?));
                let message = StoredMessage { number, slot, raw };
                replaced.push(Replaced { revision: super::count(row.get(0)?), message });
            }
            let answers = records::answers(tx, key)?.into_iter();
            let answers = answers.map(|Timed { at, what }| (what.question, what.text, at)).collect();
            Ok(Portable {
                session: sessions::stored(tx, id)?,
                messages: reading::messages(tx, &self.dictionaries, key, MessageId::ALL)?,
                replaced,
                epochs: records::epochs(tx, key)?,
                originals: handles::portable(tx, &self.dictionaries, key)?,
                answers,
                usage: records::usage(tx, key)?,
                events: records::events(tx, key)?,
                checkpoint: checkpoints::get(tx, key)?,
                learnt: checkpoints::learnt(tx, key)?,
            })
        })
    }

    fn put_in(&self, portable: &Portable) -> Result<(), Error> {
        self.write(|tx| {
            let stored = &portable.session;
            let key = sessions::insert(tx, &stored.session, stored.created)?;
            let messages: Vec<NewMessage> = portable.messages.iter().map(new).collect();
            appending::messages(tx, &self.dictionaries, key, MessageId::FIRST, &messages)?;
            for Replaced { revision, message } in &portable.replaced {
                let blob = super::blobs::put(tx, &self.dictionaries, key, &message.raw)?;
                let insert = "INSERT INTO replaced (session, revision, number, slot, blob)
                              VALUES (?1, ?2, ?3, ?4, ?5)";
                let slot = reading::slot_number(message.slot);
                tx.execute(insert, params![key, revision, column(message.number), slot, blob])?;
            }
            for epoch in &portable.epochs {
                let insert = "INSERT INTO epochs (session, epoch, revision, at, reason, policy, messages,
                              before, after, target) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
                tx.prepare_cached(insert)?.execute(params![
                    key,
                    epoch.epoch,
                    epoch.revision,
                    millis(epoch.at),
                    epoch.opened,
                    epoch.policy,
                    int(epoch.messages),
                    int(epoch.before),
                    int(epoch.after),
                    int(epoch.limit)
                ])?;
                folds::add(tx, key, epoch.epoch, &epoch.folds)?;
            }
            let (id, length) = (&stored.session.id, MessageId::new(portable.messages.len()));
            handles::put_all(tx, &self.dictionaries, id, key, length, &portable.originals)?;
            for (question, text, at) in &portable.answers {
                appending::answer(tx, key, question, text, *at)?;
            }
            appending::usage(tx, key, portable.usage.iter().copied())?;
            appending::events(tx, key, &portable.events)?;
            if let Some(checkpoint) = &portable.checkpoint {
                checkpoints::put(tx, key, checkpoint)?;
            }
            if let Some(learnt) = &portable.learnt {
                checkpoints::put_learnt(tx, key, learnt)?;
            }
            let replaced = portable.replaced.iter().map(|replaced| &replaced.message);
            let bytes: usize =
                portable.messages.iter().chain(replaced).map(|message| message.raw.len()).sum();
            let update = "UPDATE sessions SET updated = ?2, bytes = ?3, revision = ?4, compactions = ?5,
                          compacted = ?6 WHERE key = ?1";
            tx.execute(
                update,
                params![
                    key,
                    millis(stored.updated),
                    int(bytes),
                    stored.revision,
                    stored.compactions,
                    stored.compacted.map(millis)
                ],
            )?;
            Ok(())
        })
    }
}

fn new(message: &StoredMessage) -> NewMessage<'_> {
    NewMessage { slot: message.slot, raw: &message.raw }
}
