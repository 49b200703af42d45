// A small client of the API. It sets the scene for a page, and plays the other client.

import { answerer, numbers } from './voters.mjs';

// The largest batch that the API accepts.
const MOST = 1000;

/** An error response of the API. */
export class ApiError extends Error {
    constructor(method, path, status, body) {
        super(`${method} ${path}: ${status} ${JSON.stringify(body)}`);
        this.status = status;
        this.code = body?.code;
    }
}

export class Api {
    #url;
    #key;

    constructor(url, key) {
        this.#url = url;
        this.#key = key;
    }

    /** The same server with another key, or with none (null). */
    as(key) {
        return new Api(this.#url, key);
    }

    async ask(method, path, body) {
        const headers = {};
        if (this.#key) headers.authorization = `Bearer ${this.#key}`;
        if (body !== undefined) headers['content-type'] = 'application/json';
        const response = await fetch(this.#url + path, { method, headers, body: body && JSON.stringify(body) });
        const text = await response.text();
        const isJson = /json(;|$)/.test(response.headers.get('content-type') ?? '');
        const answer = isJson ? JSON.parse(text) : text;
        if (!response.ok) throw new ApiError(method, path, response.status, answer);
        return answer;
    }

    get(path) {
        return this.ask('GET', path);
    }

    post(path, body = {}) {
        return this.ask('POST', path, body);
    }

    /**
     * Creates an experiment: `{ name, arms, policy, settings }`. If `arms` is a number, the arms
     * are `arm-1`, `arm-2` and so on.
     */
    create({ name = 'headline', arms = ['plain', 'funny', 'short'], ...rest } = {}) {
        const list = typeof arms === 'number' ? Array.from({ length: arms }, (_, i) => `arm-${i + 1}`) : arms;
        return this.post('/v1/experiments', { name, arms: list, ...rest });
    }

    experiment(id) {
        return this.get(`/v1/experiments/${id}`);
    }

    /** All arms: `{ name, label, payload, retired, ... }`. */
    async arms(id) {
        return (await this.get(`/v1/experiments/${id}/arms`)).arms;
    }

    /** All votes that count, in order: `{ left, right, outcome, voter, ... }`. */
    async votes(id) {
        const text = await this.get(`/v1/experiments/${id}/votes?format=jsonl`);
        return text.trim().split('\n').filter(Boolean).map((line) => JSON.parse(line));
    }

    standing(id) {
        return this.get(`/v1/experiments/${id}/standing`);
    }

    /**
     * Creates a key: `{ scope, experiment, label, expires_at }`. The field `key` of the response is
     * the secret.
     */
    makeKey(body) {
        return this.post('/v1/keys', body);
    }

    /**
     * Votes `n` times on duels that the policy draws. `who` are the options of `answerer`; `voters`
     * is the number of voters.
     */
    async vote(id, n, { voters = 20, batch = 100, ...who } = {}) {
        const answer = answerer(who);
        for (let done = 0; done < n; ) {
            const count = Math.min(batch, MOST, n - done);
            const { duels } = await this.post(`/v1/experiments/${id}/duels`, { count });
            const outcomes = duels.map((duel, i) => ({
                duel: duel.id,
                outcome: answer(duel.left, duel.right),
                voter: `voter-${((done + i) % voters) + 1}`,
            }));
            const { results } = await this.post('/v1/outcomes', { outcomes });
            const refused = results.find((result) => result.status !== 'recorded');
            if (refused) throw new Error(`a vote was not recorded: ${JSON.stringify(refused)}`);
            done += count;
        }
    }

    /**
     * Imports `n` votes on pairs drawn uniformly from `arms` (names): the quick way to a million
     * votes. `atOnce` requests are in flight at the same time, so that they share the disk's syncs.
     */
    async importVotes(id, arms, n, { voters = 1000, atOnce = 8, ...who } = {}) {
        const answer = answerer(who);
        const next = numbers((who.seed ?? 1) ^ 0x5bd1e995);
        let made = 0;
        const sendAll = async () => {
            while (made < n) {
                const count = Math.min(MOST, n - made);
                const from = made;
                made += count;
                const votes = Array.from({ length: count }, (_, i) => {
                    const one = Math.floor(next() * arms.length);
                    const other = (one + 1 + Math.floor(next() * (arms.length - 1))) % arms.length;
                    const [left, right] = [arms[one], arms[other]];
                    return { left, right, outcome: answer(left, right), voter: `voter-${((from + i) % voters) + 1}` };
                });
                await this.post(`/v1/experiments/${id}/votes`, { client_id: `import-${from}`, source: 'planted', votes });
            }
        };
        await Promise.all(Array.from({ length: atOnce }, sendAll));
    }
}
