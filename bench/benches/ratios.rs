//! probe
use rand::RngExt;
use tiltyard_bandit::Stream;
use tiltyard_bandit::policy::*;
use tiltyard_bench::*;
fn warm(n: usize, round: u64, spread: f64) -> Rex3 {
    let mut p = Rex3::new(n);
    p.warm_start(round, vec![0.0; n]).unwrap();
    let s = p.gamma() / n as f64;
    let mut rng = Stream::new(3).rng();
    p.warm_start(round, (0..n).map(|_| spread * rng.random::<f64>() / s).collect()).unwrap();
    println!("{n} gamma {}", p.gamma());
    p
}
fn main() {
    let nav = Ground::new(navigational().0);
    for rounds in [100_000, 1_000_000u64] {
        for t in race(
            &mut [
                Contestant::whole_rounds("rex3", rounds, Rex3::new(136), &nav),
                Contestant::whole_rounds("plain", rounds, PlainRex3::new(136), &nav),
            ],
            5,
        ) {
            println!("{rounds} {} {:.1}", t.name, t.median());
        }
        let (a, b, c) = (Ground::bernoulli(136), Ground::bernoulli(1024), Ground::bernoulli(1_000_000));
        let ts = race(
            &mut [
                Contestant::whole_rounds("136", rounds, Rex3::new(136), &a),
                Contestant::whole_rounds("1024", rounds, Rex3::new(1024), &b),
                Contestant::whole_rounds("1e6", rounds, Rex3::new(1_000_000), &c),
                Contestant::whole_rounds("1e6 warm 1e9/5", rounds, warm(1_000_000, 1_000_000_000, 5.0), &c),
                Contestant::whole_rounds("1e6 warm 1e9/50", rounds, warm(1_000_000, 1_000_000_000, 50.0), &c),
                Contestant::whole_rounds("136 warm", rounds, warm(136, 136_000, 5.0), &a),
            ],
            5,
        );
        for t in &ts {
            println!("{rounds} {} {:.1} {:.2}", t.name, t.median(), t.over(&ts[0]));
        }
    }
}
