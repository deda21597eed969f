import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type BrowserSession, browserSession, check } from '@panoptes/schema'
import { parseJson } from '@panoptes/schema/json'
import { z } from 'zod'
import type { Paths } from './paths.ts'
import { readRegular } from './read-regular.ts'
import { replaceFile } from './write-file.ts'

/** A browser stays signed in for this many days. */
export const BROWSER_DAYS = 30
const LIFE_MS = BROWSER_DAYS * 86_400_000
const MOST = 100
/** "Last used" is saved only when it changed by at least this much. */
const FRESH_MS = 60_000

export const browsersFile = (paths: Paths): string => join(paths.tokens, 'browsers.json')

/**
 * The signed-in browsers. The file holds only hashes of their cookies, so that reading it grants no access.
 */
export interface Browsers {
  /** Signs a browser in. The secret goes into its cookie and is not stored. */
  readonly add: (browser: string) => { readonly id: string; readonly secret: string }
  /** Returns the id of a browser that is still signed in. */
  readonly identify: (secret: string) => string | undefined
  readonly list: () => readonly BrowserSession[]
  /** Signs one browser out. Returns false when there is none with this id. */
  readonly revoke: (id: string) => boolean
  readonly revokeAll: () => number
  /** Resolves when every change is saved. */
  readonly settled: () => Promise<void>
}

const stored = browserSession.extend({
  hash: z.string(),
  /** A digest of the full token at sign-in. Rotating the token signs everybody out. */
  token: z.string(),
})
type Stored = z.infer<typeof stored>

interface BrowsersOptions {
  /** Returns the current full token. */
  readonly token: () => string
  readonly onFailure?: (error: unknown) => void
  readonly now?: () => number
}

/**
 * Opens the list of a home. Only one process may change it at a time: the daemon, or a command while no
 * daemon runs.
 */
export async function openBrowsers(paths: Paths, options: BrowsersOptions): Promise<Browsers> {
  const { token, onFailure, now = Date.now } = options
  const file = browsersFile(paths)
  const sessions = new Map<string, Stored>()
  for (const each of await readStored(file)) sessions.set(each.hash, each)
  let writing = Promise.resolve()
  let isDue = false

  const isGood = (session: Stored): boolean =>
    session.token === hashSecret(token()) &&
    now() < session.made_at + LIFE_MS &&
    now() >= session.made_at - LIFE_MS
  const save = () => {
    if (isDue) return
    isDue = true
    writing = writing.then(async () => {
      isDue = false
      for (const [hash, session] of sessions) if (!isGood(session)) sessions.delete(hash)
      await replaceFile(file, `${JSON.stringify({ browsers: [...sessions.values()] }, null, 2)}\n`).catch(
        onFailure,
      )
    })
  }
  const shown = ({ hash: _, token: __, ...session }: Stored): BrowserSession => session

  return {
    add: (browser) => {
      const secret = randomBytes(32).toString('base64url')
      const at = now()
      const id = randomBytes(4).toString('hex')
      const hash = hashSecret(secret)
      sessions.set(hash, { id, browser, made_at: at, used_at: at, hash, token: hashSecret(token()) })
      const oldest = [...sessions].toSorted(([, a], [, b]) => a.used_at - b.used_at)
      for (const [old] of oldest.slice(0, Math.max(0, sessions.size - MOST))) sessions.delete(old)
      save()
      return { id, secret }
    },
    identify: (secret) => {
      const session = sessions.get(hashSecret(secret))
      if (session === undefined || !isGood(session)) return undefined
      if (now() - session.used_at > FRESH_MS) {
        sessions.set(session.hash, { ...session, used_at: now() })
        save()
      }
      return session.id
    },
    list: () =>
      [...sessions.values()]
        .filter(isGood)
        .map(shown)
        .toSorted((a, b) => b.used_at - a.used_at),
    revoke: (id) => {
      const found = [...sessions.values()].find((each) => each.id === id && isGood(each))
      if (found === undefined) return false
      sessions.delete(found.hash)
      save()
      return true
    },
    revokeAll: () => {
      const count = [...sessions.values()].filter(isGood).length
      sessions.clear()
      save()
      return count
    },
    settled: () => writing,
  }
}

/**
 * A secret of 32 random bytes needs no salt, and the duration of a lookup by hash reveals nothing about it.
 */
const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('base64url')

/** A list that cannot be read signs everybody out and is replaced. */
async function readStored(file: string): Promise<readonly Stored[]> {
  try {
    const read = check(z.object({ browsers: z.array(stored) }), parseJson(await readRegular(file)))
    return read.ok ? read.value.browsers : []
  } catch {
    return []
  }
}
