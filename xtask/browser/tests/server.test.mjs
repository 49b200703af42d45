// Checks what the other tests rely on: servers that are killed and restarted, keys, planted votes.

import assert from 'node:assert/strict';

import { scene } from '../support/scene.mjs';

scene('a killed server comes back at the same address with all votes', async ({ server, api }) => {
    const { id } = await api.create();
    await api.vote(id, 50);
    const { url } = server;
    const before = await api.get(`/v1/experiments/${id}/digest`);
    await server.kill();
    await assert.rejects(api.experiment(id), /fetch failed/);
    await server.restart();
    assert.equal(server.url, url);
    assert.deepEqual(await api.get(`/v1/experiments/${id}/digest`), before);
    await server.stop();
    await server.restart();
    assert.equal((await api.experiment(id)).totals.votes, 50);
});

scene('a server with keys requires one', async ({ api }) => {
    await assert.rejects(api.as(null).get('/v1/experiments'), { status: 401 });
    const { id } = await api.create();
    const { key } = await api.makeKey({ scope: 'voter', experiment: id });
    await api.as(key).vote(id, 10);
    await assert.rejects(api.as(key).makeKey({ scope: 'admin' }), { status: 403 });
});

scene('planted preferences become the verdict', { auth: 'none' }, async ({ api }) => {
    const { id } = await api.create({ arms: ['plain', 'funny', 'short'] });
    // At 9 to 1, some dozens of votes on a pair show a lead; 2000 votes are many times that.
    await api.vote(id, 2000, { strengths: { funny: 9 }, ties: 0.1, bothBad: 0.05 });
    const { leader, totals } = await api.standing(id);
    assert.equal(leader.name ?? leader, 'funny');
    assert.equal(totals.votes, 2000);
    assert.ok(totals.ties > 0 && totals.both_bad > 0);
});

scene('votes are imported by the thousand', { auth: 'none' }, async ({ api }) => {
    const arms = ['a', 'b', 'c', 'd'];
    const { id } = await api.create({ arms });
    await api.importVotes(id, arms, 10_500, { strengths: { c: 3 } });
    const { totals, leader } = await api.standing(id);
    assert.equal(totals.imported, 10_500);
    assert.equal(leader.name ?? leader, 'c');
});

scene('a browser gets its pages from this server', { auth: 'none' }, async ({ server, visit }) => {
    const { page, guard } = await visit();
    // This address is for programs, and has no icon.
    guard.permit(/^console: .*404.*favicon\.ico/);
    const response = await page.goto('/healthz');
    assert.equal(response.status(), 200);
    assert.equal(new URL(page.url()).origin, server.url);
});
