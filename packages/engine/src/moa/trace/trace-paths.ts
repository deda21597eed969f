import { createHash } from 'node:crypto'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

type Environment = Readonly<Record<string, string | undefined>>

const LONGEST = 180
const CUT_TO = 40
const NOT_SAFE = /[^\p{L}\p{N}._-]/gu

/**
 * Returns the file name of a session's trace. No id can escape the folder or exceed the length of a
 * file name.
 */
export function traceName(session: string | null): string {
  const safe = (session ?? '').replace(NOT_SAFE, '_') || 'unknown-session'
  if (Buffer.byteLength(safe) <= LONGEST) return `${safe}.jsonl`
  const digest = createHash('sha256')
    .update(session ?? '')
    .digest('hex')
    .slice(0, 16)
  return `${[...safe].slice(0, CUT_TO).join('')}-${digest}.jsonl`
}

/** The file name prefix shared by all sessions whose ids have this prefix. */
export const traceNameBeginning = (session: string): string =>
  [...session.replace(NOT_SAFE, '_')].slice(0, CUT_TO).join('')

/** The previous file, which was rotated when it was full. No session can have this name. */
export const formerTrace = (file: string): string => file.replace(/\.jsonl$/, '~1.jsonl')

/**
 * Resolves the configured folder, including `~` and variables. A relative path is resolved beside
 * the standard folder, wherever the process was started.
 */
export function traceFolder(configured: string | null, standard: string, env: Environment): string {
  if (configured === null) return standard
  const home = env.HOME || homedir()
  const expanded = configured
    .replace(/^~(?=$|\/)/, () => home)
    .replace(/\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g, (all, braced, bare) => env[braced ?? bare] ?? all)
  return resolve(dirname(standard), expanded === '' ? join(home, 'moa-traces') : expanded)
}
