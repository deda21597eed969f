import { randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { failure, type Result, success, type TokenScope } from '@panoptes/schema'
import { fileFailure } from './file-failure.ts'
import { makeFolder } from './make-folder.ts'
import type { Paths } from './paths.ts'
import { replaceFile } from './write-file.ts'

export const TOKEN_SCOPES: readonly TokenScope[] = ['full', 'ingest', 'gateway']

const PREFIX: Readonly<Record<TokenScope, string>> = {
  full: 'pn_full_',
  ingest: 'pn_ing_',
  gateway: 'pn_gw_',
}
const SHAPE = /^pn_(?:full|ing|gw)_[\w-]{43}$/

export const tokenFile = (paths: Paths, scope: TokenScope): string => join(paths.tokens, scope)

/** The current tokens. A replaced file takes effect on the next read. */
export interface Tokens {
  readonly read: (scope: TokenScope) => string
  readonly rotate: (scope: TokenScope) => Promise<Result<string>>
}

/** Opens the token files and creates missing ones, readable by their owner only. */
export async function openTokens(paths: Paths): Promise<Result<Tokens>> {
  const cache = new Map<TokenScope, CachedToken>()
  try {
    // An existing folder may be shared on purpose, so only newly created folders get a restrictive mode.
    for (const folder of [paths.home, paths.tokens]) await makeFolder(folder)
    for (const scope of TOKEN_SCOPES) {
      const file = tokenFile(paths, scope)
      if (look(file, undefined) === 'absent') await write(file, makeToken(scope))
      const read = look(file, undefined)
      if (typeof read === 'string') return failure('corrupt', brokenFile(file))
      await chmod(file, 0o600)
      cache.set(scope, read)
    }
  } catch (error) {
    return fileFailure(error, paths.tokens, 'write')
  }
  return success({
    read: (scope) => {
      const before = cache.get(scope)
      const now = look(tokenFile(paths, scope), before)
      if (typeof now === 'string') return before?.token ?? ''
      cache.set(scope, now)
      return now.token
    },
    rotate: async (scope) => {
      const file = tokenFile(paths, scope)
      const token = makeToken(scope)
      try {
        await write(file, token)
        return success(token)
      } catch (error) {
        return fileFailure(error, file, 'write')
      }
    },
  })
}

/** Returns the scopes whose file exists and holds no valid token. */
export const findBrokenTokens = (paths: Paths): readonly TokenScope[] =>
  TOKEN_SCOPES.filter((scope) => look(tokenFile(paths, scope), undefined) === 'broken')

/** Masks a token so that it can be shown and still told apart from others. */
export function maskToken(token: string): string {
  const prefix = Object.values(PREFIX).find((start) => token.startsWith(start)) ?? ''
  return `${prefix}…${token.slice(-4)}`
}

interface CachedToken {
  readonly token: string
  readonly stamp: string
}

function look(file: string, before: CachedToken | undefined): CachedToken | 'absent' | 'broken' {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (!stat) return 'absent'
  const stamp = `${stat.ino}:${stat.mtimeMs}:${stat.size}`
  if (before?.stamp === stamp) return before
  // Reading a pipe would block, and every caller with it.
  if (!stat.isFile() || stat.size > 256) return 'broken'
  const token = readFileSync(file, 'utf8').trim()
  return SHAPE.test(token) ? { token, stamp } : 'broken'
}

const makeToken = (scope: TokenScope): string => PREFIX[scope] + randomBytes(32).toString('base64url')

const write = (file: string, token: string): Promise<void> => replaceFile(file, `${token}\n`)

const brokenFile = (file: string) =>
  `${file} does not contain a token. Delete it; Panoptes creates a new one at the next start.`
