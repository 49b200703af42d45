//! Items that take turns, as a circular list from which any item can be removed.

use crate::damaged::Damaged;

/// Marks an item that takes no turns, and the front of an empty list.
const NONE: u32 = u32::MAX;

/// Items 0, 1, ..., n - 1. Some of them take turns in a fixed order. Serving and removing an item
/// take O(1) time and allocate nothing.
#[derive(Debug, Clone)]
pub(crate) struct RoundRobin {
    links: Vec<Links>,
    /// The item whose turn it is.
    front: u32,
}

/// The neighbours of an item that takes turns.
#[derive(Debug, Clone, Copy)]
struct Links {
    next: u32,
    previous: u32,
}

impl RoundRobin {
    /// The items of `order` take turns in that order. Each must be below `n_items`.
    ///
    /// # Errors
    ///
    /// If an item is not below `n_items`, or is listed twice.
    pub(crate) fn new(n_items: usize, order: &[u32]) -> Result<Self, Damaged> {
        let mut links = vec![Links { next: NONE, previous: NONE }; n_items];
        let Some((&first, &last)) = order.first().zip(order.last()) else {
            return Ok(Self { links, front: NONE });
        };
        let mut previous = last;
        for &item in order {
            let Some(own) = links.get_mut(item as usize) else {
                return Err(Damaged("an item does not exist"));
            };
            if own.previous != NONE {
                return Err(Damaged("an item has two turns"));
            }
            own.previous = previous;
            previous = item;
        }
        for &item in order {
            let previous = links[item as usize].previous;
            links[previous as usize].next = item;
        }
        Ok(Self { links, front: first })
    }

    /// The item whose turn it is.
    #[inline]
    pub(crate) fn front(&self) -> Option<usize> {
        (self.front != NONE).then_some(self.front as usize)
    }

    /// Whether an item takes turns.
    #[inline]
    pub(crate) fn contains(&self, item: usize) -> bool {
        self.front != NONE && self.links[item].next != NONE
    }

    /// The items in the order of their turns.
    pub(crate) fn order(&self) -> Vec<u32> {
        let mut order = Vec::new();
        let mut item = self.front;
        while item != NONE {
            order.push(item);
            item = self.links[item as usize].next;
            if item == self.front {
                break;
            }
        }
        order
    }

    /// Records that an item had its turn, whether or not it was next. The item is now last. Does
    /// nothing if it takes no turns.
    #[inline]
    pub(crate) fn took_turn(&mut self, item: usize) {
        if self.front as usize == item {
            self.front = self.links[item].next;
        } else if self.contains(item) {
            self.remove(item);
            let (item_link, next) = (id(item), self.front);
            let previous = self.links[next as usize].previous;
            self.links[item] = Links { next, previous };
            self.links[previous as usize].next = item_link;
            self.links[next as usize].previous = item_link;
        }
    }

    /// Removes an item from the list. Its turn goes to the next item. Does nothing if it takes no
    /// turns.
    pub(crate) fn remove(&mut self, item: usize) {
        if !self.contains(item) {
            return;
        }
        let Links { next, previous } = self.links[item];
        self.links[item] = Links { next: NONE, previous: NONE };
        if next as usize == item {
            self.front = NONE;
            return;
        }
        self.links[previous as usize].next = next;
        self.links[next as usize].previous = previous;
        if self.front as usize == item {
            self.front = next;
        }
    }

    /// Removes all items.
    pub(crate) fn clear(&mut self) {
        // The links stay as they are, because nothing reads them in an empty list.
        self.front = NONE;
    }
}

/// The link to an item.
#[inline]
fn id(item: usize) -> u32 {
    u32::try_from(item).expect("links are below 2^32")
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn trace_turns() {
        let mut turns = RoundRobin::new(5, &[3, 0, 4, 1]).expect("a legal order");
        assert_eq!((turns.front(), turns.contains(2)), (Some(3), false));
        turns.took_turn(3);
        assert_eq!(turns.order(), [0, 4, 1, 3]);
        turns.took_turn(1);
        assert_eq!(turns.order(), [0, 4, 3, 1]);
        turns.remove(0);
        turns.remove(0);
        assert_eq!((turns.order(), turns.front()), (vec![4, 3, 1], Some(4)));
        turns.took_turn(0);
        turns.remove(3);
        turns.remove(4);
        turns.took_turn(1);
        assert_eq!(turns.order(), [1]);
        turns.remove(1);
        assert_eq!((turns.front(), turns.order()), (None, vec![]));
        turns.took_turn(1);
        turns.remove(1);
        assert_eq!(turns.front(), None);
    }

    #[test]
    fn trace_orders_that_are_none() {
        assert!(RoundRobin::new(3, &[0, 3]).is_err());
        assert!(RoundRobin::new(3, &[1, 0, 1]).is_err());
        assert!(RoundRobin::new(3, &[1, 1]).is_err());
        assert!(RoundRobin::new(3, &[u32::MAX]).is_err());
        assert_eq!(RoundRobin::new(0, &[]).expect("nothing").front(), None);
        let mut cleared = RoundRobin::new(3, &[0, 1]).expect("a legal order");
        cleared.clear();
        cleared.took_turn(0);
        cleared.remove(1);
        assert_eq!((cleared.front(), cleared.order(), cleared.contains(0)), (None, vec![], false));
    }

    proptest! {
        /// Compared with a queue that is searched from end to end.
        #[test]
        fn law_turns_are_a_queue(steps in proptest::collection::vec((0..3u8, 0..12usize), 0..200)) {
            let mut queue: VecDeque<u32> = (0..12).collect();
            let mut turns = RoundRobin::new(12, &queue.iter().copied().collect::<Vec<_>>()).expect("a legal order");
            for (step, item) in steps {
                let place = queue.iter().position(|&other| other as usize == item);
                match step {
                    0 => {
                        turns.remove(item);
                        place.and_then(|place| queue.remove(place));
                    }
                    1 => {
                        turns.took_turn(item);
                        if let Some(item) = place.and_then(|place| queue.remove(place)) {
                            queue.push_back(item);
                        }
                    }
                    _ => {
                        if let Some(front) = turns.front() {
                            turns.took_turn(front);
                        }
                        queue.rotate_left(usize::from(!queue.is_empty()));
                    }
                }
                prop_assert_eq!(turns.order(), Vec::from(queue.clone()));
                prop_assert_eq!(turns.contains(item), queue.contains(&id(item)));
            }
        }
    }
}
