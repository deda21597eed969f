import type { Forgettable, ForgotReply } from '@panoptes/schema'
import { toVisible } from '@panoptes/schema/shown'
import type { Context } from '../../context.ts'
import { CommandFailure, EXIT } from '../../failure.ts'
import { ask, canAsk } from '../../terminal/confirm.ts'
import { columns, count, plural } from '../../terminal/format.ts'
import { type PastSessions, withSessions } from './access.ts'
import { plain } from './format.ts'

export interface ForgetOptions {
  readonly dryRun?: boolean
  readonly yes?: boolean
}

const SHOWN = 20

/** Permanently deletes sessions after it lists them and the user confirms. */
export async function forget(context: Context, pattern: string, options: ForgetOptions): Promise<void> {
  const { output } = context
  const work = async (sessions: PastSessions): Promise<void> => {
    const found = await sessions.forgettable(pattern)
    if (found.length === 0) throw nothing(pattern)
    if (options.dryRun) {
      output.answer(
        [`Would delete ${countSessions(found.length)}:`, ...sessionLines(found), ...findCopies(found)],
        {
          ok: true,
          dry_run: true,
          sessions: found,
        },
      )
      return
    }
    if (options.yes !== true && !(await confirmForget(found))) {
      output.answer(['Nothing was deleted'], { ok: true, sessions: [], removed: [] })
      return
    }
    const forgot = await forgetAll(sessions, found)
    output.answer([...summaryLines(forgot), ...findCopies(found)], { ok: true, ...forgot, forgotten: found })
  }
  await withSessions(context, work, options.dryRun ? 'read' : 'write')
}

/** The maximum per request. */
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

async function confirmForget(found: readonly Forgettable[]): Promise<boolean> {
  if (!canAsk())
    throw new CommandFailure(`This would permanently delete ${countSessions(found.length)}`, {
      code: 'needs_yes',
      next: 'List them with --dry-run, or confirm with --yes',
      exit: EXIT.usage,
    })
  process.stderr.write(toVisible([...sessionLines(found), ...findCopies(found), ''].join('\n')))
  return ask(
    `Permanently delete ${found.length === 1 ? 'this session' : `these ${count(found.length)} sessions`}?`,
  )
}

const sessionLines = (found: readonly Forgettable[]): readonly string[] => [
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

/** Lists sessions that start with a copy of a deleted one, because they stay. */
function findCopies(found: readonly Forgettable[]): readonly string[] {
  const ids = [...new Set(found.flatMap(({ branches }) => branches))]
  if (ids.length === 0) return []
  const shown = ids.slice(0, SHOWN).map((id) => plain(id, 40))
  const more = ids.length > SHOWN ? ` and ${count(ids.length - SHOWN)} more` : ''
  return [
    `${countSessions(ids.length)} ${ids.length === 1 ? 'begins' : 'begin'} with a copy and ${ids.length === 1 ? 'is' : 'are'} kept: ${shown.join(', ')}${more}. To delete the copy as well, forget ${ids.length === 1 ? 'it' : 'them'} too.`,
  ]
}

const countSessions = (sessions: number): string => plural(sessions, 'session')

const summaryLines = ({ sessions, removed }: ForgotReply): readonly string[] => [
  `Permanently deleted ${countSessions(sessions)}`,
  ...columns(removed.map(({ from, what, count: number }) => [from, what, count(number)])),
  "The agents' own files are not touched, and existing backups still contain the sessions.",
]

const nothing = (pattern: string): CommandFailure =>
  new CommandFailure(`No session matches ${pattern}`, {
    code: 'not_found',
    next: 'Use an id prefix, a title or a project; * matches any text. List sessions: panoptes sessions list',
  })
