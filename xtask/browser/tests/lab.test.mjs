// Pages of the lab: runs are listed, narrowed down, zoomed and compared.

import assert from 'node:assert/strict';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before } from 'node:test';

import { isUntouched } from '../support/attacks.mjs';
import { isGood } from '../support/everyone.mjs';
import { picture } from '../support/looks.mjs';
import { answered, see, signIn } from '../support/people.mjs';
import { results } from '../support/results.mjs';
import { scene } from '../support/scene.mjs';

const EVIL = '<img src=x onerror=window.__pwned=1>';

// Scenes get the array of arguments when they are declared. The directory is added before their
// servers start.
const args = ['--results'];
before(async () => {
    args.push(
        await results({
            first: { title: EVIL, worlds: ['cyclic4', 'arxiv6'], policies: ['rex3', 'random', 'rucb'] },
            'deeper/second': { worlds: ['arxiv6'], policies: ['rex3', 'random'], seed: 2 },
            [EVIL]: { worlds: ['copeland5'], policies: ['random'] },
        }),
    );
    await mkdir(join(args[1], 'empty'));
});
after(() => rm(args[1], { recursive: true, force: true }));

const heading = (page, name) => page.getByRole('heading', { name, exact: true });
const figure = (page) => page.getByRole('main').locator('svg').first();

scene('runs are listed, narrowed down and zoomed by the form', { auth: 'none', args }, async ({ visit }) => {
    const { page } = await visit();
    await page.goto('/');
    await page.getByRole('link', { name: 'Lab' }).click();
    await see(heading(page, 'Lab'));
    await isUntouched(page, 'the list');
    await isGood(page);
    await picture(page, 'lab');
    await page.getByRole('link', { name: 'first', exact: true }).click();
    await see(figure(page));
    await isUntouched(page, 'a run');
    await picture(page, 'lab-run');
    assert.ok((await page.getByRole('cell', { name: 'random' }).count()) + (await page.getByRole('rowheader', { name: 'random' }).count()) > 0);

    const summary = page.getByText('Choose worlds, policies, axes and zoom');
    await summary.click();
    await isGood(page);
    const before = await figure(page).innerHTML();
    await page.getByRole('group', { name: 'Policies' }).getByLabel('rucb').uncheck();
    await page.getByRole('group', { name: 'Worlds' }).getByLabel('cyclic4').uncheck();
    await page.getByRole('button', { name: 'Show' }).click();
    await page.waitForURL(/policy=/);
    await see(figure(page));
    assert.notEqual(await figure(page).innerHTML(), before);
    const below = page.getByRole('group', { name: 'Horizontal axis' });
    await below.getByLabel('From').fill('50');
    await below.getByLabel('To').fill('500');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.waitForURL(/x-from=50/);
    assert.equal(await below.getByLabel('To').inputValue(), '500');
    await page.getByRole('button', { name: 'Whole range' }).first().click();
    await page.waitForURL((url) => !/x-from=50/.test(url.search) || /whole/.test(url.search));
    assert.equal(await below.getByLabel('From').inputValue(), '');
});

scene('dragging over a plot zooms', { auth: 'none', args }, async ({ visit }) => {
    const { page } = await visit();
    await page.goto('/lab/runs/deeper/second');
    await see(figure(page));
    const before = await figure(page).innerHTML();
    await figure(page).scrollIntoViewIfNeeded();
    const box = await figure(page).boundingBox();
    await page.mouse.move(box.x + box.width * 0.35, box.y + box.height * 0.5);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.45, box.y + box.height * 0.5, { steps: 4 });
    await page.mouse.move(box.x + box.width * 0.55, box.y + box.height * 0.5, { steps: 4 });
    await page.mouse.up();
    await page.waitForURL(/x-from=[0-9]/);
    await see(figure(page));
    assert.notEqual(await figure(page).innerHTML(), before);
});

scene('runs are compared where their worlds are the same', { auth: 'none', args }, async ({ visit }) => {
    const { page, guard } = await visit();
    await page.goto('/lab/');
    await page.getByLabel('Compare first').check();
    await page.getByLabel('Compare deeper/second').check();
    await page.getByRole('button', { name: 'Compare selected runs' }).click();
    await see(figure(page));
    await see(page.getByText(/rex3.*\(first\)/i));
    await isUntouched(page, 'two runs');
    await isGood(page);
    await picture(page, 'lab-compare');
    await page.goto('/lab/');
    await page.getByLabel('Compare first').check();
    await page.getByLabel(`Compare ${EVIL}`).check();
    guard.permit(answered('4[0-9][0-9]'));
    await page.getByRole('button', { name: 'Compare selected runs' }).click();
    await see(page.getByRole('heading').first());
    await isUntouched(page, 'runs that cannot be compared');
});

scene('names of runs are shown as text, and do not lead out of the directory', { auth: 'none', args }, async ({ visit }) => {
    const { page, guard } = await visit();
    await page.goto('/lab/');
    await page.getByRole('link', { name: EVIL, exact: true }).click();
    await see(figure(page));
    await isUntouched(page, 'a run with a hostile name');
    guard.permit(answered(404));
    for (const path of ['runs/..%2f..%2fetc', 'runs/../../../etc/passwd', 'reports/%2e%2e/x', 'runs/none', `runs/${encodeURIComponent(EVIL)}x`]) {
        const response = await page.goto(`/lab/${path}`);
        assert.equal(response.status(), 404, path);
        await isUntouched(page, path);
    }
});

scene('results require a key that may read everything', { args }, async ({ server, api, visit }) => {
    const { page } = await visit();
    await page.goto('/lab/');
    await see(heading(page, 'Sign in'));
    await signIn(page, server.key, '/lab/runs/first');
    await see(figure(page));
    const { id } = await api.create();
    const { key } = await api.makeKey({ scope: 'reader', experiment: id });
    const other = await visit();
    await signIn(other.page, key, `/experiments/${id}`);
    other.guard.permit(answered(403));
    assert.equal((await other.page.goto('/lab/')).status(), 403);
});
