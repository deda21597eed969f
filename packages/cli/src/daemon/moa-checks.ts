import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { mayMake, type Paths } from '@panoptes/engine/home'
import type { Ledger } from '@panoptes/engine/ledger'
import {
  type KeptTraces,
  type Traces,
  traceFolder,
  tracesInFiles,
  tracesInLedger,
} from '@panoptes/engine/moa'
import type { Config, HealthCheck } from '@panoptes/schema'
import { count, counted } from '../terminal/words.ts'

const TRACES = { id: 'moa-traces', title: 'Traces of turns' }
const MB = 1_048_576
const NEXT = 'Make room there or make it writable, or set moa.trace_dir to another folder.'

interface Home {
  readonly paths: Paths
  readonly env: NodeJS.ProcessEnv
  readonly config: Config
}

/** The folder in which turns of a home are written down. */
export const tracesIn = ({ paths, env, config }: Home): string =>
  traceFolder(config.moa.trace_dir, join(paths.home, 'moa-traces'), env)

/** Where turns are written down: in the ledger, where hubs share it, else in files. */
export function tracesOf(home: Home, lines: Ledger['traces']): KeptTraces {
  const { trace_max_mb: most, trace_dir_max_mb: mostOfAll } = home.config.moa
  // Of a session's files there are two.
  if (lines !== null) return tracesInLedger(lines, { ofSession: 2 * most * MB, ofAll: mostOfAll * MB })
  return tracesInFiles({ folder: tracesIn(home), maxBytes: most * MB, maxFolderBytes: mostOfAll * MB })
}

export interface CheckedTraces {
  readonly kept: Pick<KeptTraces, 'folder' | 'bytes'>
  /** What may be there, in megabytes. */
  readonly maxMb: number
  readonly traces?: Pick<Traces, 'problem' | 'lost' | 'removed'> | undefined
}

/** Whether turns are written down as they should be: what went wrong so far, else whether it could go wrong. */
export async function traceCheck({ kept, maxMb, traces }: CheckedTraces): Promise<HealthCheck> {
  const { folder } = kept
  const where = folder ?? 'the ledger'
  const lost = traces?.lost() ?? 0
  const bytes = await kept.bytes()
  const cause =
    traces?.problem() ??
    (folder === null ? null : await unwritable(folder)) ??
    (bytes.ok ? null : bytes.message)
  if (cause === null && bytes.ok) {
    const removed = traces?.removed() ?? 0
    const held = `${count(Math.ceil(bytes.value / MB))} of at most ${count(maxMb)} MB`
    const gone =
      removed === 0 ? '' : `, ${counted(removed, folder === null ? 'old line' : 'old file')} went for that`
    return { ...TRACES, state: 'ok', detail: `Written to ${where}, ${held}${gone}`, cause: null, next: null }
  }
  const detail =
    lost > 0
      ? `${counted(lost, 'line')} could not be written to ${where}`
      : `Turns cannot be written to ${where}`
  return { ...TRACES, state: 'warning', detail, cause, next: folder === null ? null : NEXT }
}

async function unwritable(folder: string): Promise<string | null> {
  const found = await stat(folder).catch(() => undefined)
  if (found === undefined) {
    const made = await mayMake(folder)
    return made.ok ? null : made.message
  }
  if (!found.isDirectory()) return 'It is no folder.'
  return access(folder, constants.W_OK | constants.X_OK).then(
    () => null,
    (error: Error) => error.message,
  )
}

/** What is wrong with the presets of Hermes. */
export const hermesCheck = (problem: string): HealthCheck => ({
  id: 'moa-hermes',
  title: 'Presets of Hermes',
  state: 'warning',
  detail: problem,
  cause: null,
  next: 'Correct it in the config.yaml of Hermes, or set moa.from_hermes to false.',
})
