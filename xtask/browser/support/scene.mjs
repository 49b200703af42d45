// Tests of the pages in a real browser. How to use this:
//
//     cargo xtask browser                  all of tests/*.test.mjs
//     cargo xtask browser voting           files with this word in their name, else such tests
//     cargo xtask browser --pictures       also pictures of every page, in target/browser/pictures
//
// A test is a `scene`. It has its own server, a client of the API, and any number of visitors.
//
//     scene('a vote by mouse counts', async ({ server, api, visit }) => {
//         const { id } = await api.create({ arms: ['plain', 'funny'] });
//         // voters.mjs: planted preferences
//         await api.vote(id, 200, { strengths: { plain: 4 } });
//         // a browser context; `baseURL` is the server's
//         const { page, guard } = await visit();
//         await page.goto(`/vote/${id}`);
//         // roles and names, never classes
//         await page.getByRole('button', { name: 'Left' }).click();
//         // axe.mjs: light and dark, phone and desktop
//         await axe(page);
//         // looks.mjs
//         await picture(page, 'vote');
//     });
//
// Options are the second argument: `{ auth: 'none' }`, `{ args: ['--results', dir] }`,
// `{ timeout: ms }`. `visit` takes Playwright's options of a context (`javaScriptEnabled: false`,
// `reducedMotion: 'reduce'`), and `origins` that pages may send requests to, besides the server.
// `server.kill()` and `server.restart()` simulate a power cut. Call `guard.permit(pattern)` first,
// because a page that loses its server logs errors.
//
// Every scene fails, whatever it is about, if
//
// - a page sends a request to another host, logs an error, violates the content security policy,
//   throws, opens a dialog or starts a worker (guard.mjs),
// - something tries to leave the machine (browser.mjs), or
// - the server logs a warning or an error.
//
// If a scene fails, target/browser/failures has pictures of what each visitor saw last.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { Api } from './api.mjs';
import { Browser } from './browser.mjs';
import { Server } from './server.mjs';
import { folder } from './setting.mjs';

// A scene that takes longer (in milliseconds) is considered to hang.
const TIMEOUT = 180_000;

let started = null;
const browser = () => (started ??= Browser.start());
after(async () => {
    if (started) await (await started).close();
});

export function scene(name, ...rest) {
    const body = rest.pop();
    const { auth, args, timeout = TIMEOUT } = rest[0] ?? {};
    test(name, { timeout }, async ({ signal }) => {
        const chrome = await browser();
        const server = await Server.start({ auth, args });
        const visitors = [];
        const visit = async (options = {}) => {
            const visitor = await chrome.visitor({ url: server.url, ...options });
            visitors.push(visitor);
            return visitor;
        };
        const problems = [];
        const attempt = (work) => work().catch((error) => problems.push(error));
        try {
            const api = new Api(server.url, auth === 'none' ? null : server.key);
            // Also clean up after a scene that hangs. Otherwise the run would wait for its server
            // for ever.
            const hung = new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('the scene hangs'))));
            await attempt(() => Promise.race([body({ server, api, visit, browser: chrome }), hung]));
            for (const { guard } of visitors) await attempt(async () => guard.check());
            if (problems.length > 0) await portraits(name, visitors);
            for (const { context } of visitors) await attempt(() => context.close());
            const escapes = chrome.escapes();
            if (escapes.length > 0) problems.push(new Error(`requests tried to leave the machine: ${escapes.join(', ')}`));
            await attempt(() => server.stop());
            if (server.complaints) problems.push(new Error(`the server logged:\n${server.complaints}`));
        } finally {
            await server.end();
        }
        if (problems.length === 1) throw problems[0];
        if (problems.length > 1) throw new Error(problems.map((problem) => problem.stack).join('\n'));
    });
}

/** Takes a picture of what each visitor saw last. */
async function portraits(name, visitors) {
    const failures = join(folder, 'failures');
    await mkdir(failures, { recursive: true });
    const slug = name.replaceAll(/[^a-z0-9]+/gi, '-');
    for (const [i, { context }] of visitors.entries()) {
        for (const [j, page] of context.pages().entries()) {
            // A page that cannot be photographed is not another failure.
            await page.screenshot({ path: join(failures, `${slug}-${i + 1}-${j + 1}.png`) }).catch(() => {});
        }
    }
}
