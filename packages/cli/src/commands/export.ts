import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { EventFilter } from '@panoptes/engine/ledger'
import type { Context } from '../context.ts'
import { withLedger } from '../daemon/access.ts'
import { stopped } from '../daemon/client.ts'
import { eventLines } from '../daemon/event-lines.ts'
import { interruptible } from '../daemon/signals.ts'
import { CommandFailure } from '../failure.ts'
import { targetOf } from '../target.ts'
import { startProgress } from '../terminal/progress.ts'
import { counted } from '../terminal/words.ts'
import { writeWhole } from '../write-whole.ts'

interface ExportOptions {
  readonly session?: string
  readonly agent?: string
  readonly kind?: string
  readonly source?: string
  readonly since?: number
  readonly until?: number
  readonly text?: string
  readonly force?: boolean
}

export async function exportEvents(context: Context, file: string, options: ExportOptions): Promise<void> {
  const { output } = context
  const target = file === '-' ? null : await targetOf(context, file, options)
  if (!target && output.json) throw needsFile()
  const progress = startProgress(output, 'Wrote events')
  const { signal, done } = interruptible()
  let written = 0
  try {
    await withLedger(context, async (access) => {
      const lines = async function* () {
        for await (const { bytes, ends } of eventLines(access, filterOf(options), signal)) {
          written += ends
          progress.update(written, 0)
          yield bytes
        }
      }
      if (target) await writeWhole(target, lines(), signal)
      else
        await pipeline(Readable.from(lines(), { objectMode: false }), process.stdout, { end: false, signal })
    })
  } catch (error) {
    throw signal.aborted ? stopped() : error
  } finally {
    progress.end()
    done()
  }
  if (written === 0) output.note(nothingFits(options))
  if (target)
    output.answer([`${counted(written, 'event')} in ${target}`], { ok: true, path: target, events: written })
}

const nothingFits = ({ force: _force, ...filter }: ExportOptions): string =>
  Object.values(filter).some((value) => value !== undefined)
    ? 'No event fits. Leave a filter out to see more.'
    : 'There are no events yet.'

const needsFile = (): CommandFailure =>
  new CommandFailure('With --json the events need a file of their own', {
    code: 'usage',
    next: 'Name one: panoptes export events.ndjson --json',
    exit: 2,
  })

const filterOf = (options: ExportOptions): EventFilter => ({
  session: options.session,
  agent: options.agent,
  kinds: options.kind?.split(',').filter((kind) => kind !== ''),
  source: options.source,
  since: options.since,
  until: options.until,
  text: options.text,
})
