// Simulated voters with planted preferences. The same seed gives the same votes.

/**
 * Uniform random numbers from 0 to 1, from a seed: a Weyl sequence through the finaliser of
 * MurmurHash3. Good enough for votes.
 */
export function numbers(seed) {
    let state = seed >>> 0;
    return () => {
        state = (state + 0x9e3779b9) >>> 0;
        let x = state;
        x = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
        x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
        return ((x ^ (x >>> 16)) >>> 0) / 2 ** 32;
    };
}

/**
 * A function that answers duels. `strengths` maps the name of each arm to a number above 0 (1 by
 * default). An arm of strength 3 beats an arm of strength 1 with probability 3/4. `ties` and
 * `bothBad` are the shares of these answers. `left` is added to the probability that the left side
 * wins.
 */
export function answerer({ strengths = {}, ties = 0, bothBad = 0, left: favour = 0, seed = 1 } = {}) {
    const next = numbers(seed);
    const strength = (name) => strengths[name] ?? 1;
    return (left, right) => {
        const kind = next();
        if (kind < ties) return 'tie';
        if (kind < ties + bothBad) return 'both_bad';
        const chance = strength(left) / (strength(left) + strength(right)) + favour;
        return next() < chance ? 'left' : 'right';
    };
}
