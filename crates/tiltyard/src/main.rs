//! temp
use tiltyard_lab::play::*;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let job = Job {
        world: a[1].clone(),
        policies: a[4..].iter().map(|s| s.parse().unwrap()).collect(),
        checkpoints: vec![1000, a[2].parse::<f64>().unwrap() as u64],
        runs: a[3].parse().unwrap(),
        seed: 1,
        regret: None,
    };
    let r = play(&job, &Progress::default()).unwrap();
    for p in r.policies {
        println!(
            "{:40} {:8.1} ± {:5.1}  acc {:.3}  {:6.1} ns",
            p.spec.to_string(),
            p.regret.mean[1],
            p.regret.sem[1],
            p.accuracy[1],
            p.time.as_nanos() as f64 / p.rounds as f64
        );
    }
}
