// Pictures of every page, and loading times. Only with `--pictures`. Times are reported, not
// judged.

import { see, signIn } from '../support/people.mjs';
import { pictures } from '../support/setting.mjs';
import { picture } from '../support/looks.mjs';
import { scene } from '../support/scene.mjs';

// How often a page is loaded to measure the time. The median is reported.
const LOADS = 9;
const MILLION = 1_000_000;
const MOST_TIME = 1_800_000;

const show = (name, ...rest) => {
    if (pictures) scene(name, ...rest);
};

const median = (numbers) => [...numbers].sort((one, other) => one - other)[Math.floor(numbers.length / 2)];

/** Loads a page several times. Returns the times of the server and of the first paint, in ms. */
async function measure(page, path) {
    const server = [];
    const paint = [];
    for (let i = 0; i < LOADS; i += 1) {
        const response = await page.goto(path);
        const timing = response.headers()['server-timing'] ?? '';
        server.push(Number(/own;dur=([0-9.]+)/.exec(timing)?.[1] ?? Number.NaN));
        paint.push(
            await page.evaluate(
                () =>
                    new Promise((resolve) => {
                        new PerformanceObserver((list) => {
                            const found = list.getEntriesByName('first-contentful-paint')[0];
                            if (found) resolve(found.startTime);
                        }).observe({ type: 'paint', buffered: true });
                    }),
            ),
        );
    }
    return { server: median(server), 'first paint': median(paint) };
}

const table = [];
async function look(page, path, name) {
    const times = await measure(page, path);
    table.push({ page: name, ...times });
    await picture(page, name);
}

/** Prints all times at the end of a scene. */
function tell() {
    for (const { page, server, 'first paint': paint } of table.splice(0)) {
        console.log(`${page.padEnd(28)} server ${server.toFixed(2).padStart(8)} ms    first paint ${paint.toFixed(0).padStart(5)} ms`);
    }
}

show('pictures of the pages behind the sign-in page', async ({ server, api, visit }) => {
    const { page } = await visit();
    await look(page, '/login', 'login');
    await signIn(page, server.key);
    await look(page, '/', 'home-empty');
    await look(page, '/new', 'new');
    for (const [name, votes, strengths] of [['Headline of the front page', 1500, { funny: 5 }], ['Colour of the button', 40, {}], ['Which answer is better', 0, {}]]) {
        const { id } = await api.create({ name });
        await api.vote(id, votes, { strengths });
    }
    const { experiments } = await api.get('/v1/experiments');
    await api.post(`/v1/experiments/${experiments[1].id}/pause`);
    await api.makeKey({ scope: 'voter', experiment: experiments[0].id, label: 'Ann', expires_at: '2100-01-01T00:00:00Z' });
    await look(page, '/', 'home');
    await look(page, '/keys', 'keys');
    tell();
});

show('pictures of the voting page', { auth: 'none' }, async ({ api, visit }) => {
    const kinds = {
        text: ['Ten ways to water a fern', 'Your fern is thirsty. Here is how to tell'].map((text) => ({ text })),
        markdown: ['## Short\n\nWater it **once a week**.', '## Long\n\n1. Feel the soil.\n2. Look at the leaves.\n3. Water it, *slowly*.\n\n> Ferns like shade.'].map(
            (markdown) => ({ markdown }),
        ),
        html: ['<body style="background:#246;color:white;font:2rem serif">Blue', '<body style="background:#642;color:white;font:2rem serif">Brown'].map((html) => ({ html })),
    };
    for (const [kind, [one, other]] of Object.entries(kinds)) {
        const arms = [{ name: 'first', payload: one }, { name: 'second', payload: other }];
        const { id } = await api.create({ name: 'Which do you prefer', arms, settings: { voter_votes: 20 } });
        const { page } = await visit();
        if (kind === 'text') await look(page, `/vote/${id}`, 'vote-start');
        else await page.goto(`/vote/${id}`);
        await page.getByRole('button', { name: 'Start' }).click();
        await see(page.getByText('Vote 1 of 20'));
        for (let i = 2; i <= 4; i += 1) {
            await page.keyboard.press('ArrowLeft');
            await see(page.getByText(`Vote ${i} of 20`));
        }
        await look(page, `/vote/${id}`, `vote-${kind}`);
        for (let i = 5; kind === 'text' && i <= 21; i += 1) {
            await page.keyboard.press('ArrowLeft');
            await see(page.getByText(i <= 20 ? `Vote ${i} of 20` : 'Thank you'));
        }
        if (kind === 'text') await look(page, `/vote/${id}`, 'vote-over');
    }
    tell();
});

for (const [name, count] of [['2', 2], ['40', 40], ['5000', 5000]]) {
    show(`pictures of experiments with ${name} arms`, async ({ server, api, visit }) => {
        const arms = Array.from({ length: count }, (_, i) => `arm-${i + 1}`);
        const { id } = await api.create({ name: `${name} arms`, arms });
        const { page } = await visit();
        await signIn(page, server.key);
        await look(page, `/experiments/${id}`, `dashboard-${name}-no-votes`);
        const strengths = Object.fromEntries(arms.map((arm, i) => [arm, 1 + (i % 7) / 2 + (i === 1 ? 3 : 0)]));
        await api.importVotes(id, arms, 20_000, { strengths, ties: 0.1 });
        await api.vote(id, 2000, { strengths, ties: 0.1, bothBad: 0.03 });
        await look(page, `/experiments/${id}`, `dashboard-${name}-votes`);
        tell();
    });
}

show('pictures of an experiment with a million votes', { timeout: MOST_TIME }, async ({ server, api, visit }) => {
    const arms = Array.from({ length: 40 }, (_, i) => `arm-${i + 1}`);
    const { id } = await api.create({ name: 'a million votes', arms });
    const strengths = Object.fromEntries(arms.map((arm, i) => [arm, 1 + i / 20]));
    await api.importVotes(id, arms, MILLION, { strengths, ties: 0.1 });
    const { page } = await visit();
    await signIn(page, server.key, `/experiments/${id}`);
    await see(page.getByText(/^1\s000\s000 votes/));
    await look(page, `/experiments/${id}`, 'dashboard-a-million-votes');
    tell();
});
