import { writeFile } from 'node:fs/promises'
import type { TeamToken, TeamUser } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { CommandFailure, orFail } from '../../failure.ts'
import { targetOf } from '../../target.ts'
import { columns } from '../../terminal/words.ts'
import { dateTime, plain } from '../sessions/words.ts'
import { orNoSpace, personOf, type TeamAccess, type TeamOptions, withTeam } from './access.ts'

const DAY_MS = 86_400_000

export const endOf = (days: number | undefined): number | null =>
  days === undefined ? null : Date.now() + days * DAY_MS

export const toldOnce = (token: string): readonly string[] => [
  '',
  `  ${token}`,
  '',
  'It is shown this once; only its hash is kept.',
]

export const listTokens = (context: Context, options: TeamOptions): Promise<void> =>
  withTeam(context, options, async (access) => {
    const { team, space } = access
    await orNoSpace(access)
    const [tokens, users] = [orFail(await team.tokens(space)), orFail(await team.users())]
    const rows = tokens.map((token) => rowOf(token, users))
    context.output.answer(rows.length === 0 ? [`The space "${space}" has no tokens`] : columns(rows), {
      ok: true,
      tokens,
    })
  })

const rowOf = (token: TeamToken, users: readonly TeamUser[]): readonly string[] => [
  token.id.slice(0, 8),
  token.hint,
  plain(token.label, 40),
  token.scope,
  token.role,
  plain(users.find(({ id }) => id === token.user_id)?.email ?? 'a machine', 40),
  stateOf(token, Date.now()),
]

function stateOf({ revoked_at, expires_at, last_used }: TeamToken, now: number): string {
  if (revoked_at !== null) return `revoked ${dateTime(revoked_at)}`
  if (expires_at !== null && expires_at <= now) return `ended ${dateTime(expires_at)}`
  const used = last_used === null ? 'never used' : `used ${dateTime(last_used)}`
  return expires_at === null ? used : `${used}, ends ${dateTime(expires_at)}`
}

export interface CreateOptions extends TeamOptions {
  readonly label: string
  readonly scope: TeamToken['scope']
  readonly role: TeamToken['role']
  readonly days?: number | undefined
  readonly user?: string | undefined
  readonly file?: string | undefined
}

export const createToken = (context: Context, options: CreateOptions): Promise<void> =>
  withTeam(context, options, async (access) => {
    const { team, space, noted } = access
    const { label, scope, role, days, user } = options
    await orNoSpace(access)
    const file = options.file === undefined ? undefined : await targetOf(context, options.file, {})
    const userId = user === undefined ? null : (await personOf(team, user)).id
    const made = orFail(
      await team.createToken({ label, space, scope, role, userId, expiresAt: endOf(days) }),
      user === undefined ? undefined : `Add them with: panoptes team users add ${user} --space ${space}`,
    )
    await noted('tokens.create', label)
    const what = `Made a token of the space "${space}" for ${WHAT_FOR[scope]}`
    if (file === undefined) context.output.answer([what, ...toldOnce(made.token)], { ok: true, ...made })
    else {
      await writeFile(file, `${made.token}\n`, { mode: 0o600, flag: 'wx' })
      context.output.answer([`${what}, in ${file}`], { ok: true, file, about: made.about })
    }
  })

const WHAT_FOR: Readonly<Record<TeamToken['scope'], string>> = {
  full: 'the page and the command',
  ingest: 'sending events',
  gateway: 'the gateway of models',
}

export const revokeToken = (context: Context, which: string, options: TeamOptions): Promise<void> =>
  withTeam(context, options, async (access) => {
    const { team, space, noted } = access
    await orNoSpace(access)
    const { id } = await tokenOf(access, which)
    const about = orFail(await team.revokeToken(space, id))
    await noted('tokens.revoke', about.label)
    context.output.answer([`Revoked ${plain(about.label, 60)} (${about.hint})`], { ok: true, about })
  })

/** By its id, its hint, or the beginning of either. */
async function tokenOf({ team, space }: TeamAccess, which: string): Promise<TeamToken> {
  const begun = which.replace(/…$/, '')
  const tokens = orFail(await team.tokens(space))
  const found = tokens.filter(
    ({ id, hint }) => id.startsWith(begun) || (begun.length > 4 && hint.startsWith(begun)),
  )
  const [one] = found
  const next = `See them with: panoptes team tokens list --space ${space}`
  // Somebody may have pasted a whole token: it is not repeated.
  if (one === undefined || begun === '')
    throw new CommandFailure(`The space "${space}" has no such token`, { code: 'not_found', next })
  if (found.length > 1) throw new CommandFailure(`${found.length} tokens begin so`, { code: 'invalid', next })
  return one
}
