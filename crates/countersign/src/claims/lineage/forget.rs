//! Making room: the oldest settled claim goes first, then the oldest pending one, which is remembered by name.

use super::Lineage;
use super::record::Record;

impl Lineage {
    /// Lets the oldest go, settled ones first, until the limit is kept.
    pub(super) fn make_room(&mut self) {
        while self.records.len() > self.limits.claims.max(1) {
            let Some((pending, number)) = self.leaving.pop_first() else { return };
            let Some(record) = self.records.remove(&number) else { continue };
            if let Some(telling) = self.tellings.remove(&number) {
                self.shelves.remove(number, &telling);
            }
            self.numbers.remove(&record.id);
            self.leave_family(&record);
            if pending {
                self.forgotten_in_all += 1;
                self.forgotten.push_back(record.id);
                if self.forgotten.len() > self.limits.forgotten {
                    self.forgotten.pop_front();
                }
            }
        }
    }

    /// The children of a claim that goes keep its last state; its parents and its message let it go.
    fn leave_family(&mut self, record: &Record) {
        for child in &record.children {
            let child = self.records.get_mut(child).into_iter().flat_map(|child| &mut child.parents);
            child.filter(|parent| parent.number == record.number).for_each(|p| p.gone = Some(record.state.clone()));
        }
        for parent in &record.parents {
            if let Some(parent) = self.records.get_mut(&parent.number) {
                parent.children.remove(&record.number);
            }
        }
        let Some(message) = self.messages.get_mut(&record.message) else { return };
        message.claims.remove(&record.number);
        if message.claims.is_empty() {
            self.messages.remove(&record.message);
        }
    }
}
