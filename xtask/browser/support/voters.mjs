// Simulated voters with planted preferences. The same seed gives the same votes.

/** Numbers from 0 to 1, evenly, from a seed: a Weyl sequence through the finaliser of MurmurHash3. Good enough for votes. */
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
 * Who answers duels: `strengths` maps the name of each arm to a number above 0 (1 for those left out), and an arm of strength 3 wins against one of
 * strength 1 three times in four. `ties` and `bothBad` are the shares of those answers, `left` what the left side is favoured by.
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
