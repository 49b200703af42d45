//! One finished run as bytes.

use std::time::Duration;

use tiltyard_bandit::Arm;
use tiltyard_world::{Best, BestKind, VoteSupply};

use crate::engine::run::Run;

/// A finished run as the journal keeps it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Record {
    /// The number of the item in the plan.
    pub(crate) item: u64,
    pub(crate) time: Duration,
    pub(crate) run: Run,
}

impl Record {
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let Run { regret, hit, best, supply: VoteSupply { unanswered, repeated, dry_from } } = &self.run;
        let words = [
            self.item,
            u64::try_from(self.time.as_nanos()).unwrap_or(u64::MAX),
            best.arm.index() as u64,
            match best.kind {
                BestKind::Condorcet => 0,
                BestKind::Copeland => 1,
                BestKind::Utility => 2,
                BestKind::Point => 3,
            },
            *unanswered,
            *repeated,
            // Rounds count from 1, so 0 can mean "never".
            dry_from.unwrap_or(0),
        ];
        let mut bytes: Vec<u8> = words.into_iter().flat_map(u64::to_le_bytes).collect();
        for (regret, &hit) in regret.iter().zip(hit) {
            bytes.extend(regret.to_bits().to_le_bytes());
            bytes.push(u8::from(hit));
        }
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        const WORDS: usize = 7;
        let (head, points) = bytes.split_at_checked(8 * WORDS)?;
        let mut words = head.chunks_exact(8).map(word);
        let mut next = || words.next().expect("`WORDS` words were split off");
        let (item, time) = (next(), Duration::from_nanos(next()));
        let arm = Arm::new(u32::try_from(next()).ok()? as usize);
        let kind = match next() {
            0 => BestKind::Condorcet,
            1 => BestKind::Copeland,
            2 => BestKind::Utility,
            3 => BestKind::Point,
            _ => return None,
        };
        let (unanswered, repeated) = (next(), next());
        let dry_from = Some(next()).filter(|&round| round > 0);
        let points = points.chunks_exact(9);
        if !points.remainder().is_empty() {
            return None;
        }
        let (regret, hit) = points.map(|point| (f64::from_bits(word(&point[..8])), point[8] == 1)).unzip();
        let supply = VoteSupply { unanswered, repeated, dry_from };
        Some(Self { item, time, run: Run { regret, hit, best: Best { arm, kind }, supply } })
    }
}

fn word(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes.try_into().expect("eight bytes"))
}
