//! The example, from pages to a standing, over sockets.

use std::path::Path;

use rand::SeedableRng as _;
use rand::rngs::ChaCha8Rng;
use tiltyard_example_search::arena::Local;
use tiltyard_example_search::engine::{Engine, Ranker};
use tiltyard_example_search::sections;
use tiltyard_example_search::session::Session;
use tiltyard_example_search::user::User;

const QUERIES: u64 = 600;

/// Simulated users on the project's own pages. The ranker that reverses the order loses to the
/// three others: in 600 queries each pair with it is asked tens of times, and it hardly ever wins.
#[test]
fn stat_the_example_finds_out_who_is_bad() {
    let sections = sections::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")).unwrap();
    assert!(sections.len() > 100, "{}", sections.len());
    let engine = Engine::new(&sections).unwrap();
    let local = Local::start([9; 32]).unwrap();
    let session = Session::new(local.api(), &engine).unwrap();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..QUERIES {
        let user = User::draw(&sections, &mut rng).unwrap();
        let page = session.search(&user.query).unwrap();
        assert!(page.sections.len() <= 10);
        session.click(&page, &user.clicks(&page.sections, &mut rng)).unwrap();
    }
    let standing = session.standing().unwrap();
    assert_eq!(standing.votes, QUERIES);
    assert_ne!(standing.recommended, Ranker::Backwards.name());
    let bad = standing.arms.iter().find(|arm| arm.name == Ranker::Backwards.name()).unwrap();
    assert!(bad.losses > 10 && bad.losses > 4 * bad.wins, "{bad:?}");
}
