import { setTimeout } from 'node:timers/promises'
import type { Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { TEAM_SCHEMA } from '../../place.ts'
import { expectWritable, openDatabase } from '../../postgres/database.ts'
import { failureOf, shownAddress } from '../../postgres/failures.ts'
import type { Team } from '../port.ts'
import { note, readAudit, retainAudit } from './audit.ts'
import { sawHost } from './hosts.ts'
import { identify } from './identify.ts'
import { migrateTeam } from './migrate.ts'
import {
  changeUser,
  createSpace,
  createUser,
  findUser,
  linkUser,
  readSpaces,
  readUser,
  readUsers,
  removeUser,
  setRole,
  unlinkUser,
} from './people.ts'
import { sharedKey } from './secrets.ts'
import { readSettings, setSetting } from './settings.ts'
import { removeSpace } from './spaces.ts'
import { freeTeller, holdTeller } from './tellers.ts'
import { createToken, moveSignIn, readTokens, revokeToken, signIn, signOut } from './tokens.ts'

/** A server that stands still keeps nobody waiting for longer. */
const PATIENCE_MS = 15_000
const PING_MS = 3_000

/** Opens or creates what a team is in a PostgreSQL database; any number of processes may have it open. `url`: `postgres://…`. */
export async function openTeam({ url }: { readonly url: string }): Promise<Result<Team>> {
  const where = shownAddress(url)
  const database = openDatabase(url, TEAM_SCHEMA)
  let closing: Promise<void> | undefined
  const ask = async <T>(work: () => Promise<T>, patience = PATIENCE_MS): Promise<Result<T>> => {
    if (closing !== undefined) return failure('closed', 'The team is closed.')
    const given = new AbortController()
    try {
      const late = setTimeout(patience, undefined, { signal: given.signal }).then(() => {
        throw Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' })
      })
      late.catch(() => undefined)
      return success(await Promise.race([work(), late]))
    } catch (error) {
      return failureOf(error, where)
    } finally {
      given.abort()
    }
  }
  const close = (): Promise<void> => {
    closing ??= database.close()
    return closing
  }
  try {
    await migrateTeam(database)
  } catch (error) {
    await close()
    return failureOf(error, where)
  }
  return success({
    spaces: () => ask(() => readSpaces(database)),
    createSpace: (name) => ask(() => createSpace(database, name)),
    removeSpace: (name) => ask(() => removeSpace(database, name)),
    users: (space) => ask(() => readUsers(database, space)),
    user: (id) => ask(() => readUser(database, id)),
    findUser: (by) => ask(() => findUser(database, by)),
    createUser: (wish) => ask(() => createUser(database, wish)),
    changeUser: (id, change) => ask(() => changeUser(database, id, change)),
    linkUser: (id, subject) => ask(() => linkUser(database, id, subject)),
    unlinkUser: (id) => ask(() => unlinkUser(database, id)),
    setRole: (id, space, role) => ask(() => setRole(database, id, space, role)),
    removeUser: (id) => ask(() => removeUser(database, id)),
    tokens: (space) => ask(() => readTokens(database, space)),
    createToken: (wish) => ask(() => createToken(database, wish)),
    revokeToken: (space, id) => ask(() => revokeToken(database, space, id)),
    sawHost: (id, host) => ask(() => sawHost(database, id, host)),
    holdTeller: (telling) => ask(() => holdTeller(database, telling)),
    freeTeller: (space, host) => ask(() => freeTeller(database, space, host)),
    signIn: (id, space, until) => ask(() => signIn(database, id, space, until)),
    signOut: (secret) => ask(() => signOut(database, secret)),
    moveSignIn: (secret, space) => ask(() => moveSignIn(database, secret, space)),
    identify: (secret) => ask(() => identify(database, secret)),
    secret: () => ask(() => sharedKey(database, 'sign')),
    settings: () => ask(() => readSettings(database)),
    setSetting: (name, value) => ask(() => setSetting(database, name, value)),
    note: (entries) => ask(() => note(database, entries)),
    audit: (query) => ask(() => readAudit(database, query)),
    retainAudit: (before) => ask(() => retainAudit(database, before)),
    ping: () =>
      ask(async () => {
        await expectWritable(database)
        return null
      }, PING_MS),
    close,
  })
}
