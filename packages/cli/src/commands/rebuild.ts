import type { RebuildReply, WrongRows } from '@panoptes/schema'
import type { Context } from '../context.ts'
import { interruptible } from '../daemon/signals.ts'
import { remoteWork } from '../daemon/work.ts'
import { EXIT, orFail } from '../failure.ts'
import { columns, count, plural } from '../terminal/format.ts'
import { startProgress } from '../terminal/progress.ts'
import { printDone } from './migrate/space.ts'
import { type StoreOptions, withNamedStore } from './store-option.ts'

interface RebuildOptions extends StoreOptions {
  readonly check?: boolean | undefined
}

export async function rebuild(context: Context, options: RebuildOptions): Promise<void> {
  const check = options.check === true
  const progress = startProgress(context.output, 'Read events')
  const { signal, done } = interruptible()
  try {
    const reply = await withNamedStore(context, options, async (access) => {
      if (access.kind === 'daemon')
        return remoteWork<RebuildReply>(access.client, '/api/rebuild', { check }, progress, signal)
      const made = orFail(await access.store.rebuild({ check, onProgress: progress.update, signal }))
      if (made.applied && access.place.kind === 'postgres')
        await printDone(context, access.place, { action: 'rebuild', target: plural(made.differences, 'row') })
      return made
    })
    progress.end()
    const differs = check && reply.differences > 0
    context.output.answer(describe(reply), { ok: !differs, ...reply })
    if (differs) process.exitCode = EXIT.failed
  } finally {
    progress.end()
    done()
  }
}

/** Describes the result of a rebuild. */
export function describe({ events, rows, differences, wrong = [], applied }: RebuildReply): string[] {
  const read = `${plural(events, 'event')} produce ${plural(rows, 'row')}`
  if (differences === 0) return [`${read}; nothing changed`]
  const found = columns(
    wrong.map((each) => [NAMES[each.projection] ?? each.projection, describeWrongRows(each)]),
  )
  if (applied)
    return [`${read}; fixed ${count(differences)} wrong ${differences === 1 ? 'row' : 'rows'}`, ...found]
  return [
    `${read}; ${count(differences)} stored ${differences === 1 ? 'row is' : 'rows are'} wrong`,
    ...found,
    'The events are not affected. Fix the rows with: panoptes rebuild',
  ]
}

/** Names the projections as the page does. */
const NAMES: Readonly<Record<string, string>> = {
  counters: 'Totals',
  sessions: 'Sessions on Live',
  agents: 'Agents on Live',
  tools: 'Tool durations',
}

function describeWrongRows({ projection, how, rows, example }: WrongRows): string {
  const what = {
    missing: `${plural(rows, 'row')} missing`,
    unexplained: `${plural(rows, 'row')} without a matching event`,
    changed: `${plural(rows, 'row')} that ${rows === 1 ? 'differs' : 'differ'} from the events`,
  }[how]
  return projection === 'counters' ? what : `${what}, for example ${example}`
}
