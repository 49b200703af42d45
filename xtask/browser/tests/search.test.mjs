// The search page of the demo: the opened results become an outcome, and the page shows the credit
// afterwards.

import assert from 'node:assert/strict';

import { TEXTS, isUntouched } from '../support/attacks.mjs';
import { isGood } from '../support/everyone.mjs';
import { picture } from '../support/looks.mjs';
import { answered, eventually, see } from '../support/people.mjs';
import { scene } from '../support/scene.mjs';

const DEMO = { auth: 'none', args: ['--demo'] };
const button = (page, name) => page.getByRole('button', { name, exact: true });
const box = (page) => page.getByLabel('Words to search for');
const results = (page) => page.getByRole('list').getByRole('heading', { level: 2 }).getByRole('link');

/** The experiment with the rankers, which the demo creates at its start. */
function demonstration(api) {
    return eventually(async () => (await api.get('/v1/experiments')).experiments.find(({ name }) => name === 'search demo'), 'an experiment to search');
}

async function search(page, words) {
    await box(page).fill(words);
    await button(page, 'Search').click();
    await see(page.getByRole('heading', { name: `Results for “${words}”` }));
}

scene('opened results count, and the rankers are named afterwards', DEMO, async ({ api, visit }) => {
    const { id } = await demonstration(api);
    const rankers = (await api.arms(id)).map(({ name }) => name);
    const { page } = await visit();
    await page.goto(`/experiments/${id}`);
    await page.getByRole('link', { name: 'Search page' }).click();
    await isGood(page);
    await picture(page, 'search');

    // A ranker may be drawn against itself. Then there is no contest, and the test searches again.
    let told = '';
    for (let i = 0; i < 20 && !/ won: 2 clicks to 0\.$| won: 1 click to 0\.$|^A tie/.test(told); i += 1) {
        await search(page, 'regret bound');
        const list = await page.getByRole('main').innerText();
        for (const ranker of rankers) assert.ok(!new RegExp(`· ${ranker}\\b`).test(list), 'nothing reveals the ranker');
        const { totals: before } = await api.standing(id);
        await results(page).nth(0).click();
        await page.getByRole('link', { name: 'Back to the results' }).first().click();
        await see(page.getByText('1 result is opened.'));
        await results(page).nth(2).click();
        if (i === 0) await isGood(page);
        await page.getByRole('link', { name: 'Back to the results' }).first().click();
        await see(page.getByText('2 results are opened.'));
        if (i === 0) {
            await isGood(page);
            await picture(page, 'search-results');
        }
        assert.equal((await api.standing(id)).totals.votes, before.votes, 'opening a result does not count yet');
        await button(page, 'Finish and show which ranker won').click();
        told = (await page.getByText(/ won: |^A tie|^No contest|met itself/).first().innerText()).trim();
        if (!/^No contest|met itself/.test(told)) assert.equal((await api.standing(id)).totals.votes, before.votes + 1);
        if (i === 0) {
            await isGood(page);
            await picture(page, 'search-credit');
        }
        if (/ won: /.test(told)) assert.ok(rankers.some((ranker) => told.startsWith(`“${ranker}” won: `)), told);
        await page.getByRole('link', { name: 'Search again' }).click();
        await see(box(page));
    }
    assert.match(told, / won: |^A tie/);
});

scene('searches without clicks, without results, and unfinished', { ...DEMO }, async ({ api, visit }) => {
    const { id } = await demonstration(api);
    const { page } = await visit({ javaScriptEnabled: false });
    await page.goto(`/search/${id}`);
    await box(page).fill('zzzzqqqq');
    await button(page, 'Search').click();
    await see(page.getByText('Nothing was found for “zzzzqqqq”.'));
    await search(page, 'thompson');
    await button(page, 'Finish and show which ranker won').click();
    await see(page.getByText(/^Nothing was opened: a tie|^No contest|met itself/));

    await page.goto(`/search/${id}`);
    await search(page, 'thompson');
    await results(page).nth(0).click();
    const left = await page.getByRole('link', { name: 'Back to the results' }).first().getAttribute('href');
    await page.goto(`/search/${id}`);
    await see(page.getByText('Your last search is not finished.'));
    await search(page, 'regret');
    // The previous search was counted, with the results opened until then.
    await page.goto(left);
    await see(page.getByText(/ won: 1 click to 0\.$|^No contest|met itself/));
});

scene('queries are shown as text', DEMO, async ({ api, visit }) => {
    const { id } = await demonstration(api);
    const { page, guard } = await visit();
    guard.permit(answered('4[0-9][0-9]'));
    for (const text of TEXTS.filter((_, place) => place % 3 === 0)) {
        // If the query finds something, the page shows it above the results, otherwise in a
        // message.
        await page.goto(`/search/${id}`);
        await box(page).fill(`regret ${text}`);
        await button(page, 'Search').click();
        await see(page.getByRole('heading', { name: 'Results for' }).or(page.getByRole('alert')));
        await isUntouched(page, text);
        assert.equal(await box(page).inputValue(), `regret ${text}`.trim());
    }
    for (const path of [`/search/${id}/none`, '/search/none', `/search/${id}/${encodeURIComponent(TEXTS[0])}/1`]) {
        await page.goto(path);
        await isUntouched(page, path);
    }
});
