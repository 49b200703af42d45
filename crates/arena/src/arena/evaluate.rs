//! Off-policy evaluation on the log of an experiment.

use super::{Arena, ArenaError, Pending, load};
use crate::domain::{Against, BallotReader, Evaluated, Evaluator, Event, Fold, Refusal, Target};
use crate::id::ExperimentId;

impl Arena {
    /// Estimates what a target would have scored on an experiment's traffic. This reads the whole
    /// log.
    ///
    /// # Errors
    ///
    /// If the experiment does not exist, its log cannot be read, or the log says nothing about the
    /// target.
    pub fn evaluate(
        &self,
        id: ExperimentId,
        target: &Target,
        against: &Against,
    ) -> Result<Pending<Evaluated>, ArenaError> {
        let mut rng = self.rng();
        let view = self.view(id, |experiment| {
            (Evaluator::new(experiment, target, against, &mut rng), experiment.settings().confidence)
        })?;
        let ((evaluator, confidence), durable) = view.split();
        let mut evaluator = evaluator?;
        self.live(id)?.check_looked_up()?;
        let voided = load::voided(&*self.store, id)?;
        let mut fold = Fold::forgetting(voided.clone());
        let mut ballots = BallotReader::new(voided);
        let mut failure = None;
        let read = self.store.read(id, 0, &mut |record| {
            let mut present = Vec::new();
            if evaluator.wants_present() {
                if let (Event::Issued(_), Some(experiment)) = (&record.event, fold.state()) {
                    if let Some(probabilities) = experiment.policy().probabilities() {
                        present = probabilities;
                    } else {
                        let policy = experiment.policy().info().name.to_owned();
                        failure = Some(ArenaError::Refused(Refusal::NoProbabilities { policy }));
                        return false;
                    }
                }
                if let Err(error) = fold.push(&record) {
                    failure = Some(error.into());
                    return false;
                }
            }
            if let Some(step) = ballots.push(&record) {
                evaluator.push(&step, present, &mut rng);
            }
            true
        });
        self.noticed(read)?;
        if let Some(failure) = failure {
            return Err(failure);
        }
        let evaluated = evaluator.finish(confidence, &mut rng)?;
        Ok(durable.map(|()| evaluated))
    }
}
