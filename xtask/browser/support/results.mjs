// Results of the lab, made by the program under test.

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

import { program } from './setting.mjs';

/** A directory of results, described as `{ name: { title, worlds, policies, seed } }`. */
export async function results(runs) {
    const directory = await mkdtemp(join(tmpdir(), 'tiltyard-results-'));
    for (const [name, { title = name, worlds, policies, seed = 1 }] of Object.entries(runs)) {
        const specification = [
            `title = ${JSON.stringify(title)}`,
            `seed = ${seed}`,
            'runs = 3',
            'horizon = 1000',
            'checkpoints = [10, 100, 1000]',
            ...worlds.flatMap((world) => ['[[world]]', `world = "${world}"`]),
            ...policies.flatMap((policy) => ['[[policy]]', `policy = "${policy}"`]),
        ];
        const out = join(directory, name);
        await mkdir(dirname(out), { recursive: true });
        const file = join(directory, 'specification.toml');
        await writeFile(file, specification.join('\n'));
        await promisify(execFile)(program, ['run', file, '--out', out]);
        await rm(file);
    }
    return directory;
}
