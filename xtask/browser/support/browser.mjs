// One Chromium for all tests of a file. It can reach only this machine, and reports if it tries to
// reach another.

import { createServer } from 'node:http';

import { Guard } from './guard.mjs';
import { chromium, chromiumProgram } from './setting.mjs';

// Turn off what makes the browser talk to other machines, or differ from machine to machine.
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

// The timeout in milliseconds. It is generous, because the machine may be busy.
const PATIENCE = 20_000;

// Hosts that Chromium itself asks for the time, for accounts and for searches, whatever the flags.
// The proxy refuses these requests too. If a page sent such a request, its guard would see it.
const BROWSERS_OWN = /(^|\/\/|\.)(google|googleapis|gstatic|gvt1)\.com[:/]/;

/**
 * A proxy that refuses and records every request. Chromium sends it every request that is not for
 * this machine. It is a second witness, besides the events of the pages.
 */
class Trap {
    #caught = [];
    #server = createServer((request, response) => {
        this.#catch(request.url);
        response.writeHead(403).end();
    });

    async open() {
        this.#server.on('connect', (request, socket) => {
            this.#catch(request.url);
            // The other end may be gone.
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
            // Root, as in a container, cannot have a sandbox. The pages opened here are our own.
            chromiumSandbox: false,
            // Playwright's own option would also send requests for this machine to the proxy.
            args: [...QUIET, `--proxy-server=${server}`],
        });
        return browser;
    }

    get version() {
        return this.#browser.version();
    }

    /**
     * A visitor with a new browser context: no cookies, nothing cached. Pages may send requests to
     * `origins` besides the origin of `url`. The rest are Playwright's options.
     */
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

    /** The requests that tried to leave the machine since the last call. */
    escapes() {
        return this.#trap.take();
    }

    async close() {
        await this.#browser.close();
        this.#trap.close();
    }
}
