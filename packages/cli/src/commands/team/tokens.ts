import { rename, rm, writeFile } from 'node:fs/promises'
import { lowerRole, type TeamToken, type TeamUser } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { CommandFailure, orFail } from '../../failure.ts'
import { resolveTarget } from '../../output-file.ts'
import { columns } from '../../terminal/format.ts'
import { dateTime, plain } from '../sessions/format.ts'
import { findPerson, requireSpace, type TeamAccess, type TeamOptions, withTeam } from './access.ts'

const DAY_MS = 86_400_000

export const toExpiry = (days: number | undefined): number | null =>
  days === undefined ? null : Date.now() + days * DAY_MS

export const tokenLines = (token: string): readonly string[] => [
  '',
  `  ${token}`,
  '',
  'It is shown only once; Panoptes stores only its hash.',
]

export const listTokens = (context: Context, options: TeamOptions): Promise<void> =>
  withTeam(context, options, async (access) => {
    const { team, space } = access
    await requireSpace(access)
    const [tokens, users] = [orFail(await team.tokens(space)), orFail(await team.users())]
    const rows = tokens.map((token) => tokenRow(token, users))
    context.output.answer(
      rows.length === 0 ? [`The space "${space}" has no tokens`] : columns([HEADINGS, ...rows]),
      { ok: true, tokens },
    )
  })

const HEADINGS = ['ID', 'BEGINS', 'LABEL', 'SCOPE', 'ROLE', 'WHOSE', 'COMPUTER', 'USED']

export function tokenRow(token: TeamToken, users: readonly TeamUser[], now = Date.now()): readonly string[] {
  const person = users.find(({ id }) => id === token.user_id)
  return [
    token.id.slice(0, 8),
    token.hint,
    plain(token.label, 40),
    token.scope,
    token.role,
    plain(person?.email ?? 'a machine', 40),
    plain(token.host ?? '–', 40),
    tokenState(token, person, now),
  ]
}

function tokenState(token: TeamToken, person: TeamUser | undefined, now: number): string {
  const { space, revoked_at, expires_at, last_used } = token
  if (revoked_at !== null) return `revoked ${dateTime(revoked_at)}`
  if (person?.disabled) return 'refused: the person is disabled'
  if (person !== undefined && person.roles[space] === undefined)
    return 'refused: the person is not in the space'
  if (expires_at !== null && expires_at <= now) return `expired ${dateTime(expires_at)}`
  const used = last_used === null ? 'never used' : `used ${dateTime(last_used)}`
  return expires_at === null ? used : `${used}, expires ${dateTime(expires_at)}`
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
    const { team, space, recordAction } = access
    const { label, scope, days, user, force } = options
    await requireSpace(access)
    const file =
      options.file === undefined ? undefined : await resolveTarget(context, options.file, { force })
    const person = user === undefined ? undefined : await findPerson(team, user)
    const role = roleFor(options.role, person, space)
    const userId = person?.id ?? null
    // This runs before the token exists. A token that cannot be written would be valid, but nobody would have it.
    const beside = file === undefined ? undefined : await fileBeside(file)
    const tried = await team.createToken({ label, space, scope, role, userId, expiresAt: toExpiry(days) })
    if (!tried.ok && beside !== undefined) await rm(beside, { force: true })
    const made = orFail(
      tried,
      user === undefined ? undefined : `Add them with: panoptes team users add ${user} --space ${space}`,
    )
    await recordAction('tokens.create', [label, scope, role, person?.email].filter(Boolean).join(' '))
    const less = role === options.role ? '' : `, as ${role}, the role of ${person?.email} there`
    const what = `Created a token in the space "${space}" for ${WHAT_FOR[scope]}${less}`
    if (file === undefined || beside === undefined)
      context.output.answer([what, ...tokenLines(made.token)], { ok: true, ...made })
    else {
      await writeFile(beside, `${made.token}\n`)
      await rename(beside, file)
      context.output.answer([`${what}, in ${file}`], { ok: true, file, about: made.about })
    }
  })

/** Writes the token to a new private file and renames it. In an existing file of another user, that user could read it. */
async function fileBeside(file: string): Promise<string> {
  const beside = `${file}.${process.pid}`
  try {
    await writeFile(beside, '', { mode: 0o600, flag: 'wx' })
    return beside
  } catch (error) {
    throw new CommandFailure(`${file} cannot be written: ${error instanceof Error ? error.message : error}`, {
      code: 'io',
      next: 'Choose another file. No token was created.',
    })
  }
}

/** Limits the role to the role of the person. */
export const roleFor = (
  requestedRole: TeamToken['role'],
  person: Pick<TeamUser, 'roles'> | undefined,
  space: string,
): TeamToken['role'] => lowerRole(requestedRole, person?.roles[space] ?? requestedRole)

const WHAT_FOR: Readonly<Record<TeamToken['scope'], string>> = {
  full: 'the page and the commands',
  ingest: 'sending events',
  gateway: 'the model gateway',
  metrics: 'reading /metrics',
}

export const revokeToken = (context: Context, which: string, options: TeamOptions): Promise<void> =>
  withTeam(context, options, async (access) => {
    const { team, space, recordAction } = access
    await requireSpace(access)
    const found = await findToken(access, which)
    const already = found.revoked_at !== null
    const about = already ? found : orFail(await team.revokeToken(space, found.id))
    if (!already) await recordAction('tokens.revoke', about.label)
    const shown = `${plain(about.label, 60)} (${about.hint})`
    const message = already
      ? `${shown} was already revoked, ${dateTime(found.revoked_at ?? 0)}`
      : `Revoked ${shown}`
    context.output.answer([message], { ok: true, already, about })
  })

/** Lets a computer send with another token while its previous token stays valid for others. */
export const freeComputer = (context: Context, host: string, options: TeamOptions): Promise<void> =>
  withTeam(context, options, async (access) => {
    const { team, space, recordAction } = access
    await requireSpace(access)
    const homes = orFail(await team.releaseUploaders(space, host))
    if (homes === 0)
      throw new CommandFailure(
        `No token in the space "${space}" is bound to the computer ${plain(host, 60)}`,
        {
          code: 'not_found',
          next: 'Use the name shown in the error message; choose another space with --space.',
        },
      )
    await recordAction('tokens.free', host)
    const message = `The next token that sends sessions of ${plain(host, 60)} takes over`
    context.output.answer([message], { ok: true, host, homes })
  })

/** Finds a token by its id, its hint, or a prefix of either. */
async function findToken({ team, space }: TeamAccess, which: string): Promise<TeamToken> {
  const begun = which.replace(/…$/, '')
  const tokens = orFail(await team.tokens(space))
  const found = tokens.filter(
    ({ id, hint }) => id.startsWith(begun) || (begun.length > 4 && hint.startsWith(begun)),
  )
  const [one] = found
  const next = `List tokens: panoptes team tokens list --space ${space}`
  // The input may be a complete token, so the error does not repeat it.
  if (one === undefined || begun === '')
    throw new CommandFailure(`The space "${space}" has no such token`, { code: 'not_found', next })
  if (found.length > 1) throw new CommandFailure(`${found.length} tokens match`, { code: 'invalid', next })
  return one
}
