// What people do on every page: sign in, wait until something is to be seen.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';

/** Signs in with a key, and is where `to` says afterwards. */
export async function signIn(page, key, to = '/') {
    await page.goto(to);
    await page.getByLabel('Key').fill(key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL((url) => url.pathname === new URL(to, url).pathname);
}

/** Waits until this is to be seen. */
export async function see(locator) {
    await locator.first().waitFor({ state: 'visible' });
}

/** Waits until this is not to be seen any more. */
export async function gone(locator) {
    await locator.first().waitFor({ state: 'hidden' });
}

/** Waits until `work` gives something true, and gives it. */
export async function eventually(work, what = String(work)) {
    for (let tries = 0; tries < 200; tries += 1) {
        const found = await work();
        if (found) return found;
        await sleep(100);
    }
    return assert.fail(`it never came: ${what}`);
}

/** Puts a mark on the page that a reload would take away. The function that comes back fails if it is gone. */
export async function watchForReloads(page) {
    await page.evaluate(() => (window.__mark = true));
    return async () => assert.equal(await page.evaluate(() => window.__mark), true, 'the page was loaded anew');
}

/** What a killed server does to the console of an open page. */
export const LOST = /^console: .*(net::ERR_|Failed to load resource)/;

/** An answer that is a page, and an error: browsers tell of it. */
export const answered = (status) => new RegExp(`^console: .*status of ${status} `);
