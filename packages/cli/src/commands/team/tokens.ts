import { rename, rm, writeFile } from 'node:fs/promises'
import { lowerRole, type TeamToken, type TeamUser } from '@panoptes/schema'
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
    context.output.answer(
      rows.length === 0 ? [`The space "${space}" has no tokens`] : columns([HEADINGS, ...rows]),
      { ok: true, tokens },
    )
  })

const HEADINGS = ['ID', 'BEGINS', 'LABEL', 'SCOPE', 'ROLE', 'WHOSE', 'COMPUTER', 'USED']

export function rowOf(token: TeamToken, users: readonly TeamUser[], now = Date.now()): readonly string[] {
  const person = users.find(({ id }) => id === token.user_id)
  return [
    token.id.slice(0, 8),
    token.hint,
    plain(token.label, 40),
    token.scope,
    token.role,
    plain(person?.email ?? 'a machine', 40),
    plain(token.host ?? '–', 40),
    stateOf(token, person, now),
  ]
}

function stateOf(token: TeamToken, person: TeamUser | undefined, now: number): string {
  const { space, revoked_at, expires_at, last_used } = token
  if (revoked_at !== null) return `revoked ${dateTime(revoked_at)}`
  if (person?.disabled) return 'refused: they are disabled'
  if (person !== undefined && person.roles[space] === undefined) return 'refused: they are not in the space'
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
  readonly force?: boolean | undefined
}

export const createToken = (context: Context, options: CreateOptions): Promise<void> =>
  withTeam(context, options, async (access) => {
    const { team, space, noted } = access
    const { label, scope, days, user, force } = options
    await orNoSpace(access)
    const file = options.file === undefined ? undefined : await targetOf(context, options.file, { force })
    const person = user === undefined ? undefined : await personOf(team, user)
    const role = roleFor(options.role, person, space)
    const userId = person?.id ?? null
    // Before there is a token: one that cannot be written down would be good, and nobody would have it.
    const beside = file === undefined ? undefined : await fileBeside(file)
    const tried = await team.createToken({ label, space, scope, role, userId, expiresAt: endOf(days) })
    if (!tried.ok && beside !== undefined) await rm(beside, { force: true })
    const made = orFail(
      tried,
      user === undefined ? undefined : `Add them with: panoptes team users add ${user} --space ${space}`,
    )
    await noted('tokens.create', [label, scope, role, person?.email].filter(Boolean).join(' '))
    const less = role === options.role ? '' : `, as ${role}: ${person?.email} is no more than that there`
    const what = `Made a token of the space "${space}" for ${WHAT_FOR[scope]}${less}`
    if (file === undefined || beside === undefined)
      context.output.answer([what, ...toldOnce(made.token)], { ok: true, ...made })
    else {
      await writeFile(beside, `${made.token}\n`)
      await rename(beside, file)
      context.output.answer([`${what}, in ${file}`], { ok: true, file, about: made.about })
    }
  })

/** A new file that only its owner reads, which takes its place once the token is in it: written into a file of others, it would be theirs. */
async function fileBeside(file: string): Promise<string> {
  const beside = `${file}.${process.pid}`
  try {
    await writeFile(beside, '', { mode: 0o600, flag: 'wx' })
    return beside
  } catch (error) {
    throw new CommandFailure(`${file} cannot be written: ${error instanceof Error ? error.message : error}`, {
      code: 'io',
      next: 'Choose another file. No token was made.',
    })
  }
}

/** Never more than the person may. */
export const roleFor = (
  asked: TeamToken['role'],
  person: Pick<TeamUser, 'roles'> | undefined,
  space: string,
): TeamToken['role'] => lowerRole(asked, person?.roles[space] ?? asked)

const WHAT_FOR: Readonly<Record<TeamToken['scope'], string>> = {
  full: 'the page and the command',
  ingest: 'sending events',
  gateway: 'the gateway of models',
  metrics: 'reading /metrics',
}

export const revokeToken = (context: Context, which: string, options: TeamOptions): Promise<void> =>
  withTeam(context, options, async (access) => {
    const { team, space, noted } = access
    await orNoSpace(access)
    const found = await tokenOf(access, which)
    const already = found.revoked_at !== null
    const about = already ? found : orFail(await team.revokeToken(space, found.id))
    if (!already) await noted('tokens.revoke', about.label)
    const shown = `${plain(about.label, 60)} (${about.hint})`
    const said = already
      ? `${shown} was revoked already, ${dateTime(found.revoked_at ?? 0)}`
      : `Revoked ${shown}`
    context.output.answer([said], { ok: true, already, about })
  })

/** For a computer that is to send with another token, where the one it sent with stays good for others. */
export const freeComputer = (context: Context, host: string, options: TeamOptions): Promise<void> =>
  withTeam(context, options, async (access) => {
    const { team, space, noted } = access
    await orNoSpace(access)
    const homes = orFail(await team.freeTeller(space, host))
    if (homes === 0)
      throw new CommandFailure(`No token of the space "${space}" holds a computer ${plain(host, 60)}`, {
        code: 'not_found',
        next: 'Name it as it calls itself in the refusal; --space names another space.',
      })
    await noted('tokens.free', host)
    const said = `The next token that tells of sessions of ${plain(host, 60)} holds it from then on`
    context.output.answer([said], { ok: true, host, homes })
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
