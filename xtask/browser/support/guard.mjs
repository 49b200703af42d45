// The guard records what must never happen in a browser, whatever a test is about.

/** Whether a page may send this request: to the server, or for a picture within the page. */
function isAllowed(request, origins) {
    const url = new URL(request.url());
    if (url.protocol === 'data:') return request.resourceType() === 'image';
    return origins.has(url.origin);
}

export class Guard {
    #found = [];
    #permitted = [];
    #origins;

    /** `origins` are those that pages may send requests to. */
    constructor(origins) {
        this.#origins = new Set(origins);
    }

    /** Watches all pages of a context. Call it before the first page is opened. */
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
            // The page may already be closed.
            dialog.dismiss().catch(() => {});
        });
        context.on('serviceworker', (worker) => this.add('service worker', worker.url()));
        context.on('page', (page) => {
            page.on('websocket', (socket) => this.add('request', socket.url()));
            // A page within a `data:` address causes no request.
            page.on('framenavigated', (frame) => {
                if (!this.#isPlace(frame.url())) this.add('frame', frame.url());
            });
        });
        // The console shows most violations, but not those that are only reported.
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

    /** Records a finding, unless the test permitted it. */
    add(kind, what) {
        const finding = `${kind}: ${what}`;
        if (!this.#permitted.some((pattern) => pattern.test(finding))) this.#found.push(finding);
    }

    /**
     * From now on, ignores findings that match, such as `permit(/^console: .*net::ERR_/)` before a
     * server is killed.
     */
    permit(pattern) {
        this.#permitted.push(pattern);
    }

    /** Returns the findings so far, and forgets them. */
    take() {
        return this.#found.splice(0);
    }

    /** Fails if there are findings. */
    check() {
        const found = this.take();
        if (found.length > 0) throw new Error(`in the browser:\n  ${found.join('\n  ')}`);
    }
}
