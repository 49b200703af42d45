// One Chromium for all tests of a file, which cannot reach anything but this machine, and says if it tried.

import { createServer } from 'node:http';

import { Guard } from './guard.mjs';
import { chromium, chromiumProgram } from './setting.mjs';

// Nothing of the browser's own that would talk to somebody, or differ from machine to machine.
const QUIET = [
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--disable-domain-reliability',
    '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost',
];

// Generous: the machine may be busy. Nobody waits that long unless something is wrong.
const PATIENCE = 20_000;

// Whom Chromium itself asks for the time, for accounts and for searches, whatever the flags. It is refused as all else is. If a page asked them for
// something, its guard would see it.
const BROWSERS_OWN = /(^|\/\/|\.)(google|googleapis|gstatic|gvt1)\.com[:/]/;

/** A proxy that refuses everything and remembers it. Chromium sends all there that is not for this machine: a witness besides the pages' own events. */
class Trap {
    #caught = [];
    #server = createServer((request, response) => {
        this.#catch(request.url);
        response.writeHead(403).end();
    });

    async open() {
        this.#server.on('connect', (request, socket) => {
            this.#catch(request.url);
            // Whoever asked may be gone.
            socket.on('error', () => {});
            socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
        });
        await new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
        return `http://127.0.0.1:${this.#server.address().port}`;
    }

    #catch(address) {
        if (!BROWSERS_OWN.test(address)) this.#caught.push(address);
    }

    take() {
        return this.#caught.splice(0);
    }

    close() {
        this.#server.closeAllConnections();
        this.#server.close();
    }
}

export class Browser {
    #trap = new Trap();
    #browser = null;

    static async start() {
        const browser = new Browser();
        const server = await browser.#trap.open();
        browser.#browser = await chromium.launch({
            executablePath: chromiumProgram,
            // Root, as in a container, cannot have a sandbox; what is opened here is ours.
            chromiumSandbox: false,
            // Not as Playwright's option, which would send what is for this machine there as well.
            args: [...QUIET, `--proxy-server=${server}`],
        });
        return browser;
    }

    get version() {
        return this.#browser.version();
    }

    /** A person with a browser of their own: no cookies, nothing cached. `origins` may be asked besides that of `url`; the rest are Playwright's options. */
    async visitor({ url, origins = [], ...options }) {
        const context = await this.#browser.newContext({
            baseURL: url,
            viewport: { width: 1280, height: 900 },
            colorScheme: 'light',
            locale: 'en-GB',
            timezoneId: 'UTC',
            ...options,
        });
        context.setDefaultTimeout(PATIENCE);
        const guard = new Guard([new URL(url).origin, ...origins]);
        await guard.watch(context);
        const page = await context.newPage();
        return { context, page, guard };
    }

    /** What tried to leave the machine since the last time. */
    escapes() {
        return this.#trap.take();
    }

    async close() {
        await this.#browser.close();
        this.#trap.close();
    }
}
