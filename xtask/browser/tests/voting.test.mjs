// The voting page: by mouse, by keyboard, by forms alone, and with hostile candidates.

import assert from 'node:assert/strict';

import { TEXTS, isUntouched } from '../support/attacks.mjs';
import { LOST, answered, see, signIn, watchForReloads } from '../support/people.mjs';
import { scene } from '../support/scene.mjs';

const button = (page, name) => page.getByRole('button', { name, exact: true });
const heading = (page, name) => page.getByRole('heading', { name, exact: true });
const side = (page, name) => page.getByRole('region', { name, exact: true });
const at = (page, count) => page.getByText(new RegExp(`^Vote ${count}( of|$)`));

/** Arms that do not show their names. */
const ARMS = ['plain', 'funny', 'short'].map((word, i) => ({ name: `secret-${word}`, payload: { text: `Text number ${i + 1}` } }));
const nameOf = (text) => ARMS[Number(/number (\d)/.exec(text)[1]) - 1].name;

/** Starts to vote, and waits for the first pair. */
async function begin(page, address) {
    await page.goto(address);
    await button(page, 'Start').click();
    await see(at(page, 1));
}

/** The names of the arms on the page, which does not show them. */
async function pair(page) {
    return { left: nameOf(await side(page, 'Left').innerText()), right: nameOf(await side(page, 'Right').innerText()) };
}

const given = async (api, id) => (await api.votes(id)).map(({ left, right, outcome }) => ({ left, right, outcome }));

scene('votes by mouse count for the arms shown, and are revealed afterwards', { auth: 'none' }, async ({ api, visit }) => {
    const { id } = await api.create({ name: 'headline', arms: ARMS });
    const { page } = await visit();
    await page.goto(`/experiments/${id}`);
    await page.getByRole('link', { name: 'Vote', exact: true }).click();
    await see(heading(page, 'headline'));
    assert.equal((await api.standing(id)).totals.duels, 0, 'opening the page issues no duel');
    await button(page, 'Start').click();
    await see(at(page, 1));
    const notReloaded = await watchForReloads(page);

    const expected = [];
    const answers = [['Left is better', 'left'], ['Right is better', 'right'], ['Equally good', 'tie'], ['Both bad', 'both_bad']];
    for (const [i, [name, outcome]] of answers.entries()) {
        const shown = await pair(page);
        const open = i === 0 ? await page.content() : await page.locator('main').innerHTML();
        if (i === 0) assert.ok(!open.includes('secret-'), 'nothing reveals the arms before the vote');
        expected.push({ ...shown, outcome });
        await button(page, name).click();
        await see(at(page, i + 2));
        await see(page.getByText('Vote recorded.'));
        if (i === 0) assert.ok(!(await page.content()).includes('secret-'), 'nor while the vote can be taken back');
        if (i === 1) {
            const { left, right } = expected[0];
            await see(page.getByText(`You preferred left: ${left} over ${right}`));
        }
        if (i === 2) {
            const { left, right } = expected[1];
            await see(page.getByText(`You preferred right: ${right} over ${left}`));
        }
    }
    await button(page, 'Skip').click();
    await see(page.getByText('Pair skipped.'));
    assert.deepEqual(await given(api, id), expected);
    const voters = new Set((await api.votes(id)).map(({ voter }) => voter));
    assert.equal(voters.size, 1);
    assert.equal((await api.standing(id)).totals.skipped, 1);
    await notReloaded();
});

scene('votes by keyboard', { auth: 'none' }, async ({ api, visit }) => {
    const { id } = await api.create({ name: 'headline', arms: ARMS });
    const { page } = await visit();
    await page.goto(`/vote/${id}`);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await see(at(page, 1));
    const notReloaded = await watchForReloads(page);

    const expected = [];
    for (const [i, [key, outcome]] of [['ArrowLeft', 'left'], ['ArrowRight', 'right'], ['ArrowDown', 'tie'], ['b', 'both_bad']].entries()) {
        expected.push({ ...(await pair(page)), outcome });
        await page.keyboard.press(key);
        await see(at(page, i + 2));
    }
    await page.keyboard.press('s');
    await see(page.getByText('Pair skipped.'));
    assert.deepEqual(await given(api, id), expected);

    // With a modifier key, the keys belong to the browser.
    await page.keyboard.press('Alt+ArrowDown');
    await page.keyboard.press('Shift+ArrowLeft');
    // A key that is held down gives one vote.
    expected.push({ ...(await pair(page)), outcome: 'left' });
    await page.keyboard.down('ArrowLeft');
    await page.keyboard.down('ArrowLeft');
    await see(at(page, 6));
    await page.keyboard.down('ArrowLeft');
    await page.keyboard.up('ArrowLeft');
    // The text for screen readers.
    await see(page.getByRole('status').filter({ hasText: 'Vote recorded.' }));
    assert.deepEqual(await given(api, id), expected);

    await page.keyboard.press('u');
    await see(page.getByText('Your last vote was taken back.'));
    await see(at(page, 5));
    expected.pop();
    assert.deepEqual(await given(api, id), expected);
    expected.push({ ...(await pair(page)), outcome: 'right' });
    await page.keyboard.press('ArrowRight');
    await see(at(page, 6));
    await page.keyboard.press('Control+z');
    await see(at(page, 5));
    expected.pop();
    assert.deepEqual(await given(api, id), expected);
    await notReloaded();
});

scene('a vote can be taken back until the next one, and not after', { auth: 'none' }, async ({ api, visit }) => {
    const { id } = await api.create({ arms: ARMS });
    const { context, page } = await visit();
    await begin(page, `/vote/${id}`);
    assert.equal(await button(page, 'Undo last vote').count(), 0);
    await button(page, 'Left is better').click();
    await see(at(page, 2));
    // A second window that is open at the same time.
    const late = await context.newPage();
    await late.goto(`/vote/${id}`);
    await see(button(late, 'Undo last vote'));

    await button(page, 'Undo last vote').click();
    await see(page.getByText('Your last vote was taken back.'));
    await see(at(page, 1));
    assert.equal((await api.votes(id)).length, 0);
    assert.equal(await button(page, 'Undo last vote').count(), 0);

    await button(page, 'Right is better').click();
    await see(at(page, 2));
    await late.reload();
    await button(page, 'Left is better').click();
    await see(at(page, 3));
    // The first vote is revealed now, and final.
    await see(page.getByText(/^You preferred right: secret-/));
    await button(late, 'Undo last vote').click();
    await see(late.getByText('That vote can no longer be taken back'));
    assert.equal((await api.votes(id)).length, 2);
});

scene('the whole vote without scripts', async ({ api, visit }) => {
    const { id } = await api.create({ name: 'headline', arms: ARMS });
    const { key } = await api.makeKey({ scope: 'voter', experiment: id });
    const { context, page } = await visit({ javaScriptEnabled: false });
    await begin(page, `/vote/${key}`);
    const expected = [];
    for (const [i, [name, outcome]] of [['Left is better', 'left'], ['Both bad', 'both_bad'], ['Right is better', 'right']].entries()) {
        expected.push({ ...(await pair(page)), outcome });
        await button(page, name).click();
        await see(at(page, i + 2));
    }
    await see(page.getByText(/^You found both bad: secret-/));
    assert.deepEqual(await given(api, id), expected);
    await button(page, 'Undo last vote').click();
    await see(page.getByText('Your last vote was taken back.'));
    expected.pop();
    assert.deepEqual(await given(api, id), expected);
    await button(page, 'Skip').click();
    await see(page.getByText('Pair skipped.'));
    const ballot = page.getByRole('form', { name: 'Your vote' });
    const form = { answer: 'tie' };
    for (const name of ['csrf', 'duel']) form[name] = await ballot.locator(`input[name=${name}]`).inputValue();
    await button(page, 'Equally good').click();
    await see(at(page, 4));
    assert.equal((await api.votes(id)).length, 3);
    const next = await side(page, 'Left').innerText();
    // The same form sent again, and with another answer, counts once.
    for (const answer of ['tie', 'left']) {
        await context.request.post(`/vote/${key}/answer`, { form: { ...form, answer } });
        await page.reload();
        await see(at(page, 4));
        assert.equal(await side(page, 'Left').innerText(), next);
    }
    assert.equal((await api.votes(id)).filter(({ outcome }) => outcome === 'tie').length, 1);
    assert.equal((await api.votes(id)).length, 3);
});

scene('each voter has a limited number of votes', { auth: 'none' }, async ({ api, visit }) => {
    const { id } = await api.create({ name: 'headline', arms: ARMS, settings: { voter_votes: 3 } });
    const { page } = await visit();
    await begin(page, `/vote/${id}`);
    await see(page.getByText('Vote 1 of 3'));
    for (let i = 0; i < 3; i += 1) {
        await see(page.getByText(`Vote ${i + 1} of 3`));
        assert.equal(Number(await page.getByRole('progressbar').getAttribute('value')), i);
        await page.keyboard.press('ArrowLeft');
    }
    await see(heading(page, 'Thank you'));
    await see(page.getByText('You voted 3 times.'));
    await see(page.getByText(/^You preferred left: secret-/));
    await page.reload();
    await see(heading(page, 'Thank you'));
    assert.equal((await api.votes(id)).length, 3);
    // Another voter has their own votes.
    const other = await visit();
    await begin(other.page, `/vote/${id}`);
    await see(other.page.getByText('Vote 1 of 3'));
});

scene('a public link opens one experiment to everyone, until it is revoked', async ({ server, api, visit }) => {
    const { id } = await api.create({ name: 'headline', arms: ARMS });
    const admin = await visit();
    await signIn(admin.page, server.key, `/experiments/${id}`);
    await button(admin.page, 'Create a link').click();
    const address = await admin.page.getByRole('link', { name: `${server.url}/vote/` }).getAttribute('href');

    const { page, guard } = await visit();
    await page.goto(address);
    assert.equal(await page.getByRole('link', { name: /Experiments|Keys|Go to the experiment/ }).count(), 0);
    await button(page, 'Start').click();
    await button(page, 'Left is better').click();
    await see(at(page, 2));
    assert.equal((await api.votes(id)).length, 1);
    // The link opens nothing else: the address with the id of the experiment requires a key.
    const stranger = await visit();
    await stranger.page.goto(`/vote/${id}`);
    await see(heading(stranger.page, 'Sign in'));

    await admin.page.goto('/keys');
    await admin.page.getByRole('row').filter({ hasText: 'a link for voters' }).getByRole('button', { name: /^Revoke/ }).click();
    await see(admin.page.getByRole('row').filter({ hasText: 'a link for voters' }).getByText('revoked'));
    guard.permit(answered(404));
    await button(page, 'Left is better').click();
    await see(heading(page, 'This link does not work'));
    await page.goto(address);
    await see(heading(page, 'This link does not work'));
    assert.equal((await api.votes(id)).length, 1);
});

scene('a vote is not lost when the server is killed', { auth: 'none' }, async ({ server, api, visit }) => {
    const { id } = await api.create({ arms: ARMS });
    const { page, guard } = await visit();
    await begin(page, `/vote/${id}`);
    await button(page, 'Left is better').click();
    await see(at(page, 2));
    const shown = await pair(page);
    guard.permit(LOST);
    await server.kill();
    await page.keyboard.press('ArrowRight');
    await see(page.getByRole('alert').filter({ hasText: 'The server cannot be reached. Nothing is lost' }));
    await server.restart();
    await button(page, 'Try again').click();
    await see(at(page, 3));
    await see(page.getByText('Vote recorded.'));
    const votes = await given(api, id);
    assert.equal(votes.length, 2);
    assert.deepEqual(votes[1], { ...shown, outcome: 'right' });
});

scene('voters see that an experiment is paused or closed', { auth: 'none' }, async ({ api, visit }) => {
    const { id } = await api.create({ arms: ARMS });
    const { page } = await visit();
    await begin(page, `/vote/${id}`);
    await api.post(`/v1/experiments/${id}/pause`);
    // The open pair can still be answered; there is no next pair.
    await button(page, 'Left is better').click();
    await see(heading(page, 'Voting is paused'));
    assert.equal((await api.votes(id)).length, 1);
    await api.post(`/v1/experiments/${id}/resume`);
    await button(page, 'Try again').click();
    await see(button(page, 'Left is better'));
    await api.post(`/v1/experiments/${id}/close`);
    await button(page, 'Left is better').click();
    await see(heading(page, 'Thank you'));
    await see(page.getByText('This experiment is closed'));
    assert.equal((await api.votes(id)).length, 1);
});

scene('votes of one person appear on the open dashboard of another', { auth: 'none' }, async ({ api, visit }) => {
    const { id } = await api.create({ arms: ['a', 'b'] });
    const watcher = await visit();
    await watcher.page.goto(`/experiments/${id}`);
    await see(watcher.page.getByText('There are no votes yet.'));
    const notReloaded = await watchForReloads(watcher.page);
    const { page } = await visit();
    await begin(page, `/vote/${id}`);
    // A voter who always prefers `a`: a leader appears.
    for (let i = 1; i <= 25; i += 1) {
        await see(at(page, i));
        await page.keyboard.press((await side(page, 'Left').innerText()).trim().endsWith('a') ? 'ArrowLeft' : 'ArrowRight');
        await see(at(page, i + 1));
    }
    await see(watcher.page.getByText('"a" is preferred to every other arm, with 95 % confidence.'));
    await notReloaded();
});

const PIXEL = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const SCRIPTED = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="parent.__pwned=1"><script>parent.__pwned=1</script></svg>').toString('base64');

/** Shows two candidates to a new visitor, and returns the visitor. */
async function showing(api, visit, one, other) {
    const { id } = await api.create({ name: 'attacked', arms: [{ name: 'one', payload: one }, { name: 'other', payload: other }] });
    const visitor = await visit();
    await begin(visitor.page, `/vote/${id}`);
    return visitor;
}

scene('candidates in text and Markdown are shown and cannot run', { auth: 'none' }, async ({ api, visit }) => {
    const all = TEXTS.join('\n\n');
    const { page } = await showing(api, visit, { text: all }, all);
    const shown = await side(page, 'Left').innerText();
    for (const text of TEXTS) assert.ok(shown.includes(text.trim()), text);
    await isUntouched(page, 'text');

    const hostile = [
        ...TEXTS,
        '[link](javascript:window.__pwned=1)',
        '[link](JaVaScRiPt:window.__pwned=1)',
        '[link](java\tscript:window.__pwned=1)',
        '[link](&#106;avascript:window.__pwned=1)',
        '[link](\u0001javascript:window.__pwned=1)',
        '[link](data:text/html,<script>window.__pwned=1</script>)',
        '[link](vbscript:x)',
        '[link](//elsewhere.invalid/ "title\\" onmouseover=\\"window.__pwned=1")',
        '<javascript:window.__pwned=1>',
        '[link][1]\n\n[1]: javascript:window.__pwned=1',
        '![picture](http://elsewhere.invalid/x.png)',
        '![picture](//elsewhere.invalid/x.png)',
        `![picture](data:image/svg+xml;base64,${SCRIPTED})`,
        '![picture" onerror="window.__pwned=1](x)',
        '```html\n<script>window.__pwned=1</script>\n```',
        '`<script>window.__pwned=1</script>`',
        '| a | b |\n|---|---|\n| <img src=x onerror=window.__pwned=1> | x |',
        '<div>\n\n*text*\n\n<script>window.__pwned=1</script>\n</div>',
        '# <script>window.__pwned=1</script>',
    ];
    // In both orders, because an unclosed element of one would hide the others.
    const { page: marked } = await showing(api, visit, { markdown: hostile.join('\n\n') }, { markdown: hostile.reverse().join('\n\n') });
    await isUntouched(marked, 'Markdown', { address: '^([/?#]|https?:|mailto:)' });
    for (const link of await marked.getByRole('link', { name: 'link' }).all()) {
        assert.match((await link.getAttribute('rel')) ?? '', /noopener/);
    }
    const good = '**bold** [good](https://example.org/) ![dot](' + PIXEL + ')';
    const { page: kind } = await showing(api, visit, { markdown: good }, { markdown: good });
    await see(kind.getByRole('link', { name: 'good' }));
    await see(kind.getByRole('img', { name: 'dot' }));
});

scene('candidates that are pictures or addresses can neither run nor load anything', { auth: 'none' }, async ({ api, visit }) => {
    const addresses = [
        'javascript:window.__pwned=1',
        'data:text/html,<script>parent.__pwned=1</script>',
        `data:image/svg+xml;base64,${SCRIPTED}`,
        'http://elsewhere.invalid/x.png',
        '//elsewhere.invalid/x.png',
        '/\\elsewhere.invalid/x.png',
        'x" onerror="window.__pwned=1',
        '/media/../v1/keys',
    ];
    const elements = 'img[src^="data:image/png;base64,"]';
    const address = '^([/?#]|data:image/png;base64,)';
    for (const bad of addresses) {
        const alt = 'alt" onload="window.__pwned=1';
        const { page, context } = await showing(api, visit, { image: bad, alt }, { url: bad });
        await isUntouched(page, bad, { address });
        await see(page.getByText('Pictures from other sites are not shown.'));
        await see(page.getByText('Pages from other sites are not shown.'));
        await context.close();
    }
    const { page } = await showing(api, visit, { image: PIXEL, alt: TEXTS[0] }, { image: PIXEL, alt: 'a dot' });
    await see(page.getByRole('img', { name: 'a dot' }));
    await see(page.getByRole('img', { name: TEXTS[0] }));
    await isUntouched(page, 'pictures', { elements, address });
});

scene('candidates that are pages are shown in a sandboxed frame', { auth: 'none' }, async ({ api, visit }) => {
    const hostile = [
        '<h1>A page</h1>',
        '<script>parent.__pwned=1; top.location="/keys"</script>',
        '<img src=x onerror="parent.__pwned=1">',
        '<img src="http://elsewhere.invalid/x.png">',
        '<link rel=stylesheet href=http://elsewhere.invalid/x.css>',
        '<iframe src="http://elsewhere.invalid/"></iframe><iframe srcdoc="<script>top.__pwned=1</script>"></iframe>',
        '<form action="http://elsewhere.invalid/" method=post><button autofocus>send</button></form>',
        '<a href="javascript:parent.__pwned=1" target=_top>out</a>',
        '<a href="/keys" target=_top>up</a>',
        '<base href="http://elsewhere.invalid/">',
        '<object data="data:text/html,<script>top.__pwned=1</script>"></object><embed src="javascript:top.__pwned=1">',
        '<svg onload="parent.__pwned=1"></svg>',
    ].join('\n');
    const { id } = await api.create({ name: 'pages', arms: [{ name: 'one', payload: { html: hostile } }, { name: 'other', payload: { html: '<p>The other</p>' } }] });
    const { page, guard } = await visit();
    // The console reports what the browser blocked, and nothing else.
    guard.permit(/^console: .*(Blocked script execution|Unsafe attempt to initiate navigation|Content Security Policy|violates the following|Refused to|sandbox)/);
    guard.permit(/^csp: /);
    // The browser blocks these before it sends anything. Otherwise the trap of the browser would
    // record them.
    guard.permit(/^request: (http:\/\/elsewhere\.invalid\/|data:text\/html)/);
    guard.permit(/^frame: chrome-error:/);
    await begin(page, `/vote/${id}`);
    for (const name of ['Left', 'Right']) {
        const frame = page.getByTitle(`${name} candidate`);
        assert.equal(await frame.getAttribute('sandbox'), '');
        const inside = page.frameLocator(`iframe[title="${name} candidate"]`);
        await see(inside.getByText(/^A page$|^The other$/));
    }
    const hostileSide = (await page.frameLocator('iframe[title="Left candidate"]').getByText('A page').count()) > 0 ? 'Left' : 'Right';
    const inside = page.frameLocator(`iframe[title="${hostileSide} candidate"]`);
    for (const click of [inside.getByRole('link', { name: 'out' }), inside.getByRole('link', { name: 'up' }), inside.getByRole('button', { name: 'send' })]) {
        await click.click();
    }
    await isUntouched(page, 'a page in a frame', { elements: 'iframe[sandbox=""]' });
    assert.match(page.url(), /\/vote\//);
    await button(page, 'Left is better').click();
    await see(at(page, 2));
    // The candidate can do no more if it is opened on its own.
    const alone = await page.getByTitle('Left candidate').getAttribute('src');
    const response = await page.goto(alone);
    assert.match(response.headers()['content-security-policy'], /^sandbox;/);
    assert.equal(await page.evaluate(() => window.__pwned), undefined);
});
