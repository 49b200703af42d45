//! The dependent click model: a user who reads downwards (Guo, Liu and Wang, WSDM 2009,
//! doi:10.1145/1498759.1498818).
//!
//! The user looks at the documents one by one, from the top. The grade of a document gives the
//! probability of a click on it, and the probability that the user stops after that click.
//! Otherwise the user looks at the next document. With a stopping probability of 1 this is the
//! cascade model (Craswell, Zoeter, Taylor and Ramsey, WSDM 2008, doi:10.1145/1341531.1341545).

use rand::{Rng, RngExt};

use tiltyard_interleave::Clicks;

/// A user who reads downwards and may stop after a click.
#[derive(Debug, Clone, PartialEq)]
pub struct Dependent {
    grades: Vec<Grade>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct Grade {
    click: f64,
    /// The probability of a click after which the user stops.
    click_and_stop: f64,
}

impl Dependent {
    /// Takes the probabilities for each grade. The caller checks that there is at least one of each
    /// and that all are in [0, 1].
    pub(super) fn new(click: &[f64], stop: &[f64]) -> Self {
        let grade = |(&click, &stop): (&f64, &f64)| Grade { click, click_and_stop: click * stop };
        Self { grades: click.iter().zip(stop).map(grade).collect() }
    }

    fn grade(&self, grade: u8) -> Grade {
        self.grades[usize::from(grade).min(self.grades.len() - 1)]
    }

    pub(super) fn clicks<R: Rng + ?Sized>(
        &self,
        grades: impl IntoIterator<Item = u8>,
        rng: &mut R,
        clicks: &mut Clicks,
    ) {
        for (position, grade) in grades.into_iter().enumerate() {
            let grade = self.grade(grade);
            // One number decides both: given a click, it is uniform below `click`.
            let drawn = rng.random::<f64>();
            if drawn < grade.click {
                clicks.insert(position);
                if drawn < grade.click_and_stop {
                    return;
                }
            }
        }
    }

    pub(super) fn probabilities(&self, grades: &[u8]) -> Vec<f64> {
        let mut looks = 1.0;
        let of = |&grade: &u8| {
            let grade = self.grade(grade);
            let clicked = looks * grade.click;
            looks *= 1.0 - grade.click_and_stop;
            clicked
        };
        grades.iter().map(of).collect()
    }
}
