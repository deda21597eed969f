import type { Forgettable, ForgotReply } from '@panoptes/schema'
import type { Context } from '../../context.ts'
import { EXIT } from '../../exit-codes.ts'
import { CommandFailure } from '../../failure.ts'
import { ask, canAsk } from '../../terminal/ask.ts'
import { columns, count } from '../../terminal/words.ts'
import { type PastSessions, withSessions } from './access.ts'
import { plain } from './words.ts'

export interface ForgetOptions {
  readonly dryRun?: boolean
  readonly yes?: boolean
}

const SHOWN = 20

/** Removes sessions for good, after they were shown and a person said yes. */
export async function forget(context: Context, pattern: string, options: ForgetOptions): Promise<void> {
  const { output } = context
  const work = async (sessions: PastSessions): Promise<void> => {
    const found = await sessions.forgettable(pattern)
    if (found.length === 0) throw nothing(pattern)
    if (options.dryRun) {
      output.answer([`${many(found.length)} would be forgotten:`, ...listed(found), ...copiesIn(found)], {
        ok: true,
        dry_run: true,
        sessions: found,
      })
      return
    }
    if (options.yes !== true && !(await agreed(found))) {
      output.answer(['Nothing was forgotten'], { ok: true, sessions: [], removed: [] })
      return
    }
    const forgot = await forgetAll(sessions, found)
    output.answer([...told(forgot), ...copiesIn(found)], { ok: true, ...forgot, forgotten: found })
  }
  await withSessions(context, work, options.dryRun ? 'read' : 'write')
}

/** The daemon takes so many at once. */
const AT_ONCE = 10_000

async function forgetAll(sessions: PastSessions, found: readonly Forgettable[]): Promise<ForgotReply> {
  const replies: ForgotReply[] = []
  for (let at = 0; at < found.length; at += AT_ONCE)
    replies.push(
      await sessions.forget(found.slice(at, at + AT_ONCE).map(({ source, id }) => ({ source, id }))),
    )
  const removed = replies.flatMap((reply) => reply.removed)
  const names = new Map(removed.map((each) => [`${each.from} ${each.what}`, each]))
  return {
    sessions: replies.reduce((sum, reply) => sum + reply.sessions, 0),
    removed: [...names.values()].map(({ from, what }) => ({
      from,
      what,
      count: removed.reduce(
        (sum, each) => sum + (each.from === from && each.what === what ? each.count : 0),
        0,
      ),
    })),
  }
}

async function agreed(found: readonly Forgettable[]): Promise<boolean> {
  if (!canAsk())
    throw new CommandFailure(`${many(found.length)} would be forgotten for good`, {
      code: 'needs_yes',
      next: 'See which with --dry-run, and say --yes to forget them',
      exit: EXIT.usage,
    })
  process.stderr.write(`${[...listed(found), ...copiesIn(found), ''].join('\n')}`)
  return ask(`Forget ${found.length === 1 ? 'it' : `these ${count(found.length)} sessions`} for good?`)
}

const listed = (found: readonly Forgettable[]): readonly string[] => [
  ...columns(
    found
      .slice(0, SHOWN)
      .map(({ source, id, project, title }) => [
        source,
        plain(id, 40),
        plain(project ?? '–', 20),
        plain(title ?? '–', 60),
      ]),
  ),
  ...(found.length > SHOWN ? [`  and ${count(found.length - SHOWN)} more`] : []),
]

/** What others copied stays in the agents' files, and is in none of these. */
function copiesIn(found: readonly Forgettable[]): readonly string[] {
  const ids = [...new Set(found.flatMap(({ branches }) => branches))]
  if (ids.length === 0) return []
  const shown = ids.slice(0, SHOWN).map((id) => plain(id, 40))
  const more = ids.length > SHOWN ? ` and ${count(ids.length - SHOWN)} more` : ''
  return [
    `${many(ids.length)} ${ids.length === 1 ? 'begins' : 'begin'} with a copy and ${ids.length === 1 ? 'is' : 'are'} kept: ${shown.join(', ')}${more}. Forget ${ids.length === 1 ? 'it' : 'them'} too if the copy is to go.`,
  ]
}

const many = (sessions: number): string => (sessions === 1 ? '1 session' : `${count(sessions)} sessions`)

const told = ({ sessions, removed }: ForgotReply): readonly string[] => [
  `Forgot ${many(sessions)} for good`,
  ...columns(removed.map(({ from, what, count: number }) => [from, `${count(number)} ${what}`])),
  'The files of the agents themselves are not touched, and backups made before still hold what they held.',
]

const nothing = (pattern: string): CommandFailure =>
  new CommandFailure(`No session fits ${pattern}`, {
    code: 'not_found',
    next: 'Give the beginning of an id, or a title or project with * for anything: see panoptes sessions list',
  })
