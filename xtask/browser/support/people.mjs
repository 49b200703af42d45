// Common actions of people: sign in, wait until something is visible.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

/** Signs in with a key, and goes to `to`. */
export async function signIn(page, key, to = '/') {
    await page.goto(to);
    await page.getByLabel('Key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL((url) => url.pathname === new URL(to, url).pathname);
}

/** Waits until this is visible. */
export async function see(locator) {
    await locator.first().waitFor({ state: 'visible' });
}

/** Waits until this is no longer visible. */
export async function gone(locator) {
    await locator.first().waitFor({ state: 'hidden' });
}

/** Waits until `work` returns something true, and returns it. */
export async function eventually(work, what = String(work)) {
    for (let tries = 0; tries < 200; tries += 1) {
        const found = await work();
        if (found) return found;
        await sleep(100);
    }
    return assert.fail(`this never happened: ${what}`);
}

/** Marks the page. The returned function fails if a reload has removed the mark. */
export async function watchForReloads(page) {
    await page.evaluate(() => (window.__mark = true));
    return async () => assert.equal(await page.evaluate(() => window.__mark), true, 'the page was reloaded');
}

/** The errors in the console of an open page after its server was killed. */
export const LOST = /^console: .*(net::ERR_|Failed to load resource)/;

/** The console message of a browser for an error page with this status. */
export const answered = (status) => new RegExp(`^console: .*status of ${status} `);
