//! A first-in, first-out queue of arms.

use serde::{Deserialize, Serialize};

use crate::Arm;
use crate::damaged::Damaged;

/// A queue with room for every arm, so that it never grows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Saved")]
pub(crate) struct ArmQueue {
    /// A ring buffer. Slots outside the queue contain leftovers.
    slots: Vec<Arm>,
    head: usize,
    len: usize,
}

#[derive(Deserialize)]
struct Saved {
    slots: Vec<Arm>,
    head: usize,
    len: usize,
}

impl TryFrom<Saved> for ArmQueue {
    type Error = Damaged;

    fn try_from(Saved { slots, head, len }: Saved) -> Result<Self, Damaged> {
        let n_arms = slots.len();
        if head >= n_arms || len > n_arms || slots.iter().any(|arm| arm.index() >= n_arms) {
            return Err(Damaged("a queue of arms is impossible"));
        }
        Ok(Self { slots, head, len })
    }
}

impl ArmQueue {
    /// An empty queue.
    pub(crate) fn empty(n_arms: usize) -> Self {
        Self { slots: Arm::all(n_arms).collect(), head: 0, len: 0 }
    }

    pub(crate) fn n_arms(&self) -> usize {
        self.slots.len()
    }

    /// The arms in the queue, front first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Arm> {
        (0..self.len).map(|i| self.slots[self.place(i)])
    }

    /// The arm at the front.
    #[inline]
    pub(crate) fn front(&self) -> Option<Arm> {
        (self.len > 0).then(|| self.slots[self.head])
    }

    /// Removes the arm at the front.
    #[inline]
    pub(crate) fn pop(&mut self) {
        if self.len > 0 {
            self.head = self.place(1);
            self.len -= 1;
        }
    }

    /// Appends an arm at the tail.
    #[inline]
    pub(crate) fn push(&mut self, arm: Arm) {
        debug_assert!(self.len < self.slots.len(), "no arm waits twice");
        let tail = self.place(self.len);
        self.slots[tail] = arm;
        self.len += 1;
    }

    fn place(&self, offset: usize) -> usize {
        let place = self.head + offset;
        if place < self.slots.len() { place } else { place - self.slots.len() }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Compared with the standard library's queue.
        #[test]
        fn law_first_come_first_served(n_arms in 1..9usize, steps in proptest::collection::vec(0..9usize, 0..90)) {
            let (mut queue, mut plain) = (ArmQueue::empty(n_arms), VecDeque::new());
            for step in steps {
                if step < n_arms && plain.len() < n_arms {
                    queue.push(Arm::new(step));
                    plain.push_back(Arm::new(step));
                } else {
                    queue.pop();
                    plain.pop_front();
                }
                prop_assert_eq!(queue.front(), plain.front().copied());
                prop_assert!(queue.iter().eq(plain.iter().copied()));
            }
        }
    }
}
