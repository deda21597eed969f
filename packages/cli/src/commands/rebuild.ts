import type { RebuildReply } from '@panoptes/schema'
import type { Context } from '../context.ts'
import { interruptible } from '../daemon/signals.ts'
import { remoteWork } from '../daemon/work.ts'
import { EXIT } from '../exit-codes.ts'
import { orFail } from '../failure.ts'
import { startProgress } from '../terminal/progress.ts'
import { count, counted } from '../terminal/words.ts'
import { noteDone } from './migrate/space.ts'
import { type NamedLedger, withNamedLedger } from './named-ledger.ts'

interface RebuildOptions extends NamedLedger {
  readonly check?: boolean | undefined
}

export async function rebuild(context: Context, options: RebuildOptions): Promise<void> {
  const check = options.check === true
  const progress = startProgress(context.output, 'Read events')
  const { signal, done } = interruptible()
  try {
    const reply = await withNamedLedger(context, options, async (access) => {
      if (access.kind === 'daemon')
        return remoteWork<RebuildReply>(access.client, '/api/rebuild', { check }, progress, signal)
      const made = orFail(await access.ledger.rebuild({ check, onProgress: progress.update, signal }))
      if (made.applied && access.place.kind === 'postgres')
        await noteDone(context, access.place, { action: 'rebuild', target: counted(made.differences, 'row') })
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

function describe({ events, rows, differences, applied }: RebuildReply): string[] {
  const read = `${count(events)} events give ${count(rows)} rows`
  if (differences === 0) return [`${read}, the same as before`]
  if (applied) return [`${read}; ${count(differences)} were wrong and are right now`]
  return [`${read}; ${count(differences)} differ`, 'Make them right with: panoptes rebuild']
}
