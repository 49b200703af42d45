// Checks that the other tests can fail: pages that are not Tiltyard's do each thing that must not
// happen in a browser.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

import { axeFindings } from '../support/axe.mjs';
import { inEveryLook, LOOKS } from '../support/looks.mjs';
import { scene } from '../support/scene.mjs';

const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'";

/**
 * Serves pages, given as `{ path: text }` or `{ path: { type, policy, text } }`, while `work` runs
 * with the address of the site.
 */
async function withSite(pages, work) {
    const site = createServer((request, response) => {
        // Browsers ask for an icon by themselves.
        const found = request.url === '/favicon.ico' ? '' : pages[request.url];
        const { type = 'text/html', policy = '', text = '' } = typeof found === 'string' ? { text: found } : (found ?? {});
        response.writeHead(found === undefined ? 404 : 200, { 'content-type': type, 'content-security-policy': policy });
        response.end(text);
    });
    await new Promise((resolve) => site.listen(0, '127.0.0.1', resolve));
    try {
        await work(`http://127.0.0.1:${site.address().port}`);
    } finally {
        site.closeAllConnections();
        site.close();
    }
}

/** Waits for a finding that matches, and fails if none comes. `look` returns the new findings. */
async function found(look, pattern) {
    const all = [];
    for (let tries = 0; tries < 100; tries += 1) {
        all.push(...look());
        if (all.some((finding) => pattern.test(finding))) return;
        await sleep(100);
    }
    assert.fail(`nothing like ${pattern} in ${JSON.stringify(all)}`);
}

const BAD = {
    'a request to another host': { page: '<img src="http://elsewhere.invalid/x.png">', finds: /^request: http:\/\/elsewhere\.invalid\// },
    'a request to another port': { page: '<img src="http://127.0.0.1:9/x.png">', finds: /^request: http:\/\/127\.0\.0\.1:9\// },
    'a socket to another host': { page: '<script>new WebSocket("ws://elsewhere.invalid/")</script>', finds: /^request: ws:/ },
    'a frame with a page in its address': { page: '<iframe src="data:text/html,x"></iframe>', finds: /^frame: data:/ },
    'something missing': { page: '<img src="/missing.png">', finds: /^console: .*404.*missing/ },
    'an error in the console': { page: '<script>console.error("oh")</script>', finds: /^console: oh/ },
    'an uncaught error': { page: '<script>throw new Error("oh")</script>', finds: /^uncaught: Error: oh/ },
    'a promise nobody caught': { page: '<script>Promise.reject(new Error("oh"))</script>', finds: /^uncaught: Error: oh/ },
    'an alert': { page: '<script>alert("oh")</script>', finds: /^dialog: alert: oh/ },
    'a script within the page': { page: '<script>1</script>', policy: POLICY, finds: /^csp: script-src-elem inline/ },
    'a style within the page': { page: '<p style="color: red">x</p>', policy: POLICY, finds: /^csp: style-src-attr inline/ },
    'a style within the page, without scripts': {
        page: '<p style="color: red">x</p>',
        policy: POLICY,
        options: { javaScriptEnabled: false },
        finds: /^console: .*Content Security Policy/,
    },
};

for (const [name, { page: text, policy, options, finds }] of Object.entries(BAD)) {
    scene(`the guard sees ${name}`, { auth: 'none' }, async ({ visit, browser }) => {
        await withSite({ '/': { text: `<!doctype html>${text}`, policy } }, async (url) => {
            const { context, page, guard } = await visit({ url, ...options });
            await page.goto('/');
            await found(() => guard.take(), finds);
            // Further findings of the same cause may still arrive.
            await context.close();
            guard.take();
            browser.escapes();
        });
    });
}

scene('the guard sees what a second page does', { auth: 'none' }, async ({ visit }) => {
    await withSite({ '/': '<a href="/other" target="_blank">on</a>', '/other': '<script>console.error("oh")</script>' }, async (url) => {
        const { context, page, guard } = await visit({ url });
        await page.goto('/');
        await page.getByRole('link', { name: 'on' }).click();
        await found(() => guard.take(), /^console: oh/);
        await context.close();
    });
});

scene('only findings that were not permitted are recorded', { auth: 'none' }, async ({ visit }) => {
    await withSite({ '/': '<script>console.error("one"); console.error("two")</script>' }, async (url) => {
        const { page, guard } = await visit({ url });
        guard.permit(/^console: one/);
        await page.goto('/');
        await page.evaluate(() => console.error('three'));
        const seen = [];
        await found(() => {
            const late = guard.take();
            seen.push(...late);
            return late;
        }, /^console: three/);
        assert.deepEqual(seen.map((finding) => finding.slice(0, 12)), ['console: two', 'console: thr']);
    });
});

scene('requests that would leave the machine are caught', { auth: 'none' }, async ({ visit, browser }) => {
    await withSite({ '/': '<img src="http://elsewhere.invalid/x.png"><img src="https://elsewhere.invalid/y.png">' }, async (url) => {
        const { context, page, guard } = await visit({ url });
        await page.goto('/');
        const escapes = browser.escapes();
        assert.ok(escapes.includes('http://elsewhere.invalid/x.png'), `${escapes}`);
        assert.ok(escapes.includes('elsewhere.invalid:443'), `${escapes}`);
        await context.close();
        guard.take();
        browser.escapes();
    });
});

const GOOD = `<!doctype html><html lang="en"><title>Good</title><link rel="stylesheet" href="/s.css"><main><h1>Good</h1><p>Text</p></main></html>`;

scene('axe passes a good page under a strict policy and leaves nothing in it', { auth: 'none' }, async ({ visit }) => {
    const pages = { '/': { text: GOOD, policy: POLICY }, '/s.css': { type: 'text/css', text: 'p { color: #000; background: #fff }' } };
    await withSite(pages, async (url) => {
        const { page, guard } = await visit({ url });
        await page.goto('/');
        assert.deepEqual(await axeFindings(page), []);
        assert.equal(await page.evaluate(() => typeof window.axe), 'undefined');
        guard.check();
    });
});

scene('axe sees a fault that is only in one look', { auth: 'none' }, async ({ visit }) => {
    const faint = '@media (prefers-color-scheme: dark) and (max-width: 400px) { p { color: #888; background: #999 } }';
    const pages = { '/': { text: GOOD, policy: POLICY }, '/s.css': { type: 'text/css', text: faint } };
    await withSite(pages, async (url) => {
        const { page } = await visit({ url });
        await page.goto('/');
        const wrong = [];
        await inEveryLook(page, async (look) => {
            for (const finding of await axeFindings(page)) wrong.push(`${look.name} ${finding.split(':')[0]}`);
        });
        assert.deepEqual(wrong, ['dark-phone color-contrast']);
        assert.equal(LOOKS.length, 4);
        assert.deepEqual(page.viewportSize(), { width: 1280, height: 900 });
    });
});
