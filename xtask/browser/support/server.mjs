// A real `tiltyard serve`, in a temporary directory.

import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

import { program } from './setting.mjs';

// A test that is interrupted leaves neither a server nor its directory behind.
const running = new Map();
process.on('exit', () => {
    for (const [child, data] of running) {
        child.kill('SIGKILL');
        rmSync(data, { recursive: true, force: true });
    }
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

// How often a restarted server tries to get its port back, and how long it waits between tries, in
// milliseconds. While nobody listened, the system may have given the port to another connection.
const TRIES = 20;
const PAUSE = 250;

export class Server {
    #auth;
    #args;
    #child = null;
    #said = '';

    /** Its address: `http://127.0.0.1:PORT`, the same after a restart. */
    url = null;
    /** The admin key. */
    key = null;
    /** Its directory. */
    data;

    constructor(data, auth, args) {
        this.data = data;
        this.#auth = auth;
        this.#args = args;
    }

    /** `auth` is `keys` or `none`; `args` are further arguments of `tiltyard serve`. */
    static async start({ auth = 'keys', args = [] } = {}) {
        const data = await mkdtemp(join(tmpdir(), 'tiltyard-browser-'));
        const server = new Server(data, auth, args);
        try {
            await server.#begin('127.0.0.1:0');
        } catch (error) {
            await server.end();
            throw error;
        }
        return server;
    }

    async #begin(listen) {
        const words = ['serve', '--listen', listen, '--announce', 'json', '--log', 'warn', '--auth', this.#auth];
        // The settings of the person who runs the tests must not change the tests.
        const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('TILTYARD_')));
        const child = spawn(program, [...words, '--data', this.data, ...this.#args], {
            env,
            stdio: ['ignore', 'pipe', 'pipe'],
        });
        running.set(child, this.data);
        this.#child = child;
        child.stderr.on('data', (bytes) => (this.#said += bytes));
        const line = await new Promise((resolve, reject) => {
            createInterface({ input: child.stdout }).once('line', resolve);
            child.once('error', reject);
            child.once('close', () => {
                running.delete(child);
                reject(new Error(`the server ended before it was ready:\n${this.#said}`));
            });
        });
        const said = JSON.parse(line);
        this.url = said.url;
        this.key = said.admin_key ?? this.key;
    }

    /** Ends the server as a power cut does. */
    async kill() {
        await this.#stop('SIGKILL');
    }

    /** Asks the server to stop, and expects exit code 0. */
    async stop() {
        const child = this.#child;
        await this.#stop('SIGTERM');
        if (child && child.exitCode !== 0) {
            throw new Error(`the server ended with ${child.exitCode ?? child.signalCode}:\n${this.#said}`);
        }
    }

    async #stop(signal) {
        const child = this.#child;
        if (!child) return;
        this.#child = null;
        if (child.exitCode !== null || child.signalCode !== null) return;
        const closed = new Promise((resolve) => child.once('close', resolve));
        child.kill(signal);
        await closed;
    }

    /** Starts the server again after `kill` or `stop`, with the same port and the same data. */
    async restart() {
        if (this.#child) throw new Error('the server is running: `kill` or `stop` it first');
        for (let tries = 1; ; tries += 1) {
            try {
                return await this.#begin(new URL(this.url).host);
            } catch (error) {
                this.#child = null;
                if (tries === TRIES || !String(error).includes('could not listen')) throw error;
                this.#said = '';
                await sleep(PAUSE);
            }
        }
    }

    /** The warnings and errors that it logged. */
    get complaints() {
        return this.#said;
    }

    /** Ends the server for good, and deletes its directory. */
    async end() {
        await this.kill();
        await rm(this.data, { recursive: true, force: true });
    }
}
