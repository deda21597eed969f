import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { EventFilter, Rescued } from '@panoptes/engine/store'
import type { Context } from '../context.ts'
import { withStore } from '../daemon/access.ts'
import { stopped } from '../daemon/client.ts'
import { eventLines, type Lines } from '../daemon/event-lines.ts'
import { isDamage, rescuedLines, soundLines } from '../daemon/rescued-lines.ts'
import { interruptible } from '../daemon/signals.ts'
import { CommandFailure, EXIT } from '../failure.ts'
import { resolveTarget, writeFileAtomically } from '../output-file.ts'
import { plural } from '../terminal/format.ts'
import { startProgress } from '../terminal/progress.ts'
import { formatRanges } from './rescue.ts'

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
  const target = file === '-' ? null : await resolveTarget(context, file, options)
  if (!target && output.json) throw needsFile()
  const progress = startProgress(output, 'Wrote events')
  const { signal, done } = interruptible()
  const filter = toEventFilter(options)
  let written = 0
  let rescued: Rescued | undefined
  const countLines = async function* (parts: AsyncIterable<Lines>) {
    for await (const { bytes, ends } of parts) {
      written += ends
      progress.update(written, 0)
      yield bytes
    }
  }
  /** Yields the readable events of a damaged store. `after` counts the events already written. */
  const readRescued = (after: number) =>
    rescuedLines(context.paths.store, { filter, after, signal }, (found) => {
      rescued = found
    })
  const write = async (parts: AsyncIterable<Lines>) => {
    if (target) await writeFileAtomically(target, countLines(parts), signal)
    else
      await pipeline(Readable.from(countLines(parts), { objectMode: false }), process.stdout, {
        end: false,
        signal,
      })
  }
  try {
    const damaged = await withStore(context, (access) =>
      write(soundLines(eventLines(access, filter, signal), readRescued, (error) => isDamage(context, error))),
    ).catch((error: unknown) => error)
    if (damaged !== undefined) {
      // The store could not be opened, so nothing was written yet.
      if (written > 0 || rescued !== undefined || !(await isDamage(context, damaged))) throw damaged
      await write(readRescued(0))
    }
  } catch (error) {
    throw signal.aborted ? stopped() : error
  } finally {
    progress.end()
    done()
  }
  if (written === 0) output.note(explainNoEvents(options))
  if (rescued !== undefined) {
    output.note(formatLosses(rescued))
    process.exitCode = EXIT.failed
  }
  if (target)
    output.answer([`${plural(written, 'event')} in ${target}`], {
      ok: rescued === undefined,
      path: target,
      events: written,
      ...(rescued === undefined ? {} : { lost_events: rescued.lost_events, lost: rescued.lost }),
    })
}

const formatLosses = ({ lost_events, lost }: Rescued): string =>
  lost_events === 0
    ? 'The store is damaged, but no event is lost. Write an intact copy with: panoptes rescue FILE'
    : `The store is damaged: ${plural(lost_events, 'event')} could not be read, ${formatRanges(lost)}. Recover the rest with: panoptes rescue FILE`

const explainNoEvents = ({ force: _force, ...filter }: ExportOptions): string =>
  Object.values(filter).some((value) => value !== undefined)
    ? 'No event matches. Remove a filter to see more.'
    : 'There are no events yet.'

const needsFile = (): CommandFailure =>
  new CommandFailure('With --json the events need an output file', {
    code: 'usage',
    next: 'For example: panoptes export events.ndjson --json',
    exit: 2,
  })

const toEventFilter = (options: ExportOptions): EventFilter => ({
  session: options.session,
  agent: options.agent,
  kinds: options.kind?.split(',').filter((kind) => kind !== ''),
  source: options.source,
  since: options.since,
  until: options.until,
  text: options.text,
})
