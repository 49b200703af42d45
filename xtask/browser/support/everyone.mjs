// Checks that a page works for everyone: with axe, with a keyboard and on a phone.

import assert from 'node:assert/strict';

import { axe } from './axe.mjs';

/** Fails if the page is wider than a phone: people would have to scroll sideways to read it. */
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

/** Fails if a control is so small that a finger misses it. Links within text may be small. */
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

/**
 * Goes through the page with the Tab key. Fails if a control is not reached, or does not show that
 * it has the focus.
 */
async function tabsThrough(page) {
    const wanted = await page.evaluate(() => {
        window.__order = [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex="0"]')].filter(
            (element) =>
                element.checkVisibility({ visibilityProperty: true }) &&
                !element.disabled &&
                // In a group of radio buttons, the Tab key reaches the checked one, and arrows the
                // others.
                (element.type !== 'radio' || element.checked || !element.form?.querySelector(`[name="${element.name}"]:checked`)),
        );
        document.activeElement?.blur();
        getSelection().removeAllRanges();
        return window.__order.map((element) => element.outerHTML.slice(0, 100));
    });
    const seen = [];
    // Once around: after the last control, the focus leaves the page, then returns to the first.
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
        assert.ok(outline, `no visible focus on ${html}`);
        if (!seen.includes(place)) seen.push(place);
    }
    const missed = wanted.filter((_, place) => !seen.includes(place));
    assert.deepEqual(missed, [], `${page.url()}: the Tab key does not get there`);
    // The order must be that of the page. The browser chooses where it starts: a field may have the
    // focus at once.
    const start = seen.indexOf(0);
    const turned = [...seen.slice(start), ...seen.slice(0, start)];
    assert.deepEqual(turned, wanted.map((_, place) => place), `${page.url()}: the order`);
}

/**
 * Fails unless axe finds nothing, the page fits phones and fingers, and the Tab key reaches
 * everything.
 */
export async function isGood(page, { tabs = true } = {}) {
    await axe(page);
    await fitsPhones(page);
    await fitsFingers(page);
    if (tabs) await tabsThrough(page);
}
