import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Recording } from '@panoptes/schema'

const SCRIPT = /<script\b[^>]*\bsrc="([^"]+)"[^>]*><\/script>/g
const STYLE = /<link\b[^>]*\brel="stylesheet"[^>]*>/g
const OTHER_LINK = /\s*<link\b[^>]*\brel="(?:modulepreload|icon)"[^>]*>/g
const HREF = /\bhref="([^"]+)"/

/** Nothing is loaded and nobody is asked: all that the page needs is in it. */
const POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"

/** One page with its code, its looks and the recording inside. */
export async function replayHtml(folder: string, recording: Recording): Promise<string> {
  const place = join(folder, 'replay')
  const page = await readFile(join(place, 'replay.html'), 'utf8')
  const read = (address: string) => readFile(join(place, address.replace(/^\.?\//, '')), 'utf8')
  const scripts = await Promise.all([...page.matchAll(SCRIPT)].map(([, address = '']) => read(address)))
  const styles = await Promise.all(
    [...page.matchAll(STYLE)].map(([link]) => read(HREF.exec(link)?.[1] ?? '')),
  )
  const head = [
    `<meta http-equiv="Content-Security-Policy" content="${POLICY}" />`,
    ...styles.map((style) => `<style>${style.replaceAll('</style', '<\\/style')}</style>`),
  ].join('\n')
  const body = [
    `<script type="application/json" id="panoptes-recording">${inScript(JSON.stringify(recording))}</script>`,
    ...scripts.map((script) => `<script type="module">${inModule(script)}</script>`),
  ].join('\n')
  const bare = page.replace(SCRIPT, '').replace(STYLE, '').replace(OTHER_LINK, '')
  return bare.replace('</head>', () => `${head}\n</head>`).replace('</body>', () => `${body}\n</body>`)
}

/** JSON that no reader of HTML takes for the end of the script. */
const inScript = (json: string): string => json.replaceAll('<', '\\u003c')

/** In code the two sequences stand only inside texts and patterns, where the backslash changes nothing. */
const inModule = (code: string): string =>
  code.replaceAll(/<\/(script)/gi, '<\\/$1').replaceAll('<!--', '<\\!--')
