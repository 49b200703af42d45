// The settings that `cargo xtask browser` passes in environment variables, and the two packages
// that it installed. The packages are in the target directory, where `import` does not look.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

function told(name) {
    const value = process.env[name];
    if (!value) throw new Error(`${name} is not set: run the tests with \`cargo xtask browser\``);
    return value;
}

/** The directory for everything that the tests write: `target/browser`. */
export const folder = told('TILTYARD_BROWSER');
/** The binary under test. */
export const program = told('TILTYARD_BROWSER_PROGRAM');
/** The browser. */
export const chromiumProgram = told('TILTYARD_BROWSER_CHROMIUM');
/** The directory for pictures. If it is not set, no pictures are taken. */
export const pictures = process.env.TILTYARD_BROWSER_PICTURES;

const require = createRequire(join(folder, 'package.json'));
export const { chromium } = require('playwright-core');
export const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
