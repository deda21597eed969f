import { fileFailure, replaceFile } from '@panoptes/engine/home'
import type { Context } from '../../context.ts'
import { withLedger } from '../../daemon/access.ts'
import { stopped } from '../../daemon/client.ts'
import { interruptible } from '../../daemon/signals.ts'
import { asCommandFailure, CommandFailure } from '../../failure.ts'
import { preparePage } from '../../page/index.ts'
import { targetOf } from '../../target.ts'
import { startProgress } from '../../terminal/progress.ts'
import { counted, size } from '../../terminal/words.ts'
import { type History, historyOf, nothingThere, type Span } from './history.ts'
import { replayHtml } from './page.ts'
import { record } from './record.ts'

interface ReplayOptions {
  readonly session?: string
  readonly since?: number
  readonly until?: number
  readonly force?: boolean
}

const HOUR_MS = 3_600_000

export async function exportReplay(context: Context, file: string, options: ReplayOptions): Promise<void> {
  const { output } = context
  const target = await targetOf(context, file, options)
  const { folder, problem } = await preparePage(output.note)
  if (folder === null) throw noPage(problem)
  const progress = startProgress(output, 'Looked at moments')
  const { signal, done } = interruptible()
  try {
    const { recording, older, thinned } = await withLedger(context, async (access) => {
      const history = historyOf(access)
      return record(history, await spanOf(history, options), progress, signal)
    })
    if (signal.aborted) throw stopped()
    const html = await replayHtml(folder, recording).catch((error: unknown) => {
      throw noPage(error instanceof Error ? error.message : String(error))
    })
    await replaceFile(target, html).catch((error: unknown) => {
      throw asCommandFailure(fileFailure(error, target, 'write'))
    })
    progress.end()
    const { events, checkpoints, from, to } = recording
    const bytes = Buffer.byteLength(html)
    const lines = [
      `${counted(events.length, 'event')} and ${counted(checkpoints.length, 'moment')}, ${size(bytes)}, in ${target}`,
      ...(older ? ['Older events of that span are not in it; choose a shorter one to have them all.'] : []),
      ...(thinned
        ? ['Not every moment is in it; choose a shorter span or one session to have them all.']
        : []),
      'Open it in any browser; it needs nothing else. It holds what agents did and said, so mind who gets it.',
    ]
    const left = { older_left_out: older, moments_left_out: thinned }
    output.answer(lines, {
      ok: true,
      path: target,
      bytes,
      events: events.length,
      moments: checkpoints.length,
      from,
      to,
      ...left,
    })
  } finally {
    progress.end()
    done()
  }
}

/** A session is replayed as a whole; else the hour up to the last event, unless a time is given. */
async function spanOf(history: History, { session, since, until }: ReplayOptions): Promise<Span> {
  const meant = await history.sessions(session)
  if (meant.length === 0) throw nothingThere()
  const last = Math.max(...meant.map(({ last_at }) => last_at)) + 1
  const to = until ?? last
  const first = Math.min(...meant.map(({ started_at }) => started_at))
  const from = since ?? (session === undefined ? Math.max(first, to - HOUR_MS) : first)
  if (from < to) return { from, to, session }
  throw nothingThere()
}

const noPage = (problem: string | null): CommandFailure =>
  new CommandFailure(`The page that plays recordings is not there${problem ? `: ${problem}` : ''}`, {
    code: 'no_page',
    next: 'In a clone, see why it does not build with: panoptes up. Else install Panoptes again.',
  })
