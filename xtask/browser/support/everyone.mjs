// Pages for everyone: what axe, a keyboard and a phone say of them.

import assert from 'node:assert/strict';

import { axe } from './axe.mjs';

/** Fails if the page is wider than a phone: then it would have to be pushed to and fro to be read. */
async function fitsPhones(page) {
    const viewport = page.viewportSize();
    for (const width of [390, 320]) {
        await page.setViewportSize({ width, height: 844 });
        const wide = await page.evaluate((width) => {
            if (document.documentElement.scrollWidth <= width) return [];
            const scrolls = (element) => element && (/auto|scroll|hidden/.test(getComputedStyle(element).overflowX) || scrolls(element.parentElement));
            return [...document.querySelectorAll('body *')]
                .filter((element) => element.getBoundingClientRect().right > width && !scrolls(element.parentElement))
                .map((element) => `${element.outerHTML.slice(0, 120)} reaches to ${element.getBoundingClientRect().right}`)
                .concat(`the page reaches to ${document.documentElement.scrollWidth}`);
        }, width);
        assert.deepEqual(wide, [], `${page.url()} at ${width} px`);
    }
    await page.setViewportSize(viewport);
}

/** Fails if what is pressed is so small that a finger misses it. Links within text may be. */
async function fitsFingers(page) {
    const viewport = page.viewportSize();
    await page.setViewportSize({ width: 390, height: 844 });
    const small = await page.evaluate(() =>
        [...document.querySelectorAll('button, .button, select, input:not([type=hidden], [type=checkbox], [type=radio]), summary')]
            .filter((element) => element.checkVisibility())
            .map((element) => [element.outerHTML.slice(0, 120), element.getBoundingClientRect().height])
            .filter(([, height]) => height < 40),
    );
    assert.deepEqual(small, [], page.url());
    await page.setViewportSize(viewport);
}

/** Goes through the page with the Tab key, and fails if something is left out, or does not show that it has the focus. */
async function tabsThrough(page) {
    const wanted = await page.evaluate(() => {
        window.__order = [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"]')].filter(
            (element) =>
                element.checkVisibility({ visibilityProperty: true }) &&
                !element.disabled &&
                // Of several of which one is chosen, the Tab key gets to that one, and arrows to the others.
                (element.type !== 'radio' || element.checked || !element.form?.querySelector(`[name="${element.name}"]:checked`)),
        );
        document.activeElement?.blur();
        getSelection().removeAllRanges();
        return window.__order.map((element) => element.outerHTML.slice(0, 100));
    });
    const seen = [];
    // Once around: after the last one, the focus leaves the page before it comes back to the first.
    for (let i = 0; i <= wanted.length; i += 1) {
        await page.keyboard.press('Tab');
        if (await page.evaluate(() => document.activeElement === document.body)) continue;
        const { place, outline, html } = await page.evaluate(() => {
            const style = getComputedStyle(document.activeElement);
            return {
                place: window.__order.indexOf(document.activeElement),
                outline: style.outlineStyle !== 'none' && Number.parseFloat(style.outlineWidth) >= 2,
                html: document.activeElement.outerHTML.slice(0, 100),
            };
        });
        assert.ok(outline, `no focus to be seen on ${html}`);
        if (!seen.includes(place)) seen.push(place);
    }
    const missed = wanted.filter((_, place) => !seen.includes(place));
    assert.deepEqual(missed, [], `${page.url()}: the Tab key does not get there`);
    // In the order in which they stand; where one begins is the browser's (a field may have the focus at once).
    const start = seen.indexOf(0);
    const turned = [...seen.slice(start), ...seen.slice(0, start)];
    assert.deepEqual(turned, wanted.map((_, place) => place), `${page.url()}: the order`);
}

/** Fails unless axe finds nothing, phones show all of it, fingers hit it and the Tab key gets everywhere. */
export async function isGood(page, { tabs = true } = {}) {
    await axe(page);
    await fitsPhones(page);
    await fitsFingers(page);
    if (tabs) await tabsThrough(page);
}
