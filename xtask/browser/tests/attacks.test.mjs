// Text from users cannot run, and requests from other sites change nothing.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';

import { ATTACKS, TEXTS, isUntouched } from '../support/attacks.mjs';
import { LOST, answered, see, signIn } from '../support/people.mjs';
import { scene } from '../support/scene.mjs';

const heading = (page, name) => page.getByRole('heading', { name, exact: true });

/** Another site. It answers each request with the page that `body` returns for the path. */
async function withSite(body, work) {
    const site = createServer((request, response) => {
        const { type = 'text/html', text } = body(request.url);
        response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(text);
    });
    await new Promise((resolve) => site.listen(0, resolve));
    try {
        await work(site.address().port);
    } finally {
        site.closeAllConnections();
        site.close();
    }
}

scene('names and labels of arms are shown as text everywhere', async ({ server, api, visit }) => {
    const arms = TEXTS.map((name) => ({ name, label: `${name} as a label` }));
    const { id } = await api.create({ name: TEXTS[0], arms });
    await api.importVotes(id, TEXTS, 5000, { strengths: { [TEXTS[1]]: 20 } });
    await api.vote(id, 200);
    await api.post(`/v1/experiments/${id}/arms/${encodeURIComponent(TEXTS[8])}/retire`);
    const { page } = await visit();
    await signIn(page, server.key, `/experiments/${id}`);
    await isUntouched(page, 'the dashboard');
    for (const [name, text] of Object.entries(ATTACKS)) {
        const row = page.getByRole('rowheader').filter({ hasText: text });
        assert.ok((await row.count()) > 0, `the page shows ${name} as it was written`);
    }
    // The script of the page writes a sentence about the cell under the pointer.
    const map = page.getByRole('img', { name: /^The share of votes of each pair/ });
    await map.scrollIntoViewIfNeeded();
    const box = await map.boundingBox();
    for (let place = 0.3; place < 0.9; place += 0.04) {
        await page.mouse.move(box.x + box.width * place, box.y + 100);
    }
    await see(page.getByText(/ is preferred to .* votes\.$/));
    await page.getByText('The numbers as a table').click();
    await isUntouched(page, 'the dashboard with its tables open');
    // The parts that are swapped in later are checked too.
    await api.vote(id, 100, { seed: 2 });
    await see(page.getByText(/^5\s300 votes/));
    await isUntouched(page, 'the dashboard after a refresh');

    for (const text of TEXTS.slice(0, 12)) {
        await page.goto(`/experiments/${id}?find=${encodeURIComponent(text)}&sort=entered`);
        assert.equal(await page.getByLabel('Find arms').inputValue(), text);
        await isUntouched(page, `searching for ${text}`);
    }
    await page.goto(`/experiments/${id}?sort=${encodeURIComponent(TEXTS[0])}&page=none`);
    await see(page.getByRole('heading', { name: 'Arms' }));
    await isUntouched(page, 'an unknown order');

    // Arms are retired and restored by name.
    await page.goto(`/experiments/${id}`);
    await page.getByRole('button', { name: `Retire ${ATTACKS['a script in an attribute']}`, exact: true }).click();
    await see(page.getByRole('button', { name: `Restore ${ATTACKS['a script in an attribute']}`, exact: true }));
    await isUntouched(page, 'the dashboard with an arm retired');
});

scene('names of experiments and labels of keys are shown as text everywhere', async ({ server, api, visit }) => {
    const made = [];
    for (const text of TEXTS) {
        const { id } = await api.create({ name: text, arms: ['a', 'b'] });
        made.push([text, id]);
        await api.makeKey({ scope: 'reader', experiment: id, label: text });
    }
    const { page } = await visit();
    await signIn(page, server.key);
    await isUntouched(page, 'the list');
    for (const text of TEXTS) assert.ok((await page.getByRole('link', { name: text, exact: true }).count()) > 0, text);
    await page.goto('/keys');
    await isUntouched(page, 'keys');
    for (const text of TEXTS) assert.ok((await page.getByRole('cell').filter({ hasText: text }).count()) > 0, text);
    for (const [text, id] of made) {
        await page.goto(`/experiments/${id}`);
        assert.equal(await page.title(), `${text} · Tiltyard`);
        await isUntouched(page, text);
    }
});

scene('a form with a mistake shows its fields as text', async ({ server, visit }) => {
    const { page, guard } = await visit();
    guard.permit(answered('4[0-9][0-9]'));
    // The same few lines write all addresses, so a part of the list is enough.
    const some = TEXTS.filter((_, place) => place % 4 === 0);
    for (const text of some) {
        await page.goto(`/login?back=${encodeURIComponent(`/${text}`)}`);
        await isUntouched(page, `sign in, back to ${text}`);
    }
    await signIn(page, server.key, '/new');
    for (const text of TEXTS.filter((_, place) => place % 2 === 0)) {
        await page.getByLabel('Name', { exact: true }).fill(text);
        await page.getByLabel('Arms', { exact: true }).fill(text);
        const more = page.getByLabel('Policy', { exact: true });
        if (!(await more.isVisible())) await page.getByText('More settings').click();
        await more.fill(text);
        await page.getByLabel('Confidence').fill(text);
        await page.getByRole('button', { name: 'Create and start' }).click();
        await see(page.getByRole('alert'));
        assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), text);
        assert.equal(await page.getByLabel('Arms', { exact: true }).inputValue(), text);
        await isUntouched(page, `the form with ${text}`);
    }
    for (const text of some) {
        await page.goto(`/experiments/${encodeURIComponent(text)}`);
        await isUntouched(page, `no experiment ${text}`);
        await page.goto(`/${encodeURIComponent(text)}`);
        await isUntouched(page, `no page ${text}`);
    }
});

scene('downloaded figures cannot run anything either', { auth: 'none' }, async ({ api, visit }) => {
    const { id } = await api.create({ name: TEXTS[3], arms: TEXTS });
    await api.importVotes(id, TEXTS, 3000);
    await api.vote(id, 50);
    const figures = {};
    for (const name of ['arms', 'shares', 'pairs', 'votes']) {
        figures[`/${name}`] = { type: 'image/svg+xml', text: await api.get(`/experiments/${id}/figures/${name}.svg`) };
    }
    // As on a disk: without a policy that would stop a script.
    await withSite((path) => figures[path] ?? { text: '' }, async (port) => {
        const { page } = await visit({ url: `http://127.0.0.1:${port}` });
        for (const path of Object.keys(figures)) {
            await page.goto(path);
            const found = await page.evaluate(() => ({
                root: document.documentElement.tagName,
                pwned: window.__pwned,
                foreign: [...document.querySelectorAll('*')]
                    .filter(({ tagName }) => !['svg', 'style', 'rect', 'path', 'g', 'text', 'circle'].includes(tagName))
                    .map(({ outerHTML }) => outerHTML),
            }));
            assert.deepEqual(found, { root: 'svg', pwned: undefined, foreign: [] }, path);
        }
    });
});

/** A page of another site that sends everything it can with a person's cookies. */
function hostilePage(target, { id, token }) {
    const forms = [
        ['/new', { name: 'forged', arms: 'a\nb' }],
        [`/experiments/${id}/status`, { status: 'paused' }],
        [`/experiments/${id}/status`, { status: 'closed', sure: 'yes' }],
        [`/experiments/${id}/arms`, { arms: 'forged' }],
        [`/experiments/${id}/retire`, { arm: 'plain' }],
        [`/experiments/${id}/link`, {}],
        ['/keys', { scope: 'admin' }],
        ['/logout', {}],
    ];
    const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
    const form = ([path, fields], place) => `
        <form method="post" action="${target}${path}" target="frame-${place}" enctype="${place % 3 === 2 ? 'text/plain' : ''}">
            ${Object.entries({ csrf: token, ...fields }).map(([name, value]) => `<input name="${name}" value="${escape(value)}">`).join('')}
            <button>send ${place}</button>
        </form><iframe name="frame-${place}"></iframe>`;
    return `<!doctype html><title>hostile</title>${forms.map(form).join('')}
        <iframe src="${target}/experiments/${id}" name="framed"></iframe>
        <script>
            for (const form of document.forms) form.submit();
            const send = (path, body, type) => fetch('${target}' + path, {
                method: 'POST', mode: 'no-cors', credentials: 'include', body, headers: { 'content-type': type },
            }).catch(() => {});
            const asForm = 'application/x-www-form-urlencoded';
            window.done = Promise.all([
                send('/experiments/${id}/status', 'csrf=${token}&status=paused', asForm),
                send('/keys', 'csrf=${token}&scope=admin', asForm),
                send('/v1/experiments', JSON.stringify({ name: 'forged', arms: ['a', 'b'] }), 'text/plain'),
                send('/v1/experiments/${id}/close', '{}', 'text/plain'),
                send('/v1/keys', JSON.stringify({ scope: 'admin' }), 'text/plain'),
                // With the content type of the API, which needs the server's consent.
                fetch('${target}/v1/keys', { method: 'POST', credentials: 'include', body: '{"scope":"admin"}', headers: { 'content-type': 'application/json' } }).catch(() => {}),
                // It cannot read anything either.
                fetch('${target}/v1/keys', { credentials: 'include' }).then((reply) => reply.text()).then((text) => (window.stolen = text)).catch(() => {}),
                fetch('${target}/experiments/${id}', { credentials: 'include' }).then((reply) => reply.text()).then((text) => (window.stolen = text)).catch(() => {}),
            ]);
        </script>`;
}

for (const [name, host] of Object.entries({ 'another port, which gets the cookies': '127.0.0.1', 'another site': 'localhost' })) {
    scene(`a page on ${name} changes nothing with a person's session`, async ({ server, api, visit }) => {
        const { id } = await api.create({ name: 'headline', arms: ['plain', 'funny', 'short'] });
        // A token from the attacker's own session.
        const attacker = await visit();
        await signIn(attacker.page, (await api.makeKey({ scope: 'reader', experiment: id })).key, `/experiments/${id}`);
        const token = await attacker.page.locator('input[name=csrf]').first().inputValue();
        const state = async () => ({
            experiments: await api.get('/v1/experiments'),
            experiment: await api.experiment(id),
            keys: await api.get('/v1/keys'),
        });
        await withSite(() => ({ text: hostilePage(server.url, { id, token }) }), async (port) => {
            const hostile = `http://${host}:${port}`;
            const { context, page, guard } = await visit({ origins: [hostile] });
            await signIn(page, server.key);
            const before = await state();
            guard.permit(LOST);
            guard.permit(answered('4[0-9][0-9]'));
            guard.permit(/^console: .*(CORS|Content Security Policy|frame-ancestors|X-Frame-Options|Refused to (display|frame))/);
            guard.permit(/^frame: chrome-error:/);
            const other = await context.newPage();
            const answers = [];
            other.on('response', (response) => {
                if (response.request().method() === 'POST') answers.push(response.status());
            });
            await other.goto(hostile);
            await other.evaluate(() => window.done);
            // Each form again, as if the person had been tricked into pressing its button.
            for (let place = 0; place < 8; place += 1) {
                await other.getByRole('button', { name: `send ${place}` }).click();
            }
            await other.waitForLoadState('networkidle');
            assert.equal(await other.evaluate(() => window.stolen), undefined);
            assert.ok(answers.length >= 8, `the forms were sent: ${answers}`);
            assert.deepEqual(answers.filter((status) => status < 400), [], 'and none was accepted');
            assert.deepEqual(await state(), before);
            // No page of the server is shown in a frame of another site.
            for (const frame of other.frames()) {
                // A refused frame has no content.
                if (frame !== other.mainFrame()) assert.ok(!(await frame.content().catch(() => '')).includes('headline'));
            }
            await context.pages()[0].reload();
            await see(heading(page, 'Experiments'));
        });
    });
}

scene('a form from before signing in or out is not accepted', async ({ server, api, visit }) => {
    const { id } = await api.create({ name: 'headline' });
    const { context, page, guard } = await visit();
    await signIn(page, server.key, `/experiments/${id}`);
    const other = await context.newPage();
    await other.goto('/');
    await other.getByRole('button', { name: 'Sign out' }).click();
    await other.getByLabel('Key').fill((await api.makeKey({ scope: 'admin' })).key);
    await other.getByRole('button', { name: 'Sign in' }).click();
    await see(heading(other, 'Experiments'));
    guard.permit(answered(403));
    await page.getByRole('button', { name: 'Pause' }).click();
    await see(heading(page, 'The form was not accepted'));
    assert.equal((await api.experiment(id)).status, 'running');
});

scene('every page has the strict policy', async ({ server, api, visit }) => {
    const { id } = await api.create();
    const { page, guard } = await visit();
    guard.permit(answered('4[0-9][0-9]'));
    const check = async (path) => {
        const headers = (await page.goto(path)).headers();
        const policy = headers['content-security-policy'];
        assert.match(policy, /default-src 'none'/, path);
        assert.match(policy, /script-src 'self'(;|$)/, path);
        assert.match(policy, /style-src 'self'(;|$)/, path);
        assert.match(policy, /form-action 'self'/, path);
        assert.match(policy, /base-uri 'none'/, path);
        assert.match(policy, /frame-ancestors 'none'/, path);
        assert.doesNotMatch(policy, /unsafe|\*|https?:/, path);
        assert.equal(headers['x-content-type-options'], 'nosniff', path);
    };
    await check('/login');
    await signIn(page, server.key);
    for (const path of ['/', '/new', '/keys', `/experiments/${id}`, '/experiments/none', '/nothing', '/lab/']) await check(path);
});
