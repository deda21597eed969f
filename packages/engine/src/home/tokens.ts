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

/** The tokens as their files say now: a file that was replaced counts from the next look. */
export interface Tokens {
  readonly read: (scope: TokenScope) => string
  readonly rotate: (scope: TokenScope) => Promise<Result<string>>
}

/** Opens the token files; those that are missing are made, for the eyes of their owner only. */
export async function openTokens(paths: Paths): Promise<Result<Tokens>> {
  const known = new Map<TokenScope, Known>()
  try {
    // A folder that is there already may be everybody's: only what is made here is closed.
    for (const folder of [paths.home, paths.tokens]) await makeFolder(folder)
    for (const scope of TOKEN_SCOPES) {
      const file = tokenFile(paths, scope)
      if (look(file, undefined) === 'absent') await write(file, makeToken(scope))
      const read = look(file, undefined)
      if (typeof read === 'string') return failure('corrupt', brokenFile(file))
      await chmod(file, 0o600)
      known.set(scope, read)
    }
  } catch (error) {
    return fileFailure(error, paths.tokens, 'write')
  }
  return success({
    read: (scope) => {
      const before = known.get(scope)
      const now = look(tokenFile(paths, scope), before)
      if (typeof now === 'string') return before?.token ?? ''
      known.set(scope, now)
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

/** The scopes whose file is there and holds no token. */
export const brokenTokens = (paths: Paths): readonly TokenScope[] =>
  TOKEN_SCOPES.filter((scope) => look(tokenFile(paths, scope), undefined) === 'broken')

/** What a token may be shown as: enough to tell one from another. */
export function maskToken(token: string): string {
  const prefix = Object.values(PREFIX).find((start) => token.startsWith(start)) ?? ''
  return `${prefix}…${token.slice(-4)}`
}

interface Known {
  readonly token: string
  readonly stamp: string
}

function look(file: string, before: Known | undefined): Known | 'absent' | 'broken' {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (!stat) return 'absent'
  const stamp = `${stat.ino}:${stat.mtimeMs}:${stat.size}`
  if (before?.stamp === stamp) return before
  if (stat.size > 256) return 'broken'
  const token = readFileSync(file, 'utf8').trim()
  return SHAPE.test(token) ? { token, stamp } : 'broken'
}

const makeToken = (scope: TokenScope): string => PREFIX[scope] + randomBytes(32).toString('base64url')

const write = (file: string, token: string): Promise<void> => replaceFile(file, `${token}\n`)

const brokenFile = (file: string) =>
  `${file} does not hold a token. Remove it; a new one is made at the next start.`
