// Runs axe-core in a world of its own, separate from the scripts of the page. The policy of the
// page stays in force, and the page does not notice.

import { axeSource } from './setting.mjs';
import { inEveryLook } from './looks.mjs';

/**
 * The violations that axe finds, one text per violation. It applies all rules that are on by
 * default, but not within frames, because users wrote their content.
 */
export async function axeFindings(page) {
    const session = await page.context().newCDPSession(page);
    try {
        const { frameTree } = await session.send('Page.getFrameTree');
        const world = { frameId: frameTree.frame.id, worldName: 'axe' };
        const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', world);
        const evaluate = async (expression) => {
            const options = { expression, contextId, awaitPromise: true, returnByValue: true };
            const { result, exceptionDetails } = await session.send('Runtime.evaluate', options);
            if (exceptionDetails) {
                throw new Error(`axe: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
            }
            return result.value;
        };
        await evaluate(`${axeSource};undefined`);
        const { violations, passes } = await evaluate(
            `axe.run(document, { iframes: false, resultTypes: ['violations'] })
                .then(({ violations, passes }) => ({ violations, passes: passes.length }))`,
        );
        if (passes === 0) throw new Error('axe: no rule applied; is there a page?');
        return violations.flatMap(({ id, help, nodes }) =>
            nodes.map((node) => `${id}: ${help}\n    ${node.html}\n    ${node.failureSummary.replaceAll('\n', '\n    ')}`),
        );
    } finally {
        await session.detach();
    }
}

/** Fails if axe finds anything, in any look. */
export async function axe(page) {
    const found = [];
    await inEveryLook(page, async (look) => {
        for (const finding of await axeFindings(page)) found.push(`${look.name}: ${finding}`);
    });
    if (found.length > 0) throw new Error(`axe found on ${page.url()}:\n  ${found.join('\n  ')}`);
}
