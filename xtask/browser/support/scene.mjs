// Tests of the pages in a real browser. How to use this:
//
//     cargo xtask browser                  all of tests/*.test.mjs
//     cargo xtask browser voting           those in files whose name holds the word, else those tests whose name does
//     cargo xtask browser --pictures       and pictures of every page, in target/browser/pictures
//
// A test is a `scene`: a server of its own, a client of its API, and as many visitors as it wants.
//
//     scene('a vote by mouse counts', async ({ server, api, visit }) => {
//         const { id } = await api.create({ arms: ['plain', 'funny'] });
//         await api.vote(id, 200, { strengths: { plain: 4 } });          // voters.mjs: planted preferences
//         const { page, guard } = await visit();                         // a browser context; `baseURL` is the server's
//         await page.goto(`/vote/${id}`);
//         await page.getByRole('button', { name: 'Left' }).click();      // roles and names, never classes
//         await axe(page);                                               // axe.mjs: light and dark, phone and desktop
//         await picture(page, 'vote');                                   // looks.mjs
//     });
//
// Options come second: `{ auth: 'none' }`, `{ args: ['--results', dir] }`, `{ timeout: ms }`. `visit` takes Playwright's options of a context
// (`javaScriptEnabled: false`, `reducedMotion: 'reduce'`) and `origins` that pages may ask besides the server's.
// `server.kill()` and `server.restart()` pull the plug; `guard.permit(pattern)` first, for a page that loses its server logs errors.
//
// Every scene fails, whatever it is about, if a page asks anything of another host, logs an error, breaks the content security policy, throws,
// opens a dialog or starts a worker (guard.mjs), if anything tries to leave the machine (browser.mjs), or if the server complains.
// Of a scene that fails, target/browser/failures has what each visitor saw last.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { after, test } from 'node:test';

import { Api } from './api.mjs';
import { Browser } from './browser.mjs';
import { Server } from './server.mjs';
import { folder } from './setting.mjs';

// A scene that takes longer hangs.
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
            // A scene that hangs is cleared away all the same, or the run would wait for its server for ever.
            const hung = new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('it hangs'))));
            await attempt(() => Promise.race([body({ server, api, visit, browser: chrome }), hung]));
            for (const { guard } of visitors) await attempt(async () => guard.check());
            if (problems.length > 0) await portraits(name, visitors);
            for (const { context } of visitors) await attempt(() => context.close());
            const escapes = chrome.escapes();
            if (escapes.length > 0) problems.push(new Error(`these tried to leave the machine: ${escapes.join(', ')}`));
            await attempt(() => server.stop());
            if (server.complaints) problems.push(new Error(`the server complained:\n${server.complaints}`));
        } finally {
            await server.end();
        }
        if (problems.length === 1) throw problems[0];
        if (problems.length > 1) throw new Error(problems.map((problem) => problem.stack).join('\n'));
    });
}

/** What each visitor saw last. */
async function portraits(name, visitors) {
    const failures = join(folder, 'failures');
    await mkdir(failures, { recursive: true });
    const slug = name.replaceAll(/[^a-z0-9]+/gi, '-');
    for (const [i, { context }] of visitors.entries()) {
        for (const [j, page] of context.pages().entries()) {
            // A page that cannot be shown is no further failure.
            await page.screenshot({ path: join(failures, `${slug}-${i + 1}-${j + 1}.png`) }).catch(() => {});
        }
    }
}
