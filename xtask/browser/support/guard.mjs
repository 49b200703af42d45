// What must not happen in a browser while a test looks at pages, whatever the test itself is about.

/** Whether a page may ask for this: the server, or a picture within the page. */
function isAllowed(request, origins) {
    const url = new URL(request.url());
    if (url.protocol === 'data:') return request.resourceType() === 'image';
    return origins.has(url.origin);
}

export class Guard {
    #found = [];
    #permitted = [];
    #origins;

    /** `origins` are those that pages may ask something of. */
    constructor(origins) {
        this.#origins = new Set(origins);
    }

    /** Sees to it that all of a context's pages are watched. Before the first page is opened. */
    async watch(context) {
        context.on('request', (request) => {
            if (!isAllowed(request, this.#origins)) this.add('request', request.url());
        });
        context.on('console', (message) => {
            if (message.type() === 'error') this.add('console', `${message.text()} (${message.location().url})`);
        });
        context.on('weberror', (error) => this.add('uncaught', String(error.error()?.stack ?? error.error())));
        context.on('dialog', (dialog) => {
            this.add('dialog', `${dialog.type()}: ${dialog.message()}`);
            // The page may be gone by now.
            dialog.dismiss().catch(() => {});
        });
        context.on('serviceworker', (worker) => this.add('service worker', worker.url()));
        context.on('page', (page) => {
            page.on('websocket', (socket) => this.add('request', socket.url()));
            // No request is made for a page that is written within its address.
            page.on('framenavigated', (frame) => {
                if (!this.#isPlace(frame.url())) this.add('frame', frame.url());
            });
        });
        // The console tells of most violations, but not of those that are only reported.
        await context.exposeBinding('__guardViolation', (_source, what) => this.add('csp', what));
        await context.addInitScript(() => {
            const tell = window.__guardViolation;
            document.addEventListener('securitypolicyviolation', (event) => {
                tell(`${event.effectiveDirective} ${event.blockedURI} (${event.documentURI})`);
            });
        });
    }

    /** Whether a page or frame may be at this address. */
    #isPlace(address) {
        return ['about:blank', 'about:srcdoc', ''].includes(address) || this.#origins.has(new URL(address).origin);
    }

    /** Adds what was found, unless the test said that it would come. */
    add(kind, what) {
        const finding = `${kind}: ${what}`;
        if (!this.#permitted.some((pattern) => pattern.test(finding))) this.#found.push(finding);
    }

    /** From now on findings that match are none: say `permit(/^console: .*net::ERR_/)` before a server is killed. */
    permit(pattern) {
        this.#permitted.push(pattern);
    }

    /** What was found so far, which is then forgotten. */
    take() {
        return this.#found.splice(0);
    }

    /** Fails if anything was found. */
    check() {
        const found = this.take();
        if (found.length > 0) throw new Error(`in the browser:\n  ${found.join('\n  ')}`);
    }
}
