// The list of experiments, the dashboard and the keys, as a person with a key uses them while
// another client works on the same server.

import assert from 'node:assert/strict';

import { LOST, answered, eventually, gone, see, signIn, watchForReloads } from '../support/people.mjs';
import { scene } from '../support/scene.mjs';

const button = (page, name) => page.getByRole('button', { name, exact: true });
const link = (page, name) => page.getByRole('link', { name, exact: true });
const heading = (page, name) => page.getByRole('heading', { name, exact: true });

scene('signing in leads back to the page, and signing out ends the session', async ({ server, api, visit }) => {
    const { id } = await api.create({ name: 'headline' });
    const { context, page, guard } = await visit();
    await page.goto(`/experiments/${id}?sort=votes`);
    await see(heading(page, 'Sign in'));
    assert.equal(await link(page, 'Experiments').count(), 0);

    guard.permit(answered(401));
    await page.getByLabel('Key').fill('ty_admin_nonsense');
    await button(page, 'Sign in').click();
    await see(page.getByRole('alert').filter({ hasText: 'This key is unknown' }));

    await page.getByLabel('Key').fill(` ${server.key} `);
    await button(page, 'Sign in').click();
    await see(heading(page, 'headline'));
    assert.equal(page.url(), `${server.url}/experiments/${id}?sort=votes`);

    const cookies = await context.cookies();
    const session = cookies.find(({ name }) => name === 'tiltyard_session');
    assert.ok(session.httpOnly);
    assert.equal(session.sameSite, 'Lax');
    assert.equal(await page.evaluate(() => document.cookie), '');
    // The browser does not have the key itself.
    assert.notEqual(session.value, server.key);

    await button(page, 'Sign out').click();
    await see(heading(page, 'Sign in'));
    await page.goto('/');
    await see(heading(page, 'Sign in'));
    // The old session cookie no longer works either.
    await context.addCookies([session]);
    await page.goto('/');
    await see(heading(page, 'Sign in'));
    assert.equal((await api.get('/v1/experiments')).experiments.length, 1, 'the key still works');
});

scene('signing in does not lead to another site', async ({ server, visit }) => {
    const { page } = await visit();
    for (const back of ['//elsewhere.invalid/', 'https://elsewhere.invalid/', '/\\elsewhere.invalid', 'javascript:alert(1)']) {
        await page.context().clearCookies();
        await page.goto(`/login?back=${encodeURIComponent(back)}`);
        await page.getByLabel('Key').fill(server.key);
        await button(page, 'Sign in').click();
        await see(heading(page, 'Experiments'));
        assert.equal(page.url(), `${server.url}/`);
    }
});

scene('the form creates an experiment, and a form with a mistake keeps its fields', async ({ server, api, visit }) => {
    const { page, guard } = await visit();
    await signIn(page, server.key);
    await see(page.getByText('There are no experiments yet.'));
    await link(page, 'New experiment').click();

    guard.permit(answered(422));
    await page.getByLabel('Name', { exact: true }).fill('Buttons & “colours”');
    await page.getByLabel('Arms', { exact: true }).fill('only one');
    await page.getByLabel('Content type').selectOption('Markdown');
    await page.getByText('More settings').click();
    await page.getByLabel('Maximum votes per voter', { exact: true }).fill('250');
    await page.getByLabel('Pause once there is a verdict').check();
    await button(page, 'Create and start').click();

    await see(page.getByRole('alert'));
    const arms = page.getByLabel('Arms', { exact: true });
    assert.equal(await arms.getAttribute('aria-invalid'), 'true');
    assert.equal(await arms.inputValue(), 'only one');
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Buttons & “colours”');
    assert.equal(await page.getByLabel('Content type').inputValue(), 'markdown');
    assert.equal(await page.getByLabel('Maximum votes per voter', { exact: true }).inputValue(), '250');
    assert.ok(await page.getByLabel('Pause once there is a verdict').isChecked());

    // A mistake inside the box that is closed at first opens the box.
    await arms.fill('green | **Buy**\nred | **Buy now**\n\nblue');
    await page.getByText('More settings').click();
    await page.getByLabel('Confidence').fill('very');
    await button(page, 'Create and start').click();
    await see(page.getByRole('alert').filter({ hasText: 'very' }));
    assert.equal(await page.getByLabel('Confidence').getAttribute('aria-invalid'), 'true');
    assert.ok(await page.getByLabel('Confidence').isVisible());

    await page.getByLabel('Confidence').fill('0.9');
    await button(page, 'Create and start').click();
    await see(heading(page, 'Buttons & “colours”'));
    await see(page.getByText('There are no votes yet.'));

    const { experiments } = await api.get('/v1/experiments');
    assert.equal(experiments.length, 1, 'a form with a mistake creates no experiment');
    const made = await api.experiment(experiments[0].id);
    assert.equal(made.name, 'Buttons & “colours”');
    const added = await api.arms(made.id);
    assert.deepEqual(added.map(({ name }) => name), ['green', 'red', 'blue']);
    assert.deepEqual(added[0].payload, { markdown: '**Buy**' });
    assert.equal(made.settings.voter_votes, 250);
    assert.equal(made.settings.confidence, 0.9);

    await link(page, 'Experiments').click();
    const row = page.getByRole('row').filter({ has: link(page, 'Buttons & “colours”') });
    await see(row.getByText('Running'));
    await link(page, 'Buttons & “colours”').click();
    await see(heading(page, 'Buttons & “colours”'));
});

scene('an experiment is paused, resumed, changed and closed', async ({ server, api, visit }) => {
    const { id } = await api.create({ arms: ['plain', 'funny', 'short'] });
    const { page, guard } = await visit();
    await signIn(page, server.key, `/experiments/${id}`);
    const status = async () => (await api.experiment(id)).status;
    const arm = async (name) => (await api.arms(id)).find((found) => found.name === name);

    await button(page, 'Pause').click();
    await see(button(page, 'Resume'));
    assert.equal(await status(), 'paused');
    await see(page.getByText('The experiment was paused.'));
    await button(page, 'Resume').click();
    await see(button(page, 'Pause'));
    assert.equal(await status(), 'running');

    await page.getByLabel('Add arms').fill('long | The longest of all\nloud');
    await button(page, 'Add').click();
    await see(page.getByRole('rowheader', { name: /^long/ }));
    await see(page.getByText('The longest of all'));
    assert.equal((await arm('long')).label, 'The longest of all');
    assert.ok(await arm('loud'));

    // An arm that exists already.
    guard.permit(answered('4[0-9][0-9]'));
    await page.getByLabel('Add arms').fill('loud');
    await button(page, 'Add').click();
    await see(page.getByText(/loud/));
    assert.equal((await api.arms(id)).length, 5);
    await page.goto(`/experiments/${id}`);

    await button(page, 'Retire plain').click();
    await see(button(page, 'Restore plain'));
    await see(page.getByRole('row', { name: /^plain/ }).getByText('Retired', { exact: true }));
    await see(page.getByText('"plain" was retired.'));
    assert.equal((await arm('plain')).retired, true);
    await button(page, 'Restore plain').click();
    await see(button(page, 'Retire plain'));
    assert.ok(!(await arm('plain')).retired);

    // Closing is final: nothing happens before the box is ticked.
    await button(page, 'Close the experiment').click();
    assert.equal(await status(), 'running');
    await page.getByLabel('I know that this cannot be undone').check();
    await button(page, 'Close the experiment').click();
    await see(page.getByText('The experiment was closed.'));
    assert.equal(await status(), 'closed');
    for (const name of ['Pause', 'Resume', 'Add', 'Retire plain', 'Close the experiment']) {
        assert.equal(await button(page, name).count(), 0, name);
    }
    assert.equal(await link(page, 'Vote').count(), 0);
});

scene('keys are created, used and revoked', async ({ server, api, visit }) => {
    const { id } = await api.create({ name: 'headline' });
    const { page, guard } = await visit();
    await signIn(page, server.key);
    await link(page, 'Keys').click();
    await page.getByLabel('Permissions').selectOption('Vote in one experiment');
    await page.getByLabel('Experiment', { exact: true }).selectOption('headline');
    await page.getByLabel('Owner or purpose').fill('Ann');
    await page.getByLabel('Expires after (days)').fill('7');
    await button(page, 'Create the key').click();
    await see(heading(page, 'New key'));
    const secret = (await page.getByRole('code').innerText()).trim();
    const ann = api.as(secret);
    await ann.vote(id, 20);
    await assert.rejects(ann.create(), { status: 403 });

    await link(page, 'Back to all keys').click();
    const row = page.getByRole('row').filter({ hasText: 'Ann' });
    await see(row.getByText('valid until'));
    assert.ok(!(await page.content()).includes(secret), 'the secret is shown only once');
    await row.getByRole('button', { name: /^Revoke/ }).click();
    await see(row.getByText('revoked'));
    await assert.rejects(ann.vote(id, 1), { status: 401 });

    // A key for voting needs an experiment.
    guard.permit(answered(422));
    await page.getByLabel('Permissions').selectOption('Vote in one experiment');
    await button(page, 'Create the key').click();
    await see(page.getByText('A key for voting needs an experiment'));
});

scene('a link for voters is a key for voting', async ({ server, api, visit }) => {
    const { id } = await api.create({ name: 'headline' });
    const { page } = await visit();
    await signIn(page, server.key, `/experiments/${id}`);
    await button(page, 'Create a link').click();
    await see(heading(page, 'Link for voters'));
    const shown = page.getByRole('link', { name: `${server.url}/vote/` });
    const address = await shown.getAttribute('href');
    assert.match(address, /^\/vote\/[^/]+$/);
    assert.equal(await shown.innerText(), server.url + address);
    const voter = api.as(address.slice('/vote/'.length));
    await voter.vote(id, 5);
    await assert.rejects(voter.create(), { status: 403 });
    await link(page, 'Back to the experiment').click();
    await see(heading(page, 'headline'));
});

scene('a visitor who may only read sees no controls', async ({ api, visit }) => {
    const { id } = await api.create({ name: 'headline' });
    const { id: other } = await api.create({ name: 'other' });
    const { key } = await api.makeKey({ scope: 'reader', experiment: id });
    const { page, guard } = await visit();
    await signIn(page, key, `/experiments/${id}`);
    await see(heading(page, 'headline'));
    for (const name of ['Pause', 'Add', 'Create a link', 'Retire plain', 'Close the experiment']) {
        assert.equal(await button(page, name).count(), 0, name);
    }
    assert.equal(await link(page, 'Keys').count(), 0);
    await link(page, 'Experiments').click();
    await see(link(page, 'headline'));
    assert.equal(await link(page, 'other').count(), 0);
    assert.equal(await link(page, 'New experiment').count(), 0);
    guard.permit(answered(403));
    for (const path of [`/experiments/${other}`, '/keys', '/new']) {
        const response = await page.goto(path);
        assert.equal(response.status(), 403, path);
    }
});

scene('the leader appears on an open page while others vote', async ({ server, api, visit }) => {
    const { id } = await api.create({ arms: ['plain', 'funny', 'short'] });
    const { page } = await visit();
    await signIn(page, server.key, `/experiments/${id}`);
    await see(page.getByText('There are no votes yet.'));
    const notReloaded = await watchForReloads(page);
    // A text that is being written stays, and so does the focus.
    await page.getByLabel('Add arms').pressSequentially('half of a na');

    await api.vote(id, 10, { strengths: { funny: 9 } });
    await see(page.getByText(/^No winner yet|is preferred/));
    await button(page, 'Retire short').focus();
    await api.vote(id, 2000, { strengths: { funny: 9 }, seed: 2 });
    await see(page.getByText('"funny" is preferred to every other arm, with 95 % confidence.'));
    await see(page.getByRole('row', { name: /^funny/ }).getByText('Leader', { exact: true }));
    await see(page.getByRole('img', { name: /Most traffic now: funny/ }));
    await eventually(async () => (await page.getByText(/^2\s010 votes/).count()) > 0, '2 010 votes');
    assert.equal(await page.getByLabel('Add arms').inputValue(), 'half of a na');
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Retire short');
    await notReloaded();
});

scene('an open page follows what others do', async ({ server, api, visit }) => {
    const { id } = await api.create({ name: 'headline', arms: ['plain', 'funny', 'short'] });
    const { context, page } = await visit();
    await signIn(page, server.key, `/experiments/${id}`);
    const list = await context.newPage();
    await list.goto('/');
    const notReloaded = await watchForReloads(page);
    const listNotReloaded = await watchForReloads(list);

    await api.post(`/v1/experiments/${id}/arms/short/retire`);
    await see(button(page, 'Restore short'));
    await api.post(`/v1/experiments/${id}/pause`);
    await see(button(page, 'Resume'));
    await see(list.getByRole('row', { name: /headline/ }).getByText('Paused'));
    await api.create({ name: 'the second' });
    await see(link(list, 'the second'));
    await notReloaded();
    await listNotReloaded();
    // A form in a part that was swapped in works like one that was there from the start.
    await button(page, 'Resume').click();
    await see(button(page, 'Pause'));
});

scene('a box that was opened stays open while votes arrive', async ({ server, api, visit }) => {
    const { id } = await api.create({ arms: ['plain', 'funny'] });
    await api.vote(id, 30, { strengths: { funny: 2 } });
    const { page } = await visit();
    await signIn(page, server.key, `/experiments/${id}`);
    const notReloaded = await watchForReloads(page);
    await page.getByText('The numbers as a table').click();
    const cell = (votes) => page.getByRole('region', { name: 'Pairs' }).getByRole('cell', { name: String(votes), exact: true });
    await see(cell(30));
    await api.vote(id, 11, { seed: 2 });
    await see(cell(41));
    await notReloaded();
});

scene('open pages survive a server that is killed and restarted', async ({ server, api, visit }) => {
    const { id } = await api.create({ name: 'headline', arms: ['plain', 'funny'] });
    await api.vote(id, 30);
    const { context, page, guard } = await visit();
    await signIn(page, server.key, `/experiments/${id}`);
    await see(page.getByText(/^30 votes/));
    const list = await context.newPage();
    await list.goto('/');
    const notReloaded = await Promise.all([watchForReloads(page), watchForReloads(list)]);

    guard.permit(LOST);
    await server.kill();
    const lost = (on) => on.getByRole('status').filter({ hasText: 'The connection to the server was lost.' });
    await see(lost(page));
    await see(lost(list));
    // The last numbers are still visible.
    await see(page.getByText(/^30 votes/));

    await server.restart();
    await api.vote(id, 12, { seed: 2 });
    await gone(lost(page));
    await gone(lost(list));
    await see(page.getByText(/^42 votes/));
    await see(list.getByRole('row', { name: /headline/ }).getByRole('cell', { name: '42', exact: true }));
    // The page still follows the votes.
    await api.vote(id, 5, { seed: 3 });
    await see(page.getByText(/^47 votes/));
    for (const check of notReloaded) await check();
    // The session outlived the server.
    await button(page, 'Pause').click();
    await see(button(page, 'Resume'));
});

scene('the session of a revoked key ends, even on an open page', async ({ api, visit }) => {
    const { id } = await api.create({ name: 'headline' });
    const { id: keyId, key } = await api.makeKey({ scope: 'writer', label: 'Ann' });
    const { context, page, guard } = await visit();
    await signIn(page, key, `/experiments/${id}`);
    // The page asks for notifications, and is redirected to the sign-in page instead.
    guard.permit(/^console: EventSource's response has a MIME type/);
    const other = await context.newPage();
    await other.goto('/');
    await see(link(other, 'headline'));
    await api.ask('DELETE', `/v1/keys/${keyId}`);
    // The list asks every few seconds, the dashboard when something happens.
    await see(heading(other, 'Sign in'));
    await api.vote(id, 5);
    await see(heading(page, 'Sign in'));
    await page.getByLabel('Key').fill((await api.makeKey({ scope: 'reader' })).key);
    await button(page, 'Sign in').click();
    await see(heading(page, 'headline'));
});

scene('votes and figures can be downloaded', async ({ server, api, visit }) => {
    const { id } = await api.create({ arms: ['plain', 'funny'] });
    await api.vote(id, 30);
    const { page } = await visit();
    await signIn(page, server.key, `/experiments/${id}`);
    const fetched = async (name) => {
        const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name }).click()]);
        const chunks = [];
        for await (const chunk of await download.createReadStream()) chunks.push(chunk);
        return { name: download.suggestedFilename(), text: Buffer.concat(chunks).toString() };
    };
    const csv = await fetched('Votes as CSV');
    assert.equal(csv.name, `${id}-votes.csv`);
    assert.equal(csv.text.trim().split('\n').length, 31);
    const lines = await fetched('Votes as JSON lines');
    assert.equal(lines.text.trim().split('\n').map((line) => JSON.parse(line)).length, 30);
    assert.equal(JSON.parse((await fetched('Standing as JSON')).text).totals.votes, 30);
    for (const name of ['Arms as a figure', 'Download shares.svg', 'Download pairs.svg', 'Download votes.svg']) {
        const figure = await fetched(name);
        assert.match(figure.name, /\.svg$/);
        assert.match(figure.text, /^<svg [^]*<\/svg>\s*$/);
    }
});

scene('everything works without scripts', async ({ server, api, visit }) => {
    const { page } = await visit({ javaScriptEnabled: false });
    await signIn(page, server.key);
    await link(page, 'New experiment').click();
    await page.getByLabel('Name', { exact: true }).fill('plain forms');
    await page.getByLabel('Arms', { exact: true }).fill('one\ntwo\nthree');
    await button(page, 'Create and start').click();
    await see(heading(page, 'plain forms'));
    await button(page, 'Pause').click();
    await button(page, 'Resume').click();
    await button(page, 'Retire one').click();
    await see(button(page, 'Restore one'));
    const [{ id }] = (await api.get('/v1/experiments')).experiments;
    await api.vote(id, 20);
    await page.reload();
    await see(page.getByText(/^20 votes/));
    await button(page, 'Sign out').click();
    await see(heading(page, 'Sign in'));
});

scene('a server without keys asks for none', { auth: 'none' }, async ({ api, visit }) => {
    const { id } = await api.create({ name: 'headline' });
    const { page } = await visit();
    await page.goto('/');
    await link(page, 'headline').click();
    await button(page, 'Pause').click();
    await see(button(page, 'Resume'));
    assert.equal((await api.experiment(id)).status, 'paused');
    assert.equal(await link(page, 'Keys').count(), 0);
    assert.equal(await button(page, 'Sign out').count(), 0);
});
