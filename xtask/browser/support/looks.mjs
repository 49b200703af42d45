// The looks of a page: light and dark, phone and desktop.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import { pictures } from './setting.mjs';

const SIZES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 900 } };

/** All looks: `{ name, colorScheme, viewport }`. */
export const LOOKS = Object.entries(SIZES).flatMap(([size, viewport]) =>
    ['light', 'dark'].map((colorScheme) => ({ name: `${colorScheme}-${size}`, colorScheme, viewport })),
);

// The tallest picture, in pixels. A page with 5000 arms is taller.
const TALLEST = 5000;

/** Does something in each look. Then it restores the size of the page and light mode. */
export async function inEveryLook(page, work) {
    const viewport = page.viewportSize();
    try {
        for (const look of LOOKS) {
            await page.setViewportSize(look.viewport);
            await page.emulateMedia({ colorScheme: look.colorScheme });
            await work(look);
        }
    } finally {
        await page.emulateMedia({ colorScheme: 'light' });
        await page.setViewportSize(viewport);
    }
}

/** With `--pictures`: the whole page in every look, as `target/browser/pictures/NAME-LOOK.png`. */
export async function picture(page, name) {
    if (!pictures) return;
    await mkdir(pictures, { recursive: true });
    await inEveryLook(page, async (look) => {
        const height = await page.evaluate(() => document.documentElement.scrollHeight);
        const clip = { x: 0, y: 0, width: look.viewport.width, height: Math.min(height, TALLEST) };
        await page.screenshot({ path: join(pictures, `${name}-${look.name}.png`), fullPage: true, clip });
    });
}
