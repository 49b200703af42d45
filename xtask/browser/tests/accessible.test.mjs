// Every page works for everyone: axe finds nothing, the keyboard reaches everything, and phones
// show everything.

import assert from 'node:assert/strict';

import { isGood } from '../support/everyone.mjs';
import { answered, see, signIn } from '../support/people.mjs';
import { scene } from '../support/scene.mjs';

const LONG = `${'a-name-without-any-space-'.repeat(7)}end`;

scene('signing in, and error pages', async ({ server, visit }) => {
    const { page, guard } = await visit();
    guard.permit(answered('4[0-9][0-9]'));
    await page.goto('/login');
    // The field has the focus: a key can be pasted at once.
    assert.equal(await page.evaluate(() => document.activeElement.id), await page.getByLabel('Key').getAttribute('id'));
    await isGood(page);
    await page.getByLabel('Key').fill('nonsense');
    await page.keyboard.press('Enter');
    await see(page.getByRole('alert'));
    await isGood(page);
    await page.goto('/nothing');
    await isGood(page);
    await signIn(page, server.key);
    await page.goto('/experiments/none');
    await isGood(page);
});

scene('the list, the forms and the keys', async ({ server, api, visit }) => {
    const { page, guard } = await visit();
    await signIn(page, server.key);
    await see(page.getByText('There are no experiments yet.'));
    await isGood(page);
    await page.goto('/new');
    await isGood(page);
    await page.getByText('More settings').click();
    await isGood(page);
    guard.permit(answered('4[0-9][0-9]'));
    await page.getByLabel('Arms', { exact: true }).fill('one');
    await page.getByRole('button', { name: 'Create and start' }).click();
    await see(page.getByRole('alert'));
    await isGood(page);

    for (const name of ['headline', 'a name of several words that goes on for a while and then some more', LONG]) {
        const { id } = await api.create({ name });
        await api.vote(id, 20);
        await api.makeKey({ scope: 'voter', experiment: id, label: name });
    }
    const { id } = await api.create({ name: 'closed' });
    await api.post(`/v1/experiments/${id}/close`);
    await page.goto('/');
    await see(page.getByText('Closed'));
    await isGood(page);
    await page.goto('/keys');
    await isGood(page);
    await page.getByRole('button', { name: 'Create the key' }).click();
    await see(page.getByRole('heading', { name: 'New key' }));
    await isGood(page);
    await page.goto('/lab/');
    await isGood(page);
});

scene('an experiment without votes, with few, with a leader, closed', async ({ server, api, visit }) => {
    const { id } = await api.create({ arms: [{ name: 'plain', label: 'The plain one' }, 'funny', LONG] });
    const { page } = await visit();
    await signIn(page, server.key, `/experiments/${id}`);
    await isGood(page);
    await api.vote(id, 40, { ties: 0.2 });
    await page.reload();
    await page.getByText('The numbers as a table').click();
    await isGood(page);
    await page.getByRole('button', { name: 'Create a link' }).click();
    await see(page.getByRole('heading', { name: 'Link for voters' }));
    await isGood(page);
    // Voters favour one side, and preferences change: there are alarms for both.
    await api.vote(id, 1500, { strengths: { funny: 9 }, left: 0.2, seed: 2 });
    await api.post(`/v1/experiments/${id}/arms/plain/retire`);
    await page.goto(`/experiments/${id}`);
    await see(page.getByText('Voters favour one side.'));
    await isGood(page);
    await api.post(`/v1/experiments/${id}/close`);
    await page.reload();
    await isGood(page);
});

scene('an experiment with 40 arms', { auth: 'none' }, async ({ api, visit }) => {
    const arms = Array.from({ length: 40 }, (_, i) => `arm-${i + 1}`);
    const { id } = await api.create({ arms });
    await api.importVotes(id, arms, 20_000, { strengths: { 'arm-7': 3 }, ties: 0.1 });
    await api.vote(id, 300);
    const { page } = await visit();
    await page.goto(`/experiments/${id}`);
    await page.getByText('The numbers as a table').click();
    await isGood(page);
});

scene('an experiment with 5000 arms', { auth: 'none' }, async ({ api, visit }) => {
    const arms = Array.from({ length: 5000 }, (_, i) => `arm-${i + 1}`);
    const { id } = await api.create({ arms });
    await api.importVotes(id, arms.slice(0, 200), 10_000, { strengths: { 'arm-7': 3 } });
    const { page } = await visit();
    await page.goto(`/experiments/${id}`);
    await isGood(page);
    // All arms can be reached: page by page, and by name.
    const pages = page.getByRole('navigation', { name: 'Pages of arms' });
    await see(pages.getByText(/^Arms 1 to 50 of 5\s000$/));
    await pages.getByRole('link', { name: 'Next' }).click();
    await see(pages.getByText(/^Arms 51 to 100 of 5\s000$/));
    await page.getByLabel('Find arms').fill('arm-4321');
    await page.keyboard.press('Enter');
    await see(page.getByRole('rowheader', { name: 'arm-4321' }));
    assert.equal(await page.getByRole('rowheader').count(), 1);
    await page.getByLabel('Find arms').fill('no such arm');
    await page.keyboard.press('Enter');
    await see(page.getByText('No arm has this text in its name or label.'));
    await isGood(page, { tabs: false });
});

scene('the link past the header, and reduced motion', { auth: 'none' }, async ({ api, visit }) => {
    const { id } = await api.create();
    const { page } = await visit({ reducedMotion: 'reduce' });
    await page.goto(`/experiments/${id}`);
    await page.keyboard.press('Tab');
    const skip = page.getByRole('link', { name: 'Skip to the content' });
    assert.ok((await skip.boundingBox()).x >= 0, 'it is visible once it has the focus');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.closest('main') !== null), true);
    // A visitor who prefers reduced motion sees none.
    const moving = await page.evaluate(() =>
        [...document.querySelectorAll('*')].filter((element) => {
            const { transitionDuration, animationName } = getComputedStyle(element);
            return transitionDuration.split(',').some((text) => Number.parseFloat(text) > 0) || animationName !== 'none';
        }).length,
    );
    assert.equal(moving, 0);
});

const PICTURE = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const CANDIDATES = {
    text: { text: `A line\nand another one, with ${LONG}` },
    markdown: { markdown: '## A title\n\nSome *text*, [a link](https://example.org/) and a table:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\ncode\n```' },
    image: { image: PICTURE, alt: 'A dot' },
    html: { html: '<!doctype html><html lang="en"><title>x</title><p>A page</p></html>' },
};

scene('voting on candidates of every kind', { auth: 'none' }, async ({ api, visit }) => {
    for (const [kind, payload] of Object.entries(CANDIDATES)) {
        const { id } = await api.create({
            name: `on ${kind}`,
            arms: [{ name: 'one', payload }, { name: 'other', payload }],
            settings: { voter_votes: 2 },
        });
        const { context, page, guard } = await visit();
        await page.goto(`/vote/${id}`);
        if (kind === 'text') await isGood(page);
        await page.getByRole('button', { name: 'Start' }).click();
        await see(page.getByText('Vote 1 of 2'));
        // Users wrote the content of a frame. Whether the Tab key stops there depends on it.
        await isGood(page, { tabs: kind !== 'html' });
        if (kind === 'text') {
            await page.keyboard.press('ArrowLeft');
            await see(page.getByText('Vote 2 of 2'));
            await isGood(page);
            await page.keyboard.press('ArrowLeft');
            await see(page.getByRole('heading', { name: 'Thank you' }));
            await isGood(page);
        }
        guard.check();
        await context.close();
    }
    const { page, guard } = await visit();
    guard.permit(answered(404));
    await page.goto('/vote/ty_voter_nothing');
    await see(page.getByRole('heading', { name: 'This link does not work' }));
    await isGood(page);
    await page.goto(`/vote/${(await api.create({ arms: ['a', 'b'] })).id}?plain`);
    await page.getByRole('button', { name: 'Start' }).click();
    await see(page.getByText('Vote 1'));
    await isGood(page);
});
